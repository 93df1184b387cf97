"""Iterative parameter mixing: an epoch is made by parts of the groups at the same time, and their weights are mixed.

McDonald, Hall & Mann (2010, NAACL): in every epoch each part begins with the same weights and visits its own groups;
the next epoch begins with the mean of where the parts have ended. It finds a separating vector where there is one, and
is another algorithm than one pass over all groups. The parts are cut by a parameter, so that the result does not depend
on how many workers there are. An epoch costs the passes, and the exchange of a vector of weights with every part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.engines import current
from runoff.errors import DataError
from runoff.kernels.inversions import room
from runoff.kernels.perceptron import MISTAKES, TIME, UPDATES, PerceptronState, group_pass
from runoff.learners.perceptron_run import OVERFLOW, PerceptronRun
from runoff.learners.perceptron_votes import NO_LOG

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.perceptron_lists import ScaledLists
    from runoff.learners.perceptron_orders import CompiledOrder


class MixedRun(PerceptronRun):
    """A perceptron whose epochs are single steps, each made by several parts of the groups."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        epochs = self.most // self.length
        self.length, self.most = 1, epochs
        learner: Any = self._learner
        self._parts = [part for part in np.array_split(self.groups, learner.mixing) if part.size]
        self._shared: list[Any] = []  # an engine, and its handle of the lists: given to its workers once

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_shared": []}

    def moments_at(self, done: int) -> int:
        """Groups visited, in all parts."""
        return done * int(self.groups.size)

    def visit(self, groups: Ints) -> int:  # noqa: ARG002 - all groups, each in its part
        """Make an epoch."""
        state, engine, many = self.state, current(), self.groups.size
        epoch = int(state.counters[TIME]) // many
        if self._shared[:1] != [engine]:
            self._shared = [engine, engine.share(Passes(self._scaled, self.compiled, self.setting.tau))]
        pieces = [self._shuffled(part, epoch, at) for at, part in enumerate(self._parts)]
        start = engine.share((state.weights.copy(), float(state.base[0])))
        ends = list(engine.map(_passed, pieces, self._shared[1], start))
        shares = [part.size for part in self._parts]
        # `weights - sums / moments` is the mean of all vectors that there were.
        before, moments = int(state.counters[TIME]), int(state.counters[TIME]) + many
        if state.sums.size:
            vectors = state.weights * before - state.sums
            vectors += sum(share * end.mean for share, end in zip(shares, ends, strict=True))
        base_vectors = float(state.base[0] * before - state.base[1])
        base_vectors += sum(share * end.base_mean for share, end in zip(shares, ends, strict=True))
        state.weights[:] = sum(end.weights for end in ends) / len(ends)
        state.base[0] = sum(end.base for end in ends) / len(ends)
        state.base[1] = state.base[0] * moments - base_vectors
        if state.sums.size:
            state.sums[:] = state.weights * moments - vectors
        state.counters[TIME] = moments
        state.counters[UPDATES] += sum(end.updates for end in ends)
        state.counters[MISTAKES] += sum(end.mistakes for end in ends)
        return 1

    def _shuffled(self, part: Ints, epoch: int, at: int) -> Ints:
        learner: Any = self._learner
        return np.random.default_rng([learner.seed, epoch, at]).permutation(part) if learner.shuffle else part


class PassEnd(NamedTuple):
    """Where a part has come to: its weights, their mean over its visits, and what it counted."""

    weights: Floats
    base: float
    mean: Floats
    base_mean: float
    updates: int
    mistakes: int


class Passes(NamedTuple):
    """What all parts read."""

    scaled: ScaledLists
    compiled: CompiledOrder
    tau: float

    def passed(self, groups: Ints, weights: Floats, base: float) -> PassEnd:
        """Visit the groups, beginning with these weights."""
        state = PerceptronState(
            weights=weights.copy(),
            sums=np.zeros(weights.size),
            base=np.array([base, 0.0]),
            dual=np.zeros(0),
            counters=np.zeros(4, np.int64),
        )
        lists, compiled = self.scaled.lists, self.compiled
        space = room(int(np.diff(lists.offsets).max())) if compiled.inverted else None
        made = group_pass(groups, lists, compiled.order, self.tau, 0.0, compiled.way, state, NO_LOG, space)
        if made < 0:
            raise DataError(OVERFLOW)
        mean = state.weights - state.sums / groups.size
        base_mean = float(state.base[0] - state.base[1] / groups.size)
        updates, mistakes = int(state.counters[UPDATES]), int(state.counters[MISTAKES])
        return PassEnd(state.weights, float(state.base[0]), mean, base_mean, updates, mistakes)


def _passed(groups: Ints, passes: Passes, start: tuple[Floats, float]) -> PassEnd:
    return passes.passed(groups, *start)
