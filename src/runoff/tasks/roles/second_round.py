"""Learners that work well on labellings of predicates, with settings tuned on dev data."""

from __future__ import annotations

from runoff.learners import CRF, LogLinear, Perceptron
from runoff.learners.recipes import LearnerRecipe

RECIPES = {
    "loglinear": LearnerRecipe(LogLinear, {"sigma": [0.1, 0.2, 0.4], "right": "tied", "max_iter": 80}),
    "crf": LearnerRecipe(CRF, {"objective": "el", "l2": [4e-3, 1.6e-2], "max_iter": 80}),
    "perceptron": LearnerRecipe(Perceptron, {"max_epochs": 20, "patience": 5}),
}
