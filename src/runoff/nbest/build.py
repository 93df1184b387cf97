"""Building an `NBest` from arrays and from tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.nbest import table_columns
from runoff.nbest.arrow_numbers import NUMBERS
from runoff.nbest.candidate_ids import check_ids_differ
from runoff.nbest.core import NBest
from runoff.nbest.csr import Features
from runoff.nbest.grouping import group as group_rows
from runoff.nbest.read_only import read_only_array

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.nbest.grouping import Grouping


def from_arrays(
    X: Any = None,
    quality: Any = None,
    *,
    groups: Any = None,
    sizes: Any = None,
    offsets: Any = None,
    base: Any = None,
    texts: Any = None,
    candidate_ids: Any = None,
    group_ids: Any = None,
    inputs: Any = None,
    references: Any = None,
    missed: Any = None,
    attributes: Mapping[str, Any] | None = None,
    feature_names: Any = None,
    stats: Mapping[str, Any] | None = None,
    metric: str | None = None,
    notes: Iterable[str] = (),
) -> NBest:
    """See `NBest.from_arrays`."""
    features = None if X is None else Features.of(X, feature_names)
    n_rows = _count_rows(features, quality, base, texts, groups=groups, sizes=sizes, offsets=offsets)
    cut = group_rows(n_rows, groups=_group_column(groups), sizes=sizes, offsets=offsets)
    features = Features.none(n_rows) if features is None else features
    if features.shape[0] != n_rows:
        raise DataError(f"there are {n_rows} candidates but {features.shape[0]} rows of features.")
    ids = cut.ids if group_ids is None else strings(group_ids)
    if ids is None:
        ids = pa.array(np.arange(cut.offsets.size - 1).astype(str), pa.large_string())
    if len(pc.unique(ids)) != len(ids):
        raise DataError("group_ids must differ from group to group.")
    data = NBest(
        offsets=frozen(cut.offsets),
        features=features,
        group_ids=ids,
        base=numbers(base, "base"),
        quality=numbers(quality, "quality"),
        texts=strings(texts),
        candidate_ids=strings(candidate_ids),
        inputs=strings(inputs),
        references=string_lists(references),
        missed=number_lists(missed),
        attributes=_attributes(attributes),
        stats={key: _statistics(value, key) for key, value in (stats or {}).items()},
        metric=metric,
        notes=tuple(notes),
    )
    data = data if cut.order is None else _bring_together(data, cut.order)
    check_ids_differ(data)
    return data


def new_parts(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Parts of an `NBest` in its own types, from anything that `from_arrays` takes for them."""
    parts = dict(changes)
    for name in parts.keys() & {"base", "quality"}:
        parts[name] = numbers(parts[name], name)
    for name in parts.keys() & {"group_ids", "inputs", "texts", "candidate_ids"}:
        parts[name] = strings(parts[name])
    if "references" in parts:
        parts["references"] = string_lists(parts["references"])
    if "attributes" in parts:
        parts["attributes"] = _attributes(parts["attributes"])
    if "stats" in parts:
        parts["stats"] = {key: _statistics(value, key) for key, value in (parts["stats"] or {}).items()}
    return parts


def from_table(
    table: Any,
    *,
    group: str,
    quality: str | None = None,
    base: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the column's role in every format
    input: str | None = None,  # noqa: A002 - as above
    reference: str | None = None,
    features: Sequence[str] | None = None,
    metric: str | None = None,
    notes: Iterable[str] = (),
) -> NBest:
    """See `NBest.from_table`. `input` and `reference` belong to the group: its first row counts."""
    arrow, index = table_columns.as_arrow(table)
    roles = [name for name in (group, quality, base, text, id, input, reference) if name is not None]
    counts = Counter(arrow.column_names)
    for name in [*roles, *(arrow.column_names if features is None else features)]:
        found = counts[name]
        if found != 1:
            trouble = "has no column" if found == 0 else f"has {found} columns called"
            raise UsageError(f"the table {trouble} {name!r}; its columns are: {', '.join(arrow.column_names)}.")
    notes = list(notes)
    if features is None:
        others = [name for name in arrow.column_names if name not in {*roles, *index}]
        features = [name for name in others if table_columns.is_numeric(arrow.schema.field(name).type)]
        unused = [name for name in others if name not in features]
        if unused:
            notes.append(f"Columns that are not numbers were not used: {', '.join(unused)}.")
    matrix = np.empty((arrow.num_rows, len(features)), np.float32)
    for at, name in enumerate(features):
        matrix[:, at] = table_columns.singles(arrow, name)
    groups = table_columns.group_ids(arrow, group)
    cut = group_rows(arrow.num_rows, groups=groups)
    return from_arrays(
        matrix,
        groups=groups,
        quality=None if quality is None else table_columns.floats(arrow, quality),
        base=None if base is None else table_columns.floats(arrow, base),
        texts=None if text is None else table_columns.texts(arrow, text),
        candidate_ids=None if id is None else table_columns.filled(arrow, id),
        inputs=None if input is None else _of_groups(table_columns.texts(arrow, input), cut, input, notes),
        references=(
            None if reference is None else _of_groups(table_columns.references(arrow, reference), cut, reference, notes)
        ),
        feature_names=features,
        metric=metric,
        notes=notes,
    )


