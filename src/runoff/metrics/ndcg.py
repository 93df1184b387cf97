"""Normalised discounted cumulative gain: the usual form and that of LETOR's evaluation script."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.gains import mean_ndcg, ndcg
from runoff.kernels.ordering import best_first
from runoff.metrics.base import ratio
from runoff.metrics.options import check_choice, check_cut
from runoff.metrics.ranked import RankingMetric, group_sums

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

_HIGHEST_GRADE = 1000  # 2^r stays finite, and so do sums of it


@dataclass(frozen=True, repr=False)
class NDCG(RankingMetric):
    """What both forms share: gains of the grades, discounts of the places, and the ideal order."""

    k: int | None = None
    gain: Literal["2^r-1", "r"] = "2^r-1"

    def __post_init__(self) -> None:
        check_cut(self, self.k)
        check_choice(self, "gain")

    @abstractmethod
    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """Multiplier and divisor of the gain at each of the first n places."""

    def quality(self, data: NBest) -> Floats:
        """Grades that the data carries."""
        grades = super().quality(data)
        if self.gain == "2^r-1" and grades.size and grades.max() > _HIGHEST_GRADE:
            raise DataError(
                f"{self.label} has the gain 2^r - 1, which is too large for the grade {grades.max():g}; "
                f"use {self.name}[gain=r] or smaller grades."
            )
        return grades

    def gains(self, grades: Floats) -> Floats:
        """Gain of every grade; a grade below 0 gains nothing, like 0."""
        gains = np.maximum(grades, 0.0)
        return np.exp2(gains) - 1.0 if self.gain == "2^r-1" else gains

    @abstractmethod
    def reduced(self, offsets: Ints, gains: Floats, ideal: Floats, above: Floats, below: Floats) -> Floats:
        """Value of every group from the gains at its places, as they are and as they should be."""

    def values(self, offsets: Ints, grades: Floats) -> Floats:
        """NDCG of every group."""
        gains = self.gains(grades)
        return self._normalised(offsets, gains, gains)

    def expected(self, offsets: Ints, grades: Floats) -> Floats:
        """Exact, because DCG is linear: every place gets the mean gain of its group."""
        sizes, gains = np.diff(offsets), self.gains(grades)
        return self._normalised(offsets, np.repeat(ratio(group_sums(offsets, gains), sizes), sizes), gains)

    def _normalised(self, offsets: Ints, at_places: Floats, gains: Floats) -> Floats:
        ideal = gains[best_first(offsets, frozen(gains), frozen(gains))]
        above, below = self.discounts(int(np.diff(offsets).max(initial=0)))
        return self.reduced(offsets, frozen(at_places), frozen(ideal), frozen(above), frozen(below))


@dataclass(frozen=True, repr=False)
class PlainNDCG(NDCG):
    """NDCG@k (Järvelin & Kekäläinen 2002), 0 to 1, discount 1/log2(i + 1).

    The gain is 2^r - 1 (Burges et al. 2005) or r. The ideal order is that of the group's own candidates.
    A group without relevant candidates scores 0 and counts; a list shorter than k is scored on what it
    has. Without a cut-off the whole list counts. O(n log n).

    Examples
    --------
    >>> PlainNDCG(k=2).values(np.array([0, 3]), np.array([0.0, 1.0, 0.0])).round(4).tolist()
    [0.6309]
    """

    name = "ndcg"

    @property
    def signature(self) -> str:
        """Everything in which NDCGs differ."""
        cut = "" if self.k is None else f"@{self.k}"
        return f"ndcg{cut}|gain:{self.gain}|discount:log2(i+1)|none-relevant:0|short-lists:as-they-are"

    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """1 / log2(i + 1)."""
        return np.ones(n), np.log2(np.arange(2, n + 2))

    def reduced(self, offsets: Ints, gains: Floats, ideal: Floats, above: Floats, below: Floats) -> Floats:
        """NDCG@k of what there is."""
        out: Floats = ndcg(offsets, gains, ideal, above, below, self.k or above.size, 1)
        return out


@dataclass(frozen=True, repr=False)
class LetorNDCG(NDCG):
    """NDCG@k exactly as the evaluation script of LETOR 4.0 computes it, 0 to 1.

    Places 1 and 2 are not discounted, place i >= 3 by log2(i). A group without relevant candidates
    scores 0 and counts; a group with fewer than k candidates adds 0 to NDCG@k. Without a cut-off it
    is the script's MeanNDCG: the mean of NDCG@1 to NDCG@n for a group of n candidates. O(n log n).

    Examples
    --------
    >>> LetorNDCG(k=3).values(np.array([0, 3, 5]), np.array([0.0, 1.0, 2.0, 1.0, 0.0])).round(4).tolist()
    [0.7232, 0.0]
    """

    name = "ndcg-letor"

    @property
    def signature(self) -> str:
        """Everything in which NDCGs differ."""
        cut = "|mean:1..n" if self.k is None else f"@{self.k}"
        return f"ndcg-letor{cut}|gain:{self.gain}|discount:1,1,log2(i)|none-relevant:0|short-lists:0"

    def discounts(self, n: int) -> tuple[Floats, Floats]:
        """`log 2 / log i` from the third place on, multiplied and divided in the script's own order."""
        above, below = np.full(n, np.log(2.0)), np.log(np.arange(1, n + 1))
        above[:2] = below[:2] = 1.0
        return above, below

    def reduced(self, offsets: Ints, gains: Floats, ideal: Floats, above: Floats, below: Floats) -> Floats:
        """NDCG@k of lists that are long enough, or the mean over all cut-offs."""
        out: Floats
        if self.k is None:
            out = mean_ndcg(offsets, gains, ideal, above, below)
        else:
            out = ndcg(offsets, gains, ideal, above, below, self.k, self.k)
        return out
