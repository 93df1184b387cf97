"""Learners, one file per algorithm; each ends in a model."""

from __future__ import annotations

from runoff.learners.adaboost import AdaBoost
from runoff.learners.adarank import AdaRank
from runoff.learners.base import Learner
from runoff.learners.blend import Blend
from runoff.learners.boost import Boost
from runoff.learners.chain_boost import BoostedChain
from runoff.learners.chain_crf import ChainCRF
from runoff.learners.chain_greedy import GreedyChain
from runoff.learners.chain_perceptron import ChainPerceptron
from runoff.learners.crf import CRF
from runoff.learners.featurized import FeaturizedLearner
from runoff.learners.leaves import fit_leaves
from runoff.learners.listnet import ListNet
from runoff.learners.loglinear import LogLinear
from runoff.learners.mert import Mert
from runoff.learners.perceptron import Perceptron
from runoff.learners.pro import Pro
from runoff.learners.regression import Regression
from runoff.learners.svm import SVM
from runoff.learners.tree_boost import TreeBoost
from runoff.registry import LEARNERS

__all__ = [
    "CRF",
    "LEARNERS",
    "SVM",
    "AdaBoost",
    "AdaRank",
    "Blend",
    "Boost",
    "BoostedChain",
    "ChainCRF",
    "ChainPerceptron",
    "FeaturizedLearner",
    "GreedyChain",
    "Learner",
    "ListNet",
    "LogLinear",
    "Mert",
    "Perceptron",
    "Pro",
    "Regression",
    "TreeBoost",
    "fit_leaves",
    "learner",
]

for _kind in (Blend, LogLinear, Boost, Perceptron, CRF, TreeBoost, SVM, Mert, Pro, Regression, ListNet, AdaRank):
    LEARNERS.register(_kind.name, _kind)


def learner(name: str) -> type[Learner]:
    """Learner class by name.

    Examples
    --------
    >>> learner("loglinear")()
    LogLinear()
    """
    return LEARNERS[name]
