"""Building an `NBest` from arrays and from tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.nbest.core import NBest
from runoff.nbest.csr import Features
from runoff.nbest.grouping import group as group_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Floats


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
    feature_names: Any = None,
    stats: Mapping[str, Any] | None = None,
    metric: str | None = None,
    notes: Iterable[str] = (),
) -> NBest:
    """See `NBest.from_arrays`."""
    features = None if X is None else Features.of(X, feature_names)
    n_rows = _count_rows(features, quality, base, texts, groups=groups, sizes=sizes, offsets=offsets)
    cut = group_rows(n_rows, groups=groups, sizes=sizes, offsets=offsets)
    features = Features.none(n_rows) if features is None else features
    if features.shape[0] != n_rows:
        raise DataError(f"there are {n_rows} candidates but {features.shape[0]} rows of features.")
    ids = cut.ids if group_ids is None else strings(group_ids)
    if ids is None:
        ids = pa.array(np.arange(cut.offsets.size - 1).astype(str), pa.large_string())
    if len(pc.unique(ids)) != len(ids):
        raise DataError("group_ids must differ from group to group.")
    data = NBest(
        offsets=frozen(cut.offsets),  # type: ignore[arg-type]
        features=features,
        group_ids=ids,
        base=numbers(base, "base"),
        quality=numbers(quality, "quality"),
        texts=strings(texts),
        candidate_ids=strings(candidate_ids),
        inputs=strings(inputs),
        references=string_lists(references),
        stats={key: frozen(np.ascontiguousarray(value, np.float64)) for key, value in (stats or {}).items()},  # type: ignore[misc]
        metric=metric,
        notes=tuple(notes),
    )
    return data if cut.order is None else _bring_together(data, cut.order)


def from_table(
    table: Any,
    *,
    group: str,
    quality: str | None = None,
    base: str | None = None,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the column's role in every format
    features: Sequence[str] | None = None,
    metric: str | None = None,
) -> NBest:
    """See `NBest.from_table`."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    arrow = table if isinstance(table, pa.Table) else pa.table(table)
    roles = [name for name in (group, quality, base, text, id) if name is not None]
    for name in [*roles, *(features or [])]:
        if name not in arrow.column_names:
            raise UsageError(f"the table has no column {name!r}; its columns are: {', '.join(arrow.column_names)}.")
    notes = []
    if features is None:
        others = [name for name in arrow.column_names if name not in roles]
        features = [name for name in others if _is_numeric(arrow.schema.field(name).type)]
        unused = [name for name in others if name not in features]
        if unused:
            notes.append(f"Columns that are not numbers were not used: {', '.join(unused)}.")
    matrix = np.empty((arrow.num_rows, len(features)), np.float32)
    for at, name in enumerate(features):
        matrix[:, at] = _column(arrow, name)
    return from_arrays(
        matrix,
        groups=arrow[group],
        quality=None if quality is None else _column(arrow, quality),
        base=None if base is None else _column(arrow, base),
        texts=None if text is None else arrow[text],
        candidate_ids=None if id is None else arrow[id],
        feature_names=features,
        metric=metric,
        notes=notes,
    )


def numbers(values: Any, name: str) -> Floats | None:
    """One finite number per candidate, or None."""
    if values is None:
        return None
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}.") from error
    if array.ndim != 1:
        raise DataError(f"{name} must have one number per candidate; found {array.ndim} dimensions.")
    return frozen(array)  # type: ignore[return-value]


def strings(values: Any) -> pa.Array | None:
    """One text per entry, or None. Numbers become their text."""
    if values is None:
        return None
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        values = pa.array(values if isinstance(values, list) else list(values))
    return values.cast(pa.large_string())


def string_lists(values: Any) -> pa.Array | None:
    """A list of texts per entry, or None; a single text stands for a list of one."""
    if values is None:
        return None
    if isinstance(values, pa.Array):
        return values.cast(REFERENCES)
    return pa.array([[entry] if isinstance(entry, str) else entry for entry in values], REFERENCES)


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


def _bring_together(data: NBest, order: Any) -> NBest:
    """Sort the candidates of an `NBest` whose per-candidate parts are still in input order."""
    at = pa.array(order)
    return data.replace(
        features=data.features.take(order),
        base=None if data.base is None else data.base[order],
        quality=None if data.quality is None else data.quality[order],
        texts=None if data.texts is None else data.texts.take(at),
        candidate_ids=None if data.candidate_ids is None else data.candidate_ids.take(at),
        stats={key: frozen(value[order]) for key, value in data.stats.items()},
        rows=frozen(order),
    )


def _is_numeric(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _column(table: pa.Table, name: str) -> Floats:
    column = table[name]
    if not _is_numeric(column.type):
        for row, value in enumerate(column.to_pylist()):
            try:
                float(value)
            except (TypeError, ValueError):
                raise DataError(f"column {name!r} must be numbers; row {row + 1} has {value!r}.") from None
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DataError(
            f"column {name!r} is empty in {column.null_count} row(s), the first is row {row + 1}; fill it in or leave the rows out."
        )
    return column.cast(pa.float64()).to_numpy().astype(np.float64)  # type: ignore[no-any-return]
