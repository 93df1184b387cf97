"""One training run of a conditional random field, and the kind that makes a step after every group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from runoff.expected_arrays import Expected
from runoff.kernels.crf import candidates_pass
from runoff.kernels.crf_orders import orders_pass
from runoff.kernels.crf_steps import LARGEST, SMALLEST, CRFState, Moves
from runoff.learners.epoch_run import EpochRun

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.crf import CRF
    from runoff.learners.crf_problem import CRFProblem
    from runoff.learners.early_stopping import DevScorer


@dataclass(frozen=True)
class CRFSetting:
    """What a run tries; `strength` is the weight of the loss in LA, the temperature in KL, and unused elsewhere."""

    objective: str
    strength: float
    rate: float  # 0 where there are no steps
    l2: float
    documents: int  # 0 where candidates are the answers

    def __str__(self) -> str:
        # With all digits: checkpoints and provenance identify runs by this text.
        told = {"la": f", loss weight {self.strength!r}", "kl": f", temperature {self.strength!r}"}
        steps = f", rate {self.rate!r}" if self.rate else ""
        documents = f", {self.documents} documents" if self.documents else ""
        return f"{self.objective}{told.get(self.objective, '')}{steps}, l2 {self.l2!r}{documents}"


class CRFRun(EpochRun):
    """What all kinds share: the lists, and weights of which the last is that of the first round's score."""

    counted: ClassVar[tuple[str, ...]] = ("loss",)
    setting: CRFSetting

    def __init__(
        self,
        name: str,
        setting: CRFSetting,
        groups: Ints,
        epochs: int,
        learner: CRF,
        scorer: DevScorer | None,
        problem: CRFProblem,
    ) -> None:
        super().__init__(name, setting, groups, epochs, learner, scorer)
        self._problem = problem
        self.loss_unit = problem.loss_unit
        size = problem.scale.size + 1
        steps, adam = learner.way != "lbfgs", learner.way == "adam"
        self.state = CRFState(
            weights=np.zeros(size),
            factor=np.array([1.0, 0.0]),
            first=np.zeros(size if adam else 0),
            second=np.zeros(size if adam else 0),
            blank=np.ones((2, size if adam else 0)),
            sums=np.zeros(size if steps and learner.average else 0),
            seen=np.zeros(size if steps and learner.average else 0),
            counters=np.zeros(1, np.int64),
            loss=np.zeros(2),
            random=np.random.default_rng([learner.seed, 1]).integers(1, 2**63, 1).astype(np.uint64),
        )
        self.state.weights[-1] = 1.0 if problem.base_scale else 0.0

    def weights(self) -> tuple[Floats, float]:
        """The mean of the weights after every step, or the weights as they stand."""
        state, steps = self.state, int(self.state.counters[0])
        if state.sums.size and steps:
            time = np.append(np.full(state.weights.size - 1, state.factor[1]), steps)
            return self._problem.in_data_units((state.sums + state.weights * (time - state.seen)) / steps)
        return self._problem.in_data_units(np.append(state.weights[:-1] * state.factor[0], state.weights[-1]))

    def more_expected(self, done: int, kept: Arrays) -> dict[str, Expected]:  # noqa: ARG002 - the state says it all
        """Steps so far, moments of Adam that can be, and a seed that random numbers can come from."""
        state = self.state
        return {
            "state.second": Expected.like(state.second, 0),
            "state.blank": Expected.like(state.blank, 0, 1),
            "state.counters": Expected.like(state.counters, *self.steps_at(done)),
            "state.random": Expected.like(state.random, 1),
        }

    def steps_at(self, done: int) -> tuple[int, int]:
        """The fewest and the most steps after so many visits: one each, by default."""
        return done, done

    def check_more(self, done: int, kept: Arrays) -> None:  # noqa: ARG002 - holds at all times
        """The factor that the weights have in common is one that steps leave."""
        if not SMALLEST < abs(kept["state.factor"][0]) < LARGEST:
            raise ValueError("the factor of the weights is out of range.")

    def sum_up(self) -> dict[str, float]:
        """Mean of the objective over the epoch, and of the effective sample size where it is estimated."""
        means = (self.state.loss / self.groups.size).tolist()
        self.state.loss[:] = 0.0
        return dict(zip(self.counted, means, strict=False))


class StepRun(CRFRun):
    """Stochastic gradient descent, or Adam: a step after every group."""

    converges: ClassVar[bool] = False

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
            self.failed = f'the steps of {self.setting} diverged: take a smaller rate, or scale="spread".'
        return int(groups.size)


class EstimateRun(StepRun):
    """Steps along gradients estimated from samples; reports the effective sample size too."""

    counted: ClassVar[tuple[str, ...]] = ("loss", "effective_samples")
