"""Where records come from, for error messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class RecordSource:
    """A file, or plain Python, whose records are called `unit` in messages: "line", "element" or "record"."""

    path: str | Path | None = None
    unit: str = "line"

    def error(self, message: str, number: int) -> DataError:
        """Say what is wrong with a record.

        Examples
        --------
        >>> print(RecordSource("lists.json", "element").error("there is no input.", 3))
        lists.json: element 3: there is no input.
        """
        if self.unit == "line":
            return DataError(message, path=self.path, line=number)
        return DataError(f"{self.unit} {number}: {message}", path=self.path)


@dataclass(frozen=True)
class RecordBlock:
    """Records that are processed together: their numbers in the source, ids and sizes."""

    source: RecordSource
    lines: Sequence[int]
    ids: list[str]
    sizes: list[int]

    def candidate(self, row: int) -> tuple[int, str]:
        """Number of the record and description of a candidate; candidates of a group count from 1."""
        ends = np.cumsum(self.sizes)
        group = int(np.searchsorted(ends, row, side="right"))
        number = row - int(ends[group]) + self.sizes[group] + 1
        return self.lines[group], f"candidate {number} of group {brief(self.ids[group])}"

    def group_error(self, message: str, at: int) -> DataError:
        """Say what is wrong with a group of the block, by its index."""
        return self.source.error(message, self.lines[at])

    def candidate_error(self, before: str, row: int, after: str) -> DataError:
        """Say what is wrong with a candidate, which is named between the two parts of the message."""
        line, place = self.candidate(row)
        return self.source.error(f"{before}{place}{after}", line)
