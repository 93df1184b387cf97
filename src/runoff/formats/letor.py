"""LETOR and SVMlight with query ids: `relevance qid:query 1:value 2:value … # comment`.

Columns are called by their numbers, whichever of them a file has, so that a model trained on one file fits
another. `docid = X` in the comment of every line gives the candidates their ids (LETOR 4.0). Query ids are
text. Zeros are not stored. Rows of a query that comes back later in the file join their query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.formats.base import Format
from runoff.formats.streams import BYTE_ORDER_MARK, check_utf8, read_all
from runoff.kernels import letor as kernel
from runoff.nbest import Features, NBest

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.formats.base import Sample

METRIC = "ndcg-letor@1-10,map"
_LINE = re.compile(rb"[-+]?[\d.][\d.eE+-]*[ \t]+(qid:\S|\d+:\S)")
_LARGE_TABLE = 1 << 26  # entries; beyond it columns are looked up by bisection instead


@dataclass(frozen=True)
class _Rows:
    """What the kernel found: see `kernels.letor.parse`."""

    labels: Floats
    spans: Ints
    indptr: Ints
    numbers: Columns
    values: Singles
    columns: Columns  # feature numbers that occur, ascending


def recognise(sample: Sample) -> bool:
    """Whether the first line that is no comment has a number, then `qid:` or a numbered feature."""
    lines = (line.strip() for line in sample.head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _LINE.match(first) is not None


def read(path: Path) -> NBest:
    """Read a file of graded documents. O(bytes), one pass over the unpacked text."""
    text = read_all(path)
    if text.startswith(BYTE_ORDER_MARK) or not text.endswith(b"\n"):
        text = text.removeprefix(BYTE_ORDER_MARK) + b"\n"
    rows = _parse(text, path)
    if not rows.labels.size:
        raise DataError("the file has no candidates, only blank lines or comments.", path=path)
    starts = np.flatnonzero(rows.spans[:, 5])
    run_ids = _texts(text, rows.spans[starts, 1], rows.spans[starts, 2], path)
    has_ids = bool(np.all(rows.spans[:, 3] >= 0))
    encoded = run_ids.dictionary_encode()
    comebacks = len(run_ids) - len(encoded.dictionary)
    run_sizes = np.diff(np.append(starts, rows.labels.size))
    notes = []
    if comebacks:
        notes.append(
            f"A query came back after lines of another one {comebacks:,} time(s); "
            "its candidates were brought together."
        )
    return NBest.from_arrays(
        Features.from_csr(
            rows.indptr,
            _as_columns(rows),
            rows.values,
            rows.columns.size,
            pc.cast(pa.array(rows.columns), pa.large_string()),
        ),
        quality=rows.labels,
        groups=np.repeat(encoded.indices.to_numpy(), run_sizes) if comebacks else None,
        sizes=None if comebacks else run_sizes,
        group_ids=encoded.dictionary,
        candidate_ids=_texts(text, rows.spans[:, 3], rows.spans[:, 4], path) if has_ids else None,
        metric=METRIC,
        notes=notes,
    )


def _parse(text: bytes, path: Path, *, keep_zeros: bool = False, most_doubts: int = 1024) -> _Rows:
    most_rows, most_values = text.count(b"\n"), len(text) // 4  # a blank, a digit, a colon, a digit
    labels, spans = np.empty(most_rows), np.empty((most_rows, 6), np.int64)
    indptr = np.zeros(most_rows + 1, np.int64)
    numbers, values = np.empty(most_values, np.int32), np.empty(most_values, np.float32)
    seen = np.zeros((kernel.LAST_FEATURE >> 3) + 1, np.uint8)  # takes memory only where bits are set
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
        _complain(problem, text, where, line, path)
    if doubts > most_doubts or (not in_order and not keep_zeros):
        # A repeated feature may hide behind a zero, so rows that must be sorted keep theirs at first.
        return _parse(text, path, keep_zeros=not in_order, most_doubts=doubts + 1024)
    stored, columns = int(indptr[n_rows]), _set_bits(seen[: (highest >> 3) + 1])
    rows = _Rows(
        labels[:n_rows], spans[:n_rows], indptr[: n_rows + 1], numbers[:stored], values[:stored], columns
    )
    for place, start in doubtful[:doubts].tolist():
        _read_slowly(rows, place, start, text, path)
    if not in_order:
        rows = _in_order(rows, path)
    return _without_zeros(rows) if keep_zeros or doubts else rows


def _set_bits(seen: NDArray[np.uint8]) -> Columns:
    filled = np.flatnonzero(seen)
    at, bit = np.nonzero(np.unpackbits(seen[filled, None], axis=1, bitorder="little"))
    return (filled[at] * 8 + bit).astype(np.int32)


def _as_columns(rows: _Rows) -> Columns:
    """Feature numbers as places in the list of columns."""
    columns = rows.columns
    if columns.size == 0 or columns[-1] - columns[0] == columns.size - 1:
        return rows.numbers - columns[:1] if columns.size else rows.numbers
    if columns[-1] >= _LARGE_TABLE:
        return np.searchsorted(columns, rows.numbers).astype(np.int32)
    place = np.empty(columns[-1] + 1, np.int32)
    place[columns] = np.arange(columns.size, dtype=np.int32)
    return place[rows.numbers]


def _read_slowly(rows: _Rows, place: int, start: int, text: bytes, path: Path) -> None:
    word = _word(text, start)
    if place < 0:
        rows.labels[-1 - place] = float(word)
        finite, row = np.isfinite(rows.labels[-1 - place]), -1 - place
    else:
        with np.errstate(over="ignore"):
            rows.values[place] = np.float32(float(word))
        finite, row = (
            np.isfinite(rows.values[place]),
            int(np.searchsorted(rows.indptr, place, side="right")) - 1,
        )
    if not finite:
        _complain(kernel.BIG_VALUE, text, start, int(rows.spans[row, 0]), path)


def _in_order(rows: _Rows, path: Path) -> _Rows:
    row_of = np.repeat(np.arange(rows.labels.size), np.diff(rows.indptr))
    order = np.lexsort((rows.numbers, row_of))
    numbers = rows.numbers[order]
    repeated = np.flatnonzero((numbers[1:] == numbers[:-1]) & (row_of[1:] == row_of[:-1]))
    if repeated.size:
        line = int(rows.spans[row_of[repeated[0]], 0])
        raise DataError(f"feature {numbers[repeated[0]]} is given twice.", path=path, line=line)
    return _Rows(rows.labels, rows.spans, rows.indptr, numbers, rows.values[order], rows.columns)


def _without_zeros(rows: _Rows) -> _Rows:
    kept = rows.values != 0
    before = np.zeros(kept.size + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return _Rows(
        rows.labels, rows.spans, before[rows.indptr], rows.numbers[kept], rows.values[kept], rows.columns
    )


def _texts(text: bytes, starts: Ints, ends: Ints, path: Path) -> pa.Array:
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
    found = re.compile(rb"[^\s#]*").match(text, start)
    return found.group().decode(errors="replace") if found else ""


def _complain(problem: int, text: bytes, where: int, line: int, path: Path) -> NoReturn:
    word = _word(text, where)
    found = brief(word) if word else "nothing"
    column = where - (text.rfind(b"\n", 0, where) + 1) + 1
    if problem == kernel.BAD_LABEL:
        message = f"expected a number for the relevance, found {found}."
    elif problem == kernel.NO_QID:
        message = (
            f"expected qid: and the query's id after the relevance, found {found}; every line needs one."
        )
    elif problem == kernel.BAD_FEATURE:
        message = f"expected a feature as number:value, found {found}."
    elif problem == kernel.BIG_FEATURE:
        message = f"feature numbers go up to {kernel.LAST_FEATURE}, found {found}."
    elif problem == kernel.REPEATED:
        message = f"feature {brief(word)} is given twice."
    elif problem == kernel.BIG_VALUE:
        message = f"the number {found} is too large to be stored."
    elif word.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        message = f"feature values must be finite, found {found}; leave the feature out or give it a number."
    else:
        message = f"expected a number as the feature's value, found {found}."
    raise DataError(f"column {column}: {message}", path=path, line=line)


FORMAT = Format(
    name="letor",
    description="LETOR or SVMlight with query ids: relevance qid:query 1:value 2:value … # comment",
    recognise=recognise,
    read=read,
)
