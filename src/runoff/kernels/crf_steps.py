"""Steps of a conditional random field along its objective: plain or Adam's, with L2, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles

    Seeds: TypeAlias = npt.NDArray[np.uint64]

SMALLEST, LARGEST = 1e-3, 1e3  # between which the factor of the weights is kept


class CRFLists(NamedTuple):
    """Features (CSR), first-round scores, and losses of all candidates; or their gains, where orders are learned."""

    offsets: Ints
    indptr: Ints
    indices: Columns
    values: Singles | None
    base: Floats
    targets: Floats


class Moves(NamedTuple):
    """How steps are made: their length, L2, and whether they are Adam's (Kingma & Ba 2015)."""

    rate: float
    l2: float
    adam: bool


class CRFState(NamedTuple):
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
def step(
    rows: Ints,
    slopes: Floats,
    lists: CRFLists,
    moves: Moves,
    state: CRFState,
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
def _shrink(by: float, state: CRFState) -> None:  # pragma: no cover - compiled
    """Multiply all weights but the last by something, and let time go on by what their factor is then."""
    factor, weights = state.factor, state.weights
    before = factor[1]
    factor[0] *= by
    if not SMALLEST < abs(factor[0]) < LARGEST:
        # A factor far from 1 would cost digits, and 0 everything.
        for column in range(weights.size - 1):
            if state.sums.size:
                state.sums[column] += weights[column] * (before - state.seen[column])
                state.seen[column] = 0.0
            weights[column] *= factor[0]
        factor[0], factor[1] = 1.0, 0.0
    factor[1] += factor[0]
