"""`NBest` on disk: an Arrow file that is opened memory-mapped, or Parquet for the rest of the world.

One row per group. Nested lists are laid out in memory exactly as offsets and CSR rows are, so that opening
an Arrow file copies nothing: numpy sees the file's own pages.

| column | type |
|---|---|
| `id`, `input` | text |
| `references` | list of text |
| `text`, `candidate_id` | list of text, one per candidate |
| `base`, `quality` | list of float64, one per candidate |
| `feature`, `value` | list (candidates) of list (stored features) of int32, float32; no `value`: all are one |
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
from runoff.nbest.core import NBest
from runoff.nbest.csr import Features

if TYPE_CHECKING:
    from pathlib import Path

VERSION = 1
KEY = b"runoff"


def save(data: NBest, path: str | Path) -> None:
    """Write atomically; the name's ending chooses Parquet (`.parquet`) or Arrow (anything else)."""
    table = to_table(data)
    with replacing(path) as temporary:
        if str(path).endswith(".parquet"):
            pq.write_table(table, temporary, compression="zstd")
        else:
            with pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)


def open_arrow(path: str | Path) -> pa.Table:
    """Map an Arrow file into memory."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def is_ours(schema: pa.Schema) -> bool:
    """Whether a table was written by `save`."""
    return KEY in (schema.metadata or {})


def to_table(data: NBest) -> pa.Table:
    """One row per group; see the module's description."""

    def per_candidate(values: Any) -> pa.Array:
        return pa.LargeListArray.from_arrays(pa.array(data.offsets), values)

    features, start = data.features, int(data.features.indptr[0])
    stop = int(features.indptr[-1])
    rows = pa.array(features.indptr - start)
    columns: dict[str, pa.Array] = {"id": data.group_ids}
    for name, value in (("input", data.inputs), ("references", data.references)):
        if value is not None:
            columns[name] = value
    optional = (("text", data.texts), ("candidate_id", data.candidate_ids), ("base", data.base), ("quality", data.quality))
    for name, value in optional:
        if value is not None:
            columns[name] = per_candidate(value if isinstance(value, pa.Array) else pa.array(value))
    columns["feature"] = per_candidate(pa.LargeListArray.from_arrays(rows, pa.array(features.indices[start:stop])))
    if features.values is not None:
        columns["value"] = per_candidate(pa.LargeListArray.from_arrays(rows, pa.array(features.values[start:stop])))
    for key, stats in data.stats.items():
        columns[f"stats:{key}"] = per_candidate(
            pa.FixedSizeListArray.from_arrays(pa.array(stats.ravel()), stats.shape[1])
        )
    header = {
        "version": VERSION,
        "columns": features.n_columns,
        "names": None if features.names is None else features.names.to_pylist(),
        "metric": data.metric,
        "notes": list(data.notes),
    }
    return pa.table(columns).replace_schema_metadata({KEY: orjson.dumps(header)})


def from_table(table: pa.Table, path: str | Path | None = None) -> NBest:
    """Read what `to_table` made; zero-copy where the table is one piece."""
    header = orjson.loads(table.schema.metadata[KEY])
    if header["version"] > VERSION:
        raise DataError(
            f"this file has version {header['version']} of Runoff's table and this Runoff reads up to {VERSION}; "
            "please upgrade Runoff.",
            path=path,
        )
    columns = {name: _one_piece(table[name]) for name in table.column_names}
    lists = columns["feature"]
    offsets = lists.offsets.to_numpy()
    inner = lists.values
    values = columns["value"].values.values.to_numpy() if "value" in columns else None
    features = Features.from_csr(inner.offsets.to_numpy(), inner.values.to_numpy(), values, header["columns"], header["names"])
    stats = {}
    for name, column in columns.items():
        if name.startswith("stats:"):
            stats[name.removeprefix("stats:")] = frozen(
                column.values.values.to_numpy().reshape(-1, column.type.value_type.list_size)
            )

    def per_candidate(name: str) -> Any:
        return columns[name].values if name in columns else None

    def floats(name: str) -> Any:
        return frozen(columns[name].values.to_numpy()) if name in columns else None

    return NBest(
        offsets=frozen(np.ascontiguousarray(offsets)),  # type: ignore[arg-type]
        features=features,
        group_ids=columns["id"],
        base=floats("base"),
        quality=floats("quality"),
        texts=per_candidate("text"),
        candidate_ids=per_candidate("candidate_id"),
        inputs=columns.get("input"),
        references=columns.get("references"),
        stats=stats,  # type: ignore[arg-type]
        metric=header["metric"],
        notes=tuple(header["notes"]),
    )


def _one_piece(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
