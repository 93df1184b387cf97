"""Taking the features of candidates out of JSON lines, straight from bytes, before anything else is parsed.

The functions know the whole of JSON's grammar for features, `{"name": number, …}` and `["name", …]`, and
accept nothing else: at the first surprise they give up, and a full parser says what is wrong or does the
work. Numbers are rounded as Python's `float` rounds them and then to single precision; where the fast
arithmetic cannot prove that, the number's place is handed back. A null instead of a number is a missing value: NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.number_text import MINUS, ZERO, is_doubtful, unsigned_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints, Singles

    Bytes = NDArray[np.uint8]

GIVEN_UP = -1
_STOPS = np.array([byte < 32 or byte in b'"\\' for byte in range(256)])  # what ends a plain stretch of a string
_FEATURES = np.frombuffer(b'features"', np.uint8)
_QUOTE, _BACKSLASH, _COLON, _COMMA, _SMALL_N = 34, 92, 58, 44, 110
_OBJECT, _OBJECT_END, _LIST, _LIST_END = 123, 125, 91, 93


@compiled
def cut(
    text: Bytes, rest: Bytes, tables: Ints, spans: Columns, values: Singles, doubtful: Ints, escaped: Ints
) -> tuple[int, int, int, int, int]:  # pragma: no cover - compiled
    """Copy the text to `rest` with an empty string in place of every table that is the value of a key `features`.

    Gives the length of the rest, or `GIVEN_UP`, and the numbers of tables, names, doubtful values and names with
    escapes. `tables` has a row for each: where it starts and ends, how many names it has, 1 if it is a list.
    `spans` has start and end of every name. The text must end with a newline. O(bytes).

    If a line of the rest is JSON, so is the line it came from, and the two differ by the tables alone: a string ends
    where it ends, whatever follows. And every value of a key `features` in the rest is null or stands for a table: any
    other value, or a key with escapes, which could spell that word, makes the function give up.
    """
    at = to = n_tables = n_names = n_doubts = n_escaped = 0
    while at < text.size:
        byte = text[at]
        rest[to] = byte
        at, to = at + 1, to + 1
        if byte != _QUOTE:
            continue
        start, has_escape = at, False
        while True:
            byte = text[at]
            rest[to] = byte
            at, to = at + 1, to + 1
            if not _STOPS[byte]:
                continue
            if byte == _QUOTE:
                break
            if byte != _BACKSLASH or text[at] < 32:
                return GIVEN_UP, 0, 0, 0, 0
            has_escape = True
            rest[to] = text[at]
            at, to = at + 1, to + 1
        if has_escape and text[_after_blanks(text, at)] == _COLON:
            return GIVEN_UP, 0, 0, 0, 0
        if at - start != _FEATURES.size or not _is_features(text, start):
            continue
        place = _after_blanks(text, at)
        if text[place] != _COLON:
            continue
        place = _after_blanks(text, place + 1)
        opening = text[place]
        if opening == _SMALL_N:
            continue
        if opening not in (_OBJECT, _LIST):
            return GIVEN_UP, 0, 0, 0, 0
        tables[n_tables, 0] = place
        before = n_names
        closing = opening + 2  # in ASCII, both for braces and brackets
        place = _after_blanks(text, place + 1)
        if text[place] != closing:
            while True:
                start, end, has_escape = _name(text, place)
                if start < 0:
                    return GIVEN_UP, 0, 0, 0, 0
                spans[n_names, 0], spans[n_names, 1] = start, end
                if has_escape:
                    if n_escaped == escaped.size:
                        return GIVEN_UP, 0, 0, 0, 0
                    escaped[n_escaped] = n_names
                    n_escaped += 1
                place = _after_blanks(text, end + 1)
                values[n_names] = 1
                if opening == _OBJECT:
                    if text[place] != _COLON:
                        return GIVEN_UP, 0, 0, 0, 0
                    start = _after_blanks(text, place + 1)
                    number, exact, place = _number(text, start)
                    if place < 0:
                        if not _is_null(text, start):
                            return GIVEN_UP, 0, 0, 0, 0
                        number, exact, place = np.nan, True, start + 4
                    if is_doubtful(number, exact):
                        if n_doubts == doubtful.shape[0]:
                            return GIVEN_UP, 0, 0, 0, 0
                        doubtful[n_doubts, 0], doubtful[n_doubts, 1], doubtful[n_doubts, 2] = n_names, start, place
                        n_doubts += 1
                        number = 1.0
                    values[n_names] = number
                    if np.isinf(values[n_names]):
                        return GIVEN_UP, 0, 0, 0, 0
                    place = _after_blanks(text, place)
                n_names += 1
                if text[place] == closing:
                    break
                if text[place] != _COMMA:
                    return GIVEN_UP, 0, 0, 0, 0
                place = _after_blanks(text, place + 1)
        at = place + 1
        tables[n_tables, 1], tables[n_tables, 2], tables[n_tables, 3] = at, n_names - before, opening == _LIST
        rest[to], rest[to + 1], rest[to + 2] = _COLON, _QUOTE, _QUOTE
        to += 3
        n_tables += 1
    return to, n_tables, n_names, n_doubts, n_escaped


@compiled
def _is_features(text: Bytes, at: int) -> bool:  # pragma: no cover - compiled
    place = 0
    while place < _FEATURES.size and text[at + place] == _FEATURES[place]:
        place += 1
    return place == _FEATURES.size


@compiled
def _is_null(text: Bytes, at: int) -> bool:  # pragma: no cover - compiled
    # The newline at the end of the text stops the comparison before it can leave the array.
    return bool(text[at] == _SMALL_N and text[at + 1] == 117 and text[at + 2] == 108 and text[at + 3] == 108)


@compiled
def _after_blanks(text: Bytes, at: int) -> int:  # pragma: no cover - compiled
    while text[at] == 32 or text[at] == 9 or text[at] == 13:
        at += 1
    return at


@compiled
def _name(text: Bytes, at: int) -> tuple[int, int, bool]:  # pragma: no cover - compiled
    """Start and end of the string at a place (start -1: there is none), and whether it has escapes."""
    start, has_escape = at + 1, False
    if text[at] != _QUOTE:
        return -1, 0, has_escape
    while True:
        at += 1
        byte = text[at]
        if not _STOPS[byte]:
            continue
        if byte == _QUOTE:
            return start, at, has_escape
        at += 1
        has_escape = True
        if byte != _BACKSLASH or text[at] < 32:
            return -1, 0, has_escape


@compiled(inline="always")  # a tenth of the time was calling through it
def _number(text: Bytes, at: int) -> tuple[float, bool, int]:  # pragma: no cover - compiled
    """Value of a JSON number, whether it is surely the nearest one, and where it ends (-1: no number)."""
    negative = text[at] == MINUS
    if negative:
        at += 1
    value, exact, end, before, after = unsigned_number(text, at, negative)
    if before == 0 or (before > 1 and text[at] == ZERO) or after == 0:
        end = -1
    return value, exact, end
