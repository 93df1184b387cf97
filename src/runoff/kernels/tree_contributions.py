"""Exact shares of the columns in the difference of two rows under trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def shapley_values(
    column: Ints, cut: Floats, missing_right: Bools, leaves: Floats, one: Floats, other: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Add every column's Shapley value in `score(one) - score(other)`, its value being that of one row or the other.

    A leaf counts for the sets of columns with which a row that has these from `one` and the others from `other` ends in
    it: all columns on its path that only `one` sends there, and none that only `other` does. With u of the former and v
    of the latter the leaf's value times (u - 1)! v! / (u + v)! goes to each of the former, and minus u! (v - 1)! / (u +
    v)! to each of the latter (Lundberg et al. 2020, section on interventions). The values add up exactly.
    O(trees x leaves x depth²).
    """
    trees, inner = column.shape
    count = leaves.shape[1]
    depth = 0
    while (1 << depth) < count:
        depth += 1
    factorial = np.ones(depth + 2)
    for at in range(1, depth + 2):
        factorial[at] = factorial[at - 1] * at
    columns, mine, theirs = np.empty(depth, np.int64), np.empty(depth, np.bool_), np.empty(depth, np.bool_)
    for tree in range(trees):
        for leaf in range(count):
            node, different, possible = inner + leaf, 0, True
            while node > 0 and possible:
                parent = (node - 1) // 2
                goes_right = node == 2 * parent + 2
                at = column[tree, parent]
                if at < 0:
                    possible = not goes_right
                    node = parent
                    continue
                a, b = one[at], other[at]
                by_one = (missing_right[tree, parent] if np.isnan(a) else a > cut[tree, parent]) == goes_right
                by_other = (missing_right[tree, parent] if np.isnan(b) else b > cut[tree, parent]) == goes_right
                known = -1
                for place in range(different):
                    if columns[place] == at:
                        known = place
                if known < 0:
                    columns[different], mine[different], theirs[different] = at, by_one, by_other
                    known = different
                    different += 1
                else:
                    mine[known] = mine[known] and by_one
                    theirs[known] = theirs[known] and by_other
                possible = mine[known] or theirs[known]
                node = parent
            if not possible:
                continue
            u = v = 0
            for place in range(different):
                u += mine[place] and not theirs[place]
                v += theirs[place] and not mine[place]
            if u + v == 0:
                continue
            value = leaves[tree, leaf]
            for place in range(different):
                if mine[place] and not theirs[place]:
                    out[columns[place]] += value * factorial[u - 1] * factorial[v] / factorial[u + v]
                elif theirs[place] and not mine[place]:
                    out[columns[place]] -= value * factorial[u] * factorial[v - 1] / factorial[u + v]
