"""From what candidates carry to what a model can weigh."""

from runoff.features.columns import ColumnFacts, align, facts
from runoff.features.lists import list_features
from runoff.features.steps import prepare

__all__ = ["ColumnFacts", "align", "facts", "list_features", "prepare"]
