"""The pairs of a ranking support vector machine, and the solution for one C."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels import svm as kernel
from runoff.learners.feature_scaling import scaled_base

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.progress import ProgressCallback

_FIRST_TOLERANCE = 0.1  # before the weights of free columns are known, nothing need be exact
_TIGHTER = 0.3  # factor of the tolerance after every step of these weights
_ROUNDED = 1e-12  # curvatures below this share of the usual one are rounding errors


@dataclass(frozen=True)
class HingePairs:
    """The best candidate of each list against each one that is worse."""

    better: Ints
    worse: Ints
    apart: Floats  # by how much their first-round scores differ, in the units of the solver
    length: Floats  # squared length of the difference of their features
    group: Ints

    def take(self, which: Ints) -> HingePairs:
        """Some of the pairs."""
        return HingePairs(*(frozen(getattr(self, each.name)[which]) for each in dataclasses.fields(self)))


@dataclass(frozen=True)
class HingeSolution:
    """Weights in the units of the data, and what a warm start needs."""

    weights: Floats
    base: float
    dual: Floats  # one variable for every pair
    settled: Floats  # weights of the free columns as the last step of the method of multipliers left them
    steps: int
    primal: float
    bound: float  # value of the dual problem: no weights have a smaller primal value
    converged: bool

    @property
    def supporting(self) -> int:
        """Number of pairs that the weights are made of."""
        return int(np.count_nonzero(self.dual))


@dataclass(frozen=True)
class SVMProblem:
    """Minimise `½ |w|² + C Σ loss(w · (x_better - x_worse))`, where free columns do not count in |w|.

    Solved in the dual by coordinate descent with shrinking (Hsieh et al. 2008). The weights of free columns are the
    multipliers of the constraint that dual variables times differences sum to zero in these columns, found by the
    method of multipliers (Hestenes 1969, Powell 1969): in every step they are drawn, weakly, to where they were after
    the step before. So at the end they are penalised by nothing.
    """

    data: NBest
    pairs: HingePairs
    gain: Floats  # squared factor of every column; that of a free one is the strength of its steps
    free: Ints
    base_scale: float
    squared: bool
    tolerance: float
    max_iter: int
    seed: int

    @classmethod
    def of(
        cls,
        data: NBest,
        scale: Floats,
        free: Ints,
        *,
        base: bool,
        squared: bool,
        tolerance: float,
        max_iter: int,
        seed: int,
    ) -> SVMProblem:
        """Pairs of the data. O(stored values of all pairs)."""
        features = data.features.check()
        better, worse, group = _best_and_rest(data)
        if better.size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        scores, base_scale = scaled_base(data, used=base)
        apart = frozen(scores[better] - scores[worse])
        gain = scale**2
        gain[free] = 0.0
        table = features.indptr, features.indices, features.values
        length = kernel.squared_lengths(better, worse, *table, frozen(gain)) + apart**2
        if not np.isfinite(length).all():
            raise DataError("feature values are too large for a support vector machine; divide them by a constant.")
        if free.size:
            is_free = np.zeros(gain.size)
            is_free[free] = 1.0
            own = kernel.squared_lengths(better, worse, *table, frozen(is_free))
            strength = _free_gain(length, own)
            gain[free] = strength
            length = length + strength * own
        told = np.flatnonzero(length > 0)  # where nothing differs no weight can help
        pairs = HingePairs(better, worse, apart, frozen(length), group).take(told)
        return cls(data, pairs, frozen(gain), free, base_scale, squared, tolerance, max_iter, seed)

    def within(self, groups: Ints) -> SVMProblem:
        """The same problem over the pairs of some groups; the data is shared."""
        is_in = np.zeros(len(self.data), bool)
        is_in[groups] = True
        return dataclasses.replace(self, pairs=self.pairs.take(np.flatnonzero(is_in[self.pairs.group])))

    def solve(
        self,
        C: float,
        *,
        start: HingeSolution | None = None,
        step: ProgressCallback | None = None,
        history: list[dict[str, float]] | None = None,
    ) -> HingeSolution:
        """The solution to within the tolerance, or where `max_iter` passes ended."""
        pairs, most, damping = self.pairs, C, 0.0
        if self.squared:
            most, damping = np.inf, 0.5 / C
        features = self.data.features
        n, table = pairs.better.size, (features.indptr, features.indices, features.values)
        rows = pairs.better, pairs.worse, pairs.apart
        dual = np.zeros(n) if start is None else np.minimum(start.dual, most)
        weights = np.zeros(self.gain.size) if start is None else start.weights.copy()
        base = np.zeros(1) if start is None else np.array([start.base / self.base_scale if self.base_scale else 0.0])
        settled = np.zeros(self.free.size) if start is None else start.settled.copy()
        curvature, state = frozen(pairs.length + damping), np.array([2 * self.seed + 1], np.uint64)
        wanted = max(self.tolerance, _FIRST_TOLERANCE) if self.free.size else self.tolerance
        active, high, low, steps, converged = np.arange(n), np.inf, -np.inf, 0, n == 0
        while not converged and steps < self.max_iter:
            was_whole = active.size == n
            kept, largest, smallest = kernel.descend(
                active, state, *rows, *table, self.gain, curvature, damping, most, high, low, dual, weights, base
            )
            steps += 1
            violation = max(largest, 0.0) - min(smallest, 0.0) if kept else 0.0
            if history is not None:
                bound = self._bound(dual, weights, base[0], damping)
                history.append({"step": float(steps), "dual": bound, "violation": violation, "active": float(kept)})
            if step is not None:
                step(steps, f"violation {violation:.4g}, {kept:,} of {n:,} pairs active")
            active = active[:kept]
            high, low = largest if largest > 0 else np.inf, smallest if smallest < 0 else -np.inf
            if violation > wanted:
                continue
            active, high, low = np.arange(n), np.inf, -np.inf
            if not was_whole or self._violation(C, dual, weights, base[0], damping) > wanted:
                continue
            moved = weights[self.free] - settled
            converged = wanted <= self.tolerance and float(np.abs(moved).max(initial=0.0)) <= self.tolerance
            if not converged:
                wanted = max(self.tolerance, _TIGHTER * wanted)
                settled = weights[self.free].copy()
                weights[self.free] += moved
        primal = self._primal(C, weights, base[0])
        bound = self._bound(dual, weights, base[0], damping)
        return HingeSolution(
            frozen(weights), float(base[0] * self.base_scale), dual, settled, steps, primal, bound, converged
        )

    def _margins(self, weights: Floats, base: float) -> Floats:
        features, pairs = self.data.features, self.pairs
        table = features.indptr, features.indices, features.values
        return kernel.margins(pairs.better, pairs.worse, pairs.apart, *table, weights, float(base))

    def _violation(self, C: float, dual: Floats, weights: Floats, base: float, damping: float) -> float:
        """The largest violation of the conditions for an optimum (Karush, Kuhn & Tucker), in units of the margin."""
        slope = self._margins(weights, base) - 1.0 + damping * dual
        slope[(dual == 0.0) & (slope > 0)] = 0.0
        if not self.squared:
            slope[(dual == C) & (slope < 0)] = 0.0
        return float(np.abs(slope).max(initial=0.0))

    def _squares(self, weights: Floats, base: float) -> float:
        counts = self.gain > 0
        counts[self.free] = False
        return float(np.sum(weights[counts] ** 2 / self.gain[counts])) + float(base) ** 2

    def _primal(self, C: float, weights: Floats, base: float) -> float:
        missed = np.maximum(1.0 - self._margins(weights, base), 0.0)
        return 0.5 * self._squares(weights, base) + C * float(np.sum(missed**2 if self.squared else missed))

    def _bound(self, dual: Floats, weights: Floats, base: float, damping: float) -> float:
        return float(np.sum(dual)) - 0.5 * self._squares(weights, base) - 0.5 * damping * float(np.sum(dual**2))


def _best_and_rest(data: NBest) -> tuple[Ints, Ints, Ints]:
    """Rows of the best candidate and of a worse one, and the group, for all pairs; ties with the best are left out."""
    if data.quality is None:
        raise DataError("quality is needed.")
    best, group = ranking.best(data), data.group_of
    worse = np.flatnonzero(data.quality < data.quality[best[group]])
    return frozen(best[group[worse]]), frozen(worse), frozen(group[worse])


def _free_gain(length: Floats, own: Floats) -> float:
    """So strong that a free column has as much say in a pair as all others."""
    with_both = own > 0
    if not with_both.any():
        return 0.0
    return max(float(np.mean(length[with_both])), 1.0) / float(np.mean(own[with_both]))
