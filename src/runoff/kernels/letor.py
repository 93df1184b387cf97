"""Parsing `label qid:id number:value … # comment` straight from bytes.

The text must end with a newline. Every number is rounded as Python's `float` rounds it (and then to single
precision for feature values): where the fast arithmetic cannot prove that, the place of the number is handed
back in `doubtful`. A feature that is `NULL` or `NaN` is a missing value, stored as NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.number_text import MINUS, NINE, PLUS, ZERO, is_doubtful, unsigned_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

    Bytes = NDArray[np.uint8]

FINE, BAD_LABEL, NO_QID, BAD_FEATURE, BIG_FEATURE, BAD_VALUE, BIG_VALUE, REPEATED = range(8)
LAST_FEATURE = 2**31 - 1
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH = 9, 10, 13, 32, 35
_COLON, _EQUALS = 58, 61


@compiled
def parse(
    text: Bytes,
    keep_zeros: bool,
    labels: Floats,
    spans: Ints,
    indptr: Ints,
    numbers: Columns,
    values: Singles,
    seen: Bytes,
    doubtful: Ints,
) -> tuple[int, int, int, int, int, int, bool]:  # pragma: no cover - compiled
    """Fill the arrays row by row; give (problem, where, line, rows, doubts, highest feature number, sorted).

    `spans` has a row for every candidate: line, start and end of the query id, start and end of the document
    id in the comment (-1 where there is none), and 1 where a new run of one query id begins. `seen` is a set
    of bits, one for every feature number that occurs. `doubtful` lists (place in `values`, or -1 - row for a
    label; start of the number in the text); doubts beyond its size are counted but not listed. O(bytes).
    """
    row, stored, line, at, highest, doubts, in_order = 0, 0, 1, 0, -1, 0, True
    problem, start = FINE, 0
    while at < text.size:
        at = _after_blanks(text, at)
        if text[at] == _HASH or text[at] == _NEWLINE:
            at = _end_of_line(text, at) + 1
            line += 1
            continue
        start = at
        labels[row], exact, at = _number(text, at)
        if at < 0:
            problem = BAD_LABEL
            break
        if not exact:
            doubts = _doubt(doubtful, doubts, -1 - row, start)
        start = _after_blanks(text, at)
        at = start + 4
        if not _is_word(text, start, 113, 105, 100) or text[start + 3] != _COLON or _is_end(text[at]):  # "qid:"
            problem = NO_QID
            break
        while not _is_end(text[at]):
            at += 1
        spans[row, 0], spans[row, 1], spans[row, 2], spans[row, 3], spans[row, 4] = (
            line,
            start + 4,
            at,
            -1,
            -1,
        )
        spans[row, 5] = 1 if row == 0 or not _same(text, spans[row - 1], start + 4, at) else 0
        indptr[row] = stored
        last = -1
        while True:
            at = _after_blanks(text, at)
            if text[at] == _HASH or text[at] == _NEWLINE:
                break
            start, feature = at, 0
            while ZERO <= text[at] <= NINE and feature <= LAST_FEATURE:
                feature = feature * 10 + (text[at] - ZERO)
                at += 1
            if feature > LAST_FEATURE:
                problem = BIG_FEATURE
                break
            if at == start or text[at] != _COLON:
                problem = BAD_FEATURE
                break
            if feature == last:
                problem = REPEATED
                break
            in_order = in_order and feature > last
            last = feature
            highest = max(highest, feature)
            seen[feature >> 3] |= 1 << (feature & 7)
            start = at + 1
            number, exact, at = _number(text, start)
            if at < 0:
                at = _after_missing(text, start)
                number, exact = np.nan, True
            if at < 0:
                problem = BAD_VALUE
                break
            single = np.float32(number)
            if is_doubtful(number, exact):
                doubts = _doubt(doubtful, doubts, stored, start)
                single = np.float32(1)
            if np.isinf(single):
                problem = BIG_VALUE
                break
            if keep_zeros or single != 0:
                numbers[stored], values[stored] = feature, single
                stored += 1
        if problem != FINE:
            break
        if text[at] == _HASH:
            at = _docid(text, at, spans[row])
        at += 1
        line += 1
        row += 1
    indptr[row] = stored
    return problem, start, line, row, doubts, highest, in_order


@compiled
def gather(text: Bytes, starts: Ints, ends: Ints) -> tuple[Ints, Bytes]:  # pragma: no cover - compiled
    """Pieces of a text one after the other, and where each begins. O(bytes copied)."""
    offsets = np.zeros(starts.size + 1, np.int64)
    for piece in range(starts.size):
        offsets[piece + 1] = offsets[piece] + ends[piece] - starts[piece]
    out = np.empty(offsets[-1], np.uint8)
    for piece in range(starts.size):
        for at in range(ends[piece] - starts[piece]):
            out[offsets[piece] + at] = text[starts[piece] + at]
    return offsets, out


@compiled(inline="always")  # a tenth of the time was calling through it
def _number(text: Bytes, at: int) -> tuple[float, bool, int]:  # pragma: no cover - compiled
    """Value of a decimal number, whether it is surely the nearest one, and where it ends (-1: no number)."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    value, exact, end, _, _ = unsigned_number(text, at, negative)
    if end >= 0 and not _is_end(text[end]):
        end = -1
    return value, exact, end


