"""Names of features and their column numbers, in order of first appearance."""

from __future__ import annotations

import sys
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns

    Bytes = NDArray[np.uint8]


class NameIndex:
    """Numbers names given as Python strings or as spans of a text; both give the same numbers.

    Each has its own table, which is first brought up to date with the other.

    Examples
    --------
    >>> words = NameIndex()
    >>> words.number(["b", "a", "b"]).tolist()
    [0, 1, 0]
    >>> text = np.frombuffer(b"cab", np.uint8)
    >>> words.number_spans(text, np.array([[0, 1], [1, 2], [2, 3]])).tolist()
    [2, 1, 0]
    >>> words.names().to_pylist()
    ['b', 'a', 'c']
    """

    def __init__(self) -> None:
        self._strings = _Strings()
        self._spans = _Spans()

    def __len__(self) -> int:
        return max(len(self._strings), self._spans.known)

    def number(self, names: list[str]) -> Columns:
        """Numbers of names; a `TypeError` if one of them is not text."""
        self._teach_strings()
        # `itemgetter` takes half the time of `map`, but needs at least two names.
        encoded = itemgetter(*names)(self._strings) if len(names) > 1 else map(self._strings.__getitem__, names)
        return np.frombuffer(b"".join(encoded), np.int32)

    def number_spans(self, text: Bytes, spans: Columns) -> Columns:
        """Numbers of names in a text of valid UTF-8, one row of `spans` (start, end) for each."""
        if len(self._strings) > self._spans.known:
            new = [name.encode() for name in islice(self._strings, self._spans.known, None)]
            ends = np.cumsum([0, *map(len, new)])
            self._spans.number(np.frombuffer(b"".join(new), np.uint8), np.column_stack([ends[:-1], ends[1:]]))
        return self._spans.number(text, spans)

    def names(self) -> pa.Array:
        """All names, by their numbers."""
        if self._spans.known > len(self._strings):
            return self._spans.names()
        return pa.array(list(self._strings), pa.large_string())

    def _teach_strings(self) -> None:
        if self._spans.known > len(self._strings):
            for name in self._spans.names()[len(self._strings) :].to_pylist():
                self._strings[name]


class _Strings(dict[str, bytes]):
    """Numbers are the four bytes of an int32, so that many are joined at once."""

    def __missing__(self, name: str) -> bytes:
        if not isinstance(name, str):
            raise TypeError(name)
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise TypeError(name) from error
        number = self[name] = len(self).to_bytes(4, sys.byteorder)
        return number


class _Spans:
    """See `kernels.name_table.number`."""

    def __init__(self) -> None:
        self.known = 0
        self._slots = np.zeros(1 << 12, np.uint64)
        self._ends = np.zeros(1 << 11, np.int64)
        self._letters = np.empty(1 << 15, np.uint8)

    def names(self) -> pa.Array:
        ends, letters = self._ends[: self.known + 1].copy(), self._letters[: self._ends[self.known]].copy()
        return pa.LargeStringArray.from_buffers(self.known, pa.py_buffer(ends), pa.py_buffer(letters))

    def number(self, text: Bytes, spans: Columns) -> Columns:
        from runoff.kernels import name_table as kernel  # not before there are spans: the compiler loads slowly

        spans = np.ascontiguousarray(spans, np.int32)
        numbers = np.empty(len(spans), np.int32)
        at = 0
        while True:
            at, self.known = kernel.number(text, spans, at, self._slots, self.known, self._ends, self._letters, numbers)
            if at == len(spans):
                return numbers
            self._grow(int(spans[at, 1] - spans[at, 0]))

    def _grow(self, length: int) -> None:
        if self.known + 1 == self._ends.size:
            self._ends = np.concatenate([self._ends, np.zeros_like(self._ends)])
        if self._ends[self.known] + length > self._letters.size:
            self._letters = np.concatenate([self._letters, np.empty(self._letters.size + length, np.uint8)])
        if (self.known + 1) * 2 > self._slots.size:
            from runoff.kernels import name_table as kernel

            self._slots = np.zeros(2 * self._slots.size, np.uint64)
            kernel.fill_slots(self._slots, self._ends, self._letters, self.known)
