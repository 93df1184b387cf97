"""Passes of a conditional random field over groups, the documents of each of which are to be put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.crf_order_objectives import ranking_objective
from runoff.kernels.crf_steps import step
from runoff.kernels.sparse_rows import dot
from runoff.kernels.xorshift import uniform

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.kernels.crf_order_objectives import Ideal
    from runoff.kernels.crf_steps import CRFLists, CRFState, Moves
    from runoff.kernels.permutation_sums import Space
    from runoff.kernels.xorshift import Seeds


class OrdersAim(NamedTuple):
    """What is minimised: an objective, over orders of at most `documents` documents."""

    kind: int
    strength: float
    way: int
    documents: int
    samples: int
    ideal: Ideal


@compiled
def orders_pass(
    visits: Ints, lists: CRFLists, aim: OrdersAim, moves: Moves, state: CRFState, space: Space
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
        step(rows[:n], slopes, lists, moves, state, gradient, touched, is_touched)


@compiled
def _prepared(
    rows: Ints, lists: CRFLists, weights: Floats, factor: float, scores: Floats, gains: Floats
) -> bool:  # pragma: no cover - compiled
    """Find scores and gains of documents; whether the scores are finite."""
    size = top = 0.0
    for at in range(rows.size):
        row = rows[at]
        scores[at] = weights[-1] * lists.base[row]
        scores[at] += factor * dot(lists.indptr[row], lists.indptr[row + 1], lists.indices, lists.values, weights)
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
        other = int(uniform(random) * (at + 1))
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
        other = at + int(uniform(random) * (n - at))
        rows[at], rows[other] = rows[other], rows[at]
    return aim.documents
