"""How many brackets open and close at every token: the best balanced choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats


@compiled
def best_balance(  # pragma: no cover - compiled
    opening: Floats, closing: Floats, deepest: int, opens: Columns, closes: Columns
) -> float:
    """Choose the numbers with the highest sum of scores such that brackets balance; returns the sum.

    `opening[i, k]` is the score of k brackets that open before token i, `closing[i, k]` of k that close after it.
    Of equal choices that with fewer brackets at the last tokens wins. O(tokens deepest (openings + closings)).
    """
    n = opening.shape[0]
    most_open, most_close = opening.shape[1], closing.shape[1]
    best = np.full(deepest + 1, -np.inf)
    best[0] = 0.0
    inside = np.empty(deepest + 1)
    opened = np.zeros((n, deepest + 1), np.int32)
    closed = np.zeros((n, deepest + 1), np.int32)
    for at in range(n):
        for depth in range(deepest + 1):
            inside[depth] = -np.inf
            for k in range(min(most_open, depth + 1)):
                score = best[depth - k] + opening[at, k]
                if score > inside[depth]:
                    inside[depth] = score
                    opened[at, depth] = k
        for depth in range(deepest + 1):
            best[depth] = -np.inf
            for k in range(min(most_close, deepest - depth + 1)):
                score = inside[depth + k] + closing[at, k]
                if score > best[depth]:
                    best[depth] = score
                    closed[at, depth] = k
    depth = 0
    for back in range(n):
        at = n - 1 - back
        closes[at] = closed[at, depth]
        depth += closes[at]
        opens[at] = opened[at, depth]
        depth -= opens[at]
    return float(best[0])
