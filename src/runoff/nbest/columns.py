"""Columns of Python values, as they lie in records, turned into arrays at once."""

from __future__ import annotations

import contextlib
import marshal
import sys
from array import array
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from runoff.errors import DataError, brief
from runoff.nbest.build import REFERENCES
from runoff.nbest.csr import Features

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles

NUMBER = "a finite number"


class Misfit(Exception):
    """A value that does not belong in its column: which one, what was wanted, what is there."""

    def __init__(self, at: int, wanted: str, value: object, key: str = "") -> None:
        super().__init__(wanted)
        self.at, self.wanted, self.value, self.key = at, wanted, value, key

    @property
    def found(self) -> str:
        """The value, short enough for a message."""
        return brief(self.value)


def pluck(rows: list[dict[str, Any]], known: frozenset[str], unused: Counter[str]) -> dict[str, list[Any]]:
    """One column for every known key that some row has, None where a row lacks it; other keys are counted.

    Rows that all have the same keys, which is what programs write, go the fast way.
    """
    if not rows:
        return {}
    first = rows[0]
    try:
        columns = {key: list(map(itemgetter(key), rows)) for key in first}
    except KeyError:
        columns = {}
    if len(columns) == len(first) and sum(map(len, rows)) == len(first) * len(rows):
        for key in first.keys() - known:
            unused[key] += len(columns.pop(key))
        return columns
    counts = Counter(chain.from_iterable(rows))
    unused.update({key: count for key, count in counts.items() if key not in known})
    return {key: [row.get(key) for row in rows] for key in counts if key in known}


def numbers(values: list[Any]) -> Floats:
    """Finite numbers, nothing else: no truth values, no text that looks like a number."""
    converted = _only_floats(values)
    if converted is None and set(map(type, values)) <= {float, int}:
        with contextlib.suppress(OverflowError):
            converted = np.frombuffer(array("d", values))
    if converted is not None and np.isfinite(converted).all():
        return converted
    return np.array([_number(at, value) for at, value in enumerate(values)], np.float64)


def _only_floats(values: list[Any]) -> Floats | None:
    """Convert and prove in one pass that every value is a float, else None.

    `marshal` writes a list of floats as a mark and eight bytes each; any other type has another mark.
    This takes a third of the time of looking at the types first.
    """
    packed = marshal.dumps(values, 2)
    if len(packed) != _LIST_HEADER + len(values) * _MARKED.itemsize:
        return None
    marked = np.frombuffer(packed, _MARKED, offset=_LIST_HEADER)
    return marked["value"].astype(np.float64) if (marked["mark"] == ord("g")).all() else None


_LIST_HEADER = 5
_MARKED = np.dtype([("mark", "u1"), ("value", "<f8")])


def _number(at: int, value: Any) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            converted = float(value)
        except OverflowError:
            converted = np.inf
        if np.isfinite(converted):
            return converted
    raise Misfit(at, NUMBER, value)


def number_rows(values: list[Any]) -> Floats:
    """A table of finite numbers from lists of one length."""
    for at, row in enumerate(values):
        if not isinstance(row, (list, tuple)):
            raise Misfit(at, "a list of numbers", row)
        if len(row) != len(values[0]):
            raise Misfit(at, f"{len(values[0])} numbers, as before,", row)
    try:
        return numbers(list(chain.from_iterable(values))).reshape(len(values), len(values[0]))
    except Misfit as misfit:
        at = misfit.at // len(values[0])
        raise Misfit(at, "a list of finite numbers", values[at]) from None


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
            _check_text(at, value, "text")
    return pa.array(list(map(str, values)), pa.large_string())


def text_lists(values: list[Any]) -> pa.Array:
    """A list of texts per value; one text stands for a list of one, None stays empty."""
    wanted = "text or a list of texts"
    lists = [[value] if isinstance(value, str) else value for value in values]
    for at, entries in enumerate(lists):
        if entries is None:
            continue
        if not isinstance(entries, (list, tuple)):
            raise Misfit(at, wanted, entries)
        for entry in entries:
            if type(entry) is not str or not entry.isascii():
                _check_text(at, entry, wanted)
    return pa.array(lists, REFERENCES)


def _check_text(at: int, value: Any, wanted: str) -> None:
    if not isinstance(value, str):
        raise Misfit(at, wanted, value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Misfit(at, f"{wanted} that is whole Unicode characters (no half surrogates)", value) from None


def ids(values: list[Any]) -> pa.Array:
    """One id per value; numbers become their text."""
    if set(map(type, values)) != {str}:
        for at, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, (str, Real)):
                raise Misfit(at, "text or a number", value)
        values = list(map(str, values))
    return texts(values)


