"""BM25 (Robertson and others 1994), in the forms of Lucene and of ATIRE (Trotman, Puurula and Burgess 2014)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from runoff.parameters import check_all, checks_of, choice, number, parameter, within

Variant = Literal["lucene", "atire"]


@dataclass(frozen=True)
class Bm25:
    """What a term of the query adds to the score of a passage, by how often the passage has it and how long it is.

    A term that `df` of `n` passages have weighs `idf`, which is log(1 + (n - df + ½) / (df + ½)) in Lucene's form and
    log(n / df), times k1 + 1, in ATIRE's. A passage of `length` terms that has it tf times gets that times
    tf / (tf + k1 (1 - b + b length / mean length)).

    Examples
    --------
    >>> round(Bm25().weight(1000, 10), 3), round(Bm25(variant="atire").weight(1000, 10), 3)
    (4.557, 8.75)
    >>> Bm25(b=2)
    Traceback (most recent call last):
    runoff.errors.UsageError: b of BM25 must be a number from 0 up to 1; found 2.
    """

    k1: float = parameter(0.9, number(zero=True))
    b: float = parameter(0.4, within(0, 1))
    variant: Variant = parameter("lucene", choice("lucene", "atire"))

    def __post_init__(self) -> None:
        check_all("BM25", vars(self), checks_of(self))

    def weight(self, passages: int, having: int) -> float:
        """Weight of a term that so many of the passages have, at least one."""
        if self.variant == "atire":
            return math.log(passages / having) * (self.k1 + 1)
        return idf(passages, having)


def idf(passages: int, having: int) -> float:
    """Inverse document frequency in Lucene's form, which is above zero for every term.

    Examples
    --------
    >>> round(idf(10, 0), 3), round(idf(10, 10), 3)
    (3.091, 0.047)
    """
    return math.log1p((passages - having + 0.5) / (having + 0.5))
