"""Learners, one file per algorithm; each ends in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.registry import LEARNERS, lazily

if TYPE_CHECKING:
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

_HOMES = {
    "adaboost": ("AdaBoost",),
    "adarank": ("AdaRank",),
    "base": ("Learner",),
    "blend": ("Blend",),
    "boost": ("Boost",),
    "chain_boost": ("BoostedChain",),
    "chain_crf": ("ChainCRF",),
    "chain_greedy": ("GreedyChain",),
    "chain_perceptron": ("ChainPerceptron",),
    "crf": ("CRF",),
    "featurized": ("FeaturizedLearner",),
    "leaves": ("fit_leaves",),
    "listnet": ("ListNet",),
    "loglinear": ("LogLinear",),
    "mert": ("Mert",),
    "perceptron": ("Perceptron",),
    "pro": ("Pro",),
    "regression": ("Regression",),
    "svm": ("SVM",),
    "tree_boost": ("TreeBoost",),
}
# Optimisers take half a second to import; nobody should wait for what they do not use.
__getattr__ = lazily(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})

for _name, _home in {
    "blend": "blend:Blend",
    "loglinear": "loglinear:LogLinear",
    "boost": "boost:Boost",
    "perceptron": "perceptron:Perceptron",
    "crf": "crf:CRF",
    "trees": "tree_boost:TreeBoost",
    "svm": "svm:SVM",
    "mert": "mert:Mert",
    "pro": "pro:Pro",
    "regression": "regression:Regression",
    "listnet": "listnet:ListNet",
    "adarank": "adarank:AdaRank",
}.items():
    LEARNERS.register(_name, f"{__name__}.{_home}")


def learner(name: str) -> type[Learner]:
    """Learner class by name.

    Examples
    --------
    >>> learner("loglinear")()
    LogLinear()
    """
    return LEARNERS[name]


def __dir__() -> list[str]:
    return __all__
