"""Sums over all orders of a few documents, where an order weighs a product over (document, place).

Such a sum is a permanent: a dynamic programme over subsets (which documents stand in the first places) gives it, and
the probability of every document at every place, in O(2**n * n) instead of O(n! * n). Matrices have a row for every
place and a column for every document; indices inside the loops are unsigned, which spares a look at their sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.xorshift import uniform

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints
    from runoff.kernels.xorshift import Seeds

    Small: TypeAlias = npt.NDArray[np.uint8]


# Products of weights between exp(-_RANGE) and 1, and sums of 16! of them, are ordinary numbers of 64 bits.
_RANGE = 600.0


class Space(NamedTuple):
    """Space to work in, and tables that depend on the number of documents only."""

    lowest: Small  # lowest set bit of every subset
    sizes: Small  # number of set bits of every subset
    permutations: npt.NDArray[np.int8]  # all orders of n documents, where these are enumerated
    room: Floats  # four sums for every subset
    effective: Floats  # of how many samples the last estimate was worth
    log_weights: Floats
    weights: Floats
    worth: Floats
    places: Floats
    wanted: Floats
    scores: Floats  # of all orders
    losses: Floats
    slopes: Floats


@compiled
def orders(n: int, log_weights: Floats, space: Space, places: Floats) -> float:  # pragma: no cover - compiled
    """Logarithm of the summed weights of all orders; `places[j, i]` gets the probability of document i at place j.

    `log_weights[j, i]` is the logarithm of what document i weighs at place j. `space.weights` gets the weights as they
    were scaled, and `space.room[1]` the sums over the orders of all documents outside a subset. Never overflows: an
    order that is too light to count beside the heaviest counts as nothing. O(2**n * n).
    """
    lowest, sizes, weights = space.lowest, space.sizes, space.weights
    before, after = space.room[0], space.room[1]
    scale = _scaled(n, log_weights, weights)
    full = (1 << n) - 1
    before[0] = after[full] = 1.0
    for chosen in range(1, full + 1):
        place = np.uint32(sizes[np.uint32(chosen)] - 1)
        total = 0.0
        rest = chosen
        while rest:
            i = np.uint32(lowest[np.uint32(rest)])
            rest &= rest - 1
            total += before[np.uint32(chosen ^ (1 << i))] * weights[place, i]
        before[np.uint32(chosen)] = total
    for row in range(n):
        for column in range(n):
            places[row, column] = 0.0
    all_orders = before[full]
    for chosen in range(full - 1, -1, -1):
        place, so_far = np.uint32(sizes[np.uint32(chosen)]), before[np.uint32(chosen)]
        total = 0.0
        rest = full ^ chosen
        while rest:
            i = np.uint32(lowest[np.uint32(rest)])
            rest &= rest - 1
            weight = weights[place, i] * after[np.uint32(chosen | (1 << i))]
            total += weight
            places[place, i] += so_far * weight
        after[np.uint32(chosen)] = total
    for row in range(n):
        for column in range(n):
            places[row, column] /= all_orders
    return float(scale + np.log(all_orders))


@compiled
def draw(n: int, space: Space, random: Seeds, order: npt.NDArray[np.int8]) -> None:  # pragma: no cover - compiled
    """Draw an order by the weights and the sums that `orders` left."""
    weights, after, chosen = space.weights, space.room[1], 0
    for place in range(n):
        left = uniform(random) * after[chosen]
        pick = -1
        for i in range(n):
            if not chosen >> i & 1:
                weight = weights[place, i] * after[chosen | 1 << i]
                if weight > 0.0:
                    pick = i
                    left -= weight
                    if left < 0.0:
                        break
        chosen |= 1 << pick
        order[place] = pick


@compiled
def covariances(
    n: int, log_weights: Floats, worth: Floats, space: Space, found: Floats
) -> float:  # pragma: no cover - compiled
    """Expected worth of an order, which is the sum of `worth[j, i]` over its documents i at places j.

    `found[j, i]` gets the covariance of that worth with document i being at place j. An expectation semiring: sums over
    orders are carried along together with the worth of what they sum over. Otherwise as `orders`; O(2**n * n).
    """
    lowest, sizes, weights = space.lowest, space.sizes, space.weights
    before, after, before_worth, after_worth = space.room[0], space.room[1], space.room[2], space.room[3]
    _scaled(n, log_weights, weights)
    full = (1 << n) - 1
    before[0] = after[full] = 1.0
    before_worth[0] = after_worth[full] = 0.0
    for chosen in range(1, full + 1):
        place = np.uint32(sizes[np.uint32(chosen)] - 1)
        total = valued = 0.0
        rest = chosen
        while rest:
            i = np.uint32(lowest[np.uint32(rest)])
            rest &= rest - 1
            earlier = np.uint32(chosen ^ (1 << i))
            weight = before[earlier] * weights[place, i]
            total += weight
            valued += before_worth[earlier] * weights[place, i] + weight * worth[place, i]
        before[np.uint32(chosen)], before_worth[np.uint32(chosen)] = total, valued
    for row in range(n):
        for column in range(n):
            found[row, column] = 0.0
    all_orders = before[full]
    mean = before_worth[full] / all_orders
    # From here on worth is counted from its mean, to which every place adds as much.
    share = mean / n
    for chosen in range(full - 1, -1, -1):
        place, so_far = np.uint32(sizes[np.uint32(chosen)]), before[np.uint32(chosen)]
        so_far_worth = before_worth[np.uint32(chosen)] - share * place * so_far
        total = valued = 0.0
        rest = full ^ chosen
        while rest:
            i = np.uint32(lowest[np.uint32(rest)])
            rest &= rest - 1
            later = np.uint32(chosen | (1 << i))
            weight = weights[place, i] * after[later]
            more = weights[place, i] * after_worth[later] + weight * (worth[place, i] - share)
            total += weight
            valued += more
            found[place, i] += so_far_worth * weight + so_far * more
        after[np.uint32(chosen)], after_worth[np.uint32(chosen)] = total, valued
    for row in range(n):
        for column in range(n):
            found[row, column] /= all_orders
    return float(mean)


@compiled
def _scaled(n: int, log_weights: Floats, weights: Floats) -> float:  # pragma: no cover - compiled
    """Weights of at most 1 among which some order weighs enough to count; returns the logarithm taken from all orders.

    By the highest weight of every place where no order can then be too light, else by the potentials of the heaviest
    order, which then weighs 1.
    """
    scale = span = 0.0
    for place in range(n):
        highest = lowest = log_weights[place, 0]
        for i in range(1, n):
            highest, lowest = max(highest, log_weights[place, i]), min(lowest, log_weights[place, i])
        for i in range(n):
            weights[place, i] = np.exp(log_weights[place, i] - highest)
        scale += highest
        span += highest - lowest
    if span <= _RANGE:
        return scale
    documents, places, heaviest = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
    _potentials(n, log_weights, documents, places, heaviest)
    scale = 0.0
    for place in range(n):
        scale += documents[place] + places[place]
        for i in range(n):
            weights[place, i] = np.exp(min(log_weights[place, i] - documents[i] - places[place], 0.0))
        weights[place, heaviest[place]] = 1.0  # whatever rounding made of potentials of many digits
    return scale


@compiled
def _potentials(
    n: int, log_weights: Floats, documents: Floats, places: Floats, heaviest: Ints
) -> None:  # pragma: no cover - compiled
    """Potentials with `log_weights[j, i] <= documents[i] + places[j]`, equal along the heaviest order, also given.

    The Hungarian method by shortest augmenting paths (Jonker & Volgenant 1987), O(n³).
    """
    u, v = np.zeros(n + 1), np.zeros(n + 1)
    match, way = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for i in range(1, n + 1):
        match[0] = i
        column = 0
        least, used = np.full(n + 1, np.inf), np.zeros(n + 1, np.bool_)
        while True:
            used[column] = True
            row, delta, following = match[column], np.inf, 0
            for j in range(1, n + 1):
                if not used[j]:
                    cost = -log_weights[j - 1, row - 1] - u[row] - v[j]
                    if cost < least[j]:
                        least[j], way[j] = cost, column
                    if least[j] < delta:
                        delta, following = least[j], j
            for j in range(n + 1):
                if used[j]:
                    u[match[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            column = following
            if match[column] == 0:
                break
        while column:
            match[column] = match[way[column]]
            column = way[column]
    for at in range(n):
        documents[at], places[at] = -u[at + 1], -v[at + 1]
        heaviest[at] = match[at + 1] - 1
