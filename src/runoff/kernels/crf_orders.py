"""Loss-sensitive objectives of a conditional random field over all orders of a few documents, and steps along them.

What an order weighs is a product over (document, place), so that the sum over all orders is a permanent: a dynamic
programme over subsets (which documents stand in the first places) gives it, and the probability of every document at
every place, in O(2**n * n) instead of O(n! * n). Matrices have a row for every place and a column for every document;
indices inside the loops are unsigned, which spares a look at their sign.

What is also in the kernels over candidates is written there and here in the same words: compiled code of two files must
not call each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles
    from runoff.kernels.crf import Lists, Moves, Seeds, State

    Small: TypeAlias = npt.NDArray[np.uint8]

ML, LA, LS, EL, KL = range(5)
ENUMERATED, EXACT = range(2)  # ways to sum over the orders
MOST_ENUMERATED, MOST_EXACT = 7, 16
# Products of weights between exp(-_RANGE) and 1, and sums of 16! of them, are ordinary numbers of 64 bits.
_RANGE = 600.0
_ZERO = 1e-12  # a loss that is only rounding
# Orders are drawn from the model with scores taken so many times. LS sums up exp(loss * score), and losses lie between
# 0 and 1: that is flatter than the model, and one that is sure would draw the same order again and again.
_TEMPERS = (0.5, 0.25, 0.125, 0.0)


# ---------------------------------------------------------------- sums over all orders


class Ideal(NamedTuple):
    """What orders are judged by: the energy's weight, and the discount of the gain, at every place."""

    alpha: Floats
    discount: Floats


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


# ---------------------------------------------------------------- one query's documents in all their orders


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
            _draw(n, space, random, drawn[at])
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
        exponents[at] = losses[at] * (totals[at] - mean) + losses[at] - _softmax(likelihoods)
    total = _softmax(exponents) - np.log(samples)
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


