"""Metrics of rankings with relevant and irrelevant candidates: MAP, MRR and precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.gains import average_precision, expected_reciprocal_rank, reciprocal_rank
from runoff.metrics.base import ratio
from runoff.metrics.options import check_cut
from runoff.metrics.ranked import RankingMetric, group_sums

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@dataclass(frozen=True, repr=False)
class RelevanceMetric(RankingMetric):
    """A metric for which a candidate is relevant or not: its quality is at least `relevant`."""

    relevant: float = field(default=1.0, kw_only=True)

    def is_relevant(self, grades: Floats) -> Bools:
        """Which candidates are relevant."""
        return frozen(grades >= self.relevant)


@dataclass(frozen=True, repr=False)
class MeanAveragePrecision(RelevanceMetric):
    """Mean average precision over whole lists, as in trec_eval and in LETOR's evaluation script.

    A group without relevant candidates scores 0 and counts. O(n).

    Examples
    --------
    >>> MeanAveragePrecision().values(np.array([0, 3]), np.array([1.0, 0.0, 1.0])).round(4).tolist()
    [0.8333]
    """

    name = "map"

    @property
    def signature(self) -> str:
        """Which grades are relevant, and groups without any."""
        return f"map|relevant:>={self.relevant:g}|none-relevant:0"

    def values(self, offsets: Ints, grades: Floats) -> Floats:
        """Average precision of every group."""
        out: Floats = average_precision(offsets, self.is_relevant(grades))
        return out

    def expected(self, offsets: Ints, grades: Floats) -> Floats:
        """Mean over places i of (1 + (i - 1)(r - 1)/(n - 1)) / i, for r relevant ones among n."""
        sizes = np.diff(offsets)
        found = group_sums(offsets, self.is_relevant(grades).astype(np.float64))
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, sizes.max(initial=0) + 1))])[sizes]
        expected = harmonic + ratio(found - 1.0, sizes - 1.0) * (sizes - harmonic)
        return np.where(found > 0, ratio(expected, sizes), 0.0)


@dataclass(frozen=True, repr=False)
class ReciprocalRank(RelevanceMetric):
    """Mean reciprocal rank of the first relevant candidate, among the first k if there is a cut-off.

    A group without relevant candidates there scores 0 and counts. O(n).

    Examples
    --------
    >>> ReciprocalRank(k=2).values(np.array([0, 3, 6]), np.array([0, 1.0, 0, 0, 0, 1.0])).tolist()
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

    def values(self, offsets: Ints, grades: Floats) -> Floats:
        """Reciprocal rank of every group."""
        out: Floats = reciprocal_rank(offsets, self.is_relevant(grades), self._cut(offsets))
        return out

    def expected(self, offsets: Ints, grades: Floats) -> Floats:
        """Exact, from the chance that the first relevant one is at each place."""
        found = group_sums(offsets, self.is_relevant(grades).astype(np.float64)).astype(np.int64)
        out: Floats = expected_reciprocal_rank(np.diff(offsets), found, self._cut(offsets))
        return out

    def _cut(self, offsets: Ints) -> int:
        return self.k or int(np.diff(offsets).max(initial=1))


@dataclass(frozen=True, repr=False)
class Precision(RelevanceMetric):
    """Share of relevant candidates among the first k; places beyond the end of a list count as irrelevant.

    Examples
    --------
    >>> Precision(k=2).values(np.array([0, 3, 4]), np.array([1.0, 0.0, 1.0, 1.0])).tolist()
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

    def values(self, offsets: Ints, grades: Floats) -> Floats:
        """Precision of every group."""
        place = np.arange(grades.size) - np.repeat(offsets[:-1], np.diff(offsets))
        hits = self.is_relevant(grades) & (place < self.k)
        return group_sums(offsets, hits.astype(np.float64)) / self.k

    def expected(self, offsets: Ints, grades: Floats) -> Floats:
        """Share of relevant candidates, times the share of places that the list fills."""
        sizes = np.diff(offsets)
        found = group_sums(offsets, self.is_relevant(grades).astype(np.float64))
        return ratio(found, sizes) * np.minimum(sizes, self.k) / self.k
