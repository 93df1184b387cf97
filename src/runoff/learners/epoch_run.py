"""Training runs that visit groups one after the other, in epochs, with the dev score after each."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from runoff.expected_arrays import Expected, check_arrays
from runoff.learners.prefix_scorer import earliest_best
from runoff.memory import look

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.early_stopping import DevScorer
    from runoff.learners.epoch_learner import EpochLearner


_VISITS = 256  # at most, between two looks at memory, where it is bounded


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
        self._ordered: tuple[int, Ints] | None = None  # the last epoch, and its order
        self.stopping = threading.Event()  # set when the user wants it to end; long visits should check it
        self._lock = threading.Lock()  # a checkpoint must not be taken during a pass

    def __getstate__(self) -> dict[str, Any]:
        # A worker gets a run without what only this process can set and lock.
        return {name: value for name, value in self.__dict__.items() if name not in ("stopping", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self.stopping, self._lock = threading.Event(), threading.Lock()

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

    def moments_at(self, done: int) -> int:
        """Number of weight vectors that an average is over, after so many visits: these, by default."""
        return done

    def dev_sums(self, weights: Floats, base: float) -> Floats:
        """Summed statistics of the choices on dev."""
        if self.scorer is None:
            raise RuntimeError("there is no dev data to choose on.")
        return self.scorer.sums(weights, base)

    def more_kept(self) -> Arrays:
        """What a checkpoint keeps beside the state."""
        return {}

    def more_expected(self, done: int, kept: Arrays) -> dict[str, Expected]:  # noqa: ARG002 - for runs that know more
        """What `more_kept` gives after so many visits, and what more is known of the state than its shape."""
        return {}

    def check_more(self, done: int, kept: Arrays) -> None:  # noqa: B027 - nothing more to check, by default
        """Raise ValueError where arrays that are each as expected do not go together."""

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
        return min(most, self._limit_after(0 if self.best is None else self.best.epoch))

    def advance(self, visits: int) -> bool:
        """Make so many further visits; False when it has converged."""
        with self._lock:
            while visits and not self.converged:
                epoch, at = divmod(self._done, self.length)
                made = self.visit(self._order(epoch)[at : at + look(visits, _VISITS)])
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

    def kept(self) -> tuple[int, Arrays]:
        """Visits; history, dev curve, state and weights of the best epoch as arrays."""
        with self._lock:
            counted = [[each[name] for name in self.counted] for each in self.history]
            arrays: Arrays = {
                "converged": np.array([self.converged]),
                "history": np.array(counted, np.float64).reshape(-1, len(self.counted)),
                "curve": np.array(self.curve, np.float64).reshape(len(self.curve), -1 if self.curve else 0),
            }
            if self.only_curve and (self.converged or self._done >= self.limit(self.most)):
                return self._done, arrays
            arrays |= {f"state.{name}": array.copy() for name, array in self.state._asdict().items()}
            if self.best is not None:
                arrays["best"] = np.append(self.best.weights, self.best.base)
            return self._done, arrays | self.more_kept()

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Continue from there, unless that is further than asked for.

        A run of which only the curve is left can be taken as it is or, where more epochs are asked for, made anew.
        """
        goes_on = not self.only_curve or "state.weights" in kept
        self._check(done, kept, goes_on)
        epoch, converged = self._best_epoch(list(kept["curve"]), done // self.length), bool(kept["converged"][0])
        has_ended = converged or done >= self._limit_after(epoch)
        if done > min(most, self.most) or not (goes_on or has_ended):
            return
        self.curve = list(kept["curve"]) if self.scorer is not None else []
        for at, row in enumerate(kept["history"].tolist()):
            entry = {"epoch": float(at + 1), **dict(zip(self.counted, row, strict=True))}
            if self.scorer is not None:
                entry["dev"] = float(self.scorer.metric.score(self.curve[at]))
            self.history.append(entry)
        if goes_on:
            for name, array in self.state._asdict().items():
                array[:] = kept[f"state.{name}"]
            self.restore_more(kept)
        if epoch:
            weights = kept["best"] if goes_on else np.zeros(1)  # it has ended: only the number of its epoch is needed
            self.best = BestEpoch(epoch, self.moments_at(epoch * self.length), weights[:-1], float(weights[-1]))
        self._done, self.converged = done, converged

    def _check(self, done: int, kept: Arrays, goes_on: bool) -> None:
        """Raise ValueError unless this can have been kept by this run after so many visits."""
        epochs, left = divmod(done, self.length)
        curve = (0, 0) if self.scorer is None or not epochs else (epochs, self.scorer.width)
        expected = {
            "converged": Expected(np.bool_, (1,)),
            "history": Expected(np.float64, (epochs, len(self.counted))),
            "curve": Expected(np.float64, curve),
        }
        if goes_on:
            state = self.state._asdict()
            expected |= {f"state.{name}": Expected.like(array) for name, array in state.items()}
            if epochs:
                expected["best"] = Expected(np.float64, (self.weights()[0].size + 1,))
            expected |= self.more_expected(done, kept)
        check_arrays(kept, expected)
        if kept["converged"][0] and (left or not epochs or not self.converges):
            raise ValueError("it cannot have converged within an epoch.")
        if goes_on:
            self.check_more(done, kept)

    def _limit_after(self, best: int) -> int:
        """Visits at which it ends, `best` being the best epoch so far."""
        patience = self._learner.patience
        if self.scorer is None or self._learner.epochs != "auto" or patience is None:
            return self.most
        return min(self.most, (best + patience) * self.length)

    def _best_epoch(self, curve: list[Floats], epochs: int) -> int:
        """The epoch whose weights are to be kept: the best on dev where epochs are chosen by it, else the last."""
        if self.scorer is None or self._learner.epochs != "auto" or not curve:
            return epochs
        return 1 + earliest_best(np.array(curve), self.scorer.metric)

    # ---------------------------------------------------------------- epochs

    def so_far(self) -> BestEpoch:
        """The best epoch, or the current weights where no epoch has ended yet."""
        return self.best or BestEpoch(0, self.moments_at(self._done), *self.weights())

    def _order(self, epoch: int) -> Ints:
        """Groups in the order of their visits, shuffled by seed and epoch."""
        if not self._learner.shuffle:
            return self.groups
        if self._ordered is None or self._ordered[0] != epoch:
            order = np.random.default_rng([self._learner.seed, epoch]).permutation(self.groups)
            self._ordered = epoch, order
        return self._ordered[1]

    def _end_epoch(self) -> None:
        entry = {"epoch": float(len(self.history) + 1), **self.sum_up()}
        weights, base = self.weights()
        if self.scorer is not None:
            sums = self.dev_sums(weights, base)
            entry["dev"] = float(self.scorer.metric.score(sums))
            self.curve.append(sums)
        self.history.append(entry)
        epochs = len(self.history)
        if self._best_epoch(self.curve, epochs) == epochs:
            self.best = BestEpoch(epochs, self.moments_at(self._done), weights, base)
