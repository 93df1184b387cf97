"""One perceptron on its way: visits to groups, epochs of them, and what they do on dev data."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.kernels.perceptron import MISTAKES, TIME, UPDATES, State, group_pass, pair_pass
from runoff.learners.perceptron_votes import NO_LOG, Voters

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.orders import Asked, Rule
    from runoff.learners.perceptron import Perceptron
    from runoff.learners.perceptron_lists import Material
    from runoff.learners.watch import DevWatch
    from runoff.model.votes import Votes

_COUNTED = ("epoch", "updates", "mistakes")


@dataclass(frozen=True)
class Setting:
    """What a run tries."""

    rule: Rule
    tau: float

    def __str__(self) -> str:
        return f"{self.rule.name}, tau {self.tau:g}"


@dataclass
class Best:
    """The model after the epoch that was best on dev, or after the last one."""

    epoch: int
    moments: int  # that the average is over
    weights: Floats
    base: float


class PerceptronRun:
    """A perceptron over some groups; its steps are visits to a group.

    It ends when an epoch made no update, and, where it may, `patience` epochs after the best one on dev.
    """

    def __init__(
        self,
        name: str,
        material: Material,
        asked: Asked,
        groups: Ints,
        setting: Setting,
        epochs: int,
        learner: Perceptron,
        watch: DevWatch | None,
    ) -> None:
        self.name, self.setting, self.watch = name, setting, watch
        self.groups, self.asked, self.most = groups, asked, epochs * groups.size
        self._material, self._learner = material, learner
        columns, rows = material.scale.size, material.lists.base.size
        self._state = State(
            weights=np.zeros(columns),
            sums=np.zeros(columns if learner.average is not False else 0),
            base=np.zeros(2),
            dual=np.zeros(rows if learner.slack > 0 else 0),
            counters=np.zeros(4, np.int64),
        )
        self._voters: Voters | None = None
        if learner.average == "voted":
            self._voters = Voters(material, groups, pairwise=learner.update == "pair", watch=watch)
        self._lock = threading.Lock()  # a checkpoint must not be taken in the middle of a pass
        self._done = 0
        self.converged = False
        self.history: list[dict[str, float]] = []
        self.curve: list[Floats] = []  # sums on dev after every epoch
        self.best: Best | None = None

    # ---------------------------------------------------------------- what `run_all` asks for

    @property
    def done(self) -> int:
        """Visits so far."""
        return self._done

    def limit(self, most: int) -> int:
        """Visits at which it ends, as things stand."""
        if self.watch is None or self._learner.epochs != "auto":
            return min(most, self.most)
        best = 0 if self.best is None else self.best.epoch
        return min(most, self.most, (best + self._learner.patience) * self.groups.size)

    def advance(self, visits: int) -> bool:
        """Make so many further visits; False when an epoch went by without an update."""
        with self._lock:
            while visits and not self.converged:
                at = self._done % self.groups.size
                part = self._order(self._done // self.groups.size)[at : at + visits]
                made = self._pass(part)
                self._done += made
                visits -= made
                if self._done % self.groups.size == 0 and made:
                    self._end_epoch()
        return not self.converged

    def words(self) -> str:
        """Violated pairs and dev score of the last epoch."""
        if not self.history:
            return str(self.setting)
        last = self.history[-1]
        dev = "" if self.watch is None else f", dev {self.watch.metric.label} {last['dev']:.4f}"
        return f"{self.setting}: epoch {last['epoch']:.0f}, {last['mistakes']:,.0f} pairs violated{dev}"

    def kept(self) -> Arrays:
        """Weights and their sums, counters, what the epochs so far were like and the best of them."""
        with self._lock:
            arrays = {f"state.{name}": array.copy() for name, array in self._state._asdict().items()}
            arrays["done"] = np.array([self._done, self.converged])
            arrays["history"] = np.array([[each[name] for name in _COUNTED] for each in self.history])
            arrays["curve"] = np.array(self.curve)
            if self.best is not None:
                arrays["best"] = np.append(self.best.weights, [self.best.base, self.best.epoch, self.best.moments])
            if self._voters is not None:
                arrays |= self._voters.kept()
            return arrays

    def restore(self, kept: Arrays, most: int) -> None:
        """Go on from there, unless that is further than asked for."""
        done, converged = (int(each) for each in kept["done"])
        if done > min(most, self.most):
            return
        for name, array in self._state._asdict().items():
            found = kept[f"state.{name}"]
            if found.shape != array.shape or found.dtype != array.dtype or not np.isfinite(found).all():
                raise ValueError("the weights are not those of the data.")
            array[:] = found
        if self._voters is not None:
            self._voters.restore(kept)
        self.curve = list(kept["curve"])
        for at, row in enumerate(kept["history"]):
            entry = dict(zip(_COUNTED, map(float, row), strict=True))
            if self.watch is not None:
                entry["dev"] = float(self.watch.metric.score(self.curve[at]))
            self.history.append(entry)
        if "best" in kept:
            *weights, base, epoch, moments = kept["best"]
            self.best = Best(int(epoch), int(moments), np.array(weights), float(base))
        self._done, self.converged = done, bool(converged)

    # ---------------------------------------------------------------- one pass

    def _order(self, epoch: int) -> Ints:
        """Groups in the order of their visits: drawn anew for every epoch, the same for the same seed."""
        if not self._learner.shuffle:
            return self.groups
        return np.random.default_rng([self._learner.seed, epoch]).permutation(self.groups)

    def _pass(self, visits: Ints) -> int:
        one_pass = group_pass if self._learner.update == "group" else pair_pass
        made: int = one_pass(
            visits,
            self._material.lists,
            self.asked.order,
            self.setting.tau,
            self._learner.slack,
            self.asked.way,
            self._state,
            NO_LOG if self._voters is None else self._voters.log,
        )
        if made < 0:
            raise DataError(
                "scores grew beyond all numbers: the features are too large for a perceptron as they are; "
                'use scale="spread", or smaller features.'
            )
        if self._voters is not None:
            self._voters.take(self._state)
        return made

    def _end_epoch(self) -> None:
        counters = self._state.counters
        before = {name: sum(each[name] for each in self.history) for name in ("updates", "mistakes")}
        entry = {
            "epoch": float(len(self.history) + 1),
            "updates": float(counters[UPDATES] - before["updates"]),
            "mistakes": float(counters[MISTAKES] - before["mistakes"]),
        }
        self.converged = entry["updates"] == 0
        weights, base = self._now()
        better = True
        if self.watch is not None:
            sums = self.watch.sums(weights, base) if self._voters is None else self._voters.sums()
            seen = self.watch.metric.signed(np.array([*self.curve, sums]))
            better = bool(np.all(seen[-1] > seen[:-1]))
            entry["dev"] = float(self.watch.metric.score(sums))
            self.curve.append(sums)
        self.history.append(entry)
        if better or self._learner.epochs != "auto":
            self.best = Best(len(self.history), int(counters[TIME]), weights, base)

    def _now(self) -> tuple[Floats, float]:
        """Weights in units of the data: the average over all moments, or as they stand."""
        state, moments = self._state, max(int(self._state.counters[TIME]), 1)
        if self._learner.average is False:
            return self._material.in_data_units(state.weights, state.base[0])
        return self._material.in_data_units(
            state.weights - state.sums / moments, float(state.base[0] - state.base[1] / moments)
        )

    # ---------------------------------------------------------------- what comes out

    def so_far(self) -> Best:
        """The best epoch, or the weights as they stand where no epoch has ended yet."""
        return self.best or Best(0, int(self._state.counters[TIME]), *self._now())

    def votes(self) -> Votes | None:
        """The votes up to the best epoch, where the vectors vote."""
        return None if self._voters is None else self._voters.until(self.so_far().moments)
