"""Learners that work well on parses, with fast settings tuned on dev data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.learners import CRF, Boost, LogLinear, Perceptron
from runoff.learners.recipes import LearnerRecipe, check_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners import Learner

METRIC = "parseval"
DEFAULT = ("orum", "loglinear")
RECIPES = {
    "orum": LearnerRecipe(Perceptron, {"order": "orum", "tau": 0.0, "max_epochs": 20, "patience": 5}),
    "loglinear": LearnerRecipe(LogLinear, {"sigma": [0.1, 0.2, 0.4], "max_iter": 80}),
    "crf": LearnerRecipe(CRF, {"objective": "la", "loss_weight": [1.0, 3.0], "l2": [4e-3, 1.6e-2], "max_iter": 80}),
    "boost": LearnerRecipe(Boost, {"max_rounds": 5_000}),
}


def recipe(name: str, seed: int = 0) -> Learner:
    """A learner for parses by name: orum (perceptron with uneven ordinal margins), loglinear, crf (la) or boost.

    Examples
    --------
    >>> recipe("orum")
    Perceptron(tau=0.0, max_epochs=20, patience=5, metric='parseval')
    """
    check_recipes([name])
    return RECIPES[name].build(METRIC, seed)


def check_recipes(names: Sequence[str]) -> tuple[str, ...]:
    """The names without duplicates; an unknown one raises an error that lists the known ones.

    Examples
    --------
    >>> check_recipes(["orum", "svm"])
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no learner 'svm' for parses; there are: orum, loglinear, crf, boost.
    """
    return check_names(names, RECIPES, kind="learner", task="parses")
