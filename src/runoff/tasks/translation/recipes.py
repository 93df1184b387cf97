"""Learners for lists of translations: those that a pipeline tries, and the perceptrons of Shen & Joshi (2005)."""

from __future__ import annotations

from runoff.learners import CRF, LogLinear, Perceptron
from runoff.learners.recipes import LearnerRecipe

_EPOCHS = {"max_epochs": 20, "patience": 5}
RECIPES = {
    "crf": LearnerRecipe(CRF, {"objective": "el", "l2": [1e-4, 1e-2], "max_iter": 80}),
    "loglinear": LearnerRecipe(LogLinear, {"right": "tied", "max_iter": 80}),
    "orum": LearnerRecipe(Perceptron, {"order": "orum", **_EPOCHS}),
    "splitting": LearnerRecipe(Perceptron, {"order": "gap", **_EPOCHS}),
    "best-vs-rest": LearnerRecipe(Perceptron, {"order": "best-vs-rest", **_EPOCHS}),
}
