"""First and second derivatives of losses of ranked lists, for trees: pairs with weights, and whole distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

EXP, LOG = 0, 1  # losses of a pair
EQUAL, QUALITY, NDCG, MAP = 0, 1, 2, 3  # weights of a pair
_FAR = 30.0  # margins beyond which exp is cut off, so that no list outweighs all others


@compiled
def pair_gradients(
    offsets: Ints,
    scores: Floats,
    quality: Floats,
    gains: Floats,
    loss: int,
    weighting: int,
    only_best: bool,
    first: Floats,
    second: Floats,
) -> float:  # pragma: no cover - compiled
    """Write the negative first and the second derivative by every score, and return the loss, over lists.

    Every pair of a better and a worse candidate has the loss `exp(-d)` or `log(1 + exp(-d))` of the difference d of
    their scores, times its weight: the same for all; the difference of their quality; or by how much NDCG or average
    precision would change if the two changed places (Burges 2010). The weights of a list add up to 1, so that all lists
    count alike. O(k²) for a list of k.
    """
    total = 0.0
    first[:] = 0.0
    second[:] = 0.0
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        size = stop - start
        if size < 2:
            continue
        q, g = quality[start:stop], gains[start:stop]
        order = np.argsort(-scores[start:stop], kind="mergesort")
        rank = np.empty(size, np.int64)
        for place in range(size):
            rank[order[place]] = place
        relevant, inverse = np.zeros(size + 1), np.zeros(size + 1)
        if weighting == MAP:
            for place in range(size):
                is_one = 1.0 if q[order[place]] > 0 else 0.0
                relevant[place + 1] = relevant[place] + is_one
                inverse[place + 1] = inverse[place] + is_one / (place + 1)
        best = q.max()
        weights = 0.0
        for one in range(size):
            if only_best and q[one] < best:
                continue
            for other in range(size):
                if q[other] < q[one]:
                    weights += _weight(q, g, rank, relevant, inverse, one, other, weighting)
        if weights <= 0.0:
            continue
        for one in range(size):
            if only_best and q[one] < best:
                continue
            for other in range(size):
                if not q[other] < q[one]:
                    continue
                w = _weight(q, g, rank, relevant, inverse, one, other, weighting) / weights
                d = min(max(scores[start + one] - scores[start + other], -_FAR), _FAR)
                if loss == EXP:
                    e = np.exp(-d)
                    total += w * e
                    slope, curve = w * e, w * e
                else:
                    p = 1.0 / (1.0 + np.exp(d))
                    total += w * np.log1p(np.exp(-d))
                    slope, curve = w * p, w * p * (1.0 - p)
                first[start + one] += slope
                first[start + other] -= slope
                second[start + one] += curve
                second[start + other] += curve
    return total


@compiled
def _weight(
    q: Floats, g: Floats, rank: Ints, relevant: Floats, inverse: Floats, one: int, other: int, weighting: int
) -> float:  # pragma: no cover - compiled
    if weighting == EQUAL:
        return 1.0
    change: float = q[one] - q[other]
    if weighting == QUALITY:
        return change
    low, high = min(rank[one], rank[other]), max(rank[one], rank[other])
    if weighting == NDCG:
        change = (g[one] - g[other]) * (1.0 / np.log2(low + 2.0) - 1.0 / np.log2(high + 2.0))
        return abs(change)
    if not q[one] > 0 or q[other] > 0:
        return 0.0
    more = 0.0 if rank[one] < rank[other] else 1.0  # relevant ones above, once it has moved up
    change = (relevant[low + 1] + more) / (low + 1) + inverse[high] - inverse[low + 1]
    change -= relevant[high + 1] / (high + 1)
    return abs(change)


@compiled
def list_gradients(
    offsets: Ints, scores: Floats, targets: Floats, first: Floats, second: Floats
) -> float:  # pragma: no cover - compiled
    """The same for the cross-entropy of the softmax of the scores from target distributions (Cao et al. 2007). O(n)."""
    total = 0.0
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        if start == stop:
            continue
        top = scores[start:stop].max()
        norm = np.exp(scores[start:stop] - top).sum()
        for row in range(start, stop):
            p = np.exp(scores[row] - top) / norm
            first[row], second[row] = targets[row] - p, p * (1.0 - p)
            if targets[row] > 0.0:
                total -= targets[row] * (scores[row] - top - np.log(norm))
    return total
