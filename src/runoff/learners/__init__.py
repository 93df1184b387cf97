"""Learners, one file per algorithm; each ends in a `LinearModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.learners.adarank import AdaRank
from runoff.learners.base import Learner
from runoff.learners.boost import Boost
from runoff.learners.crf import CRF
from runoff.learners.listnet import ListNet
from runoff.learners.loglinear import LogLinear
from runoff.learners.perceptron import Perceptron
from runoff.learners.regression import Regression

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CRF",
    "LEARNERS",
    "AdaRank",
    "Boost",
    "Learner",
    "ListNet",
    "LogLinear",
    "Perceptron",
    "Regression",
    "learner",
]

LEARNERS: Mapping[str, type[Learner]] = {
    each.name: each for each in (LogLinear, Boost, Perceptron, CRF, Regression, ListNet, AdaRank)
}


def learner(name: str) -> type[Learner]:
    """Learner class by name.

    Examples
    --------
    >>> learner("loglinear")()
    LogLinear()
    """
    try:
        return LEARNERS[name]
    except KeyError:
        raise UsageError(f"there is no learner {name!r}; there are: {', '.join(LEARNERS)}.") from None
