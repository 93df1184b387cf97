"""From the data of candidates to features that a model can weigh."""

from runoff.features.columns import ColumnFacts, align, concat_columns, facts
from runoff.features.estimates import fit_estimates, note_on_estimates
from runoff.features.lists import list_features
from runoff.features.missing_values import (
    fill_missing_values,
    fit_missing_values,
    missing_counts,
    note_on_missing_values,
)
from runoff.features.products import fit_products, product_names
from runoff.features.steps import featurizer_in, prepare, source_columns
from runoff.features.thresholds import fit_thresholds, threshold_names
from runoff.features.within_group_ranks import fit_group_ranks, group_rank_names

__all__ = [
    "ColumnFacts",
    "align",
    "concat_columns",
    "facts",
    "featurizer_in",
    "fill_missing_values",
    "fit_estimates",
    "fit_group_ranks",
    "fit_missing_values",
    "fit_products",
    "fit_thresholds",
    "group_rank_names",
    "list_features",
    "missing_counts",
    "note_on_estimates",
    "note_on_missing_values",
    "prepare",
    "product_names",
    "source_columns",
    "threshold_names",
]
