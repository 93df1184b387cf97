"""`NBest` on disk: an Arrow file that is opened memory-mapped, or Parquet for other programs.

One row per group. Nested lists are laid out in memory exactly as offsets and CSR rows are, so that opening
an Arrow file copies nothing: numpy sees the file's own pages.

| column | type |
|---|---|
| `id` | text |
| `input` | text, may be null |
| `references` | list of text, may be null |
| `missed` | list of float64: qualities of answers that the first round left out |
| `text`, `candidate_id` | list of text, one per candidate |
| `base`, `quality` | list of float64, one per candidate |
| `row` | list of int64: the input row of every candidate, where groups came interleaved |
| `feature`, `value` | list (candidates) of list (features) of int32, float32; no `value`: all one; NaN: missing |
| `attribute:NAME` | text, may be null |
| `stats:NAME` | list (candidates) of fixed-size list of float64 |

The schema's metadata has one key, `runoff`: JSON with `version`, `columns` (number of features), `names`,
`metric` and `notes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.files import replacing
from runoff.nbest.arrow_numbers import NUMBERS, as_numpy
from runoff.nbest.core import NBest
from runoff.nbest.csr import Features

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Ints

VERSION = 2
KEY = b"runoff"
ATTRIBUTE = "attribute:"
STATS = "stats:"
_TEXTS = pa.large_list(pa.large_string())
_TYPES = {
    "id": pa.large_string(),
    "input": pa.large_string(),
    "references": _TEXTS,
    "missed": NUMBERS,
    "text": _TEXTS,
    "candidate_id": _TEXTS,
    "base": NUMBERS,
    "quality": NUMBERS,
    "row": pa.large_list(pa.int64()),
    "feature": pa.large_list(pa.large_list(pa.int32())),
    "value": pa.large_list(pa.large_list(pa.float32())),
}


_OPTIONAL = ("input", "references")  # what some groups may lack


def save(data: NBest, path: str | Path) -> None:
    """Write atomically; the name's ending chooses Parquet (`.parquet`) or Arrow (anything else).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.arrow"
    >>> save(NBest.from_arrays([[1.0], [2.0]], sizes=[2]), path)
    >>> with pa.memory_map(str(path)) as source:
    ...     from_table(pa.ipc.open_file(source).read_all())
    NBest(1 group, 2 candidates, 1 feature)
    """
    table = to_table(data)
    with replacing(path) as temporary:
        if str(path).lower().endswith(".parquet"):
            pq.write_table(table, temporary, compression="zstd")
        else:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)


def is_ours(schema: pa.Schema) -> bool:
    """Whether a table was written by `save`."""
    return KEY in (schema.metadata or {})


def columns_of(schema: pa.Schema, path: str | Path | None = None) -> tuple[int, pa.Array | None]:
    """Number and names of the columns of features of a file that `save` wrote, from its schema alone."""
    try:
        header = _header(schema)
    except DataError as error:
        raise DataError(error.message, path=path) from error
    return header["columns"], None if header["names"] is None else pa.array(header["names"], pa.large_string())


def to_table(data: NBest) -> pa.Table:
    """One row per group; see the module's description."""
    features = data.features
    start, stop = int(features.indptr[0]), int(features.indptr[-1])
    rows = pa.array(features.indptr - start)
    columns: dict[str, Any] = {
        "id": data.group_ids,
        "input": data.inputs,
        "references": data.references,
        "missed": data.missed,
        **{ATTRIBUTE + name: column for name, column in data.attributes.items()},
    }
    per_candidate: dict[str, Any] = {
        "text": data.texts,
        "candidate_id": data.candidate_ids,
        "base": data.base,
        "quality": data.quality,
        "row": data.rows,
        "feature": pa.LargeListArray.from_arrays(rows, pa.array(features.indices[start:stop])),
    }
    if features.values is not None:
        per_candidate["value"] = pa.LargeListArray.from_arrays(rows, pa.array(features.values[start:stop]))
    for key, stats in data.stats.items():
        if stats.shape[1] == 0:
            raise DataError(f"statistics for {key!r} have no numbers and cannot be saved; leave them out.")
        per_candidate[STATS + key] = pa.FixedSizeListArray.from_arrays(pa.array(stats.ravel()), stats.shape[1])
    cuts = pa.array(data.offsets)
    for name, value in per_candidate.items():
        if value is not None:
            entries = value if isinstance(value, pa.Array) else pa.array(value)
            columns[name] = pa.LargeListArray.from_arrays(cuts, entries)
    header = {
        "version": VERSION,
        "columns": features.n_columns,
        "names": None if features.names is None else features.names.to_pylist(),
        "metric": data.metric,
        "notes": list(data.notes),
    }
    table = pa.table({name: column for name, column in columns.items() if column is not None})
    return table.replace_schema_metadata({KEY: orjson.dumps(header)})


def from_table(table: pa.Table, path: str | Path | None = None) -> NBest:
    """Read what `to_table` made; without a copy where the table is one chunk.

    Everything that compiled loops rely on is checked. O(stored values); the table itself must be valid.
    """
    try:
        return _from_table(table)
    except DataError as error:
        raise DataError(error.message, path=path) from error