@compiled
def _after_missing(text: Bytes, at: int) -> int:  # pragma: no cover - compiled
    """Where `NULL` or `NaN` ends, in letters of any case; -1 where neither stands."""
    if _spells(text, at, 110, 117, 108) and text[at + 3] | 32 == 108:  # "null"
        at += 4
    else:
        if text[at] == MINUS or text[at] == PLUS:  # as C prints some
            at += 1
        if not _spells(text, at, 110, 97, 110):  # "nan"
            return -1
        at += 3
    return at if _is_end(text[at]) else -1


@compiled
def _doubt(doubtful: Ints, count: int, place: int, start: int) -> int:  # pragma: no cover - compiled
    if count < doubtful.shape[0]:
        doubtful[count, 0], doubtful[count, 1] = place, start
    return count + 1


@compiled
def _docid(text: Bytes, at: int, span: Ints) -> int:  # pragma: no cover - compiled
    """Find `docid = X` in a comment; give the end of the line."""
    while text[at] != _NEWLINE:
        at += 1
        if not _is_word(text, at, 100, 111, 99) or not _is_word(text, at + 2, 99, 105, 100):  # "docid"
            continue
        equals = _after_blanks(text, at + 5)
        if text[equals] != _EQUALS:
            continue
        start = _after_blanks(text, equals + 1)
        end = start
        while text[end] != _NEWLINE and not _is_blank(text[end]):
            end += 1
        if end > start:
            span[3], span[4] = start, end
            return _end_of_line(text, end)
    return at


@compiled
def _is_word(text: Bytes, at: int, first: int, second: int, third: int) -> bool:  # pragma: no cover - compiled
    # The newline at the end of the text stops the comparison before it can leave the array.
    return bool(text[at] == first and text[at + 1] == second and text[at + 2] == third)


@compiled
def _spells(text: Bytes, at: int, first: int, second: int, third: int) -> bool:  # pragma: no cover - compiled
    """Whether three letters stand there, small or capital."""
    return bool(text[at] | 32 == first and text[at + 1] | 32 == second and text[at + 2] | 32 == third)


@compiled
def _same(text: Bytes, span: Ints, start: int, end: int) -> bool:  # pragma: no cover - compiled
    if span[2] - span[1] != end - start:
        return False
    at = 0
    while at < end - start and text[span[1] + at] == text[start + at]:
        at += 1
    return at == end - start


@compiled
def _is_blank(byte: int) -> bool:  # pragma: no cover - compiled
    return byte == _SPACE or (_TAB <= byte <= _RETURN and byte != _NEWLINE)


@compiled
def _is_end(byte: int) -> bool:  # pragma: no cover - compiled
    return byte in (_NEWLINE, _HASH) or _is_blank(byte)


@compiled
def _after_blanks(text: Bytes, at: int) -> int:  # pragma: no cover - compiled
    while _is_blank(text[at]):
        at += 1
    return at


@compiled
def _end_of_line(text: Bytes, at: int) -> int:  # pragma: no cover - compiled
    while text[at] != _NEWLINE:
        at += 1
    return at
