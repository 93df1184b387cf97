"""Enumerating pairs, and the features on which the two candidates of a pair differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints

    Codes = npt.NDArray[np.uint32]


@compiled
def pair_counts(offsets: Ints, order: Ints, quality: Floats) -> Ints:  # pragma: no cover - compiled
    """Number of pairs (better, worse) of every group whose rows `order` lists from best to worst. O(candidates)."""
    counts = np.zeros(offsets.size - 1, np.int64)
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        level = start
        for at in range(start, stop):
            if quality[order[at]] != quality[order[level]]:
                level = at
            counts[group] += level - start
    return counts


@compiled
def all_pairs(
    offsets: Ints, order: Ints, quality: Floats, counts: Ints
) -> tuple[Ints, Ints]:  # pragma: no cover - compiled
    """Every pair of candidates of different quality, by the better one, best first. O(Σk²) for groups of k."""
    better = np.empty(counts.sum(), np.int64)
    worse = np.empty(better.size, np.int64)
    n = 0
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        for high in range(start, stop):
            for low in range(high + 1, stop):
                if quality[order[low]] < quality[order[high]]:
                    better[n], worse[n] = order[high], order[low]
                    n += 1
    return better, worse


@compiled
def sampled_pairs(
    offsets: Ints, order: Ints, quality: Floats, counts: Ints, weighted: bool, draws: Floats
) -> tuple[Ints, Ints, Floats]:  # pragma: no cover - compiled
    """All pairs of small groups, and of the others as many draws as `draws` has rows for them, merged.

    A pair is drawn in proportion to its weight (difference in quality, or one): first the better candidate
    by what all its pairs weigh, then the worse one. Every draw weighs an equal share of the whole group.
    `draws` has two uniform numbers for each draw. O(k log k + draws log k) for a group of k.
    """
    n_draws = draws.shape[1]
    room = 0
    for count in counts:
        room += min(count, n_draws)
    better, worse, weight = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    codes = np.empty(n_draws, np.int64)
    n, row = 0, 0
    for group in range(offsets.size - 1):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        if counts[group] <= n_draws:
            for high in range(start, start + size):
                for low in range(high + 1, start + size):
                    gap = quality[order[high]] - quality[order[low]]
                    if gap > 0:
                        better[n], worse[n], weight[n] = order[high], order[low], gap if weighted else 1.0
                        n += 1
            continue
        # below[h] = what the pairs of the h better candidates weigh; tail[l] = Σ of the gaps to the best from l on.
        below, tail, next_level = np.zeros(size + 1), np.zeros(size + 1), np.empty(size + 1, np.int64)
        next_level[size] = size
        top = quality[order[start]]
        for at in range(size - 1, -1, -1):
            here = quality[order[start + at]]
            tail[at] = tail[at + 1] + (top - here)
            last_of_level = at == size - 1 or quality[order[start + at + 1]] != here
            next_level[at] = at + 1 if last_of_level else next_level[at + 1]
        for at in range(size):
            low = next_level[at]
            lead = top - quality[order[start + at]]
            mass = tail[low] - (size - low) * lead if weighted else float(size - low)
            below[at + 1] = below[at] + max(mass, 0.0)
        for draw in range(n_draws):
            at = np.searchsorted(below, draws[row, draw, 0] * below[size], side="right") - 1
            at = min(at, size - 1)
            while next_level[at] == size:  # rounding can point behind the last candidate that has a pair
                at -= 1
            low, lead = next_level[at], top - quality[order[start + at]]
            if weighted:
                # Bisection for the last l whose running weight, from low on, is not above the target.
                target = draws[row, draw, 1] * (tail[low] - (size - low) * lead)
                left, right = low, size - 1
                while left < right:
                    middle = (left + right + 1) // 2
                    if tail[low] - tail[middle] - (middle - low) * lead <= target:
                        left = middle
                    else:
                        right = middle - 1
                low = left
            else:
                low = min(low + int(draws[row, draw, 1] * (size - low)), size - 1)
            codes[draw] = at * size + low
        codes.sort()
        share = below[size] / n_draws
        for draw in range(n_draws):
            if draw and codes[draw] == codes[draw - 1]:
                weight[n - 1] += share
                continue
            better[n], worse[n] = order[start + codes[draw] // size], order[start + codes[draw] % size]
            weight[n] = share
            n += 1
        row += 1
    return better[:n], worse[:n], weight[:n]


@compiled
def groups_with(
    offsets: Ints, indptr: Ints, indices: Columns, n_columns: int
) -> tuple[Ints, int]:  # pragma: no cover - compiled
    """Number of groups in which each column occurs, and where a row first repeats a column (-1: nowhere).

    O(stored values).
    """
    seen, last = np.zeros(n_columns, np.int64), np.full(n_columns, -1, np.int64)
    repeat = -1
    for group in range(offsets.size - 1):
        for row in range(offsets[group], offsets[group + 1]):
            for at in range(indptr[row], indptr[row + 1]):
                column = indices[at]
                seen[column] += last[column] < offsets[group]
                if last[column] == row and repeat < 0:
                    repeat = at
                last[column] = row
    return seen, repeat


@compiled
def _mark(row: int, mark: int, indptr: Ints, indices: Columns, marks: Columns) -> None:  # pragma: no cover - compiled
    for at in range(indptr[row], indptr[row + 1]):
        marks[indices[at], 0] = mark


@compiled
def _differing(
    pair: int, contest: int, better: int, worse: int, indptr: Ints, indices: Columns, marks: Columns, out: Codes
) -> int:  # pragma: no cover - compiled
    """Columns that one of the two rows has, as `2 * column + side`; the better row is marked with `contest`.

    Side 0 is the better one's. Rows need no order, but no row may have a column twice.
    """
    n = 0
    for at in range(indptr[worse], indptr[worse + 1]):
        column = indices[at]
        out[n] = 2 * column + 1
        n += marks[column, 0] != contest
        marks[column, 1] = pair
    for at in range(indptr[better], indptr[better + 1]):
        column = indices[at]
        out[n] = 2 * column
        n += marks[column, 1] != pair
    return n


@compiled
def difference_counts(
    better: Ints, worse: Ints, indptr: Ints, indices: Columns, kept: Bools, marks: Columns, counts: Ints, used: Ints
) -> None:  # pragma: no cover - compiled
    """`counts`: number of kept columns on which each pair differs; `used`: number of such pairs of each column.

    `marks` is scratch, two numbers of -1 for each column. O(stored values of both rows, over all pairs).
    """
    out = np.empty(2 * largest(indptr) + 1, np.uint32)
    contest = -1
    for pair in range(better.size):
        if pair == 0 or better[pair] != better[pair - 1]:
            contest += 1
            _mark(better[pair], contest, indptr, indices, marks)
        for at in range(_differing(pair, contest, better[pair], worse[pair], indptr, indices, marks, out)):
            column = out[at] >> 1
            used[column] += kept[column]
            counts[pair] += kept[column]


@compiled
def differences(
    better: Ints,
    worse: Ints,
    indptr: Ints,
    indices: Columns,
    place: Columns,
    common: int,
    marks: Columns,
    spans: Ints,
    items: Codes,
) -> None:  # pragma: no cover - compiled
    """Features on which the pairs differ, as `2 * place + side`: side 0 if the better one has it, else 1.

    `items[spans[2p]:spans[2p + 2]]` are those of pair p. From `spans[2p + 1]` on, which is filled in, they have
    places of at least `common`. `place` is -1 for columns that are left out. Costs as `difference_counts`.
    """
    out = np.empty(2 * largest(indptr) + 1, np.uint32)
    contest = -1
    for pair in range(better.size):
        if pair == 0 or better[pair] != better[pair - 1]:
            contest += 1
            _mark(better[pair], contest, indptr, indices, marks)
        front, back = spans[2 * pair], spans[2 * pair + 2]
        for at in range(_differing(pair, contest, better[pair], worse[pair], indptr, indices, marks, out)):
            here = place[out[at] >> 1]
            if 0 <= here < common:
                items[front] = 2 * here + (out[at] & 1)
                front += 1
            elif here >= 0:
                back -= 1
                items[back] = 2 * here + (out[at] & 1)
        spans[2 * pair + 1] = front


@compiled
def inverted(spans: Ints, items: Codes, fill: Ints, members: Codes, costs: Ints) -> None:  # pragma: no cover - compiled
    """`members`: the pairs of every feature, as `2 * pair + side`, in rising order; `costs`: how many items they have.

    `fill` says where the pairs of each feature begin, and afterwards where they end. O(items).
    """
    for pair in range(spans.size // 2):
        for at in range(spans[2 * pair], spans[2 * pair + 2]):
            feature = items[at] >> 1
            members[fill[feature]] = 2 * pair + (items[at] & 1)
            fill[feature] += 1
            costs[feature] += spans[2 * pair + 2] - spans[2 * pair]
