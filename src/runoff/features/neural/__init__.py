"""Scores that neural models give to candidates, as columns of features.

Models are folders of Hugging Face transformers on this machine; nothing is downloaded, and nothing in a folder is run.
"""

from runoff.features.neural.columns import CandidateTexts, NeuralScorer
from runoff.features.neural.kept_scores import KeptScores, usual_folder, writable
from runoff.features.neural.kinds import KINDS, NeuralKind
from runoff.features.neural.spec import NeuralModel, is_model_step, models_of, parse_models

__all__ = [
    "KINDS",
    "CandidateTexts",
    "KeptScores",
    "NeuralKind",
    "NeuralModel",
    "NeuralScorer",
    "is_model_step",
    "models_of",
    "parse_models",
    "usual_folder",
    "writable",
]
