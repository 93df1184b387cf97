"""From what candidates carry to what a model can weigh."""

from runoff.features.columns import ColumnFacts, align, facts
from runoff.features.lists import list_features
from runoff.features.places import learn_places, place_names
from runoff.features.steps import of_texts, prepare
from runoff.features.thresholds import learn_thresholds, made_names

__all__ = [
    "ColumnFacts",
    "align",
    "facts",
    "learn_places",
    "learn_thresholds",
    "list_features",
    "made_names",
    "of_texts",
    "place_names",
    "prepare",
]
