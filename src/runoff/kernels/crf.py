"""Passes of a conditional random field over groups, one candidate of each of which is to be picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.crf_objectives import objective
from runoff.kernels.crf_steps import step
from runoff.kernels.groups import largest_of
from runoff.kernels.sparse_rows import add, dot

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.kernels.crf_steps import CRFLists, CRFState, Moves


class Aim(NamedTuple):
    """What is minimised; `strength` is the weight of the loss in LA and the temperature in KL."""

    kind: int
    strength: float


@compiled
def _group(
    start: int,
    stop: int,
    lists: CRFLists,
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
        scores[at] += factor * dot(lists.indptr[row], lists.indptr[row + 1], lists.indices, lists.values, weights)
        size += abs(scores[at])
    if not np.isfinite(size):
        return np.nan
    return objective(aim.kind, aim.strength, scores[:n], lists.targets[start:stop], slopes[:n])


@compiled
def batch_objective(
    groups: Ints, lists: CRFLists, aim: Aim, weights: Floats, base_weight: float, gradient: Floats
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Sum of the objective over groups, and its slope for the first round's score; adds to `gradient`.

    Columns may be bundles, as long as groups have none in common that are summed up at the same time. O(stored values).
    """
    most = largest_of(groups, lists.offsets)
    scores, slopes = np.empty(most), np.empty(most)
    indices, values = lists.indices, lists.values
    total = base_slope = 0.0
    for group in groups:
        start, stop = lists.offsets[group], lists.offsets[group + 1]
        total += _group(start, stop, lists, aim, weights, 1.0, base_weight, scores, slopes)
        for row in range(start, stop):
            slope = slopes[row - start]
            base_slope += slope * lists.base[row]
            add(slope, lists.indptr[row], lists.indptr[row + 1], indices, values, gradient)
    return total, base_slope


@compiled
def candidates_pass(
    visits: Ints, lists: CRFLists, aim: Aim, moves: Moves, state: CRFState
) -> None:  # pragma: no cover - compiled
    """Visit groups and make a step after each; the objective of each, before the step, is added to `state.loss`.

    Adam's moments change with the features of the visited candidates only.
    """
    weights, most = state.weights, largest_of(visits, lists.offsets)
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
        step(rows[: stop - start], slopes, lists, moves, state, gradient, touched, is_touched)
