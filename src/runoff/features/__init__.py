"""From the data of candidates to features that a model can weigh."""

from runoff.features.columns import ColumnFacts, align, concat_columns, facts
from runoff.features.lists import list_features
from runoff.features.steps import Step, of_texts, prepare, register_step, source_columns
from runoff.features.thresholds import fit_thresholds, threshold_names
from runoff.features.within_group_ranks import fit_group_ranks, group_rank_names

__all__ = [
    "ColumnFacts",
    "Step",
    "align",
    "concat_columns",
    "facts",
    "fit_group_ranks",
    "fit_thresholds",
    "group_rank_names",
    "list_features",
    "of_texts",
    "prepare",
    "register_step",
    "source_columns",
    "threshold_names",
]
