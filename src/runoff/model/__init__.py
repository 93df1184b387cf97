"""The models that learners produce, linear and of trees: they score, pick, explain, save and load."""

from runoff.features.trees import Trees
from runoff.model.choices import Choice, Choices
from runoff.model.explanation import Contribution, Explanation
from runoff.model.file import load
from runoff.model.known_features import check_features
from runoff.model.learning_curve import CurvePoint, LearningCurve
from runoff.model.linear import LinearModel
from runoff.model.training_path import TrainingPath
from runoff.model.tree_model import TreeModel
from runoff.model.votes import Votes, VoteTally
from runoff.model.votes_builder import VotesBuilder
from runoff.model.weighted_sum import scaled, weighted_sum

__all__ = [
    "Choice",
    "Choices",
    "Contribution",
    "CurvePoint",
    "Explanation",
    "LearningCurve",
    "LinearModel",
    "TrainingPath",
    "TreeModel",
    "Trees",
    "VoteTally",
    "Votes",
    "VotesBuilder",
    "check_features",
    "load",
    "scaled",
    "weighted_sum",
]
