"""Metrics of rankings with relevant and irrelevant candidates: MAP, MRR, precision and success."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.ranking_metrics import average_precision, reciprocal_rank, success
from runoff.metrics.options import check_cut
from runoff.metrics.ranking_metric import RankingMetric, group_sums

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.metrics.ranking_metric import Graded


@dataclass(frozen=True, repr=False)
class RelevanceMetric(RankingMetric):
    """A metric for which a candidate is relevant or not: its quality is at least `relevant`."""

    relevant: float = field(default=1.0, kw_only=True)

    def is_relevant(self, grades: Floats) -> Bools:
        """Which candidates are relevant."""
        return frozen(grades >= self.relevant)


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
        missed = group_sums(graded.missed_offsets, self.is_relevant(graded.missed).astype(np.float64))
        relevant = self.is_relevant(graded.grades)
        out: Floats = average_precision(graded.offsets, relevant, graded.tied, frozen(missed))
        return out


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
        super().__post_init__()
        check_cut(self, self.k)

    @property
    def signature(self) -> str:
        """Cut-off, which grades are relevant, and groups without any."""
        cut = "" if self.k is None else f"@{self.k}"
        return f"mrr{cut}|relevant:>={self.relevant:g}|none-relevant:0"

    def values(self, graded: Graded) -> Floats:
        """Reciprocal rank of every group."""
        cut = self.k or int(graded.sizes.max(initial=1))
        out: Floats = reciprocal_rank(graded.offsets, self.is_relevant(graded.grades), graded.tied, cut)
        return out


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
        super().__post_init__()
        check_cut(self, self.k)

    @property
    def signature(self) -> str:
        """Cut-off, which grades are relevant, and short lists."""
        return f"p@{self.k}|relevant:>={self.relevant:g}|short-lists:filled-up"

    def values(self, graded: Graded) -> Floats:
        """Precision of every group."""
        place = np.arange(graded.grades.size) - np.repeat(graded.offsets[:-1], graded.sizes)
        relevant = graded.means_of_ties(self.is_relevant(graded.grades).astype(np.float64))
        return group_sums(graded.offsets, np.where(place < self.k, relevant, 0.0)) / self.k


@dataclass(frozen=True, repr=False)
class Success(RelevanceMetric):
    """Share of groups with a relevant candidate among the first k: hits at k, accuracy at k. O(n).

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
    >>> data = NBest.from_arrays(quality=[0, 1, 0, 0, 0, 1], sizes=[3, 3])
    >>> Success(2).rows(data, first_round(data))[:, 0].tolist()
    [1.0, 0.0]
    """

    k: int

    name = "success"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cut(self, self.k)

    @property
    def signature(self) -> str:
        """Cut-off, and which grades are relevant."""
        return f"success@{self.k}|relevant:>={self.relevant:g}|none-relevant:0"

    def values(self, graded: Graded) -> Floats:
        """Whether every group has one; of tied ones, the share of their orders that have."""
        out: Floats = success(graded.offsets, self.is_relevant(graded.grades), graded.tied, self.k)
        return out
