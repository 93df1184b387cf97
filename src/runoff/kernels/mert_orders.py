"""Line search for metrics of whole rankings: every order that a list has along a line of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.ordering import sort_best_first

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def crossings(
    offsets: Ints, grades: Floats, intercept: Floats, slope: Floats
) -> tuple[Ints, Floats]:  # pragma: no cover - compiled
    """Places where two candidates of different grades swap, ascending in every group, and the offsets of the groups.

    Swaps of equal grades change no metric. O(k² log k) for a group of k.
    """
    ends = np.zeros(offsets.size, np.int64)
    for group in range(offsets.size - 1):
        ends[group + 1] = ends[group]
        for one in range(offsets[group], offsets[group + 1]):
            for other in range(one + 1, offsets[group + 1]):
                if grades[one] != grades[other] and slope[one] != slope[other]:
                    ends[group + 1] += 1
    where = np.empty(ends[-1])
    at, kept = 0, 0
    for group in range(offsets.size - 1):
        first = at
        for one in range(offsets[group], offsets[group + 1]):
            for other in range(one + 1, offsets[group + 1]):
                if grades[one] != grades[other] and slope[one] != slope[other]:
                    crossing = (intercept[one] - intercept[other]) / (slope[other] - slope[one])
                    if np.isfinite(crossing):
                        where[at] = crossing
                        at += 1
        found = np.sort(where[first:at])
        at = kept
        ends[group] = kept
        for each in range(found.size):
            if each == 0 or found[each] > found[each - 1]:
                where[at] = found[each]
                at += 1
        kept = at
    ends[-1] = kept
    return ends, where[:kept]


@compiled
def orders_between(
    first_group: int,
    last_group: int,
    offsets: Ints,
    ends: Ints,
    where: Floats,
    grades: Floats,
    intercept: Floats,
    slope: Floats,
    second: Floats,
) -> tuple[Ints, Floats, Bools]:  # pragma: no cover - compiled
    """Group, grades and ties of every order of some groups, from left to right: one more than a group has crossings."""
    orders, places, most = 0, 0, 0
    for group in range(first_group, last_group):
        size, count = offsets[group + 1] - offsets[group], ends[group + 1] - ends[group] + 1
        orders, places, most = orders + count, places + size * count, max(most, size)
    groups, ranked, tied = np.empty(orders, np.int64), np.empty(places), np.zeros(places, np.bool_)
    rows, spare = np.empty(most, np.int64), np.empty(most, np.int64)
    score, base = np.empty(most), np.empty(most)
    order, to = 0, 0
    for group in range(first_group, last_group):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        for piece in range(ends[group], ends[group + 1] + 1):
            t = 0.0
            if ends[group] < ends[group + 1]:
                if piece == ends[group]:
                    t = where[piece] - max(1.0, abs(where[piece]))
                elif piece == ends[group + 1]:
                    t = where[piece - 1] + max(1.0, abs(where[piece - 1]))
                else:
                    t = where[piece - 1] + 0.5 * (where[piece] - where[piece - 1])
            for at in range(size):
                rows[at], base[at] = at, second[start + at]
                score[at] = intercept[start + at] + t * slope[start + at]
            sort_best_first(rows, spare, 0, size, score, base)
            for at in range(size):
                row = rows[at]
                ranked[to + at] = grades[start + row]
                if at:
                    tied[to + at] = score[row] == score[rows[at - 1]] and base[row] == base[rows[at - 1]]
            groups[order] = group
            order, to = order + 1, to + size
    return groups, ranked, tied
