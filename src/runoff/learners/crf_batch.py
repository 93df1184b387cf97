"""A conditional random field over candidates by L-BFGS: all groups at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from runoff.engines import current
from runoff.kernels.crf import batch_objective
from runoff.learners.crf_run import CRFRun
from runoff.learners.dense_objectives import CRFObjective
from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.kernels.crf import Aim
    from runoff.kernels.crf_steps import CRFLists
    from runoff.learners.column_bundles import ColumnBundles

_STORED_PER_PIECE = 1 << 20
_MOST_PIECES = 16
_FLAT = 1e-5  # of the largest gradient at the start: above it, an objective that falls no further is only stuck
_OUT_OF_STEPS, _STOPPED = 1, 99  # exit codes of scipy that do not mean convergence
_ADVICE = {
    "la": "take a loss weight nearer to 1",
    "kl": "take a temperature nearer to 1",
}


class BatchRun(CRFRun):
    """The whole minimisation as one step, always from the same start: a checkpoint has it whole or not at all."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.length = self.most = 1
        self._pieces = _pieces(self._problem.lists, self.groups)
        dense = self._problem.dense
        self._inside = [] if dense is None else dense.inside(self.groups)
        self._start = self.state.weights.copy()
        self._unit = 1.0  # of value and gradient, so that the stopping rule does not depend on the objective's scale
        self._latest: dict[str, float] = {}
        self._shared: list[Any] = []  # an engine, and its handle of the pieces: given to its workers once

    @property
    def stays_here(self) -> bool:
        """Whether its lists are on a device of this process."""
        return self._problem.dense is not None

    @property
    def begun(self) -> bool:
        """Whether there are any weights yet."""
        return super().begun or self.state.counters[0] > 0

    def steps_at(self, done: int) -> tuple[int, int]:  # noqa: ARG002 - one visit, of any number of steps
        """As many as L-BFGS took."""
        learner: Any = self._learner
        return 0, learner.max_iter

    def visit(self, groups: Ints) -> int:  # noqa: ARG002 - all groups at once
        """Minimise the mean of the objective, and `l2 / 2` times the squared weights but that of the first round.

        Ctrl-C ends it at the point where it is, which then does not count as a visit.
        """
        learner: Any = self._learner
        self._unit = 1.0
        value, slopes = self._mean(self._start)
        steepest = float(np.abs(slopes).max(initial=0.0))
        if not np.isfinite(value + steepest):
            self.failed = self._no_value()
            return 0
        self._unit = steepest or 1.0
        found = minimize(
            self._mean,
            self._start,
            jac=True,
            method="L-BFGS-B",
            callback=self._look_up,
            options={"maxiter": learner.max_iter, "gtol": learner.tolerance, "ftol": 0.0},
        )
        if not (np.isfinite(found.fun) and np.isfinite(found.x).all()):
            self.failed = self._no_value()
            return 0
        self.state.weights[:] = found.x
        self.state.counters[0] = found.nit
        self.state.loss[0] = float(found.fun) * self._unit * self.groups.size
        slope = float(np.abs(found.jac).max(initial=0.0))
        falls_no_further = found.status not in (_OUT_OF_STEPS, _STOPPED)
        is_flat = slope <= learner.tolerance or (falls_no_further and slope <= _FLAT)
        if not is_flat and self.stopping.is_set():
            return 0
        self.converged = is_flat
        return 1

    def words(self) -> str:
        """The setting and the progress so far."""
        if self.history or not self._latest:
            return super().words()
        return f"{self.setting}: step {self._latest['step']:.0f}, loss {self._latest['loss']:,.6g}"

    def _look_up(self, intermediate_result: Any) -> None:
        """Record progress, and stop where that was asked for."""
        step = self._latest.get("step", 0.0) + 1.0
        self._latest = {"step": step, "loss": float(intermediate_result.fun) * self._unit}
        if self.stopping.is_set():
            raise StopIteration  # ends scipy's solvers

    def _no_value(self) -> str:
        advice = _ADVICE.get(self.setting.objective, 'take scale="spread", or a larger l2')
        return f"{self.setting} has no finite value on this data: {advice}."

    def _mean(self, point: Floats) -> tuple[float, Floats]:
        problem, many, l2 = self._problem, self.groups.size, self.setting.l2
        base_weight = float(point[-1])
        total, slopes, base_slope = self._sums(point[:-1] * problem.scale, base_weight)
        gradient = np.append(slopes * problem.scale, base_slope) / many
        gradient[:-1] += l2 * point[:-1]
        # Where the first round is never wrong, nothing else would end the growth of its weight.
        gradient[-1] += 2 * problem.base_prior**2 * base_weight / many
        value = (total + (problem.base_prior * base_weight) ** 2) / many
        value += 0.5 * l2 * float(point[:-1] @ point[:-1])
        return value / self._unit, gradient / self._unit

    def _sums(self, weights: Floats, base_weight: float) -> tuple[float, Floats, float]:
        """The objective over all groups, its gradient, and its slope for the first round's score."""
        problem, engine = self._problem, current()
        if problem.dense is not None:
            objective = CRFObjective(self.setting.objective, self.setting.strength)
            return problem.dense.sums(objective, weights, base_weight, self._inside)
        if self._shared[:1] != [engine]:
            mine = BatchPieces(problem.lists, problem.bundles, problem.aim(self.setting), self._pieces)
            self._shared = [engine, engine.share(mine)]
        point = engine.share((weights, base_weight))
        parts = engine.map(_objective_of, range(len(self._pieces)), self._shared[1], point)
        values, base_slopes, gradients = zip(*parts, strict=True)
        return sum(values), sum(gradients), sum(base_slopes)


@dataclass(frozen=True)
class BatchPieces:
    """What the objective of a piece is computed from."""

    lists: CRFLists
    bundles: ColumnBundles | None
    aim: Aim
    pieces: list[Ints]

    def objective(self, at: int, weights: Floats, base_weight: float) -> tuple[float, float, Floats]:
        """Value of the groups of a piece, and its slopes for the base weight and for the weights."""
        bundles, groups, gradient = self.bundles, self.pieces[at], np.zeros(weights.size)
        # Of the bundles, only the pages that the piece uses cost anything.
        inner = weights if bundles is None else np.empty(bundles.count)
        slopes = gradient if bundles is None else np.zeros(bundles.count)
        if bundles is not None:
            bundles.weights(groups, weights, inner)
        value, base_slope = batch_objective(groups, self.lists, self.aim, inner, base_weight, slopes)
        if bundles is not None:
            bundles.add_slopes(groups, slopes, gradient)
        return value, base_slope, gradient


def _objective_of(at: int, pieces: BatchPieces, point: tuple[Floats, float]) -> tuple[float, float, Floats]:
    return pieces.objective(at, *point)


def _pieces(lists: CRFLists, groups: Ints) -> list[Ints]:
    """Groups cut into pieces of about equal work; their number depends on the data alone."""
    starts = lists.indptr[lists.offsets]
    work = np.concatenate([[0], np.cumsum((starts[1:] - starts[:-1])[groups])])
    cuts = even_cuts(work, int(min(_MOST_PIECES, 1 + work[-1] // _STORED_PER_PIECE)))
    return [groups[start:stop] for start, stop in pairwise(cuts)]
