"""The best set of spans that lie inside each other or apart, but never cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def resolve_nested(
    n_cuts: int, starts: Ints, stops: Ints, gains: Floats, chosen: Bools
) -> float:  # pragma: no cover - compiled
    """Mark the spans of the set with the highest sum of gains; gives the sum.

    Spans have different ends, at cuts numbered from 0, and gains above 0. CKY over binary brackets: every set of spans
    without crossing is part of a binary tree. O(n_cuts^3) time, O(n_cuts^2) memory.
    """
    own = np.zeros((n_cuts, n_cuts))
    number = np.full((n_cuts, n_cuts), -1)
    for at in range(starts.size):
        own[starts[at], stops[at]] = gains[at]
        number[starts[at], stops[at]] = at
    best = np.zeros((n_cuts, n_cuts))
    middle = np.full((n_cuts, n_cuts), -1)
    for width in range(1, n_cuts):
        for start in range(n_cuts - width):
            stop = start + width
            highest, where = 0.0, -1
            for cut in range(start + 1, stop):
                total = best[start, cut] + best[cut, stop]
                if total > highest:
                    highest, where = total, cut
            best[start, stop] = highest + own[start, stop]
            middle[start, stop] = where
    chosen[:] = False
    if n_cuts < 2:
        return 0.0
    stack = np.empty((2 * n_cuts, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n_cuts - 1
    depth = 1
    while depth:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        if number[start, stop] >= 0:
            chosen[number[start, stop]] = True
        cut = middle[start, stop]
        if cut >= 0:
            stack[depth, 0], stack[depth, 1] = start, cut
            stack[depth + 1, 0], stack[depth + 1, 1] = cut, stop
            depth += 2
    return float(best[0, n_cuts - 1])
