"""Rows of a LETOR file as arrays: runs the compiled parser and turns its error codes into messages.

Separate from `letor` so that files of other formats open without loading the compiler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.formats.streams import check_utf8
from runoff.kernels import letor as kernel

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

_LARGE_TABLE = 1 << 26  # entries; beyond it columns are found by binary search instead
_WORD = re.compile(rb"[^\s#]*")
_MESSAGES = {
    kernel.BAD_LABEL: "expected a number for the relevance, found {}.",
    kernel.NO_QID: "expected qid: and the query's id after the relevance, found {}; every line needs one.",
    kernel.BAD_FEATURE: "expected a feature as number:value, found {}.",
    kernel.BIG_FEATURE: f"feature numbers go up to {kernel.LAST_FEATURE}, found {{}}.",
    kernel.BAD_VALUE: "expected a number as the feature's value, found {}.",
    kernel.BIG_VALUE: "the number {} is too large to be stored.",
    kernel.REPEATED: "feature {} is given twice.",
}
_NOT_FINITE = "feature values must be finite, found {}; give it a number, or NULL if it is missing."


@dataclass(frozen=True)
class Rows:
    """What the kernel found: see `kernels.letor.parse`."""

    labels: Floats
    spans: Ints
    indptr: Ints
    numbers: Columns
    values: Singles
    columns: Columns  # feature numbers that occur, ascending

    @property
    def places(self) -> Columns:
        """Feature numbers as indices into the list of columns."""
        columns = self.columns
        if columns.size == 0:
            return self.numbers
        if columns[-1] - columns[0] == columns.size - 1:
            shifted: Columns = self.numbers - columns[:1]
            return shifted
        if columns[-1] >= _LARGE_TABLE:
            return np.searchsorted(columns, self.numbers).astype(np.int32)
        place = np.empty(columns[-1] + 1, np.int32)
        place[columns] = np.arange(columns.size, dtype=np.int32)
        return place[self.numbers]


def parse(text: bytes, path: Path, *, keep_zeros: bool = False, most_doubts: int = 1024) -> Rows:
    """Read all lines of a text that ends with a newline. O(bytes)."""
    most_rows, most_values = text.count(b"\n"), len(text) // 4  # a blank, a digit, a colon, a digit
    labels, spans = np.empty(most_rows), np.empty((most_rows, 6), np.int64)
    indptr = np.zeros(most_rows + 1, np.int64)
    numbers, values = np.empty(most_values, np.int32), np.empty(most_values, np.float32)
    seen = np.zeros((kernel.LAST_FEATURE >> 3) + 1, np.uint8)  # untouched pages take no memory
    doubtful = np.empty((most_doubts, 2), np.int64)
    problem, where, line, n_rows, doubts, highest, in_order = kernel.parse(
        frozen(np.frombuffer(text, np.uint8)),
        keep_zeros,
        labels,
        spans,
        indptr,
        numbers,
        values,
        seen,
        doubtful,
    )
    if problem != kernel.FINE:
        _raise(problem, text, where, line, path)
    if doubts > most_doubts or (not in_order and not keep_zeros):
        # A repeated feature may be a zero, so rows that must be sorted keep their zeros until then.
        return parse(text, path, keep_zeros=not in_order, most_doubts=doubts + 1024)
    stored, columns = int(indptr[n_rows]), _set_bits(seen[: (highest >> 3) + 1])
    rows = Rows(labels[:n_rows], spans[:n_rows], indptr[: n_rows + 1], numbers[:stored], values[:stored], columns)
    for place, start in doubtful[:doubts].tolist():
        _read_slowly(rows, place, start, text, path)
    if not in_order:
        rows = _in_order(rows, path)
    return _without_zeros(rows) if keep_zeros or doubts else rows


def _set_bits(seen: NDArray[np.uint8]) -> Columns:
    filled = np.flatnonzero(seen)
    at, bit = np.nonzero(np.unpackbits(seen[filled, None], axis=1, bitorder="little"))
    return (filled[at] * 8 + bit).astype(np.int32)


def _read_slowly(rows: Rows, place: int, start: int, text: bytes, path: Path) -> None:
    word = _word(text, start)
    if place < 0:
        rows.labels[-1 - place] = float(word)
        finite, row = np.isfinite(rows.labels[-1 - place]), -1 - place
    else:
        with np.errstate(over="ignore"):
            rows.values[place] = np.float32(float(word))
        finite, row = np.isfinite(rows.values[place]), int(np.searchsorted(rows.indptr, place, "right")) - 1
    if not finite:
        _raise(kernel.BIG_VALUE, text, start, int(rows.spans[row, 0]), path)


def _in_order(rows: Rows, path: Path) -> Rows:
    row_of = np.repeat(np.arange(rows.labels.size), np.diff(rows.indptr))
    order = np.lexsort((rows.numbers, row_of))
    numbers = rows.numbers[order]
    repeated = np.flatnonzero((numbers[1:] == numbers[:-1]) & (row_of[1:] == row_of[:-1]))
    if repeated.size:
        line = int(rows.spans[row_of[repeated[0]], 0])
        raise DataError(f"feature {numbers[repeated[0]]} is given twice.", path=path, line=line)
    return Rows(rows.labels, rows.spans, rows.indptr, numbers, rows.values[order], rows.columns)


def _without_zeros(rows: Rows) -> Rows:
    kept = rows.values != 0
    before = np.zeros(kept.size + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return Rows(rows.labels, rows.spans, before[rows.indptr], rows.numbers[kept], rows.values[kept], rows.columns)


def texts(text: bytes, starts: Ints, ends: Ints, path: Path) -> pa.Array:
    """Pieces of the text as strings."""
    offsets, content = kernel.gather(
        frozen(np.frombuffer(text, np.uint8)), np.ascontiguousarray(starts), np.ascontiguousarray(ends)
    )
    array = pa.LargeStringArray.from_buffers(starts.size, pa.py_buffer(offsets), pa.py_buffer(content))
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        check_utf8(text, path)
        raise
    return array


def _word(text: bytes, start: int) -> str:
    found = _WORD.match(text, start)
    return found.group().decode(errors="replace") if found else ""


def _raise(problem: int, text: bytes, where: int, line: int, path: Path) -> NoReturn:
    word = _word(text, where)
    column = where - (text.rfind(b"\n", 0, where) + 1) + 1
    message = _MESSAGES[problem]
    if problem == kernel.BAD_VALUE and word.lower().lstrip("+-") in {"inf", "infinity"}:
        message = _NOT_FINITE
    found = brief(word) if word else "nothing"
    raise DataError(f"column {column}: {message.format(found)}", path=path, line=line)
