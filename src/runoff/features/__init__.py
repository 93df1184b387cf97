"""From what candidates carry to what a model can weigh."""

from runoff.features.columns import ColumnFacts, align, facts
from runoff.features.lists import list_features
from runoff.features.steps import prepare
from runoff.features.thresholds import learn_thresholds

__all__ = ["ColumnFacts", "align", "facts", "learn_thresholds", "list_features", "prepare"]