def _from_table(table: pa.Table) -> NBest:
    header = _header(table.schema)
    known = {name: kind for name, kind in _TYPES.items() if name in table.column_names}
    for name in ("id", "feature"):
        if name not in known:
            raise DataError(f"the file is damaged: it has no column {name!r}.")
    strange = [name for name in table.column_names if name not in known and not name.startswith((ATTRIBUTE, STATS))]
    if strange:
        raise DataError(f"the file is damaged: it has a column {strange[0]!r}, which Runoff does not know.")
    columns = {name: _column(table, name, kind) for name, kind in known.items()}
    offsets, cells = _cut(columns["feature"], "feature")
    lists = {"feature": cells}
    if "missed" in columns:
        _cut(columns["missed"], "missed")
    per_group = ("id", "input", "references", "missed")
    names = [name for name in known if name != "feature" and name not in per_group]
    stats = [name for name in table.column_names if name.startswith(STATS)]
    attributes = [name for name in table.column_names if name.startswith(ATTRIBUTE)]
    for name in [*names, *stats]:
        column = columns[name] if name in columns else _column(table, name, None)
        its_offsets, lists[name] = _cut(column, name)
        if not np.array_equal(its_offsets, offsets):
            raise DataError(
                f"the file is damaged: columns 'feature' and {name!r} have different numbers of candidates."
            )
    return NBest(
        offsets=frozen(offsets),
        features=_features(lists, header),
        group_ids=columns["id"],
        base=_numbers(lists.get("base")),
        quality=_numbers(lists.get("quality")),
        texts=lists.get("text"),
        candidate_ids=lists.get("candidate_id"),
        inputs=columns.get("input"),
        references=columns.get("references"),
        missed=columns.get("missed"),
        attributes={name.removeprefix(ATTRIBUTE): _column(table, name, _TYPES["id"]) for name in attributes},
        stats={name.removeprefix(STATS): _statistics(lists[name], name) for name in stats},
        rows=_rows(lists.get("row")),
        metric=header["metric"],
        notes=tuple(header["notes"]),
    )


def _header(schema: pa.Schema) -> dict[str, Any]:
    damaged = DataError("the file is damaged: its metadata cannot be read.")
    try:
        header = orjson.loads(schema.metadata[KEY])
    except orjson.JSONDecodeError:
        raise damaged from None
    if not isinstance(header, dict) or not isinstance(header.get("version"), int):
        raise damaged
    if header["version"] > VERSION:
        raise DataError(
            f"this file has version {header['version']} of Runoff's table and this Runoff reads up to "
            f"{VERSION}; upgrade Runoff."
        )
    fine = (
        header.keys() >= {"columns", "names", "metric", "notes"}
        and isinstance(header["columns"], int)
        and 0 <= header["columns"] < 2**31
        and (header["names"] is None or _are_texts(header["names"]))
        and (header["metric"] is None or isinstance(header["metric"], str))
        and _are_texts(header["notes"])
    )
    if not fine:
        raise damaged
    return header


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _column(table: pa.Table, name: str, kind: pa.DataType | None) -> pa.Array:
    if table.column_names.count(name) != 1:
        raise DataError(f"the file is damaged: it has more than one column {name!r}.")
    column = table[name]
    column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if kind is not None and column.type != kind:
        try:
            column = column.cast(kind)
        except pa.ArrowException:
            raise DataError(f"the file is damaged: column {name!r} has the type {column.type}, not {kind}.") from None
    if column.null_count and name not in _OPTIONAL and not name.startswith(ATTRIBUTE):
        raise DataError(f"the file is damaged: column {name!r} has {column.null_count} empty entries.")
    return column


def _cut(column: pa.Array, name: str) -> tuple[Ints, pa.Array]:
    """Offsets from zero and the entries of all lists, one after the other."""
    if not pa.types.is_large_list(column.type):
        raise DataError(f"the file is damaged: column {name!r} has the type {column.type}, not a list.")
    offsets: Ints = as_numpy(column.offsets)
    start, stop = (int(offsets[0]), int(offsets[-1])) if offsets.size else (0, 0)
    if start < 0 or stop > len(column.values) or np.any(offsets[1:] < offsets[:-1]):
        raise DataError(f"the file is damaged: the list offsets of column {name!r} are not in order.")
    entries = column.values.slice(start, stop - start)
    if entries.null_count:
        raise DataError(f"the file is damaged: column {name!r} has {entries.null_count} empty entries.")
    return offsets - start if start else offsets, entries


def _features(lists: dict[str, pa.Array], header: dict[str, Any]) -> Features:
    indptr, indices = _cut(lists["feature"], "feature")
    values = None
    if "value" in lists:
        its_indptr, values = _cut(lists["value"], "value")
        if not np.array_equal(its_indptr, indptr):
            raise DataError(
                "the file is damaged: columns 'feature' and 'value' have different numbers of stored values."
            )
        values = as_numpy(values)
    return Features.from_csr(indptr, as_numpy(indices), values, header["columns"], header["names"]).check(missing=True)


def _numbers(entries: pa.Array | None) -> Any:
    return None if entries is None else frozen(as_numpy(entries))


def _statistics(entries: pa.Array, name: str) -> Any:
    kind = entries.type
    if not pa.types.is_fixed_size_list(kind) or kind.value_type != pa.float64():
        raise DataError(f"the file is damaged: column {name!r} has lists of the type {kind}.")
    numbers = entries.flatten()
    if numbers.null_count or len(numbers) != len(entries) * kind.list_size:
        raise DataError(f"the file is damaged: column {name!r} has empty entries.")
    return frozen(as_numpy(numbers).reshape(len(entries), kind.list_size))


def _rows(entries: pa.Array | None) -> Any:
    if entries is None:
        return None
    rows = as_numpy(entries)
    if rows.size and (rows.min() < 0 or rows.max() >= rows.size or np.bincount(rows).max() > 1):
        raise DataError("the file is damaged: the input rows of the candidates are not a permutation.")
    return frozen(rows)
