"""Training runs that visit groups one after the other, in epochs, with the dev score after each."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.early_stopping import DevScorer
    from runoff.learners.epoch_learner import EpochLearner


@dataclass
class BestEpoch:
    """The weights after the epoch that was best on dev, or after the last one."""

    epoch: int
    moments: int  # visits so far, where weights are averaged over them
    weights: Floats
    base: float


class EpochRun(ABC):
    """A training over some groups with one setting; its steps are visits to a group.

    It ends when it has converged and, where it may, `patience` epochs after the best one on dev.
    """

    counted: ClassVar[tuple[str, ...]]  # what an epoch's entry in the history has beside its number
    converges: ClassVar[bool] = True  # whether it can detect convergence
    state: Any  # a named tuple of arrays that visits change

    def __init__(
        self, name: str, setting: Any, groups: Ints, epochs: int, learner: EpochLearner, scorer: DevScorer | None
    ) -> None:
        self.name, self.setting, self.groups, self.scorer = name, setting, groups, scorer
        self.length = groups.size  # steps of an epoch
        self.most = epochs * self.length
        self.converged = False
        self.failed = ""  # why it cannot continue
        self.only_curve = False  # whether only its dev curve is needed when it has ended
        self.history: list[dict[str, float]] = []
        self.curve: list[Floats] = []  # sums on dev after every epoch
        self.best: BestEpoch | None = None
        self._learner = learner
        self._done = 0
        self.stopping = threading.Event()  # set when the user wants it to end; long visits should check it
        self._lock = threading.Lock()  # a checkpoint must not be taken during a pass

    # ---------------------------------------------------------------- what a kind of training defines

    @abstractmethod
    def visit(self, groups: Ints) -> int:
        """Visit groups in this order; returns how many were, as buffers may be full before the end. May set `failed`.

        None may have been visited where `stopping` is set.
        """

    @abstractmethod
    def weights(self) -> tuple[Floats, float]:
        """Current weights and base weight, in the units of the data."""

    @abstractmethod
    def sum_up(self) -> dict[str, float]:
        """Summary of the epoch that has just ended, for the history."""

    @property
    def moments(self) -> int:
        """Number of weight vectors that an average is over: visits, by default."""
        return self._done

    def dev_sums(self, weights: Floats, base: float) -> Floats:
        """Summed statistics of the choices on dev."""
        if self.scorer is None:
            raise RuntimeError("there is no dev data to choose on.")
        return self.scorer.sums(weights, base)

    def more_kept(self) -> Arrays:
        """What a checkpoint keeps beside the state."""
        return {}

    def restore_more(self, kept: Arrays) -> None:  # noqa: B027 - nothing more to restore, by default
        """Restore what `more_kept` gave."""

    # ---------------------------------------------------------------- what `run_all` uses

    @property
    def done(self) -> int:
        """Visits so far."""
        return self._done

    @property
    def begun(self) -> bool:
        """Whether there are any weights yet."""
        return self._done > 0

    @property
    def ended(self) -> bool:
        """Whether it is finished."""
        return bool(self.converged or self.failed) or self._done >= self.limit(self.most)

    def limit(self, most: int) -> int:
        """Visits at which it ends, given the dev scores so far."""
        patience = self._learner.patience
        if self.scorer is None or self._learner.epochs != "auto" or patience is None:
            return min(most, self.most)
        best = 0 if self.best is None else self.best.epoch
        return min(most, self.most, (best + patience) * self.length)

    def advance(self, visits: int) -> bool:
        """Make so many further visits; False when it has converged."""
        with self._lock:
            while visits and not self.converged:
                epoch, at = divmod(self._done, self.length)
                made = self.visit(self._order(epoch)[at : at + visits])
                if self.failed:
                    return False
                if not made and self.stopping.is_set():
                    break
                self._done += made
                visits -= made
                if made and self._done % self.length == 0:
                    self._end_epoch()
        return not self.converged

    def words(self) -> str:
        """The setting and the summary of the last epoch."""
        if not self.history:
            return str(self.setting)
        last = self.history[-1]
        told = ", ".join(f"{name} {last[name]:,.6g}" for name in self.counted)
        dev = "" if self.scorer is None else f", dev {self.scorer.metric.label} {last['dev']:.4f}"
        return f"{self.setting}: epoch {last['epoch']:.0f}, {told}{dev}"

    def kept(self) -> Arrays:
        """State, history and best epoch, as arrays."""
        with self._lock:
            arrays: Arrays = {"done": np.array([self._done, self.converged])}
            arrays["history"] = np.array([[each[name] for name in self.counted] for each in self.history])
            arrays["curve"] = np.array(self.curve)
            if self.only_curve and (self.converged or self._done >= self.limit(self.most)):
                return arrays
            arrays |= {f"state.{name}": array.copy() for name, array in self.state._asdict().items()}
            if self.best is not None:
                arrays["best"] = np.append(self.best.weights, [self.best.base, self.best.epoch, self.best.moments])
            return arrays | self.more_kept()

    def restore(self, kept: Arrays, most: int) -> None:
        """Continue from there, unless that is further than asked for."""
        done, converged = (int(each) for each in kept["done"])
        if done > min(most, self.most):
            return
        goes_on = "state.weights" in kept
        for name, array in self.state._asdict().items() if goes_on else ():
            found = kept[f"state.{name}"]
            if found.shape != array.shape or found.dtype != array.dtype or not np.isfinite(found).all():
                raise ValueError("the weights do not match the data.")
            array[:] = found
        if goes_on:
            self.restore_more(kept)
        self.curve = list(kept["curve"])
        for at, row in enumerate(kept["history"]):
            entry = {"epoch": float(at + 1), **dict(zip(self.counted, map(float, row), strict=True))}
            if self.scorer is not None:
                entry["dev"] = float(self.scorer.metric.score(self.curve[at]))
            self.history.append(entry)
        if "best" in kept:
            *weights, base, epoch, moments = kept["best"]
            self.best = BestEpoch(int(epoch), int(moments), np.array(weights), float(base))
        elif not goes_on:
            # It has ended: only the number of the best epoch is needed.
            best = (
                1 + int(np.argmax(self.scorer.metric.signed(np.array(self.curve)))) if self.scorer and self.curve else 0
            )
            self.best = BestEpoch(best, 0, np.empty(0), 0.0)
        self._done, self.converged = done, bool(converged)

    # ---------------------------------------------------------------- epochs

    def so_far(self) -> BestEpoch:
        """The best epoch, or the current weights where no epoch has ended yet."""
        return self.best or BestEpoch(0, self.moments, *self.weights())

    def _order(self, epoch: int) -> Ints:
        """Groups in the order of their visits, shuffled by seed and epoch."""
        if not self._learner.shuffle:
            return self.groups
        return np.random.default_rng([self._learner.seed, epoch]).permutation(self.groups)

    def _end_epoch(self) -> None:
        entry = {"epoch": float(len(self.history) + 1), **self.sum_up()}
        weights, base = self.weights()
        better = True
        if self.scorer is not None:
            sums = self.dev_sums(weights, base)
            seen = self.scorer.metric.signed(np.array([*self.curve, sums]))
            better = bool(np.all(seen[-1] > seen[:-1]))
            entry["dev"] = float(self.scorer.metric.score(sums))
            self.curve.append(sums)
        self.history.append(entry)
        if better or self._learner.epochs != "auto":
            self.best = BestEpoch(len(self.history), self.moments, weights, base)
