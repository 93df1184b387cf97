"""Learners, one file per algorithm; each ends in a `LinearModel`."""

from __future__ import annotations

from runoff.learners.adarank import AdaRank
from runoff.learners.base import Learner
from runoff.learners.blend import Blend
from runoff.learners.boost import Boost
from runoff.learners.crf import CRF
from runoff.learners.featurized import FeaturizedLearner
from runoff.learners.listnet import ListNet
from runoff.learners.loglinear import LogLinear
from runoff.learners.perceptron import Perceptron
from runoff.learners.regression import Regression
from runoff.registry import LEARNERS

__all__ = [
    "CRF",
    "LEARNERS",
    "AdaRank",
    "Blend",
    "Boost",
    "FeaturizedLearner",
    "Learner",
    "ListNet",
    "LogLinear",
    "Perceptron",
    "Regression",
    "learner",
]

for _kind in (Blend, LogLinear, Boost, Perceptron, CRF, Regression, ListNet, AdaRank):
    LEARNERS.register(_kind.name, _kind)


def learner(name: str) -> type[Learner]:
    """Learner class by name.

    Examples
    --------
    >>> learner("loglinear")()
    LogLinear()
    """
    return LEARNERS[name]
