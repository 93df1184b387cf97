"""The score of expected statistics, as a loss over weights: what `ExpectedScore` minimises."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.kernels.expected_score import add_slopes, expect
from runoff.learners.base_weight import prior_scale_of
from runoff.learners.feature_scaling import column_scales, scaled_base
from runoff.metrics import PickMetric, with_statistics
from runoff.metrics.linear_quality import linear_quality, slopes_at
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.expected_score import ExpectedScore
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_STORED_PER_PIECE = 1 << 20
_MOST_PIECES = 16


@dataclass(frozen=True)
class ExpectedScoreProblem:
    """The loss as a function of one vector: scaled weights, then that of the base score."""

    data: NBest
    metric: PickMetric
    groups: Ints  # that have candidates
    statistics: Floats
    unit: float  # of the score: what a list typically decides, times the number of lists
    base: Floats  # in units of the solver
    scale: Floats
    base_scale: float
    base_prior: float

    @classmethod
    def of(cls, data: NBest, metric: Metric, learner: ExpectedScore) -> ExpectedScoreProblem:
        """Compute statistics, and set up scales. O(candidates)."""
        if not isinstance(metric, PickMetric):
            raise UsageError(
                f"{metric.label} judges whole rankings, and this learner maximises metrics of the one candidate that "
                "is chosen; take crf or adarank."
            )
        data = with_statistics(data, metric)
        statistics = frozen(np.ascontiguousarray(metric.statistics(data), np.float64))
        filled = data.sizes > 0
        gains, starts = linear_quality(data, metric), data.offsets[:-1][filled]
        decided = np.maximum.reduceat(gains, starts) - np.minimum.reduceat(gains, starts)
        if not bool((decided > 0).any()):
            raise DataError("no list of the training data decides anything under the metric: nothing to learn.")
        base, base_scale = scaled_base(data, used=learner.base)
        scale = column_scales(data, learner.scale, learner.min_groups)
        return cls(
            data,
            metric,
            np.flatnonzero(filled),
            statistics,
            float(np.median(decided[decided > 0])),
            base,
            scale,
            base_scale,
            prior_scale_of(data, base),
        )

    def within(self, groups: Ints) -> ExpectedScoreProblem:
        """The same problem over some of the groups, without copies of the data."""
        return dataclasses.replace(self, groups=groups)

    def in_data_units(self, point: Floats) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return point[:-1] * self.scale, float(point[-1] * self.base_scale)

    def loss(self, point: Floats, sigma: float) -> tuple[float, Floats]:
        """Loss and gradient at a point in the solver's units."""
        score, gradient = self.score(point)
        lists = self.groups.size / self.unit
        prior = float(np.sum(point[:-1] ** 2)) / sigma**2 + (self.base_prior * float(point[-1])) ** 2
        gradient *= -lists
        gradient[:-1] += 2 * point[:-1] / sigma**2
        gradient[-1] += 2 * self.base_prior**2 * point[-1]
        return prior - lists * score, gradient

    def score(self, point: Floats) -> tuple[float, Floats]:
        """Score of the expected statistics, higher being better, and its gradient."""
        features, weights, base_weight = self.data.features, point[:-1] * self.scale, float(point[-1])
        rows = (self.data.offsets, features.indptr, features.indices, features.values, self.base)
        shares = np.zeros(self.data.n_candidates)

        def expected(groups: Ints) -> Floats:
            sums = np.zeros(self.statistics.shape[1])
            expect(groups, *rows, weights, base_weight, self.statistics, shares, sums)
            return sums

        sums = np.sum(in_threads(expected, self._pieces), axis=0)
        direction = frozen(slopes_at(sums, self.metric))

        def slopes(groups: Ints) -> tuple[float, Floats]:
            gradient = np.zeros(weights.size)
            return add_slopes(groups, *rows, self.statistics, shares, direction, gradient), gradient

        gradient = np.zeros(point.size)
        for base_slope, part in in_threads(slopes, self._pieces):
            gradient[:-1] += part
            gradient[-1] += base_slope
        gradient[:-1] *= self.scale
        return float(self.metric.signed(sums)), gradient

    @cached_property
    def _pieces(self) -> list[Ints]:
        """Groups cut into pieces of about equal work; their number depends on the data alone."""
        starts = self.data.features.indptr[self.data.offsets]
        work = np.concatenate([[0], np.cumsum((starts[1:] - starts[:-1])[self.groups])])
        cuts = even_cuts(work, int(min(_MOST_PIECES, 1 + work[-1] // _STORED_PER_PIECE)))
        return [frozen(self.groups[start:stop]) for start, stop in pairwise(cuts)]
