"""Normalised discounted cumulative gain: the usual form and that of LETOR's evaluation script."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.ordering import best_first
from runoff.kernels.ranking_metrics import mean_ndcg, ndcg
from runoff.metrics.options import check_choice, check_cut
from runoff.metrics.ranking_metric import RankingMetric

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics.ranking_metric import Graded

Gains: TypeAlias = "tuple[Ints, Floats]"  # offsets of the groups, and a gain for every rank
_HIGHEST_GRADE = 1000  # 2^r stays finite, and so do sums of it


@dataclass(frozen=True, repr=False)
class _DiscountedGain(RankingMetric):
    """What both forms share: gains of grades, discounts of ranks, and the ideal order."""

    k: int | None = None
    gain: Literal["2^r-1", "r"] = "2^r-1"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cut(self, self.k)
        check_choice(self, "gain")

    @abstractmethod
    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """Multiplier and divisor of the gain at each of the first n ranks."""

    def gains(self, grades: Floats) -> Floats:
        """Gain of every grade; a grade below 0 gains nothing, like 0."""
        if self.gain == "2^r-1" and grades.size and grades.max() > _HIGHEST_GRADE:
            raise DataError(
                f"{self.label} has the gain 2^r - 1, which is too large for the grade {grades.max():g}; "
                f"use {self.name}[gain=r] or smaller grades."
            )
        gains = np.maximum(grades, 0.0)
        return np.exp2(gains) - 1.0 if self.gain == "2^r-1" else gains

    @abstractmethod
    def reduced(self, reached: Gains, ideal: Gains, above: Floats, below: Floats) -> Floats:
        """Value of every group from its gains by rank, in the given order and in the ideal one."""

    def values(self, graded: Graded) -> Floats:
        """NDCG of every group; DCG is linear, so that tied ranks get the mean of their gains."""
        offsets, grades = graded.with_missed()
        gains = self.gains(grades)
        ideal = gains[best_first(offsets, frozen(gains), frozen(gains))]
        above, below = self.discounts(int(np.diff(offsets).max(initial=0)))
        reached = (graded.offsets, graded.means_of_ties(self.gains(graded.grades)))
        return self.reduced(reached, (offsets, frozen(ideal)), frozen(above), frozen(below))


@dataclass(frozen=True, repr=False)
class NDCG(_DiscountedGain):
    """NDCG@k (Järvelin & Kekäläinen 2002), 0 to 1, discount 1/log2(i + 1).

    The ideal order is that of the group's own candidates and of the answers that it missed, as in trec_eval: where
    relevant answers are missed, even the best order may score below 1. A group without relevant candidates scores 0
    and counts; a list shorter than k is scored as it is. O(n log n).

    Parameters
    ----------
    k
        Cut-off; without one the whole list counts.
    gain
        Gain of grade r: `2^r-1` (Burges et al. 2005) or `r`; a grade below 0 gains nothing.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.ranking import first_round
    >>> data = NBest.from_arrays(quality=[0, 1, 0, 1], sizes=[3, 1], missed=[[], [1]])
    >>> NDCG(2).rows(data, first_round(data))[:, 0].round(4).tolist()
    [0.6309, 0.6131]
    """

    name = "ndcg"
    counts_missed = True

    @property
    def signature(self) -> str:
        """Everything in which NDCGs differ."""
        cut = "" if self.k is None else f"@{self.k}"
        rules = "none-relevant:0|short-lists:as-they-are|missed:counted"
        return f"ndcg{cut}|gain:{self.gain}|discount:log2(i+1)|{rules}"

    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """1 / log2(i + 1)."""
        return np.ones(n), np.log2(np.arange(2, n + 2))

    def reduced(self, reached: Gains, ideal: Gains, above: Floats, below: Floats) -> Floats:
        """NDCG@k, of shorter lists too."""
        out: Floats = ndcg(*reached, *ideal, above, below, self.k or above.size, 1)
        return out


@dataclass(frozen=True, repr=False)
class LetorNDCG(_DiscountedGain):
    """NDCG@k exactly as the evaluation script of LETOR 4.0 computes it, 0 to 1.

    Ranks 1 and 2 are not discounted, rank i >= 3 by log2(i). A group without relevant candidates scores 0 and counts;
    a group with fewer than k candidates adds 0 to NDCG@k. The script knows only candidates, so answers that a group
    missed do not count. O(n log n).

    Parameters
    ----------
    k
        Cut-off; without one it is the script's MeanNDCG: the mean of NDCG@1 to NDCG@n for a group of n candidates.
    gain
        Gain of grade r: `2^r-1` or `r`; a grade below 0 gains nothing.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.ranking import first_round
    >>> data = NBest.from_arrays(quality=[0, 1, 2, 1, 0], sizes=[3, 2])
    >>> LetorNDCG(3).rows(data, first_round(data))[:, 0].round(4).tolist()
    [0.7232, 0.0]
    """

    name = "ndcg-letor"

    @property
    def signature(self) -> str:
        """Everything in which NDCGs differ."""
        cut = "|mean:1..n" if self.k is None else f"@{self.k}"
        return f"ndcg-letor{cut}|gain:{self.gain}|discount:1,1,log2(i)|none-relevant:0|short-lists:0"

    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """`log 2 / log i` from the third rank on, multiplied and divided in the script's own order."""
        above, below = np.full(n, np.log(2.0)), np.log(np.arange(1, n + 1))
        above[:2] = below[:2] = 1.0
        return above, below

    def reduced(self, reached: Gains, ideal: Gains, above: Floats, below: Floats) -> Floats:
        """NDCG@k of lists that are long enough, or the mean over all cut-offs."""
        out: Floats
        if self.k is None:
            out = mean_ndcg(*reached, ideal[1], above, below)
        else:
            out = ndcg(*reached, *ideal, above, below, self.k, self.k)
        return out
