"""Loss-sensitive objectives of a conditional random field over the candidates of a group, and steps along them.

Every objective is a function of scores (minus energies) and losses of the possible answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles

    Seeds: TypeAlias = npt.NDArray[np.uint64]

ML, LA, LS, EL, KL = range(5)


# ---------------------------------------------------------------- objectives over a list of answers


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


class Lists(NamedTuple):
    """Features (CSR), first-round scores, and losses of all candidates; or their gains, where orders are learned."""

    offsets: Ints
    indptr: Ints
    indices: Columns
    values: Singles | None
    base: Floats
    targets: Floats


class Aim(NamedTuple):
    """What is minimised; `strength` is the weight of the loss in LA and the temperature in KL."""

    kind: int
    strength: float


class Moves(NamedTuple):
    """How steps are made: their length, L2, and whether they are Adam's (Kingma & Ba 2015)."""

    rate: float
    l2: float
    adam: bool


class State(NamedTuple):
    """What learning changes; the weight of the first round's score comes last.

    L2 shrinks all weights but that one at every step, most of which touch few of them: what they have in common is kept
    apart as one factor (Bottou 2010).
    """

    weights: Floats  # to be multiplied by the factor
    factor: Floats  # the factor, and the sum of the factors after every step: the time by which averages count
    first: Floats  # Adam's moments, or nothing
    second: Floats
    blank: Floats  # what share of each column's two moments is still the zero that they began with
    sums: Floats  # of the weights after every step, taken lazily, or nothing
    seen: Floats  # time until which each weight is counted in `sums`
    counters: Ints  # steps in all
    loss: Floats  # sum of the objective over the visits of the epoch, and of effective samples where there are any
    random: Seeds


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
def _add(
    amount: float, first: int, last: int, indices: Columns, values: Singles | None, sums: Floats
) -> None:  # pragma: no cover - compiled
    for at in range(first, last):
        if values is None:
            sums[indices[at]] += amount
        else:
            sums[indices[at]] += amount * values[at]


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
def _group(
    start: int,
    stop: int,
    lists: Lists,
    aim: Aim,
    weights: Floats,
    factor: float,
    base_weight: float,
    scores: Floats,
    slopes: Floats,
) -> float:  # pragma: no cover - compiled
    """Value for the candidates of one group, and its derivative by every candidate's score."""
    n, size = stop - start, 0.0
    for at in range(n):
        row = start + at
        scores[at] = base_weight * lists.base[row]
        scores[at] += factor * _dot(lists.indptr[row], lists.indptr[row + 1], lists.indices, lists.values, weights)
        size += abs(scores[at])
    if not np.isfinite(size):
        return np.nan
    return objective(aim.kind, aim.strength, scores[:n], lists.targets[start:stop], slopes[:n])


@compiled
def _longest(groups: Ints, offsets: Ints) -> int:  # pragma: no cover - compiled
    most = 1
    for group in groups:
        most = max(most, offsets[group + 1] - offsets[group])
    return most


@compiled
def batch_objective(
    groups: Ints, lists: Lists, aim: Aim, weights: Floats, base_weight: float, gradient: Floats
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Sum of the objective over groups, and its slope for the first round's score; adds to `gradient`.

    Columns may be bundles, as long as groups have none in common that are summed up at the same time. O(stored values).
    """
    most = _longest(groups, lists.offsets)
    scores, slopes = np.empty(most), np.empty(most)
    indices, values = lists.indices, lists.values
    total = base_slope = 0.0
    for group in groups:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        total += _group(start, stop, lists, aim, weights, 1.0, base_weight, scores, slopes)
        for row in range(start, stop):
            slope = slopes[row - start]
            base_slope += slope * lists.base[row]
            _add(slope, lists.indptr[row], lists.indptr[row + 1], indices, values, gradient)
    return total, base_slope


@compiled
def candidates_pass(
    visits: Ints, lists: Lists, aim: Aim, moves: Moves, state: State
) -> None:  # pragma: no cover - compiled
    """Visit groups and make a step after each; the objective of each, before the step, is added to `state.loss`.

    Adam's moments change with the features of the visited candidates only.
    """
    weights, most = state.weights, _longest(visits, lists.offsets)
    n_columns = weights.size
    scores, slopes, rows = np.empty(most), np.empty(most), np.empty(most, np.int64)
    gradient, touched, is_touched = np.zeros(n_columns), np.empty(n_columns, np.int64), np.zeros(n_columns, np.bool_)
    for group in visits:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        for row in range(start, stop):
            rows[row - start] = row
        state.loss[0] += _group(start, stop, lists, aim, weights, state.factor[0], weights[-1], scores, slopes)
        if not np.isfinite(state.loss[0]):
            return
        _step(rows[: stop - start], slopes, lists, moves, state, gradient, touched, is_touched)
