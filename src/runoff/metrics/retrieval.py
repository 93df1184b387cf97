"""Metrics of rankings with relevant and irrelevant candidates: MAP, MRR and precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.ranking_metrics import average_precision, expected_reciprocal_rank, reciprocal_rank
from runoff.metrics.base import ratio
from runoff.metrics.options import check_cut
from runoff.metrics.ranking_metric import RankingMetric, group_sums

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.metrics.ranking_metric import Graded


@dataclass(frozen=True, repr=False)
class RelevanceMetric(RankingMetric):
    """A metric for which a candidate is relevant or not: its quality is at least `relevant`."""

    relevant: float = field(default=1.0, kw_only=True)

    def is_relevant(self, grades: Floats) -> Bools:
        """Which candidates are relevant."""
        return frozen(grades >= self.relevant)

    def count_relevant(self, offsets: Ints, grades: Floats) -> Floats:
        """Count the relevant ones of every group."""
        return group_sums(offsets, self.is_relevant(grades).astype(np.float64))


@dataclass(frozen=True, repr=False)
class MAP(RelevanceMetric):
    """Mean average precision over whole lists, as in trec_eval and in LETOR's evaluation script.

    Relevant answers that a group missed count as not retrieved, as in trec_eval (LETOR has none), so that even the
    best order may score below 1. A group without relevant candidates scores 0 and counts. O(n).

    Parameters
    ----------
    relevant
        Lowest quality of a relevant candidate.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.ranking import first_round
    >>> data = NBest.from_arrays(quality=[1, 0, 1, 1], sizes=[3, 1], missed=[[], [1]])
    >>> MAP().rows(data, first_round(data))[:, 0].round(4).tolist()
    [0.8333, 0.5]
    """

    name = "map"
    counts_missed = True

    @property
    def signature(self) -> str:
        """Which grades are relevant, groups without any, and what the first round missed."""
        return f"map|relevant:>={self.relevant:g}|none-relevant:0|missed:counted"

    def values(self, graded: Graded) -> Floats:
        """Average precision of every group."""
        missed = self.count_relevant(graded.missed_offsets, graded.missed)
        out: Floats = average_precision(graded.offsets, self.is_relevant(graded.grades), frozen(missed))
        return out

    def expected(self, graded: Graded) -> Floats:
        """Mean over ranks i of (1 + (i - 1)(r - 1)/(n - 1)) / i, for r relevant ones among n, times r/(r + missed)."""
        sizes = graded.sizes
        found = self.count_relevant(graded.offsets, graded.grades)
        missed = self.count_relevant(graded.missed_offsets, graded.missed)
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, sizes.max(initial=0) + 1))])[sizes]
        expected = harmonic + ratio(found - 1.0, sizes - 1) * (sizes - harmonic)
        return ratio(expected, sizes) * ratio(found, found + missed)


@dataclass(frozen=True, repr=False)
class MRR(RelevanceMetric):
    """Mean reciprocal rank of the first relevant candidate (MRR), among the first k if there is a cut-off.

    A group without relevant candidates there scores 0 and counts. O(n).

    Parameters
    ----------
    k
        Cut-off; without one the whole list counts.
    relevant
        Lowest quality of a relevant candidate.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.ranking import first_round
    >>> data = NBest.from_arrays(quality=[0, 1, 0, 0, 0, 1], sizes=[3, 3])
    >>> MRR(2).rows(data, first_round(data))[:, 0].tolist()
    [0.5, 0.0]
    """

    k: int | None = None

    name = "mrr"

    def __post_init__(self) -> None:
        check_cut(self, self.k)

    @property
    def signature(self) -> str:
        """Cut-off, which grades are relevant, and groups without any."""
        cut = "" if self.k is None else f"@{self.k}"
        return f"mrr{cut}|relevant:>={self.relevant:g}|none-relevant:0"

    def values(self, graded: Graded) -> Floats:
        """Reciprocal rank of every group."""
        out: Floats = reciprocal_rank(graded.offsets, self.is_relevant(graded.grades), self._cut(graded))
        return out

    def expected(self, graded: Graded) -> Floats:
        """Exact, from the probability that the first relevant one is at each rank."""
        found = self.count_relevant(graded.offsets, graded.grades).astype(np.int64)
        out: Floats = expected_reciprocal_rank(graded.sizes, found, self._cut(graded))
        return out

    def _cut(self, graded: Graded) -> int:
        return self.k or int(graded.sizes.max(initial=1))


@dataclass(frozen=True, repr=False)
class Precision(RelevanceMetric):
    """Share of relevant candidates among the first k; ranks beyond the end of a list count as irrelevant.

    Parameters
    ----------
    k
        Cut-off.
    relevant
        Lowest quality of a relevant candidate.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.ranking import first_round
    >>> data = NBest.from_arrays(quality=[1, 0, 1, 1], sizes=[3, 1])
    >>> Precision(2).rows(data, first_round(data))[:, 0].tolist()
    [0.5, 0.5]
    """

    k: int

    name = "p"

    def __post_init__(self) -> None:
        check_cut(self, self.k)

    @property
    def signature(self) -> str:
        """Cut-off, which grades are relevant, and short lists."""
        return f"p@{self.k}|relevant:>={self.relevant:g}|short-lists:filled-up"

    def values(self, graded: Graded) -> Floats:
        """Precision of every group."""
        place = np.arange(graded.grades.size) - np.repeat(graded.offsets[:-1], graded.sizes)
        hits = self.is_relevant(graded.grades) & (place < self.k)
        return group_sums(graded.offsets, hits.astype(np.float64)) / self.k

    def expected(self, graded: Graded) -> Floats:
        """Share of relevant candidates, times the share of the k ranks that the list fills."""
        found = self.count_relevant(graded.offsets, graded.grades)
        return ratio(found, graded.sizes) * np.minimum(graded.sizes, self.k) / self.k
