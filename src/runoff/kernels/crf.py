"""Loss-sensitive objectives of a conditional random field over the candidates of a group, and steps along them.

Every objective is a function of scores (minus energies) and losses of the possible answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numba import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles

    Seeds: TypeAlias = npt.NDArray[np.uint64]

ML, LA, LS, EL, KL = range(5)


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
    """Move the weights of the features of some candidates, given the derivatives by their scores."""
    weights, indices, values = state.weights, lists.indices, lists.values
    base = weights.size - 1
    gradient[base], touched[0] = 0.0, base
    many = 1
    for at in range(rows.size):
        row = rows[at]
        gradient[base] += slopes[at] * lists.base[row]
        first, last = lists.indptr[row], lists.indptr[row + 1]
        many = _collect(slopes[at], first, last, indices, values, gradient, is_touched, touched, many)
    state.counters[0] += 1
    step = state.counters[0]
    for at in range(many):
        column = np.uint32(touched[at])
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
def _group(
    start: int, stop: int, lists: Lists, aim: Aim, weights: Floats, scores: Floats, slopes: Floats
) -> float:  # pragma: no cover - compiled
    """Value for the candidates of one group, and its derivative by every candidate's score."""
    n, size = stop - start, 0.0
    for at in range(n):
        row = start + at
        scores[at] = weights[-1] * lists.base[row]
        scores[at] += _dot(lists.indptr[row], lists.indptr[row + 1], lists.indices, lists.values, weights)
        size += abs(scores[at])
    if not np.isfinite(size):
        return np.nan
    return objective(aim.kind, aim.strength, scores[:n], lists.targets[start:stop], slopes[:n])


@njit(cache=True, nogil=True)
def _longest(groups: Ints, offsets: Ints) -> int:  # pragma: no cover - compiled
    most = 1
    for group in groups:
        most = max(most, offsets[group + 1] - offsets[group])
    return most


@njit(cache=True, nogil=True)
def batch_objective(
    groups: Ints, lists: Lists, aim: Aim, weights: Floats, gradient: Floats
) -> float:  # pragma: no cover - compiled
    """Sum of the objective over groups; its gradient is added to `gradient`. O(stored values)."""
    most = _longest(groups, lists.offsets)
    scores, slopes = np.empty(most), np.empty(most)
    indices, values = lists.indices, lists.values
    total = 0.0
    for group in groups:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        total += _group(start, stop, lists, aim, weights, scores, slopes)
        for row in range(start, stop):
            slope = slopes[row - start]
            gradient[-1] += slope * lists.base[row]
            _add(slope, lists.indptr[row], lists.indptr[row + 1], indices, values, gradient)
    return total


@njit(cache=True, nogil=True)
def candidates_pass(
    visits: Ints, lists: Lists, aim: Aim, moves: Moves, state: State
) -> None:  # pragma: no cover - compiled
    """Visit groups and make a step after each; the objective of each, before the step, is added to `state.loss`.

    L2 and Adam's moments touch the features of the visited candidates only.
    """
    most, n_columns = _longest(visits, lists.offsets), state.weights.size
    scores, slopes, rows = np.empty(most), np.empty(most), np.empty(most, np.int64)
    gradient, touched, is_touched = np.zeros(n_columns), np.empty(n_columns, np.int64), np.zeros(n_columns, np.bool_)
    for group in visits:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        for row in range(start, stop):
            rows[row - start] = row
        state.loss[0] += _group(start, stop, lists, aim, state.weights, scores, slopes)
        if not np.isfinite(state.loss[0]):
            return
        _step(rows[: stop - start], slopes, lists, moves, state, gradient, touched, is_touched)
