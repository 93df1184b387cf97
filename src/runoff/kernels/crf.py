"""Loss-sensitive objectives of a conditional random field, and exact sums over all orders of a few documents.

Every objective is a function of scores (minus energies) and losses of the possible answers. Answers are the candidates
of a group, or all orders of some of its documents. What an order weighs is a product over (document, place), so that
the sum over all orders is a permanent: a dynamic programme over subsets (which documents stand in the first places)
gives it, and the probability of every document at every place, in O(2**n * n) instead of O(n! * n).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numba import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles

    Small: TypeAlias = npt.NDArray[np.int8]
    Seeds: TypeAlias = npt.NDArray[np.uint64]

ML, LA, LS, EL, KL = range(5)
CANDIDATES, ENUMERATED, EXACT = range(3)  # ways to sum over the answers
MOST_ENUMERATED, MOST_EXACT = 7, 16
# Products of weights between exp(-_RANGE) and 1, and sums of 16! of them, are ordinary numbers of 64 bits.
_RANGE = 600.0
_ZERO = 1e-12  # a loss that is only rounding


# ---------------------------------------------------------------- objectives over a list of answers


@njit(cache=True, nogil=True)
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
        wanted = np.exp(exponent)
        value += wanted * (exponent - (scores[at] - total))
        slopes[at] -= wanted
    return value


@njit(cache=True, nogil=True)
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


# ---------------------------------------------------------------- sums over all orders


@njit(cache=True, nogil=True)
def orders(
    log_weights: Floats,
    worth: Floats,
    weighs: bool,
    lowest: Small,
    room: Floats,
    weights: Floats,
    places: Floats,
    cross: Floats,
) -> float:  # pragma: no cover - compiled
    """Logarithm of the summed weights of all orders; `places[i, j]` gets the probability of document i at place j.

    `log_weights[i, j]` is the logarithm of what document i weighs at place j. Where it `weighs`, an order is worth the
    sum of `worth[i, j]` over its documents, and `cross[i, j]` gets the expectation of that, counted where i is at j (an
    expectation semiring). `lowest[s]` is the lowest set bit of s, `room` space for four times 2**n numbers; `weights`
    gets the weights as they were scaled, and `room[1]` the sums over the orders of all documents outside a subset.
    Never overflows: an order that is too light to count beside the heaviest counts as nothing. O(2**n * n).
    """
    n = log_weights.shape[0]
    full = (1 << n) - 1
    before, after, before_worth, after_worth = room[0], room[1], room[2], room[3]
    scale = _scaled(log_weights, weights)
    before[0], before_worth[0] = 1.0, 0.0
    for chosen in range(1, full + 1):
        place, rest = -1, chosen
        while rest:
            place += 1
            rest &= rest - 1
        total = valued = 0.0
        rest = chosen
        while rest:
            i = lowest[rest]
            rest &= rest - 1
            earlier = chosen ^ (1 << i)
            total += before[earlier] * weights[i, place]
            if weighs:
                valued += (before_worth[earlier] + before[earlier] * worth[i, place]) * weights[i, place]
        before[chosen], before_worth[chosen] = total, valued
    for i in range(n):
        for place in range(n):
            places[i, place] = 0.0
            if weighs:
                cross[i, place] = 0.0
    after[full], after_worth[full] = 1.0, 0.0
    all_orders = before[full]
    for chosen in range(full - 1, -1, -1):
        place, rest = 0, chosen
        while rest:
            place += 1
            rest &= rest - 1
        total = valued = 0.0
        rest = full ^ chosen
        while rest:
            i = lowest[rest]
            rest &= rest - 1
            later = chosen | (1 << i)
            weight = weights[i, place] * after[later]
            total += weight
            places[i, place] += before[chosen] * weight
            if weighs:
                more = weights[i, place] * after_worth[later] + weight * worth[i, place]
                valued += more
                cross[i, place] += before_worth[chosen] * weight + before[chosen] * more
        after[chosen], after_worth[chosen] = total, valued
    for i in range(n):
        for place in range(n):
            places[i, place] /= all_orders
            if weighs:
                cross[i, place] /= all_orders
    return float(scale + np.log(all_orders))


@njit(cache=True, nogil=True)
def _scaled(log_weights: Floats, weights: Floats) -> float:  # pragma: no cover - compiled
    """Weights of at most 1 among which some order weighs enough to count; returns the logarithm taken from all orders.

    By the highest weight of every place where no order can then be too light, else by the potentials of the heaviest
    order, which then weighs 1.
    """
    n = log_weights.shape[0]
    scale = span = 0.0
    rows, columns = np.zeros(n), np.zeros(n)
    for place in range(n):
        lowest = columns[place] = log_weights[0, place]
        for i in range(1, n):
            columns[place] = max(columns[place], log_weights[i, place])
            lowest = min(lowest, log_weights[i, place])
        span += columns[place] - lowest
    heaviest = np.full(n, -1, np.int64)
    if span > _RANGE:
        _potentials(log_weights, rows, columns, heaviest)
    for i in range(n):
        scale += rows[i] + columns[i]
        for place in range(n):
            weights[i, place] = np.exp(min(log_weights[i, place] - rows[i] - columns[place], 0.0))
            if heaviest[place] == i:
                weights[i, place] = 1.0  # whatever rounding made of potentials of many digits
    return scale


@njit(cache=True, nogil=True)
def _potentials(
    log_weights: Floats, rows: Floats, columns: Floats, heaviest: Ints
) -> None:  # pragma: no cover - compiled
    """Potentials with `log_weights[i, j] <= rows[i] + columns[j]`, equal along the heaviest order, which is given too.

    The Hungarian method by shortest augmenting paths (Jonker & Volgenant 1987), O(n³).
    """
    n = log_weights.shape[0]
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
                    cost = -log_weights[row - 1, j - 1] - u[row] - v[j]
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
        rows[at], columns[at] = -u[at + 1], -v[at + 1]
        heaviest[at] = match[at + 1] - 1


# ---------------------------------------------------------------- one query's documents in all their orders


class Ideal(NamedTuple):
    """What orders are judged by: the energy's weight, and the discount of the gain, at every place."""

    alpha: Floats
    discount: Floats


