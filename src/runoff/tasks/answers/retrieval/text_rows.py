"""Many texts in two arrays: their bytes one after the other, and where each begins."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from runoff.arrays import Ints


class TextRows:
    """Texts by number, decoded when they are asked for.

    Examples
    --------
    >>> rows = TextRows.of(["apple", "pear"])
    >>> len(rows), rows[1], rows.find("pear"), rows.find("fig")
    (2, 'pear', 1, -1)
    """

    def __init__(self, content: NDArray[np.uint8], offsets: Ints) -> None:
        self.content, self.offsets = content, offsets
        self._bytes = memoryview(content.data)

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextRows:
        """Texts as rows. O(bytes)."""
        encoded = [text.encode() for text in texts]
        content = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(content, np.concatenate([[0], np.cumsum([len(each) for each in encoded])]).astype(np.int64))

    @classmethod
    def checked(cls, name: str, content: NDArray[Any], offsets: NDArray[Any], *, sorted_: bool = False) -> TextRows:
        """Rows from a file; a `ModelError` names what is wrong with them. O(bytes)."""
        if content.dtype != np.uint8 or content.ndim != 1 or offsets.dtype != np.int64 or offsets.ndim != 1:
            raise ModelError(f"the arrays of {name} are not of bytes and places.")
        if not offsets.size or offsets[0] != 0 or offsets[-1] != content.size or (offsets[1:] < offsets[:-1]).any():
            raise ModelError(f"the array {name}_offsets does not cut {name} into texts.")
        texts = pa.LargeStringArray.from_buffers(offsets.size - 1, pa.py_buffer(offsets), pa.py_buffer(content))
        try:
            texts.validate(full=True)
        except pa.ArrowException as error:
            raise ModelError(f"the array {name} is not UTF-8.") from error
        if sorted_ and not pc.all(pc.less(texts[:-1], texts[1:])).as_py() and len(texts) > 1:
            raise ModelError(f"the array {name} is not in order.")
        return cls(frozen(content), frozen(offsets))

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def __getitem__(self, number: int) -> str:
        return self._row(number).decode()

    def _row(self, number: int) -> bytes:
        return bytes(self._bytes[self.offsets[number] : self.offsets[number + 1]])

    def find(self, text: str) -> int:
        """Number of a text among rows in the order of their bytes; -1 if it is none. O(log rows)."""
        wanted = text.encode()
        at = bisect_left(range(len(self)), wanted, key=self._row)
        return at if at < len(self) and self._row(at) == wanted else -1