@compiled
def _draw(n: int, space: Space, random: Seeds, order: npt.NDArray[np.int8]) -> None:  # pragma: no cover - compiled
    """Draw an order by the weights and the sums that `orders` left."""
    weights, after, chosen = space.weights, space.room[1], 0
    for place in range(n):
        left = _random(random) * after[chosen]
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
def _random(state: Seeds) -> float:  # pragma: no cover - compiled
    """A number between 0 and 1 (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53


# ---------------------------------------------------------------- objectives over a list of answers, as over candidates


@compiled
def objective(
    kind: int, strength: float, scores: Floats, losses: Floats, slopes: Floats
) -> float:  # pragma: no cover - compiled
    """Value of an objective; `slopes` gets its derivative by the score of every answer. O(answers).

    Right answers have the loss 0; where there are several, the likelihood is the mean of their logarithms. `strength`
    is the weight of the loss in LA and the temperature in KL.
    """
    n = scores.size
    right = mean = 0.0
    for at in range(n):
        if losses[at] == 0.0:
            right += 1.0
            mean += scores[at]
    mean /= max(right, 1.0)
    for at in range(n):
        if kind == LA:
            slopes[at] = scores[at] + strength * losses[at]
        elif kind == LS:
            slopes[at] = losses[at] * (scores[at] - mean) + losses[at]
        else:
            slopes[at] = scores[at]
    total = _softmax(slopes)
    if kind in (ML, LA):
        for at in range(n):
            if losses[at] == 0.0:
                slopes[at] -= 1.0 / right
        return total - mean
    if kind == LS:
        pull = 0.0
        for at in range(n):
            slopes[at] *= losses[at]
            pull += slopes[at]
        for at in range(n):
            if losses[at] == 0.0:
                slopes[at] -= pull / right
        return total
    if kind == EL:
        value = 0.0
        for at in range(n):
            value += slopes[at] * losses[at]
        for at in range(n):
            slopes[at] *= losses[at] - value
        return value
    weight = 0.0
    for at in range(n):
        weight += np.exp(-losses[at] / strength)
    value = 0.0
    for at in range(n):
        exponent = -losses[at] / strength - np.log(weight)
        wanted, apart = np.exp(exponent), exponent - (scores[at] - total)
        # Σ q log(q / p) with Σ (p - q) = 0 added: near p = q, the terms of the plain sum would cancel to rounding.
        if abs(apart) < 1e-3:
            value += wanted * apart * apart * (0.5 - apart / 6.0 + apart * apart / 24.0)
        else:
            value += wanted * apart + (slopes[at] - wanted)
        slopes[at] -= wanted
    return value


@compiled
def _softmax(values: Floats) -> float:  # pragma: no cover - compiled
    """Turn values into their shares, and return the logarithm of the sum of their exponentials."""
    top = -np.inf
    for at in range(values.size):
        top = max(top, values[at])
    total = 0.0
    for at in range(values.size):
        values[at] = np.exp(values[at] - top)
        total += values[at]
    for at in range(values.size):
        values[at] /= total
    return float(top + np.log(total))


# ---------------------------------------------------------------- passes over groups


class OrdersAim(NamedTuple):
    """What is minimised: an objective, over orders of at most `documents` documents."""

    kind: int
    strength: float
    way: int
    documents: int
    samples: int
    ideal: Ideal


@compiled
def _dot(
    first: int, last: int, indices: Columns, values: Singles | None, weights: Floats
) -> float:  # pragma: no cover - compiled
    total = 0.0
    for at in range(first, last):
        if values is None:
            total += weights[np.uint32(indices[at])]
        else:
            total += weights[np.uint32(indices[at])] * values[at]
    return total


@compiled
def _collect(
    amount: float,
    first: int,
    last: int,
    indices: Columns,
    values: Singles | None,
    sums: Floats,
    is_touched: Bools,
    touched: Ints,
    many: int,
) -> int:  # pragma: no cover - compiled
    """Add up, and note the columns that had not been touched; how many there are then."""
    for at in range(first, last):
        column = np.uint32(indices[at])
        if not is_touched[column]:
            is_touched[column], sums[column] = True, 0.0
            touched[many] = column
            many += 1
        if values is None:
            sums[column] += amount
        else:
            sums[column] += amount * values[at]
    return many


@compiled
def _step(
    rows: Ints,
    slopes: Floats,
    lists: Lists,
    moves: Moves,
    state: State,
    gradient: Floats,
    touched: Ints,
    is_touched: Bools,
) -> None:  # pragma: no cover - compiled
    """Move the weights of the features of some candidates, given the derivatives by their scores.

    L2 shrinks all weights but that of the first round, at no cost for those that are not touched.
    """
    weights, indices, values = state.weights, lists.indices, lists.values
    base = weights.size - 1
    gradient[base], touched[0] = 0.0, base
    many = 1
    for at in range(rows.size):
        row = rows[at]
        gradient[base] += slopes[at] * lists.base[row]
        first, last = lists.indptr[row], lists.indptr[row + 1]
        many = _collect(slopes[at], first, last, indices, values, gradient, is_touched, touched, many)
    time = float(state.counters[0])  # by which the weight of the first round counts
    state.counters[0] += 1
    rate = moves.rate
    for at in range(many):
        column = np.uint32(touched[at])
        is_touched[column] = False
        if state.sums.size:
            state.sums[column] += weights[column] * (time - state.seen[column])
            state.seen[column] = time
        if at == 0:
            _shrink(1.0 - moves.rate * moves.l2, state)
            time = state.factor[1] - state.factor[0]
        slope = gradient[column]
        if moves.adam:
            # By the column's own count of steps: one that comes late has no moments yet.
            state.first[column] = 0.9 * state.first[column] + 0.1 * slope
            state.second[column] = 0.999 * state.second[column] + 0.001 * slope * slope
            state.blank[0, column] *= 0.9
            state.blank[1, column] *= 0.999
            mean = state.first[column] / (1.0 - state.blank[0, column])
            slope = mean / (np.sqrt(state.second[column] / (1.0 - state.blank[1, column])) + 1e-8)
        weights[column] -= rate * slope
        if at == 0:
            rate = moves.rate / state.factor[0]


@compiled
def _shrink(by: float, state: State) -> None:  # pragma: no cover - compiled
    """Multiply all weights but the last by something, and let time go on by what their factor is then."""
    factor, weights = state.factor, state.weights
    before = factor[1]
    factor[0] *= by
    if not 1e-3 < abs(factor[0]) < 1e3:
        # A factor far from 1 would cost digits, and 0 everything.
        for column in range(weights.size - 1):
            if state.sums.size:
                state.sums[column] += weights[column] * (before - state.seen[column])
                state.seen[column] = 0.0
            weights[column] *= factor[0]
        factor[0], factor[1] = 1.0, 0.0
    factor[1] += factor[0]


@compiled
def orders_pass(
    visits: Ints, lists: Lists, aim: OrdersAim, moves: Moves, state: State, space: Space
) -> None:  # pragma: no cover - compiled
    """Visit groups and make a step after each; the objective of each, before the step, is added to `state.loss`.

    Long groups are represented by `aim.documents` documents, drawn anew at every visit, among them one of every grade
    that the group has. Adam's moments change with the features of the visited documents only.
    """
    most, n_columns = 1, state.weights.size
    for group in visits:
        most = max(most, lists.offsets[group + 1] - lists.offsets[group])
    scores, gains, slopes, rows = np.empty(most), np.empty(most), np.empty(most), np.empty(most, np.int64)
    gradient, touched, is_touched = np.zeros(n_columns), np.empty(n_columns, np.int64), np.zeros(n_columns, np.bool_)
    for group in visits:
        n = _chosen(lists.offsets[group], lists.offsets[group + 1], lists.targets, aim, state.random, rows)
        if n == 0:
            continue
        if not _prepared(rows[:n], lists, state.weights, state.factor[0], scores, gains):
            state.loss[0] = np.nan
            return
        state.loss[0] += ranking_objective(
            aim.kind,
            aim.strength,
            aim.way,
            scores[:n],
            gains[:n],
            aim.ideal,
            space,
            aim.samples,
            state.random,
            slopes[:n],
        )
        if not np.isfinite(state.loss[0]):
            return
        state.loss[1] += space.effective[0]
        _step(rows[:n], slopes, lists, moves, state, gradient, touched, is_touched)


@compiled
def _prepared(
    rows: Ints, lists: Lists, weights: Floats, factor: float, scores: Floats, gains: Floats
) -> bool:  # pragma: no cover - compiled
    """Find scores and gains of documents; whether the scores are finite."""
    size = top = 0.0
    for at in range(rows.size):
        row = rows[at]
        scores[at] = weights[-1] * lists.base[row]
        scores[at] += factor * _dot(lists.indptr[row], lists.indptr[row + 1], lists.indices, lists.values, weights)
        size += abs(scores[at])
        top = max(top, lists.targets[row])
    for at in range(rows.size):
        # Only relative gains count, and those of 1 add up to finite sums.
        gains[at] = lists.targets[rows[at]] / top
    return bool(np.isfinite(size))


@compiled
def _chosen(
    start: int, stop: int, targets: Floats, aim: OrdersAim, random: Seeds, rows: Ints
) -> int:  # pragma: no cover - compiled
    """Rows that stand for a group, and how many; none where their grades are all the same."""
    n = stop - start
    lowest, highest = np.inf, -np.inf
    for row in range(start, stop):
        rows[row - start] = row
        lowest, highest = min(lowest, targets[row]), max(highest, targets[row])
    if not lowest < highest:
        return 0
    if n <= aim.documents:
        return n
    for at in range(n - 1, 0, -1):
        other = int(_random(random) * (at + 1))
        rows[at], rows[other] = rows[other], rows[at]
    # The first of every grade come to the front, as many as there is room for.
    many = 0
    for at in range(n):
        is_new = True
        for earlier in range(many):
            is_new &= targets[rows[earlier]] != targets[rows[at]]
        if is_new and many < aim.documents:
            rows[many], rows[at] = rows[at], rows[many]
            many += 1
    # The rest is drawn anew: what was left over above favours the grades that are common.
    for at in range(many, aim.documents):
        other = at + int(_random(random) * (n - at))
        rows[at], rows[other] = rows[other], rows[at]
    return aim.documents
