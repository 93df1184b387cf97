"""Columns of Python values from records, converted to arrays as a whole."""

from __future__ import annotations

import contextlib
import marshal
from array import array
from collections import Counter
from itertools import chain
from numbers import Integral, Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import brief
from runoff.nbest.build import REFERENCES

if TYPE_CHECKING:
    from runoff.arrays import Floats

NUMBER = "a finite number"
ID = "text or a number of up to 64 bits (a longer one needs quotes)"


class InvalidValueError(Exception):
    """A value that its column cannot hold: which one, what was expected, what was found."""

    def __init__(self, at: int, wanted: str, value: object, key: str = "") -> None:
        super().__init__(wanted)
        self.at, self.wanted, self.value, self.key = at, wanted, value, key

    @property
    def found(self) -> str:
        """The value, short enough for a message."""
        return brief(self.value)


def pluck(rows: list[dict[str, Any]], known: frozenset[str], unused: Counter[str]) -> dict[str, list[Any]]:
    """One column for every known key that some row has, None where a row lacks it; other keys are counted.

    Rows that all have the same keys, as programs write them, take a fast path. Raises `TypeError` if a row is not a
    dict.
    """
    first = rows[0] if rows else {}
    try:
        columns = {key: list(map(itemgetter(key), rows)) for key in first}
    except KeyError:
        columns = {}
    if columns and sum(map(len, rows)) == len(first) * len(rows):
        unused.update({key: len(rows) for key in first if key not in known})
        return {key: column for key, column in columns.items() if key in known}
    if not set(map(type, rows)) <= {dict}:
        raise TypeError(set(map(type, rows)))
    counts = Counter(chain.from_iterable(rows))
    unused.update({key: count for key, count in counts.items() if key not in known})
    return {key: [row.get(key) for row in rows] for key in counts if key in known}


def numbers(values: list[Any], *, missing: bool = False) -> Floats:
    """Finite numbers only: no booleans, no text that looks like a number; with `missing`, None and NaN become NaN."""
    converted = _only_floats(values)
    if converted is None:
        kinds = set(map(type, values))
        with contextlib.suppress(OverflowError):
            if kinds <= {float, int}:
                converted = np.frombuffer(array("d", values))
            elif missing and kinds <= {float, int, type(None)}:
                converted = np.array(values, np.float64)
    if converted is not None and not (np.isinf(converted).any() if missing else not np.isfinite(converted).all()):
        return converted
    return np.array([_number(at, value, missing) for at, value in enumerate(values)], np.float64)


def _only_floats(values: list[Any]) -> Floats | None:
    """Convert, and check in the same pass that every value is a float; None if not.

    `marshal` writes a float as a type code and eight bytes; any other type has another code. This takes a third of the
    time of looking at the types first.
    """
    dumped = marshal.dumps(values, 2)
    if len(dumped) != _LIST_HEADER + len(values) * _CODED.itemsize:
        return None
    coded = np.frombuffer(dumped, _CODED, offset=_LIST_HEADER)
    return coded["value"].astype(np.float64) if (coded["code"] == ord("g")).all() else None


_LIST_HEADER = 5
_CODED = np.dtype([("code", "u1"), ("value", "<f8")])


def _number(at: int, value: Any, missing: bool) -> float:
    if missing and value is None:
        return np.nan
    if type(value) is not bool and isinstance(value, Real):
        try:
            converted = float(value)
        except OverflowError:
            converted = np.inf
        if np.isfinite(converted) or (missing and np.isnan(converted)):
            return converted
    raise InvalidValueError(at, NUMBER, value)


def number_rows(values: list[Any]) -> Floats:
    """A table of finite numbers from lists of one length."""
    for at, row in enumerate(values):
        if not isinstance(row, (list, tuple)):
            raise InvalidValueError(at, "a list of numbers", row)
        if len(row) != len(values[0]):
            raise InvalidValueError(at, f"{len(values[0])} numbers, as before,", row)
    try:
        return numbers(list(chain.from_iterable(values))).reshape(len(values), len(values[0]))
    except InvalidValueError as invalid:
        at = invalid.at // len(values[0])
        raise InvalidValueError(at, "a list of finite numbers", values[at]) from None


def number_lists(values: list[Any]) -> pa.Array:
    """A list of finite numbers per value, of any length; None is an empty list."""
    lists = [[] if value is None else value for value in values]
    for at, entries in enumerate(lists):
        if not isinstance(entries, (list, tuple)):
            raise InvalidValueError(at, "a list of numbers", entries)
    ends = np.cumsum([0, *map(len, lists)])
    try:
        flat = numbers(list(chain.from_iterable(lists)))
    except InvalidValueError as invalid:
        at = int(np.searchsorted(ends, invalid.at, side="right")) - 1
        raise InvalidValueError(at, "a list of finite numbers", lists[at]) from None
    return pa.LargeListArray.from_arrays(pa.array(ends), pa.array(flat))


def texts(values: list[Any], *, optional: bool = False) -> pa.Array:
    """One text per value; with `optional`, None stays empty."""
    try:
        converted = pa.array(values, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        converted = None
    if converted is not None and (optional or not converted.null_count):
        return converted
    for at, value in enumerate(values):
        if value is not None or not optional:
            check_text(at, value, "text")
    return pa.array(list(map(str, values)), pa.large_string())


def text_lists(values: list[Any]) -> pa.Array:
    """A list of texts per value; one text stands for a list of one, None stays empty."""
    if set(map(type, values)) == {list} and set(map(type, chain.from_iterable(values))) <= {str}:
        with contextlib.suppress(UnicodeEncodeError):
            return pa.array(values, REFERENCES)
    wanted = "text or a list of texts"
    lists = [[value] if isinstance(value, str) else value for value in values]
    for at, entries in enumerate(lists):
        if entries is not None and not isinstance(entries, (list, tuple)):
            raise InvalidValueError(at, wanted, entries)
        for entry in entries or ():
            check_text(at, entry, wanted)
    return pa.array(lists, REFERENCES)


def check_text(at: int, value: Any, wanted: str) -> None:
    """Raise unless the value is text that can be stored."""
    if not isinstance(value, str):
        raise InvalidValueError(at, wanted, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValueError(at, f"{wanted} that is whole Unicode characters (no half surrogates)", value) from None


def ids(values: list[Any]) -> pa.Array:
    """One id per value; numbers become their text."""
    if set(map(type, values)) != {str}:
        values = [_id(at, value) for at, value in enumerate(values)]
    return texts(values)


def _id(at: int, value: Any) -> str:
    name = id_text(value)
    if name is None:
        raise InvalidValueError(at, ID, value)
    return name


def id_text(value: Any) -> str | None:
    """An id from text or from a number; None from anything else.

    JSON parsers give a longer integer as a float, which may be the same for two ids; so nothing longer is an id.

    Examples
    --------
    >>> id_text("a"), id_text(7), id_text(1.5), id_text(True), id_text(10**20), id_text(1e20)
    ('a', '7', '1.5', None, None, None)
    """
    if isinstance(value, str):
        return value
    if type(value) is bool or not isinstance(value, Real):
        return None
    number: Any = value
    fits = -(2**63) <= number < 2**64 if isinstance(value, Integral) else abs(number) < 2**63
    return str(number) if fits else None
