"""Metrics of a whole ranking: one value per group, averaged over groups."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.ordering import means_of_ties
from runoff.metrics.base import Metric, ratio, required_quality
from runoff.nbest.arrow_numbers import flat_lists
from runoff.ranking import Ranking

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Graded:
    """Grades of ranked lists, one group after the other, and of the answers that each group missed."""

    offsets: Ints
    grades: Floats
    tied: Bools  # for every place, whether it counts as tied with the one before it in its group
    missed_offsets: Ints
    missed: Floats

    @property
    def sizes(self) -> Ints:
        """Number of candidates of every group."""
        return np.diff(self.offsets)

    def with_missed(self) -> tuple[Ints, Floats]:
        """Offsets and grades of all answers: every group's candidates, then those that it missed."""
        if self.missed.size == 0:
            return self.offsets, self.grades
        listed = np.arange(self.grades.size) + np.repeat(self.missed_offsets[:-1], self.sizes)
        others = np.arange(self.missed.size) + np.repeat(self.offsets[1:], np.diff(self.missed_offsets))
        grades = np.empty(listed.size + others.size)
        grades[listed], grades[others] = self.grades, self.missed
        return frozen(self.offsets + self.missed_offsets), frozen(grades)

    def reordered(self, groups: Ints, grades: Floats, tied: Bools) -> Graded:
        """Some of the groups in other orders; a group may be named twice, and what follows the last group is ignored.

        Examples
        --------
        >>> grades, missed = np.array([1.0, 0.0, 2.0]), np.array([3.0])
        >>> graded = Graded(np.array([0, 2, 3]), grades, np.zeros(3, bool), np.array([0, 0, 1]), missed)
        >>> other = graded.reordered(np.array([1, 0, 1]), np.array([2.0, 0.0, 1.0, 2.0]), np.zeros(4, bool))
        >>> other.offsets.tolist(), other.missed_offsets.tolist(), other.missed.tolist()
        ([0, 1, 3, 4], [0, 1, 1, 2], [3.0, 3.0])
        """
        offsets = _offsets(self.sizes[groups])
        lengths = np.diff(self.missed_offsets)[groups]
        missed_offsets = _offsets(lengths)
        source = np.arange(missed_offsets[-1]) + np.repeat(self.missed_offsets[groups] - missed_offsets[:-1], lengths)
        end = offsets[-1]
        return Graded(offsets, frozen(grades[:end]), frozen(tied[:end]), missed_offsets, frozen(self.missed[source]))

    def means_of_ties(self, values: Floats) -> Floats:
        """Values of the places, each replaced by the mean of those that are tied with it. O(n)."""
        return frozen(means_of_ties(self.offsets, self.tied, values))


@dataclass(frozen=True, repr=False)
class RankingMetric(Metric):
    """Mean over groups of a value between 0 and 1 that the order of the grades gives.

    Grades are the quality that the data carries. Groups without candidates do not count.

    Examples
    --------
    >>> from runoff.metrics import NDCG, first_rows
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[1, 0, 0, 1], sizes=[2, 2])
    >>> NDCG(1).score(first_rows(NDCG(1), data).sum(axis=0)).item()
    0.5
    """

    limit = 1.0
    reads_quality = True
    counts_missed: ClassVar[bool] = False  # whether relevant answers that the first round missed count

    @abstractmethod
    def values(self, graded: Graded) -> Floats:
        """Value of every group for grades in ranked order, averaged over all orders of tied places.

        Anything for a group without candidates.
        """

    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Value and 1 for every group that has candidates."""
        return _counted(data, self.values(self.graded(data, self.quality(data), ranking)))

    def random_rows(self, data: NBest, seed: int) -> Floats:  # noqa: ARG002 - exact, needs no draw
        """Exact expectation over all orders, and 1."""
        all_tied = Ranking(data.offsets, np.arange(data.n_candidates), np.ones(data.n_candidates, bool))
        return self.in_expectation.rows(data, all_tied)

    def score(self, sums: Floats) -> Floats:
        """Mean; 0 without groups."""
        return ratio(sums[..., 0], sums[..., 1])

    def quality(self, data: NBest) -> Floats:
        """Grades that the data carries."""
        return required_quality(data, self.label)

    def graded(self, data: NBest, grades: Floats, ranking: Ranking) -> Graded:
        """Grades of the candidates in ranked order, their ties, and what the first round missed, where these count."""
        tied = ranking.tied if self.ties == "expected" and ranking.tied is not None else np.zeros(grades.size, bool)
        missed = (np.zeros_like(data.offsets), np.empty(0))
        if self.counts_missed and data.missed is not None:
            missed = flat_lists(data.missed)
        return Graded(data.offsets, frozen(grades[ranking.rows]), frozen(tied), *missed)


def _offsets(sizes: Ints) -> Ints:
    return frozen(np.concatenate([[0], np.cumsum(sizes)]))


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
