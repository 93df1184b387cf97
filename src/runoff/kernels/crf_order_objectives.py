"""Loss-sensitive objectives of a conditional random field over all orders of a few documents.

Matrices have a row for every place and a column for every document; indices inside the loops are unsigned, which spares
a look at their sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.crf_objectives import EL, KL, LA, LS, objective, softmax
from runoff.kernels.permutation_sums import covariances, draw, orders

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.kernels.permutation_sums import Space
    from runoff.kernels.xorshift import Seeds


ENUMERATED, EXACT = range(2)  # ways to sum over the orders
MOST_ENUMERATED, MOST_EXACT = 7, 16
_ZERO = 1e-12  # a loss that is only rounding
# Orders are drawn from the model with scores taken so many times. LS sums up exp(loss * score), and losses lie between
# 0 and 1: that is flatter than the model, and one that is sure would draw the same order again and again.
_TEMPERS = (0.5, 0.25, 0.125, 0.0)


class Ideal(NamedTuple):
    """What orders are judged by: the energy's weight, and the discount of the gain, at every place."""

    alpha: Floats
    discount: Floats


@compiled
def ranking_objective(
    kind: int,
    strength: float,
    way: int,
    scores: Floats,
    gains: Floats,
    ideal: Ideal,
    space: Space,
    samples: int,
    random: Seeds,
    slopes: Floats,
) -> float:  # pragma: no cover - compiled
    """Value of an objective over all orders of documents; `slopes` gets its derivative by every document's score.

    An order has the score `Σ alpha[place] * score` and the loss `1 - Σ gain * discount[place] / the best such sum`.
    ENUMERATED: O(n! * n). EXACT: O(2**n * n); LS, which has no such form, by `samples` orders that are drawn.
    """
    n, alpha = scores.size, ideal.alpha
    best = _best(gains, ideal.discount)
    if way == ENUMERATED:
        return _enumerated(kind, strength, scores, gains, best, ideal, space, slopes)
    log_weights, worth, places, wanted = space.log_weights, space.worth, space.places, space.wanted
    for place in range(n):
        for i in range(n):
            worth[place, i] = gains[i] * ideal.discount[place] / best
            log_weights[place, i] = alpha[place] * scores[i]
            if kind == LA:
                log_weights[place, i] -= strength * worth[place, i]
    for i in range(n):
        slopes[i] = 0.0
    if kind == EL:
        reached = covariances(n, log_weights, worth, space, places)
        for place in range(n):
            for i in range(n):
                slopes[i] -= alpha[place] * places[place, i]
        return 1.0 - reached
    value = strength if kind == LA else 0.0
    if kind == KL:
        value += _wanted(n, worth, strength, space, log_weights, wanted)
        for place in range(n):
            for i in range(n):
                log_weights[place, i] = alpha[place] * scores[i]
    else:
        _right(gains, ideal.discount, wanted)
    if kind == LS:
        return _sampled(scores, gains, best, ideal, space, samples, random, slopes)
    value += orders(n, log_weights, space, places)
    for place in range(n):
        for i in range(n):
            slopes[i] += alpha[place] * (places[place, i] - wanted[place, i])
            value -= wanted[place, i] * alpha[place] * scores[i]
    return value


@compiled
def _wanted(
    n: int, worth: Floats, temperature: float, space: Space, log_weights: Floats, wanted: Floats
) -> float:  # pragma: no cover - compiled
    """Probability of every document at every place as KL wants it, and minus the entropy of the orders."""
    for place in range(n):
        for i in range(n):
            log_weights[place, i] = worth[place, i] / temperature
    value = -orders(n, log_weights, space, wanted)
    for place in range(n):
        for i in range(n):
            value += wanted[place, i] * log_weights[place, i]
    return value


@compiled
def _best(gains: Floats, discount: Floats) -> float:  # pragma: no cover - compiled
    """What the right orders reach."""
    best = 0.0
    for i in range(gains.size):
        place = 0
        for other in range(gains.size):
            place += gains[other] > gains[i] or (gains[other] == gains[i] and other < i)
        best += gains[i] * discount[place]
    return best


