"""The log-linear loss as a function of one vector, over groups that are cut into pieces of about equal work."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import ranking
from runoff.arrays import frozen
from runoff.engines import current
from runoff.errors import DataError
from runoff.kernels.loglinear import negative_log_likelihood
from runoff.learners.base_weight import prior_scale_of
from runoff.learners.column_bundles import bundle_columns
from runoff.learners.dense_lists import DenseLists
from runoff.learners.dense_objectives import log_likelihood
from runoff.learners.feature_scaling import column_scales, spread_within
from runoff.parallel import even_cuts
from runoff.ranking import informative

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints
    from runoff.learners.column_bundles import ColumnBundles
    from runoff.learners.loglinear import LogLinear
    from runoff.nbest import NBest

_STORED_PER_PIECE = 1 << 20
_MOST_PIECES = 16


@dataclass(frozen=True)
class LogLinearProblem:
    """The loss as a function of one vector: scaled weights, then the scaled weight of the base score."""

    data: NBest
    groups: Ints  # the informative ones
    pieces: list[Ints]
    base: Floats
    role: npt.NDArray[np.int8]
    scale: Floats  # factor from the solver's weights to the data's; 0 leaves a feature out
    base_scale: float
    base_prior: float
    bundles: ColumnBundles | None  # the features in two factors, where that is less work
    dense: DenseLists | None = None  # all of it on a device
    inside: list[Any] = field(default_factory=list)  # the groups there
    shared: list[Any] = field(default_factory=list, repr=False)  # an engine, and its handle of the problem

    @classmethod
    def of(cls, data: NBest, learner: LogLinear) -> LogLinearProblem:
        """Set up roles, scales and pieces. O(stored values)."""
        groups = informative(data)
        if groups.size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        scale = column_scales(data, learner.scale, learner.min_groups)
        base = data.base if learner.base and data.base is not None else np.zeros(data.n_candidates)
        base_spread = spread_within(data, base)
        base_scale = 1 / base_spread if base_spread > 0 else 0.0
        role = _roles(data, tied=learner.right == "tied")
        dense = None if learner.device is None else DenseLists(data, learner.device, base, role)
        return cls(
            data,
            groups,
            _pieces(data, groups),
            frozen(base),
            role,
            scale,
            base_scale,
            prior_scale_of(data, base, base_scale),
            bundle_columns(data) if dense is None else None,
            dense,
            [] if dense is None else dense.inside(groups),
        )

    def within(self, groups: Ints) -> LogLinearProblem:
        """The same problem over some of the groups, without copies."""
        inside = [] if self.dense is None else self.dense.inside(groups)
        pieces = _pieces(self.data, groups)
        return dataclasses.replace(self, groups=groups, pieces=pieces, inside=inside, shared=[])

    def in_data_units(self, point: Floats) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return point[:-1] * self.scale, float(point[-1] * self.base_scale)

    def loss(self, point: Floats, sigma: float) -> tuple[float, Floats]:
        """Loss and gradient at a point in the solver's units."""
        total, slopes, base_slope = self._sums(*self.in_data_units(point))
        gradient = np.empty(point.size)
        gradient[:-1] = slopes * self.scale + 2 * point[:-1] / sigma**2
        gradient[-1] = base_slope * self.base_scale + 2 * self.base_prior**2 * point[-1]
        prior = float(point[:-1] @ point[:-1]) / sigma**2 + (self.base_prior * float(point[-1])) ** 2
        return total + prior, gradient

    def _sums(self, weights: Floats, base_weight: float) -> tuple[float, Floats, float]:
        """Loss without the prior, its gradient, and its slope for the first round's score."""
        if self.dense is not None:
            return self.dense.sums(log_likelihood, weights, base_weight, self.inside)
        engine = current()
        if self.shared[:1] != [engine]:  # its workers get the problem once, for all steps
            self.shared[:] = [engine, engine.share(dataclasses.replace(self, shared=[]))]
        point = engine.share((weights, base_weight))
        parts = engine.map(_loss_of, range(len(self.pieces)), self.shared[1], point)
        losses, base_slopes, gradients = zip(*parts, strict=True)
        return sum(losses), sum(gradients), sum(base_slopes)

    def loss_of_piece(self, at: int, weights: Floats, base_weight: float) -> tuple[float, float, Floats]:
        """Loss of the groups of a piece, and its slopes for the base weight and for the weights."""
        bundles, groups, gradient = self.bundles, self.pieces[at], np.zeros(weights.size)
        rows = self.data.features if bundles is None else bundles
        # Of the bundles, only the pages that the piece uses cost anything.
        inner = weights if bundles is None else np.empty(bundles.count)
        slopes = gradient if bundles is None else np.zeros(bundles.count)
        if bundles is not None:
            bundles.weights(groups, weights, inner)
        loss, slope = negative_log_likelihood(
            groups,
            self.data.offsets,
            rows.indptr,
            rows.indices,
            rows.values,
            self.base,
            self.role,
            inner,
            base_weight,
            slopes,
        )
        if bundles is not None:
            bundles.add_slopes(groups, slopes, gradient)
        return loss, slope, gradient


def _loss_of(at: int, problem: LogLinearProblem, point: tuple[Floats, float]) -> tuple[float, float, Floats]:
    return problem.loss_of_piece(at, *point)


def _pieces(data: NBest, groups: Ints) -> list[Ints]:
    """Groups cut into pieces of about equal work; their number depends on the data alone."""
    starts = data.features.indptr[data.offsets]
    work = np.concatenate([[0], np.cumsum((starts[1:] - starts[:-1])[groups])])
    cuts = even_cuts(work, int(min(_MOST_PIECES, 1 + work[-1] // _STORED_PER_PIECE)))
    return [groups[start:stop] for start, stop in pairwise(cuts)]


def _roles(data: NBest, *, tied: bool) -> npt.NDArray[np.int8]:
    """1 for a correct candidate, 0 for a wrong one, -1 for one that ties with the correct one and is left out."""
    best = ranking.best(data)
    group = data.group_of
    quality = data.quality if data.quality is not None else np.zeros(data.n_candidates)
    is_top = quality == quality[best[group]]
    role = np.where(is_top, 1 if tied else -1, 0).astype(np.int8)
    role[best[best >= 0]] = 1
    return role
