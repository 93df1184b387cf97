"""An array that grows on disk, for results that may be larger than memory."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


class ArrayFile(Generic[Scalar]):
    """Numbers in a file without a name, which is gone once nothing uses it any more.

    Examples
    --------
    >>> with ArrayFile(np.int32) as numbers:
    ...     numbers.append(np.arange(3))
    ...     numbers.append(np.arange(2))
    ...     found = numbers.mapped()
    >>> found.tolist()
    [0, 1, 2, 0, 1]
    """

    def __init__(self, kind: type[Scalar], folder: str | Path | None = None) -> None:
        self._kind, self._size = kind, 0
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()  # what is mapped stays

    def append(self, numbers: NDArray[Any]) -> None:
        """Write numbers behind those that are there."""
        self._file.write(np.ascontiguousarray(numbers, self._kind).data)
        self._size += numbers.size

    def mapped(self) -> NDArray[Scalar]:
        """All numbers so far, read from disk where they are used."""
        if not self._size:
            return np.empty(0, self._kind)
        self._file.flush()
        return np.asarray(np.memmap(self._file, self._kind, "r", shape=(self._size,)))
