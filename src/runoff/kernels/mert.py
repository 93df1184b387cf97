"""Line search over n-best lists (Och 2003): who leads each list at every point of a line of weights.

Along a line of weights the score of a candidate is a line too, `intercept + slope t`, and a list is led by the upper
envelope of its lines (the convex hull trick). Where lines coincide, the candidates tie: those with the highest
first-round score share the lead, and the statistics are the mean of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@compiled
def envelope(
    first: int, last: int, rows: Ints, intercept: Floats, slope: Floats, places: Ints, starts: Floats
) -> int:  # pragma: no cover - compiled
    """Pieces of the upper envelope of `rows[first:last]`, which ascend by slope, from left to right; their number.

    A piece is led by the lines that coincide with that of `rows[place]`, the first of these, from its start on to that
    of the next; the first one starts at minus infinity. O(k) for k lines.
    """
    n, at = 0, first
    while at < last:
        top, b = at, slope[rows[at]]
        at += 1
        while at < last and slope[rows[at]] == b:  # of parallel lines only the highest matters
            if intercept[rows[at]] > intercept[rows[top]]:
                top = at
            at += 1
        a, crossing = intercept[rows[top]], -np.inf
        while n > 0:
            below = rows[places[n - 1]]
            crossing = (intercept[below] - a) / (b - slope[below])
            if crossing > starts[n - 1]:
                break
            crossing = -np.inf  # if it leads from the very left
            n -= 1
        if crossing < np.inf:
            places[n], starts[n] = top, crossing
            n += 1
    return n


@compiled
def add_leaders(
    place: int,
    last: int,
    rows: Ints,
    intercept: Floats,
    slope: Floats,
    second: Floats,
    statistics: Floats,
    factor: float,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Add `factor` times the mean statistics of the lines that coincide with that of `rows[place]`. O(those)."""
    row = rows[place]
    a, b, top, count = intercept[row], slope[row], second[row], 1
    at = place + 1
    while at < last and slope[rows[at]] == b:
        if intercept[rows[at]] == a:
            if second[rows[at]] > top:
                top, count = second[rows[at]], 1
            elif second[rows[at]] == top:
                count += 1
        at += 1
    if count == 1 and second[row] == top:
        for column in range(out.size):
            out[column] += factor * statistics[row, column]
        return
    for each in range(place, at):
        row = rows[each]
        if intercept[row] == a and second[row] == top:
            for column in range(out.size):
                out[column] += factor / count * statistics[row, column]


@compiled
def changes_along(
    offsets: Ints, rows: Ints, intercept: Floats, slope: Floats, second: Floats, statistics: Floats
) -> tuple[Floats, Floats, Floats]:  # pragma: no cover - compiled
    """Summed statistics of the leaders far to the left; then every place where a leader changes, and by how much.

    `rows` are those of every group by ascending slope. Changes that leave the statistics as they are, are left out.
    O(candidates + changes * statistics), the changes being few in most lists and at most as many as candidates.
    """
    most, width = largest(offsets), statistics.shape[1]
    places, starts = np.empty(most, np.int64), np.empty(most)
    sums, room, n = np.zeros(width), 1024, 0
    where, changes = np.empty(room), np.zeros((room, width))
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        pieces = envelope(first, last, rows, intercept, slope, places, starts)
        if pieces:
            add_leaders(places[0], last, rows, intercept, slope, second, statistics, 1.0, sums)
        if n + pieces > room:
            room = 2 * (n + pieces)
            more, wider = np.empty(room), np.zeros((room, width))
            more[:n], wider[:n] = where[:n], changes[:n]
            where, changes = more, wider
        for piece in range(1, pieces):
            change = changes[n]
            change[:] = 0.0
            add_leaders(places[piece], last, rows, intercept, slope, second, statistics, 1.0, change)
            add_leaders(places[piece - 1], last, rows, intercept, slope, second, statistics, -1.0, change)
            where[n] = starts[piece]
            for column in range(width):
                if change[column] != 0.0:
                    n += 1
                    break
    return sums, where[:n], changes[:n]


@compiled
def sums_of_leaders(
    offsets: Ints, score: Floats, second: Floats, statistics: Floats
) -> Floats:  # pragma: no cover - compiled
    """Summed statistics of the candidates with the highest score, then `second`; the mean of those that tie.

    O(candidates).
    """
    sums = np.zeros(statistics.shape[1])
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        if first == last:
            continue
        top, count = first, 1
        for row in range(first + 1, last):
            if score[row] > score[top] or (score[row] == score[top] and second[row] > second[top]):
                top, count = row, 1
            elif score[row] == score[top] and second[row] == second[top]:
                count += 1
        if count == 1:
            for column in range(sums.size):
                sums[column] += statistics[top, column]
            continue
        for row in range(top, last):
            if score[row] == score[top] and second[row] == second[top]:
                for column in range(sums.size):
                    sums[column] += statistics[row, column] / count
    return sums