class FeatureColumns:
    """Sparse rows, gathered block by block; columns are numbered by the first appearance of their names."""

    def __init__(self) -> None:
        self._numbering = _Numbering()
        self._lengths: list[Any] = []
        self._indices: list[Columns] = []
        self._values: list[Singles | None] = []  # None: all ones

    def skip(self, count: int) -> None:
        """Candidates without features."""
        self._keep(np.zeros(count, np.int64), np.empty(0, np.int32), None)

    def add(self, column: list[Any]) -> None:
        """One entry per candidate: a mapping from names to numbers, a list of names, or None."""
        kinds = set(map(type, column))
        if kinds not in ({list}, {dict}):
            column, kinds = [_as_dict(at, entry) for at, entry in enumerate(column)], {dict}
        lengths = np.fromiter(map(len, column), np.int64, len(column))
        values = None
        if kinds == {dict}:
            try:
                values = _singles(list(chain.from_iterable(map(dict.values, column))))
            except Misfit as misfit:
                ends = np.cumsum(lengths)
                at = int(np.searchsorted(ends, misfit.at, side="right"))
                name = list(column[at])[misfit.at - int(ends[at])]
                raise Misfit(at, misfit.wanted, misfit.value, name) from None
        self._keep(lengths, self._numbered(column), values)

    def _numbered(self, column: list[Any]) -> Columns:
        names = list(chain.from_iterable(column))
        try:
            # `itemgetter` looks many names up in half the time of `map`, but it wants at least two.
            packed = itemgetter(*names)(self._numbering) if len(names) > 1 else map(self._numbering.__getitem__, names)
            return np.frombuffer(b"".join(packed), np.int32)
        except TypeError:
            for at, entry in enumerate(column):
                for name in entry:
                    _check_text(at, name, "text as the name of a feature")
            raise

    def _keep(self, lengths: Ints, indices: Columns, values: Singles | None) -> None:
        if values is not None:
            kept = values != 0
            if not kept.all():
                rows = np.repeat(np.arange(lengths.size), lengths)
                lengths = np.bincount(rows[kept], minlength=lengths.size)
                indices, values = indices[kept], values[kept]
            if (values == 1).all():
                values = None
        self._lengths.append(lengths)
        self._indices.append(indices)
        self._values.append(values)

    def finish(self) -> Features:
        """All rows, each sorted by column."""
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0, np.int64)
        if not self._numbering:
            return Features.none(lengths.size)
        indptr = np.zeros(lengths.size + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        indices = np.concatenate(self._indices)
        values = None
        if any(block is not None for block in self._values):
            values = np.ones(indices.size, np.float32)
            for block, end in zip(self._values, np.cumsum([block.size for block in self._indices]), strict=True):
                if block is not None:
                    values[end - block.size : end] = block
        indptr, indices, values = _canonical(indptr, indices, values, len(self._numbering))
        try:
            names = texts(list(self._numbering))
        except Misfit as misfit:
            raise DataError(f"expected {misfit.wanted} as the name of a feature, found {misfit.found}.") from None
        return Features.from_csr(indptr, indices, values, len(names), names)


def _canonical(indptr: Ints, indices: Columns, values: Singles | None, n_columns: int) -> tuple[Any, Any, Any]:
    """Sort every row by column; a name that a list has several times becomes its count."""
    small = indptr.astype(np.int32) if indices.size <= np.iinfo(np.int32).max else indptr
    dummy = np.empty(indices.size, np.uint8) if values is None else values
    rows = sparse.csr_array((dummy, indices, small), shape=(indptr.size - 1, n_columns))
    rows.sort_indices()
    if rows.has_canonical_format:
        return indptr, rows.indices, None if values is None else rows.data
    if values is None:
        rows = sparse.csr_array((np.ones(indices.size, np.float32), rows.indices, small), shape=rows.shape)
    rows.sum_duplicates()
    return rows.indptr, rows.indices, rows.data


class _Numbering(dict[str, bytes]):
    """Numbers in order of first appearance, as the four bytes of an int32 so that many are joined at once."""

    def __missing__(self, name: str) -> bytes:
        if not isinstance(name, str):
            raise TypeError
        number = self[name] = len(self).to_bytes(4, sys.byteorder)
        return number


def _singles(values: list[Any]) -> Singles:
    doubles = numbers(values)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    too_large = np.flatnonzero(np.isinf(singles))
    if too_large.size:
        at = int(too_large[0])
        raise Misfit(at, "a number that single precision can hold (up to 3.4e38)", values[at])
    return singles


def _as_dict(at: int, entry: Any) -> dict[str, Any]:
    if entry is None:
        return {}
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, (list, tuple)):
        for name in entry:
            _check_text(at, name, "names of features as text")
        return dict(Counter(entry))
    raise Misfit(at, "an object of names and numbers, or a list of names", entry)
