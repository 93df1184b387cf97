"""Columns that grow while a file is read: a text is kept once, whatever the number of its tokens."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.tasks.tagging.corpus import Column

if TYPE_CHECKING:
    from collections.abc import Iterable


class ColumnBuilder:
    """Takes texts of tokens, and gives the column at the end.

    Examples
    --------
    >>> builder = ColumnBuilder()
    >>> builder.extend(["the", "cat"])
    >>> builder.extend(["the"])
    >>> builder.column().texts()
    ['the', 'cat', 'the']
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._codes = array("i")

    def __len__(self) -> int:
        return len(self._codes)

    def extend(self, texts: Iterable[str]) -> None:
        """Take the texts of some more tokens."""
        number = self._number
        self._codes.extend([number.setdefault(text, len(number)) for text in texts])

    def column(self) -> Column:
        """The column of all texts so far."""
        codes = np.array(self._codes, np.int32)
        return Column(tuple(self._number), frozen(codes))
