"""Recipes that the reranker tries, each with fixed parameters; the best on held-out lists is kept."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from runoff.learners import CRF, Boost, LogLinear, Perceptron, TreeBoost
from runoff.learners.recipes import BlendRecipe, FixedRecipe, LearnerRecipe, check_names
from runoff.tasks.text.features.agreement import EXPECTED, VOTES

if TYPE_CHECKING:
    from runoff.learners.recipes import Recipe

_LOGLINEAR = LearnerRecipe(LogLinear, {"sigma": 0.3, "right": "tied"})
_TIGHT = LearnerRecipe(LogLinear, {"sigma": 0.1, "right": "tied"})
_EXPECTED_LOSS = LearnerRecipe(CRF, {"objective": "el", "l2": 1e-2})
_DIVERGENCE = LearnerRecipe(CRF, {"objective": "kl", "l2": 1e-2, "temperature": 0.3})
_PERCEPTRON = LearnerRecipe(Perceptron, {"order": "orum", "epochs": 10})
# Lists. On sets of up to 3,000 lists trees never were the best, and recipes more make the choice less sure: on Common
# Voice they tipped it from a blend that gains to the first round.
_ENOUGH_FOR_TREES = 5_000
_TREES = LearnerRecipe(
    TreeBoost, {"rounds": 60, "depth": 3, "rate": 0.1, "loss": "list"}, least_lists=_ENOUGH_FOR_TREES
)
_TIGHT_WORDS = dataclasses.replace(_TIGHT, columns="all")
_EXPECTED_LOSS_WORDS = LearnerRecipe(CRF, {"objective": "el", "l2": 3e-2}, columns="all")
_DIVERGENCE_WORDS = LearnerRecipe(CRF, {"objective": "kl", "l2": 3e-2, "temperature": 0.3}, columns="all")
_PERCEPTRON_WORDS = dataclasses.replace(_PERCEPTRON, columns="all")

RECIPES: dict[str, Recipe] = {
    "bayes-risk": FixedRecipe(EXPECTED, ("agreement",)),
    "vote": FixedRecipe(VOTES, ("agreement",)),
    "loglinear": _LOGLINEAR,
    "crf": _EXPECTED_LOSS,
    "perceptron": _PERCEPTRON,
    "boost": LearnerRecipe(Boost, {"rounds": 300, "loss": "log", "smoothing": 0.01}),
    "blend": BlendRecipe((_LOGLINEAR, _TIGHT, _EXPECTED_LOSS, _DIVERGENCE, _PERCEPTRON)),
    "trees": _TREES,
    "blend-trees": BlendRecipe(  # a third of it are trees
        (_LOGLINEAR, _TIGHT, _EXPECTED_LOSS, _PERCEPTRON, _TREES, _TREES), least_lists=_ENOUGH_FOR_TREES
    ),
    "crf-words": _EXPECTED_LOSS_WORDS,
    "blend-words": BlendRecipe(
        (_TIGHT_WORDS, _EXPECTED_LOSS_WORDS, _DIVERGENCE_WORDS, _PERCEPTRON_WORDS), columns="all"
    ),
    "blend-scores": BlendRecipe(
        tuple(
            dataclasses.replace(member, columns="supplied")
            for member in (_LOGLINEAR, _TIGHT, _EXPECTED_LOSS, _PERCEPTRON)
        ),
        columns="supplied",
    ),
}


def select_recipes(text: str) -> dict[str, Recipe]:
    """Recipes by comma-separated names; "auto" stands for all that the number of lists is enough for.

    Examples
    --------
    >>> list(select_recipes("vote,loglinear"))
    ['vote', 'loglinear']
    """
    if text.strip() == "auto":
        return RECIPES
    names = (name.strip() for name in text.split(",") if name.strip())
    found = check_names(names, RECIPES, kind="recipe", task="texts", also=["auto"])
    return {name: _named(RECIPES[name]) for name in found}


def _named(recipe: Recipe) -> Recipe:
    """A recipe that somebody asks for by name is tried on any number of lists."""
    if isinstance(recipe, LearnerRecipe | BlendRecipe) and recipe.least_lists:
        return dataclasses.replace(recipe, least_lists=0)
    return recipe
