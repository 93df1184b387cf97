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
        rank, relevant, inverse = _places(scores[start:stop], q, weighting)
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
                total += _add(w, start + one, start + other, scores, loss, first, second)
    return total


@compiled
def sampled_gradients(
    offsets: Ints,
    scores: Floats,
    quality: Floats,
    gains: Floats,
    starts: Ints,
    better: Ints,
    worse: Ints,
    share: Floats,
    loss: int,
    weighting: int,
    first: Floats,
    second: Floats,
) -> float:  # pragma: no cover - compiled
    """The same over pairs that were drawn; `share` has the weight of each, times that of the metric.

    Pairs of a list are those from `starts[list]` on. O(k log k + pairs) for a list of k.
    """
    total = 0.0
    first[:] = 0.0
    second[:] = 0.0
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        pairs = range(starts[group], starts[group + 1])
        if starts[group] == starts[group + 1]:
            continue
        q, g = quality[start:stop], gains[start:stop]
        rank, relevant, inverse = _places(scores[start:stop], q, weighting)
        metric = EQUAL if weighting == QUALITY else weighting  # the draws have seen to quality
        weights = 0.0
        for pair in pairs:
            one, other = better[pair] - start, worse[pair] - start
            weights += share[pair] * _weight(q, g, rank, relevant, inverse, one, other, metric)
        if weights <= 0.0:
            continue
        for pair in pairs:
            one, other = better[pair] - start, worse[pair] - start
            w = share[pair] * _weight(q, g, rank, relevant, inverse, one, other, metric) / weights
            total += _add(w, better[pair], worse[pair], scores, loss, first, second)
    return total


@compiled
def _add(
    w: float, one: int, other: int, scores: Floats, loss: int, first: Floats, second: Floats
) -> float:  # pragma: no cover - compiled
    """Add the derivatives of a pair with the weight `w`, and return its loss."""
    d = min(max(scores[one] - scores[other], -_FAR), _FAR)
    value: float = w * np.exp(-d)
    slope = curve = value
    if loss == LOG:
        p = 1.0 / (1.0 + np.exp(d))
        value, slope, curve = w * np.log1p(np.exp(-d)), w * p, w * p * (1.0 - p)
    first[one] += slope
    first[other] -= slope
    second[one] += curve
    second[other] += curve
    return value


@compiled
def _places(scores: Floats, q: Floats, weighting: int) -> tuple[Ints, Floats, Floats]:  # pragma: no cover - compiled
    """The place of every candidate of a list, and what average precision needs: relevant ones down to a place."""
    size = scores.size
    order = np.argsort(-scores, kind="mergesort")
    rank = np.empty(size, np.int64)
    for place in range(size):
        rank[order[place]] = place
    relevant, inverse = np.zeros(size + 1), np.zeros(size + 1)
    if weighting == MAP:
        for place in range(size):
            is_one = 1.0 if q[order[place]] > 0 else 0.0
            relevant[place + 1] = relevant[place] + is_one
            inverse[place + 1] = inverse[place] + is_one / (place + 1)
    return rank, relevant, inverse


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
