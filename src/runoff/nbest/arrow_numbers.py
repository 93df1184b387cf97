"""Numbers in Arrow arrays as numpy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints

NUMBERS = pa.large_list(pa.float64())


def as_numpy(array: pa.Array) -> Any:
    """View of Arrow numbers without nulls; unlike Arrow's `to_numpy` it does not load pandas.

    Examples
    --------
    >>> as_numpy(pa.array([1.5, 2.5, 3.5])[1:]).tolist()
    [2.5, 3.5]
    """
    dtype = np.dtype(array.type.to_pandas_dtype())
    buffer = array.buffers()[1]
    if len(array) == 0 or buffer is None:
        return np.empty(0, dtype)
    found = np.frombuffer(buffer, dtype, len(array), array.offset * dtype.itemsize)
    # Files of others may have buffers at any place, for which compiled loops would be compiled again.
    return found if found.flags.aligned else found.copy()


def numbered(columns: Sequence[pa.Array]) -> tuple[list[Ints], pa.Array]:
    """A number for every text of several columns, in order of first appearance, and the text of every number.

    Examples
    --------
    >>> numbers, texts = numbered([pa.array(["b", "a"], pa.large_string()), pa.array(["a", "c"], pa.large_string())])
    >>> [each.tolist() for each in numbers], texts.to_pylist()
    ([[0, 1], [1, 2]], ['b', 'a', 'c'])
    """
    encoded = pa.chunked_array(columns, pa.large_string()).dictionary_encode().unify_dictionaries()
    if not len(encoded):
        return [np.empty(0, np.int64) for _ in columns], pa.array([], pa.large_string())
    # Empty columns are no chunks any more.
    numbers = np.concatenate([as_numpy(chunk.indices) for chunk in encoded.chunks]).astype(np.int64)
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1]), encoded.chunk(0).dictionary


def flat_lists(column: pa.Array) -> tuple[Ints, Floats]:
    """Offsets from zero and the numbers of all lists, one after the other.

    Examples
    --------
    >>> offsets, values = flat_lists(pa.array([[1.0], [], [2.0, 3.0]], NUMBERS)[1:])
    >>> offsets.tolist(), values.tolist()
    ([0, 0, 2], [2.0, 3.0])
    """
    if len(column) == 0:
        return frozen(np.zeros(1, np.int64)), frozen(np.empty(0))
    offsets: Ints = as_numpy(column.offsets)
    values: Floats = as_numpy(column.values)[offsets[0] : offsets[-1]]
    return frozen(offsets - offsets[0]), frozen(values)
