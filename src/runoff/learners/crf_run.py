"""One conditional random field on its way: by steps after every group, or by L-BFGS over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from runoff.errors import DataError
from runoff.kernels.crf import Moves, State, batch_objective, candidates_pass
from runoff.kernels.crf_orders import orders_pass
from runoff.learners.epochs import EpochRun
from runoff.parallel import in_threads

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.crf import CRF
    from runoff.learners.crf_problem import CRFProblem
    from runoff.learners.watch import DevWatch

_PIECE = 2_000  # groups that one thread sums over at a time


@dataclass(frozen=True)
class Setting:
    """What a run tries; `strength` is the weight of the loss in LA, the temperature in KL, and nothing elsewhere."""

    objective: str
    strength: float
    rate: float  # 0 where there are no steps
    l2: float
    documents: int  # 0 where candidates are the answers

    def __str__(self) -> str:
        # All digits that tell values apart: checkpoints know runs by these words.
        told = {"la": f", loss weight {self.strength:.15g}", "kl": f", temperature {self.strength:.15g}"}
        steps = f", rate {self.rate:.15g}" if self.rate else ""
        documents = f", {self.documents} documents" if self.documents else ""
        return f"{self.objective}{told.get(self.objective, '')}{steps}, l2 {self.l2:.15g}{documents}"


class CRFRun(EpochRun):
    """What both ways share: the lists, and weights whose last one is that of the first round's score."""

    counted: ClassVar[tuple[str, ...]] = ("loss",)
    setting: Setting

    def __init__(
        self,
        name: str,
        setting: Setting,
        groups: Ints,
        epochs: int,
        learner: CRF,
        watch: DevWatch | None,
        problem: CRFProblem,
    ) -> None:
        super().__init__(name, setting, groups, epochs, learner, watch)
        self._problem = problem
        self.loss_unit = problem.loss_unit
        size = problem.scale.size + 1
        steps, adam = learner.way != "lbfgs", learner.way == "adam"
        self.state = State(
            weights=np.zeros(size),
            first=np.zeros(size if adam else 0),
            second=np.zeros(size if adam else 0),
            sums=np.zeros(size if steps and learner.average else 0),
            seen=np.zeros(size if steps and learner.average else 0, np.int64),
            counters=np.zeros(1, np.int64),
            loss=np.zeros(1),
            random=np.random.default_rng([learner.seed, 1]).integers(1, 2**63, 1).astype(np.uint64),
        )
        self.state.weights[-1] = 1.0 if problem.base_scale else 0.0

    def weights(self) -> tuple[Floats, float]:
        """The mean of the weights after every step, or the weights as they stand."""
        state, steps = self.state, int(self.state.counters[0])
        found = state.weights
        if state.sums.size and steps:
            found = (state.sums + state.weights * (steps - state.seen)) / steps
        return self._problem.in_data_units(found)

    def sum_up(self) -> dict[str, float]:
        """Mean of the objective over the visits of the epoch."""
        loss = float(self.state.loss[0]) / self.groups.size
        self.state.loss[0] = 0.0
        return {"loss": loss}


class StepRun(CRFRun):
    """Stochastic gradient descent, or Adam: a step after every group."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if self.setting.documents:
            self._orders = self._problem.orders_aim(self.setting), self._problem.space(self.setting)

    def visit(self, groups: Ints) -> int:
        """Make a step after every group."""
        learner: Any = self._learner
        moves = Moves(self.setting.rate, self.setting.l2, learner.way == "adam")
        lists = self._problem.lists
        if self.setting.documents:
            aim, space = self._orders
            orders_pass(groups, lists, aim, moves, self.state, space)
        else:
            candidates_pass(groups, lists, self._problem.aim(self.setting), moves, self.state)
        if not (np.isfinite(self.state.loss[0]) and np.isfinite(self.state.weights).all()):
            self.failed = f'the steps of {self.setting} ran away to infinity: take a smaller rate, or scale="spread".'
        return int(groups.size)


class BatchRun(CRFRun):
    """L-BFGS over all groups: one step is the whole way down."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.length = self.most = 1
        self._pieces = [self.groups[at : at + _PIECE] for at in range(0, self.groups.size, _PIECE)]

    def visit(self, groups: Ints) -> int:  # noqa: ARG002 - all groups at once
        """Minimise the mean of the objective, and `l2 / 2` times the squared weights but that of the first round."""
        learner: Any = self._learner
        # BLAS adds up long vectors by its own number of threads; with one, the bits are always the same.
        with threadpool_limits(1, "blas"):
            found = minimize(
                self._mean,
                self.state.weights.copy(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": learner.max_iter, "gtol": learner.tolerance, "ftol": 1e-12},
            )
        if not (np.isfinite(found.fun) and np.isfinite(found.x).all()):
            raise DataError(
                f"{self.setting} has no finite value on this data: take a temperature or a loss weight nearer to 1."
            )
        self.state.weights[:] = found.x
        self.state.counters[0] = found.nit
        self.state.loss[0] = float(found.fun) * self.groups.size
        self.converged = bool(found.success)
        return 1

    def _mean(self, weights: Floats) -> tuple[float, Floats]:
        aim = self._problem.aim(self.setting)

        def piece(groups: Ints) -> tuple[float, Floats]:
            gradient = np.zeros(weights.size)
            return batch_objective(groups, self._problem.lists, aim, weights, gradient), gradient

        parts = in_threads(piece, self._pieces)
        many = self.groups.size
        gradient: Floats = np.sum([part[1] for part in parts], axis=0) / many
        gradient[:-1] += self.setting.l2 * weights[:-1]
        penalty = 0.5 * self.setting.l2 * float(weights[:-1] @ weights[:-1])
        return sum(part[0] for part in parts) / many + penalty, gradient
