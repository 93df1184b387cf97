"""Columns of a pandas, polars or Arrow table as arrays; errors name the cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, UsageError, brief

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints, Singles


class CellError(DataError):
    """A cell of a table that cannot be used; readers of files turn the row (from 0) into a line."""

    def __init__(self, column: str, row: int, trouble: str, advice: str = "") -> None:
        self.column, self.row, self.trouble, self.advice = column, row, trouble, advice
        super().__init__(f"row {row + 1}: {self.sentence}")

    @property
    def sentence(self) -> str:
        """What is wrong, without the row."""
        return f"column {self.column!r} {self.trouble}{f'; {self.advice}' if self.advice else ''}."


def as_arrow(table: Any) -> tuple[pa.Table, list[str]]:
    """Any kind of table as an Arrow table, and the names of columns that are only a pandas index."""
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    try:
        arrow = table if isinstance(table, pa.Table) else pa.table(table)
    except OverflowError as error:
        raise DataError("the table has a whole number that 64 bits cannot hold; turn its column into texts.") from error
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise UsageError(f"expected a pandas, polars or Arrow table, found {type(table).__name__}: {error}.") from error
    index = (arrow.schema.pandas_metadata or {}).get("index_columns", [])
    return arrow, [name for name in index if isinstance(name, str)]


def is_numeric(kind: pa.DataType) -> bool:
    """Whether values of this type are numbers (true and false count as 1 and 0)."""
    checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(check(kind) for check in checks)


def plain(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One array of plain values; a dictionary would have its own order and entries that do not occur."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        return plain(column.dictionary).take(column.indices)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def filled(table: pa.Table, name: str) -> pa.Array:
    """Take a column without missing values."""
    column = plain(table[name])
    _no_gaps(column.is_null(), name)
    return column


def group_ids(table: pa.Table, name: str) -> pa.Array:
    """Take the column of group ids; an empty text counts as missing."""
    column = filled(table, name)
    if pa.types.is_nested(column.type):
        raise DataError(f"column {name!r} must be texts or numbers to hold the group ids; found {column.type}.")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        _no_gaps(pc.equal(column, ""), name)
    return column


def floats(table: pa.Table, name: str) -> Floats:
    """Take a column of finite numbers; numbers written as text are read."""
    array = _numbers(filled(table, name), name)
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise CellError(name, row, f"must be finite numbers; found {array[row]}")
    return array


def singles(table: pa.Table, name: str) -> Singles:
    """Take a column of finite numbers in single precision; empty cells and NaN are missing values, and become NaN."""
    doubles = _numbers(plain(table[name]), name, missing=True)
    with np.errstate(over="ignore"):
        array = doubles.astype(np.float32)
    infinite = np.flatnonzero(np.isinf(array))
    if infinite.size:
        row = int(infinite[0])
        raise CellError(name, row, f"must be finite numbers in single precision; found {doubles[row]}")
    return array


def _numbers(column: pa.Array, name: str, *, missing: bool = False) -> Floats:
    """Numbers of any kind, also written as text; with `missing`, NaN where a cell is empty."""
    if not (is_numeric(column.type) or pa.types.is_null(column.type)):
        column = _parsed(column, name, missing=missing)
    found: Floats = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return found


def texts(table: pa.Table, name: str) -> pa.Array:
    """Take a column of texts; missing ones become empty, and numbers their text."""
    column = plain(table[name])
    try:
        return column.cast(pa.large_string()).fill_null("")
    except pa.ArrowException as error:
        raise DataError(f"column {name!r} must be texts; found {column.type}.") from error


def references(table: pa.Table, name: str) -> pa.Array:
    """Take a column of texts or lists of texts as lists; missing ones become empty lists."""
    column = plain(table[name])
    if _is_list(column.type):
        lists = [entry or [] for entry in column.to_pylist()]
    else:
        lists = [[] if entry is None else [str(entry)] for entry in column.to_pylist()]
    return pa.array(lists, pa.large_list(pa.large_string()))


def codes(column: pa.Array) -> Ints:
    """Give equal entries equal numbers."""
    if _is_list(column.type):
        column = pa.array(["\0".join(entry) for entry in column.to_pylist()], pa.large_string())
    numbers: Ints = column.dictionary_encode().indices.to_numpy()
    return numbers


def _no_gaps(gaps: pa.Array, name: str) -> None:
    count = pc.sum(gaps).as_py()
    if count:
        row = gaps.index(pa.scalar(True)).as_py()
        raise CellError(name, row, f"is empty in {count:,} row(s)", "fill it in or leave the rows out")


def _parsed(column: pa.Array, name: str, *, missing: bool) -> pa.Array:
    values = column.to_pylist()
    out = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            out[row] = np.nan if missing and value in (None, "") else float(value)
        except (TypeError, ValueError):
            raise CellError(name, row, f"must be numbers; found {brief(value)}") from None
    return pa.array(out)


def _is_list(kind: pa.DataType) -> bool:
    return any(check(kind) for check in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))