class Space(NamedTuple):
    """Space to work in, and tables that depend on the number of documents only."""

    lowest: Small  # lowest set bit of every subset
    permutations: npt.NDArray[np.int8]  # all orders of n documents, where these are enumerated
    room: Floats
    log_weights: Floats
    weights: Floats
    worth: Floats
    places: Floats
    wanted: Floats
    cross: Floats
    scores: Floats  # of all orders
    losses: Floats
    slopes: Floats


@njit(cache=True, nogil=True)
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
    ENUMERATED: O(n! * n). EXACT: O(2**n * n); LS, which has no such form, by `samples` orders drawn from the model.
    """
    n = scores.size
    best = _best(gains, ideal.discount)
    if way == ENUMERATED:
        return _enumerated(kind, strength, scores, gains, best, ideal, space, slopes)
    log_weights, worth = space.log_weights[:n, :n], space.worth[:n, :n]
    places, wanted, cross = space.places[:n, :n], space.wanted[:n, :n], space.cross[:n, :n]
    for i in range(n):
        for place in range(n):
            worth[i, place] = gains[i] * ideal.discount[place] / best
    _right(gains, ideal.discount, wanted)
    value = 0.0
    for turn in range(1 if kind == KL else 0, -1, -1):  # for KL what is wanted comes first, then what there is
        for i in range(n):
            for place in range(n):
                log_weights[i, place] = ideal.alpha[place] * scores[i]
                if turn == 1:
                    log_weights[i, place] = worth[i, place] / strength
                elif kind == LA:
                    log_weights[i, place] -= strength * worth[i, place]
        total = orders(log_weights, worth, kind == EL, space.lowest, space.room, space.weights, places, cross)
        if turn == 1:
            value -= total
            for i in range(n):
                for place in range(n):
                    wanted[i, place] = places[i, place]
                    value += wanted[i, place] * log_weights[i, place]
        else:
            value += total
    if kind == LS:
        return _sampled(scores, gains, best, ideal, space, samples, random, slopes)
    if kind == EL:
        reached = 0.0
        for i in range(n):
            for place in range(n):
                reached += places[i, place] * worth[i, place]
        for i in range(n):
            slopes[i] = 0.0
            for place in range(n):
                slopes[i] -= ideal.alpha[place] * (cross[i, place] - reached * places[i, place])
        return 1.0 - reached
    for i in range(n):
        slopes[i] = 0.0
        for place in range(n):
            slopes[i] += ideal.alpha[place] * (places[i, place] - wanted[i, place])
            value -= wanted[i, place] * ideal.alpha[place] * scores[i]
    return value + strength if kind == LA else value


@njit(cache=True, nogil=True)
def _best(gains: Floats, discount: Floats) -> float:  # pragma: no cover - compiled
    """What the right orders reach."""
    best = 0.0
    for i in range(gains.size):
        place = 0
        for other in range(gains.size):
            place += gains[other] > gains[i] or (gains[other] == gains[i] and other < i)
        best += gains[i] * discount[place]
    return best


@njit(cache=True, nogil=True)
def _right(gains: Floats, discount: Floats, wanted: Floats) -> None:  # pragma: no cover - compiled
    """Probability of every document at every place when all right orders are equally likely.

    Documents of the same gain share the places that they would fill in order, and places of the same discount the
    documents: the numbers of the one at the other are fixed, and all within is alike.
    """
    n = gains.size
    for i in range(n):
        first, many = _block(gains, gains[i])
        for place in range(n):
            start, wide = _block(discount[:n], discount[place])
            shared = min(first + many, start + wide) - max(first, start)
            wanted[i, place] = max(shared, 0) / (many * wide)


@njit(cache=True, nogil=True)
def _block(values: Floats, value: float) -> tuple[int, int]:  # pragma: no cover - compiled
    """How many are higher than a value, and how many are equal to it."""
    higher = equal = 0
    for other in values:
        higher += other > value
        equal += other == value
    return higher, equal


@njit(cache=True, nogil=True)
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
            i = table[at, table.shape[1] - n + place] - (table.shape[1] - n)
            total += ideal.alpha[place] * scores[i]
            reached += ideal.discount[place] * gains[i]
        all_scores[at] = total
        losses[at] = 1.0 - reached / best
        if losses[at] < _ZERO:
            losses[at] = 0.0
    value = objective(kind, strength, all_scores, losses, pulls)
    for i in range(n):
        slopes[i] = 0.0
    for at in range(many):
        for place in range(n):
            i = table[at, table.shape[1] - n + place] - (table.shape[1] - n)
            slopes[i] += pulls[at] * ideal.alpha[place]
    return value


@njit(cache=True, nogil=True)
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
    """LS by orders drawn from the model, each weighed by how unlikely it was: an estimate, for what has no closed form.

    The mean of the right orders is exact. Takes the sums that `orders` left; O(n²) for every sample.
    """
    n, wanted, weights = scores.size, space.wanted, space.weights
    mean = 0.0
    for i in range(n):
        for place in range(n):
            mean += wanted[i, place] * ideal.alpha[place] * scores[i]
    after, drawn = space.room[1], np.empty((samples, n), np.int8)
    exponents, losses = np.empty(samples), np.empty(samples)
    for at in range(samples):
        chosen, likelihood, score, reached = 0, 0.0, 0.0, 0.0
        for place in range(n):
            left = _random(random) * after[chosen]
            pick = -1
            for i in range(n):
                if not chosen >> i & 1:
                    weight = weights[i, place] * after[chosen | 1 << i]
                    if weight > 0.0:
                        pick = i
                        left -= weight
                        if left < 0.0:
                            break
            likelihood += np.log(weights[pick, place] * after[chosen | 1 << pick] / after[chosen])
            score += ideal.alpha[place] * scores[pick]
            reached += ideal.discount[place] * gains[pick]
            chosen |= 1 << pick
            drawn[at, place] = pick
        losses[at] = max(1.0 - reached / best, 0.0)
        exponents[at] = losses[at] * (score - mean) + losses[at] - likelihood
    total = _softmax(exponents) - np.log(samples)
    for i in range(n):
        slopes[i] = 0.0
    pull = 0.0
    for at in range(samples):
        for place in range(n):
            slopes[drawn[at, place]] += exponents[at] * losses[at] * ideal.alpha[place]
        pull += exponents[at] * losses[at]
    for i in range(n):
        for place in range(n):
            slopes[i] -= pull * wanted[i, place] * ideal.alpha[place]
    return float(total)


@njit(cache=True, nogil=True)
def _random(state: Seeds) -> float:  # pragma: no cover - compiled
    """A number between 0 and 1 (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53


# ---------------------------------------------------------------- passes over groups


class Lists(NamedTuple):
    """Features (CSR), first-round scores, and losses of all candidates; or their gains, where orders are learned."""

    offsets: Ints
    indptr: Ints
    indices: Columns
    values: Singles | None
    base: Floats
    targets: Floats


class Aim(NamedTuple):
    """What is minimised: an objective, over candidates or over orders of at most `documents` of them."""

    kind: int
    strength: float
    way: int
    documents: int
    samples: int
    ideal: Ideal


class Moves(NamedTuple):
    """How steps are made: their length, L2, and whether they are Adam's (Kingma & Ba 2015)."""

    rate: float
    l2: float
    adam: bool


class State(NamedTuple):
    """What learning changes; the weight of the first round's score comes last."""

    weights: Floats
    first: Floats  # Adam's moments, or nothing
    second: Floats
    sums: Floats  # of the weights after every step since the pass began, taken lazily, or nothing
    seen: Ints  # step at which each weight was last counted in `sums`
    counters: Ints  # steps in all
    loss: Floats  # sum of the objective over the visits of the epoch
    random: Seeds


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _add(
    amount: float, first: int, last: int, indices: Columns, values: Singles | None, sums: Floats
) -> None:  # pragma: no cover - compiled
    for at in range(first, last):
        if values is None:
            sums[indices[at]] += amount
        else:
            sums[indices[at]] += amount * values[at]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def group_objective(
    rows: Ints, lists: Lists, aim: Aim, weights: Floats, space: Space, random: Seeds, scores: Floats, slopes: Floats
) -> float:  # pragma: no cover - compiled
    """Value for one group (the candidates at `rows`), and its derivative by every candidate's score."""
    n = rows.size
    targets, indices, values = np.empty(n), lists.indices, lists.values
    size = 0.0
    for at in range(n):
        row = rows[at]
        targets[at] = lists.targets[row]
        scores[at] = weights[-1] * lists.base[row]
        scores[at] += _dot(lists.indptr[row], lists.indptr[row + 1], indices, values, weights)
        size += abs(scores[at])
    if not np.isfinite(size):
        return np.nan
    if aim.way != CANDIDATES:
        # Only relative gains count, and those of 1 add up to finite sums.
        top = targets.max()
        for at in range(n):
            targets[at] /= top
    if aim.way == CANDIDATES:
        return objective(aim.kind, aim.strength, scores[:n], targets, slopes[:n])
    return ranking_objective(
        aim.kind,
        aim.strength,
        aim.way,
        scores[:n],
        targets,
        aim.ideal,
        space,
        aim.samples,
        random,
        slopes[:n],
    )


@njit(cache=True, nogil=True)
def batch_objective(
    groups: Ints, lists: Lists, aim: Aim, weights: Floats, space: Space, random: Seeds, gradient: Floats
) -> float:  # pragma: no cover - compiled
    """Sum of the objective over whole groups; its gradient is added to `gradient`. O(stored values) over candidates."""
    most = 0
    for group in groups:
        most = max(most, lists.offsets[group + 1] - lists.offsets[group])
    scores, slopes, rows = np.empty(most), np.empty(most), np.empty(most, np.int64)
    indices, values = lists.indices, lists.values
    total = 0.0
    for group in groups:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        for row in range(start, stop):
            rows[row - start] = row
        total += group_objective(rows[: stop - start], lists, aim, weights, space, random, scores, slopes)
        for row in range(start, stop):
            slope = slopes[row - start]
            gradient[-1] += slope * lists.base[row]
            _add(slope, lists.indptr[row], lists.indptr[row + 1], indices, values, gradient)
    return total


@njit(cache=True, nogil=True)
def sgd_pass(
    visits: Ints, lists: Lists, aim: Aim, moves: Moves, state: State, space: Space
) -> None:  # pragma: no cover - compiled
    """Visit groups and make a step after each; the objective of each, before the step, is added to `state.loss`.

    Long groups are represented by `aim.documents` documents, drawn anew at every visit, among them one of every grade
    that the group has. L2 and Adam's moments touch the features of the visited documents only.
    """
    most = 1
    for group in visits:
        most = max(most, lists.offsets[group + 1] - lists.offsets[group])
    weights, n_columns = state.weights, state.weights.size
    indices, values = lists.indices, lists.values
    scores, slopes, rows = np.empty(most), np.empty(most), np.empty(most, np.int64)
    gradient, touched, is_touched = np.zeros(n_columns), np.empty(n_columns, np.int64), np.zeros(n_columns, np.bool_)
    for group in visits:
        n = _chosen(lists.offsets[group], lists.offsets[group + 1], lists.targets, aim, state.random, rows)
        if n == 0:
            continue
        state.loss[0] += group_objective(rows[:n], lists, aim, weights, space, state.random, scores, slopes)
        if not np.isfinite(state.loss[0]):
            return
        gradient[n_columns - 1] = 0.0
        touched[0] = n_columns - 1
        many = 1
        for at in range(n):
            row = rows[at]
            gradient[n_columns - 1] += slopes[at] * lists.base[row]
            first, last = lists.indptr[row], lists.indptr[row + 1]
            many = _collect(slopes[at], first, last, indices, values, gradient, is_touched, touched, many)
        state.counters[0] += 1
        step = state.counters[0]
        for at in range(many):
            column = touched[at]
            is_touched[column] = False
            if state.sums.size:
                state.sums[column] += weights[column] * (step - 1 - state.seen[column])
                state.seen[column] = step - 1
            slope = gradient[column] + moves.l2 * weights[column]
            if moves.adam:
                state.first[column] = 0.9 * state.first[column] + 0.1 * slope
                state.second[column] = 0.999 * state.second[column] + 0.001 * slope * slope
                mean = state.first[column] / (1.0 - 0.9**step)
                spread = np.sqrt(state.second[column] / (1.0 - 0.999**step))
                weights[column] -= moves.rate * mean / (spread + 1e-8)
            else:
                weights[column] -= moves.rate * slope


@njit(cache=True, nogil=True)
def _chosen(
    start: int, stop: int, targets: Floats, aim: Aim, random: Seeds, rows: Ints
) -> int:  # pragma: no cover - compiled
    """Rows that stand for a group, and how many; none where their grades are all the same."""
    n = stop - start
    lowest, highest = np.inf, -np.inf
    for row in range(start, stop):
        rows[row - start] = row
        lowest, highest = min(lowest, targets[row]), max(highest, targets[row])
    if not lowest < highest:
        return 0
    if aim.way == CANDIDATES or n <= aim.documents:
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
