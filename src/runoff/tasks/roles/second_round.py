"""Learners that work well on labellings of predicates, with settings tuned on dev data."""

from __future__ import annotations

from runoff.learners import CRF, LogLinear, Perceptron
from runoff.learners.recipes import LearnerRecipe

RECIPES = {
    "crf": LearnerRecipe(CRF, {"objective": "el", "l2": 1e-4, "max_iter": 150}),
    "loglinear": LearnerRecipe(LogLinear, {"sigma": 0.2, "right": "tied", "max_iter": 150}),
    "perceptron": LearnerRecipe(Perceptron, {"max_epochs": 10, "patience": 3}),
}