@compiled
def _right(gains: Floats, discount: Floats, wanted: Floats) -> None:  # pragma: no cover - compiled
    """Probability of every document at every place when all right orders are equally likely.

    Documents of the same gain share the places that they would fill in order, and places of the same discount the
    documents: the numbers of the one at the other are fixed, and all within is alike. Discounts do not rise.
    """
    n = gains.size
    for i in range(n):
        first = many = 0
        for other in range(n):
            first += gains[other] > gains[i]
            many += gains[other] == gains[i]
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and discount[stop] == discount[start]:
                stop += 1
            shared = max(min(first + many, stop) - max(first, start), 0)
            for place in range(start, stop):
                wanted[place, i] = shared / (many * (stop - start))
            start = stop


@compiled
def _enumerated(
    kind: int, strength: float, scores: Floats, gains: Floats, best: float, ideal: Ideal, space: Space, slopes: Floats
) -> float:  # pragma: no cover - compiled
    n, table = scores.size, space.permutations
    many = 1
    for at in range(2, n + 1):
        many *= at
    all_scores, losses, pulls = space.scores[:many], space.losses[:many], space.slopes[:many]
    for at in range(many):
        total = reached = 0.0
        for place in range(n):
            # Tables are those of the largest n: its first n! rows order the last n documents.
            i = np.uint32(table[at, table.shape[1] - n + place] - (table.shape[1] - n))
            total += ideal.alpha[place] * scores[i]
            reached += ideal.discount[place] * gains[i]
        all_scores[at] = total
        losses[at] = 1.0 - reached / best
        if losses[at] < _ZERO:
            losses[at] = 0.0
    value = objective(kind, strength, all_scores, losses, pulls)
    for document in range(n):
        slopes[document] = 0.0
    for at in range(many):
        for place in range(n):
            i = np.uint32(table[at, table.shape[1] - n + place] - (table.shape[1] - n))
            slopes[i] += pulls[at] * ideal.alpha[place]
    return value


@compiled
def _sampled(
    scores: Floats,
    gains: Floats,
    best: float,
    ideal: Ideal,
    space: Space,
    samples: int,
    random: Seeds,
    slopes: Floats,
) -> float:  # pragma: no cover - compiled
    """LS by orders drawn from flatter models, each weighed by how unlikely all of these together were to draw it.

    Multiple importance sampling by the balance heuristic (Veach & Guibas 1995): the sum over orders is unbiased, its
    logarithm too low. The mean of the right orders is exact. O(2**n * n), and O(n²) for every sample.
    """
    n, wanted, log_weights = scores.size, space.wanted, space.log_weights
    drawn, totals, losses = np.empty((samples, n), np.int8), np.empty(samples), np.empty(samples)
    norms = np.empty(len(_TEMPERS))
    first = 0
    for flatter in range(len(_TEMPERS)):
        last = samples * (flatter + 1) // len(_TEMPERS)
        for place in range(n):
            for i in range(n):
                log_weights[place, i] = _TEMPERS[flatter] * ideal.alpha[place] * scores[i]
        norms[flatter] = -np.inf
        if last > first:
            norms[flatter] = np.log((last - first) / samples) - orders(n, log_weights, space, space.places)
        for at in range(first, last):
            draw(n, space, random, drawn[at])
            score = reached = 0.0
            for place in range(n):
                score += ideal.alpha[place] * scores[drawn[at, place]]
                reached += ideal.discount[place] * gains[drawn[at, place]]
            totals[at], losses[at] = score, max(1.0 - reached / best, 0.0)
        first = last
    mean = 0.0
    for i in range(n):
        for place in range(n):
            mean += wanted[place, i] * ideal.alpha[place] * scores[i]
    exponents, likelihoods = np.empty(samples), np.empty(len(_TEMPERS))
    for at in range(samples):
        for flatter in range(len(_TEMPERS)):
            likelihoods[flatter] = norms[flatter] + _TEMPERS[flatter] * totals[at]
        exponents[at] = losses[at] * (totals[at] - mean) + losses[at] - softmax(likelihoods)
    total = softmax(exponents) - np.log(samples)
    for i in range(n):
        slopes[i] = 0.0
    pull = squares = 0.0
    for at in range(samples):
        squares += exponents[at] ** 2
        for place in range(n):
            slopes[drawn[at, place]] += exponents[at] * losses[at] * ideal.alpha[place]
        pull += exponents[at] * losses[at]
    for i in range(n):
        for place in range(n):
            slopes[i] -= pull * wanted[place, i] * ideal.alpha[place]
    space.effective[0] = 1.0 / squares
    return float(total)
