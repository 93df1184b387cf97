"""Arrow IPC files and Parquet: saved by Runoff, or any table.

Runoff's own Arrow files are memory-mapped, so that data larger than memory opens at once. For other tables the option
`columns` says which column is what, as for CSV (see `table`). A table whose texts are in lists or deeper, as data sets
of samples have them, is read like records of JSON (see `records`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from runoff.errors import DataError, UsageError
from runoff.formats.base import Format
from runoff.formats.column_roles import find_roles, said_roles
from runoff.formats.json_records import JsonRecords
from runoff.formats.record_reader import read_records
from runoff.formats.record_roles import guess_roles
from runoff.formats.record_shape import shape_of
from runoff.formats.streams import bare_name, open_bytes, read_all
from runoff.nbest import NBest, storage
from runoff.nbest.candidate_ids import RepeatedIdError
from runoff.nbest.record_blocks import RecordSource
from runoff.nbest.table_columns import CellError
from runoff.opening.arrow import read_arrow, read_parquet, read_schema
from runoff.opening.limits import DamagedFileError
from runoff.opening.mapped import open_mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from runoff.formats.base import Sample
    from runoff.formats.json_records import Block

_ARROW, _PARQUET = b"ARROW1", b"PAR1"
_LOOKED_AT, _ROWS = 64, 1024  # rows whose keys are looked at, and that are Python's at once


def recognise(sample: Sample) -> bool:
    """Whether the file begins as Arrow IPC files or Parquet do."""
    return sample.head.startswith((_ARROW, _PARQUET))


def read(path: Path, columns: Mapping[str, Any] | str | None = None) -> NBest:
    """Open a file, validated in full; Runoff's own Arrow files stay mapped, others are read into memory."""
    table = _table(path)
    if storage.is_ours(table.schema):
        if columns is not None:
            raise UsageError(f"{path} was saved by Runoff and knows its columns; leave out the option columns.")
        return storage.from_table(table, path)
    if _is_nested(table, columns):
        source = RecordSource(path, "row")
        return read_records(JsonRecords(source, _blocks(table)), columns, path)
    roles = find_roles(table.column_names, columns, path)
    try:
        return NBest.from_table(table, **roles.options)
    except CellError as error:
        raise DataError(f"row {error.row + 1}: {error.sentence}", path=path) from error
    except RepeatedIdError as error:
        raise DataError(error.message, path=path) from error


def _is_nested(table: pa.Table, columns: Mapping[str, Any] | str | None) -> bool:
    """Whether what is named, or the texts that are found, stand in lists or objects; references may be lists anyway."""
    nested = {field.name for field in table.schema if pa.types.is_nested(field.type)}
    if not nested:
        return False
    said = said_roles(columns)
    features = said.pop("features", None)
    named = [str(name) for role, name in said.items() if name and role != "reference"]
    named += [name for name in (features.split("+") if isinstance(features, str) else features or ()) if name != "*"]
    if any(name in nested or name not in table.column_names for name in named):
        return True
    if "text" in said:
        return False
    roles = guess_roles(
        shape_of(table.slice(0, _LOOKED_AT).to_pylist()), {role: str(name) for role, name in said.items()}
    )
    return roles is not None and (roles.paths["text"] in nested or "." in roles.paths["text"])


def _blocks(table: pa.Table) -> Iterator[Block]:
    first = 1
    for batch in table.to_batches(max_chunksize=_ROWS):
        rows = batch.to_pylist()
        yield rows, range(first, first + len(rows))
        first += len(rows)


def write(data: NBest, path: Path) -> None:
    """Save as Arrow or Parquet, by the name's ending."""
    if bare_name(path) != path.name.lower():
        raise UsageError(
            f"{path.name}: Arrow files are not compressed; write .parquet, which is compressed internally."
        )
    storage.save(data, path)


def schema_of(path: Path) -> pa.Schema:
    """The schema of a file; its data is not looked at."""
    return _opened(path, lambda source, parquet: read_schema(source, parquet=parquet))


def _table(path: Path) -> pa.Table:
    table = _opened(path, lambda source, parquet: (read_parquet if parquet else read_arrow)(source))
    if "" in table.column_names:
        raise DataError("the table has a column without a name.", path=path)
    return table


def _opened(path: Path, read_from: Callable[[pa.NativeFile, bool], Any]) -> Any:
    """What is read from the bytes of a file, which are mapped unless they are compressed; and whether it is Parquet."""
    with open_bytes(path) as stream:
        magic = stream.read(len(_ARROW))
    with Path(path).open("rb") as raw:
        is_compressed = raw.read(len(_ARROW)) != magic
    if not magic.startswith(_PARQUET) and magic != _ARROW:
        raise DataError("the file is neither Arrow nor Parquet.", path=path)
    try:
        with pa.BufferReader(read_all(path)) if is_compressed else open_mapped(path) as source:
            return read_from(source, magic.startswith(_PARQUET))
    except (DamagedFileError, OSError) as error:
        raise DataError(f"the file is damaged or truncated ({error}).", path=path) from error


FORMAT = Format(
    name="arrow",
    description="Arrow IPC or Parquet: saved by Runoff, or any table, flat or with lists of candidates",
    recognise=recognise,
    read=read,
    write=write,
    suffixes=(".arrow", ".parquet"),
    options=("columns",),
)
