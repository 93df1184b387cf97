"""From what candidates carry to what a model can weigh."""

from runoff.features.columns import ColumnFacts, align, facts
from runoff.features.lists import list_features
from runoff.features.places import learn_places, place_names
from runoff.features.steps import featurizer_in, prepare, source_names
from runoff.features.thresholds import learn_thresholds, made_names

__all__ = [
    "ColumnFacts",
    "align",
    "facts",
    "featurizer_in",
    "learn_places",
    "learn_thresholds",
    "list_features",
    "made_names",
    "place_names",
    "prepare",
    "source_names",
]
