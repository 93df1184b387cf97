"""Arrow columns that are filled piece by piece, in numpy's memory, which may be in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from runoff.arrays import Bools, Ints


def measured(column: pa.Array) -> tuple[int, ...]:
    """Entries of a column of texts, numbers or lists, of what is in its lists, and bytes of its texts.

    Examples
    --------
    >>> measured(pa.array([["ab", "c"], []], pa.large_list(pa.large_string())))
    (2, 2, 3)
    """
    if pa.types.is_large_list(column.type):
        return (len(column), *measured(_inside(column)))
    if pa.types.is_large_string(column.type):
        offsets = _offsets(column)
        return len(column), int(offsets[-1] - offsets[0])
    return (len(column),)


class FilledColumn:
    """A column of a known type and size (see `measured`), filled from the first entry to the last.

    Examples
    --------
    >>> pieces = [pa.array(["a", None], pa.large_string()), pa.array(["bc"], pa.large_string())]
    >>> column = FilledColumn(pa.large_string(), (3, 3))
    >>> for piece in pieces:
    ...     column.add(piece)
    >>> column.finish().to_pylist()
    ['a', None, 'bc']
    """

    def __init__(self, kind: pa.DataType, sizes: tuple[int, ...]) -> None:
        self._kind, self._size, self._at, self._bytes = kind, sizes[0], 0, 0
        self._valid: Bools | None = None
        self._inside: FilledColumn | None = None
        if pa.types.is_large_list(kind):
            self._inside = FilledColumn(kind.value_type, sizes[1:])
        elif pa.types.is_large_string(kind):
            self._data = np.empty(sizes[1], np.uint8)
        else:
            self._data = np.empty(sizes[0], kind.to_pandas_dtype())
        if self._has_offsets:
            self._offsets = np.zeros(sizes[0] + 1, np.int64)

    @property
    def _has_offsets(self) -> bool:
        return bool(pa.types.is_large_list(self._kind) or pa.types.is_large_string(self._kind))

    def add(self, column: pa.Array) -> None:
        """Append entries. O(bytes)."""
        start, stop = self._at, self._at + len(column)
        if column.null_count:
            if self._valid is None:
                self._valid = np.ones(self._size, bool)
            self._valid[start:stop] = column.is_valid().to_numpy(zero_copy_only=False)
        if self._has_offsets:
            offsets = _offsets(column)
            np.add(offsets[1:], self._bytes - offsets[0], out=self._offsets[start + 1 : stop + 1])
            first, last = int(offsets[0]), int(offsets[-1])
            if self._inside is not None:
                self._inside.add(_inside(column))
            elif last > first:
                data = np.frombuffer(column.buffers()[2], np.uint8)
                self._data[self._bytes : self._bytes + last - first] = data[first:last]
            self._bytes += last - first
        elif len(column):
            self._data[start:stop] = column.to_numpy(zero_copy_only=False)
        self._at = stop

    def finish(self) -> pa.Array:
        """The whole column, which shares the memory that was filled."""
        valid = None if self._valid is None else pa.py_buffer(np.packbits(self._valid, bitorder="little"))
        if self._inside is not None:
            buffers: list[Any] = [valid, pa.py_buffer(self._offsets)]
            return pa.Array.from_buffers(self._kind, self._size, buffers, children=[self._inside.finish()])
        buffers = [valid, *([pa.py_buffer(self._offsets)] if self._has_offsets else []), pa.py_buffer(self._data)]
        return pa.Array.from_buffers(self._kind, self._size, buffers)


def _offsets(column: pa.Array) -> Ints:
    buffer = column.buffers()[1]
    if not len(column) or buffer is None:
        return np.zeros(1, np.int64)
    return np.frombuffer(buffer, np.int64, len(column) + 1, 8 * column.offset)


def _inside(column: pa.Array) -> pa.Array:
    offsets = _offsets(column)
    return column.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
