"""Missing values: the mean of the list in their place, and a column that says where they were.

A learner cannot weigh a NaN. What counts for a choice is how a candidate compares with those of its own list, so the
neutral value is the mean of the values that its list knows: it moves the candidate neither up nor down. Where the list
knows none, all of its candidates miss the value, and any constant leaves their order as it is; it is 0, which is not
stored. So a list is filled by itself alone, and a model keeps no statistics of its training data.

That a value is missing may say something too. A column `c` with missing values in training gets another, `c missing`,
which is 1 where the value is missing, and so has a weight of its own. Where such a name is taken by another column, all
of them get a mark: `c missing'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.features.added_columns import free_mark, names_apart, texts
from runoff.features.columns import align, concat_columns
from runoff.kernels.missing_values import fill_with_means
from runoff.nbest import Features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Ints, Singles
    from runoff.nbest import NBest

STEP = "missing-values"
_NAMED = 5  # columns that the note names


def missing_counts(features: Features) -> Ints:
    """Number of missing values of every column. O(columns) where none is missing, else O(stored values).

    Examples
    --------
    >>> missing_counts(Features.of([[1.0, np.nan], [0.0, np.nan]])).tolist()
    [0, 2]
    """
    if features.values is None or not features.has_missing:
        return np.zeros(features.n_columns, np.int64)
    stored = slice(int(features.indptr[0]), int(features.indptr[-1]))
    return np.bincount(features.indices[stored][np.isnan(features.values[stored])], minlength=features.n_columns)


def fit_missing_values(data: NBest, prepared: NBest | None = None) -> tuple[dict[str, Any], ...]:
    """The step for data with missing values, which names their columns; no step for data without.

    `prepared` has the same columns and others that were made from them before; those are filled, and need no column
    that says where.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> fit_missing_values(NBest.from_arrays([[1.0, np.nan], [0.0, 2.0]], sizes=[2], feature_names=["lm", "length"]))
    ({'step': 'missing-values', 'columns': ['length'], 'mark': ''},)
    """
    if not data.features.has_missing:
        return ()
    names = (data if prepared is None else prepared).features.column_names()
    step: dict[str, Any] = {"step": STEP, "columns": _columns(data.features).to_pylist()}
    mark = free_mark(names, lambda mark: missing_value_names({**step, "mark": mark}).values())
    return ({**step, "mark": mark},)


def fill_missing_values(data: NBest, step: Mapping[str, Any] | None = None) -> NBest:
    """Put the mean of the list in place of every missing value, and add the columns of the step.

    What a group becomes depends on that group alone. Columns that had no missing values in training are filled without
    another column. Data without missing values stays as it is, except that a column of the name of an added one, which
    the training data did not have, is renamed. O(stored values); O(columns of the step) without missing values.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[np.nan], [4.0], [2.0], [np.nan]], sizes=[3, 1], feature_names=["lm"])
    >>> filled = fill_missing_values(data, {"step": "missing-values", "columns": ["lm"]})
    >>> filled.features.column_names().to_pylist(), filled.features.to_scipy().toarray().T.tolist()
    (['lm', 'lm missing'], [[3.0, 4.0, 2.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
    """
    features, made = data.features, {} if step is None else missing_value_names(step)
    own = features.column_names()
    names = names_apart(own, made.values(), " (as given)")
    if features.values is None or not features.has_missing:
        return data if names is own else data.replace(features=Features.of(features, names))
    filled = Features.of(_filled(data, features.values), names)
    return data.replace(features=concat_columns(filled, missing_flags(features, made)))


def missing_value_names(step: Mapping[str, Any]) -> dict[str, str]:
    """Name of the column that says where each column has missing values.

    Examples
    --------
    >>> missing_value_names({"step": "missing-values", "columns": ["lm"]})
    {'lm': 'lm missing'}
    """
    return {name: f"{name} missing{step.get('mark', '')}" for name in step["columns"]}


def note_on_missing_values(data: NBest) -> list[str]:
    """One sentence on the columns that have missing values, if there are any.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> note_on_missing_values(NBest.from_arrays([[1.0, np.nan]], sizes=[1], feature_names=["lm", "length"]))
    ['1 of 2 columns have missing values: length. The mean of the list is in their place, and a column says where.']
    """
    found = _columns(data.features)
    if not len(found):
        return []
    more = f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else ""
    return [
        f"{len(found):,} of {data.features.n_columns:,} columns have missing values: "
        f"{', '.join(found[:_NAMED].to_pylist())}{more}. "
        "The mean of the list is in their place, and a column says where."
    ]


def _columns(features: Features) -> pa.Array:
    """Names of the columns that have missing values."""
    return features.column_names().filter(pa.array(missing_counts(features) > 0))


def _filled(data: NBest, stored: Singles) -> Any:
    """The features as a scipy array, with a mean in place of every missing value."""
    features = data.features
    columns = np.flatnonzero(missing_counts(features))
    slots = np.full(features.n_columns, -1, np.int32)
    slots[columns] = np.arange(columns.size)
    values = np.empty(features.n_stored, np.float32)
    fill_with_means(data.offsets, features.indptr, features.indices, stored, frozen(slots), columns.size, values)
    table = features.to_scipy()
    table.data = values
    return table


def missing_flags(features: Features, made: Mapping[str, str]) -> Features:
    """1 where a value is missing, one column for each of those that the step names."""
    slots = align(features, texts(made))
    table = features.to_scipy()
    kept = np.isnan(table.data) & (slots[table.indices] >= 0)
    before = np.append(0, np.cumsum(kept))
    return Features.from_csr(before[table.indptr], slots[table.indices[kept]], None, len(made), texts(made.values()))
