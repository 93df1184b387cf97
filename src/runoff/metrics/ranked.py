"""Metrics of a whole ranking: one value per group, averaged over groups."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.metrics.base import Metric, ratio, required_quality

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True, repr=False)
class RankingMetric(Metric):
    """Mean over groups of a value between 0 and 1 that the order of the grades gives.

    Grades are the quality that the data carries. Groups without candidates do not count.
    """

    limit = 1.0
    reads_quality = True

    @abstractmethod
    def values(self, offsets: Ints, grades: Floats) -> Floats:
        """Value of every group for grades in ranked order; anything for a group without candidates."""

    @abstractmethod
    def expected(self, offsets: Ints, grades: Floats) -> Floats:
        """Value of every group, averaged over all orders of its candidates."""

    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Value and 1 for every group that has candidates."""
        grades: Floats = frozen(self.quality(data)[ranking.rows])
        return _counted(data, self.values(data.offsets, grades))

    def random_rows(self, data: NBest, seed: int) -> Floats:  # noqa: ARG002 - exact, needs no draw
        """Exact expectation over all orders, and 1."""
        return _counted(data, self.expected(data.offsets, self.quality(data)))

    def score(self, sums: Floats) -> Floats:
        """Mean; 0 without groups."""
        return ratio(sums[..., 0], sums[..., 1])

    def quality(self, data: NBest) -> Floats:
        """Grades that the data carries."""
        return required_quality(data, self.label)


def _counted(data: NBest, values: Floats) -> Floats:
    filled = data.sizes > 0
    return np.column_stack([np.where(filled, values, 0.0), filled.astype(np.float64)])


def group_sums(offsets: Ints, values: Floats) -> Floats:
    """Sum of one value per candidate over each group."""
    sizes = np.diff(offsets)
    sums = np.zeros(sizes.size)
    if values.size:
        sums[sizes > 0] = np.add.reduceat(values, offsets[:-1][sizes > 0])
    return sums
