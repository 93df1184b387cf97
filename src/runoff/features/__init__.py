"""From what candidates carry to what a model can weigh."""

from runoff.features.columns import ColumnFacts, align, facts
from runoff.features.lists import list_features
from runoff.features.steps import of_texts, prepare
from runoff.features.thresholds import fit_thresholds, threshold_names
from runoff.features.within_group_ranks import fit_group_ranks, group_rank_names

__all__ = [
    "ColumnFacts",
    "align",
    "facts",
    "fit_group_ranks",
    "fit_thresholds",
    "group_rank_names",
    "list_features",
    "of_texts",
    "prepare",
    "threshold_names",
]