def numbers(values: Any, name: str) -> Floats | None:
    """One finite number per candidate, or None."""
    if values is None:
        return None
    try:
        array = read_only_array(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be numbers: {error}.") from error
    if array.ndim != 1:
        raise DataError(f"{name} must have one number per candidate; found {array.ndim} dimensions.")
    return array


def _statistics(values: Any, key: str) -> Floats:
    try:
        return read_only_array(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"statistics for {key!r} must be a table of numbers: {error}.") from error


def strings(values: Any) -> pa.Array | None:
    """One text per entry, or None. Numbers become their text."""
    return None if values is None else _typed(values, pa.large_string(), "texts and ids must be texts")


def _attributes(given: Mapping[str, Any] | None) -> dict[str, pa.Array]:
    return {name: _typed(values, pa.large_string(), f"{name} must be texts") for name, values in (given or {}).items()}


def string_lists(values: Any) -> pa.Array | None:
    """One list of texts per entry, or None; a single text stands for a list of one."""
    if values is None:
        return None
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = [[entry] if isinstance(entry, str) else entry for entry in values]
    return _typed(values, REFERENCES, "references must be texts or lists of texts, one per group")


def number_lists(values: Any) -> pa.Array | None:
    """One list of numbers per entry, or None."""
    if values is None:
        return None
    expected = "missed must be lists of numbers, one per group"
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _typed(values, NUMBERS, expected)
    try:
        return pa.array(list(values), NUMBERS)
    except (pa.ArrowException, TypeError) as error:
        raise DataError(f"{expected}: {error}.") from error


def _typed(values: Any, kind: pa.DataType | None, expected: str) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    try:
        if not isinstance(values, pa.Array):
            values = pa.array(values if isinstance(values, (list, np.ndarray)) else list(values))
        return values if kind is None else values.cast(kind)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise DataError(f"{expected}: {error}.") from error


REFERENCES = pa.large_list(pa.large_string())


def _count_rows(*columns: Any, groups: Any, sizes: Any, offsets: Any) -> int:
    for column in columns:
        if isinstance(column, Features):
            return column.shape[0]
        if column is not None:
            return len(column)
    if groups is not None:
        return len(groups)
    if sizes is not None:
        return int(np.sum(sizes))
    return int(np.asarray(offsets)[-1]) if offsets is not None and len(offsets) else 0


def _group_column(groups: Any) -> Any:
    if isinstance(groups, (pa.Array, pa.ChunkedArray)):
        return groups
    return None if groups is None else _typed(groups, None, "group ids must be all texts or all numbers")


def _bring_together(data: NBest, order: Any) -> NBest:
    """Bring the candidates of each group together where per-candidate parts are still in input order."""
    at = pa.array(order)
    return data.replace(
        features=data.features.take(order),
        base=None if data.base is None else frozen(data.base[order]),
        quality=None if data.quality is None else frozen(data.quality[order]),
        texts=None if data.texts is None else data.texts.take(at),
        candidate_ids=None if data.candidate_ids is None else data.candidate_ids.take(at),
        stats={key: frozen(value[order]) for key, value in data.stats.items()},
        rows=frozen(order),
    )


def _of_groups(column: pa.Array, cut: Grouping, name: str, notes: list[str]) -> pa.Array:
    """Take the entry of each group's first row; a note says in how many groups others differ."""
    order = np.arange(len(column)) if cut.order is None else cut.order
    filled = cut.offsets[:-1][np.diff(cut.offsets) > 0]
    codes = table_columns.codes(column)[order]
    starts = np.repeat(filled, np.diff(np.append(filled, len(column))))
    differing = np.unique(starts[codes != codes[starts]]).size
    if differing:
        notes.append(f"Column {name} differs within {differing} group(s); the first row of each group was used.")
    return column.take(pa.array(order[filled]))
