"""Read-only arrays: input that can be written to is copied, read-only input is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from runoff.arrays import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def read_only_array(values: Any, kind: type[Scalar]) -> NDArray[Scalar]:
    """Read-only array of a type from anything like an array. O(values) unless it is a read-only array of that type.

    Examples
    --------
    >>> mine = np.array([1.0, 2.0])
    >>> kept = read_only_array(mine, np.float64)
    >>> mine[0] = 7
    >>> kept.tolist()
    [1.0, 2.0]
    """
    if isinstance(values, np.ndarray):
        return frozen(unshared(np.ascontiguousarray(values, kind), values))
    return frozen(np.array(values, kind, order="C"))  # a pandas series would share its memory


def unshared(array: NDArray[Scalar], given: NDArray[Any]) -> NDArray[Scalar]:
    """The array, copied if it shares memory with the given one and that can be written to."""
    return array.copy() if given.flags.writeable and np.may_share_memory(array, given) else array
