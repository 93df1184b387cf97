"""The sparse linear model that learners produce: it scores, picks, explains, saves and loads."""

from runoff.model.choices import Choice, Choices
from runoff.model.explanation import Contribution, Explanation
from runoff.model.file import load
from runoff.model.known_features import check_features
from runoff.model.linear import LinearModel
from runoff.model.training_path import TrainingPath
from runoff.model.votes import Votes, VoteTally
from runoff.model.votes_builder import VotesBuilder

__all__ = [
    "Choice",
    "Choices",
    "Contribution",
    "Explanation",
    "LinearModel",
    "TrainingPath",
    "VoteTally",
    "Votes",
    "VotesBuilder",
    "check_features",
    "load",
]
