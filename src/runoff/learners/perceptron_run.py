"""One training run of a perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.errors import DataError
from runoff.expected_arrays import Expected
from runoff.kernels.inversions import room
from runoff.kernels.perceptron import LOGGED, MISTAKES, TIME, UPDATES, PerceptronState, group_pass, pair_pass, settle
from runoff.learners.epoch_run import EpochRun
from runoff.learners.perceptron_votes import NO_LOG, Voters

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.early_stopping import DevScorer
    from runoff.learners.perceptron import Perceptron
    from runoff.learners.perceptron_lists import ScaledLists
    from runoff.learners.perceptron_orders import CompiledOrder, OrderRule
    from runoff.model import Votes


OVERFLOW = (
    "scores overflowed: features, slack or base_scale are too large for a perceptron; "
    'use scale="spread", or smaller ones.'
)


@dataclass(frozen=True)
class PerceptronSetting:
    """What a run tries."""

    rule: OrderRule
    credit: str
    tau: float

    @property
    def told(self) -> str:
        """What ranks the candidates, if that is not their own quality."""
        return "" if self.credit == "list" else f", credit {self.credit}"

    def __str__(self) -> str:
        return f"{self.rule.name}, tau {self.tau:g}{self.told}"


class PerceptronRun(EpochRun):
    """A perceptron over some groups; it has converged when an epoch made no update."""

    counted: ClassVar[tuple[str, ...]] = ("updates", "mistakes")
    setting: PerceptronSetting

    def __init__(
        self,
        name: str,
        setting: PerceptronSetting,
        groups: Ints,
        epochs: int,
        learner: Perceptron,
        scorer: DevScorer | None,
        scaled: ScaledLists,
        compiled: CompiledOrder,
    ) -> None:
        super().__init__(name, setting, groups, epochs, learner, scorer)
        self.compiled = compiled
        self._scaled = scaled
        self._average, self._slack = learner.average, learner.slack
        self._pass = group_pass if learner.update == "group" else pair_pass
        self._space = room(int(np.diff(scaled.lists.offsets).max())) if compiled.inverted else None
        columns, rows = scaled.scale.size, scaled.lists.base.size
        self.state = PerceptronState(
            weights=np.zeros(columns),
            sums=np.zeros(columns if learner.average else 0),
            later=np.zeros(rows if learner.average and not learner.mixing else 0),
            base=np.zeros(2),
            dual=np.zeros(rows if learner.slack > 0 else 0),
            counters=np.zeros(4, np.int64),
        )
        self._voters: Voters | None = None
        if learner.average == "voted":
            self._voters = Voters(scaled, groups, pairwise=learner.update == "pair", scorer=scorer)

    def moments_at(self, done: int) -> int:
        """Groups visited or, where every pair is a sample, pairs."""
        if self._pass is group_pass:
            return done
        epochs, at = divmod(done, self.length)
        pairs = self.compiled.pairs_of_group
        # Whole numbers of any size: a checkpoint may ask for any number of epochs.
        return epochs * int(pairs[self.groups].sum()) + int(pairs[self._order(epochs)[:at]].sum())

    def visit(self, groups: Ints) -> int:
        """Move the weights wherever a margin is violated."""
        space = (self._space,) if self._pass is group_pass else ()
        made: int = self._pass(
            groups,
            self._scaled.lists,
            self.compiled.order,
            self.setting.tau,
            self._slack,
            self.compiled.way,
            self.state,
            NO_LOG if self._voters is None else self._voters.log,
            *space,
        )
        if made < 0:
            raise DataError(OVERFLOW)
        if self._voters is not None:
            self._voters.take(self.state)
        return made

    def weights(self) -> tuple[Floats, float]:
        """The average over all moments, or the current weights."""
        state, moments = self.state, max(int(self.state.counters[TIME]), 1)
        if not self._average:
            return self._scaled.in_data_units(state.weights, float(state.base[0]))
        if state.later.size:
            settle(self._scaled.lists, state)
        return self._scaled.in_data_units(
            state.weights - state.sums / moments, float(state.base[0] - state.base[1] / moments)
        )

    def sum_up(self) -> dict[str, float]:
        """Updates and violated pairs of the epoch."""
        places = {"updates": UPDATES, "mistakes": MISTAKES}
        before = {name: sum(each[name] for each in self.history) for name in places}
        entry = {name: float(self.state.counters[at] - before[name]) for name, at in places.items()}
        self.converged = entry["updates"] == 0
        return entry

    def dev_sums(self, weights: Floats, base: float) -> Floats:
        """By vote, where the vectors vote."""
        return super().dev_sums(weights, base) if self._voters is None else self._voters.sums()

    def more_kept(self) -> Arrays:
        """The votes so far."""
        return {} if self._voters is None else self._voters.kept()

    def more_expected(self, done: int, kept: Arrays) -> dict[str, Expected]:
        """Counters within what so many visits can count, and votes."""
        moments, pairs = self.moments_at(done), self.compiled.pairs_of_group[self.groups]
        mistakes = int(pairs.sum()) * (1 + done // self.length)
        epochs = done // self.length
        known = {
            "state.counters": Expected(np.int64, (4,), 0, max(moments, mistakes)),
            "history": Expected(np.float64, (epochs, 2), 0, mistakes),
        }
        return known if self._voters is None else known | self._voters.expected(kept, moments)

    def check_more(self, done: int, kept: Arrays) -> None:
        """The history adds up to the counters, and the votes are those of all moments."""
        counters, history = kept["state.counters"], kept["history"]
        summed, counted = history.sum(axis=0), counters[[UPDATES, MISTAKES]]
        is_whole = bool(np.all(history == np.rint(history)))
        fits = np.array_equal(summed, counted) if done % self.length == 0 else bool(np.all(summed <= counted))
        if counters[TIME] != self.moments_at(done) or counters[LOGGED] or not (is_whole and fits):
            raise ValueError("the counters are not those of so many visits.")
        if bool(kept["converged"][0]) != (len(history) > 0 and done % self.length == 0 and history[-1, 0] == 0):
            raise ValueError("a perceptron has converged when an epoch made no update.")
        if self._voters is not None:
            self._voters.check(kept, self.moments_at(done))

    def restore_more(self, kept: Arrays) -> None:
        """Continue with the votes."""
        if self._voters is not None:
            self._voters.restore(kept)

    def votes(self) -> Votes | None:
        """The votes up to the best epoch, where the vectors vote."""
        return None if self._voters is None else self._voters.until(self.so_far().moments)
