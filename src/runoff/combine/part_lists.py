"""Parts as lists of two candidates, to take a part or to leave it: so every learner of lists is a filter of parts."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.nbest import Features, NBest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.arrays import Bools, Ints
    from runoff.combine.evidence import Row

BIAS, BLOCK = "bias", "block"  # a column that every part has to take; an attribute by which folds cut
TAKE, LEAVE = 0, 1


class PartTable:
    """Rows of evidence of parts, gathered group by group, as arrays.

    Examples
    --------
    >>> table = PartTable()
    >>> table.add([[("label:A0", 1.0)], [("label:A1", 1.0), ("p:a", 0.5)]], [True, False])
    >>> table.lists(["g"], min_groups=1)
    NBest(2 groups, 4 candidates, 4 features, quality)
    """

    def __init__(self, vocabulary: Mapping[str, int] | None = None) -> None:
        self._fixed = vocabulary is not None
        self._numbers: dict[str, int] = {BIAS: 0} if vocabulary is None else dict(vocabulary)
        self._indices, self._values, self._ends = array("i"), array("f"), array("q", [0])
        self._sizes, self._right = array("i"), bytearray()
        self._groups_of: dict[int, int] = {}  # column -> number of groups, for the cut-off

    def add(self, rows: Iterable[Row], right: Iterable[bool] | None = None) -> None:
        """Add the parts of one more group; `right` where it is known."""
        numbers, size = self._numbers, 0
        seen: set[int] = set()
        for row in rows:
            found: dict[int, float] = {}
            for name, value in ((BIAS, 1.0), *row):
                column = numbers.get(name, -1)
                if column < 0 and not self._fixed:
                    column = numbers[name] = len(numbers)
                if column >= 0 and value:
                    found[column] = value
            seen.update(found)
            for column in sorted(found):
                self._indices.append(column)
                self._values.append(found[column])
            self._ends.append(len(self._indices))
            size += 1
        for column in seen:
            self._groups_of[column] = self._groups_of.get(column, 0) + 1
        self._sizes.append(size)
        if right is not None:
            self._right.extend(map(bool, right))

    @property
    def offsets(self) -> Ints:
        """Where the parts of every group begin."""
        return np.concatenate([[0], np.cumsum(np.frombuffer(self._sizes, np.int32), dtype=np.int64)])

    @property
    def right(self) -> Bools:
        """Which parts are right, as they were added."""
        return np.frombuffer(bytes(self._right), np.uint8).astype(bool)

    def lists(self, blocks: Sequence[str], min_groups: int = 1) -> NBest:
        """One list for every part: its evidence is what speaks for taking it, and leaving it has no features.

        Columns that occur in fewer groups than `min_groups` are left out, unless the vocabulary was given. `blocks`
        name what every group belongs to, so that folds keep the parts of one together.
        """
        indices = np.frombuffer(self._indices, np.int32) if self._indices else np.zeros(0, np.int32)
        values = np.frombuffer(self._values, np.float32) if self._values else np.zeros(0, np.float32)
        ends = np.frombuffer(self._ends, np.int64)
        names = list(self._numbers)
        if not self._fixed and min_groups > 1:
            counts = np.zeros(len(names), np.int64)
            counts[list(self._groups_of)] = list(self._groups_of.values())
            indices, values, ends, names = _frequent(indices, values, ends, names, counts >= min_groups)
        parts = ends.size - 1
        both = np.empty(2 * parts + 1, np.int64)  # rows of taking and of leaving in turn
        both[0::2], both[1::2] = ends, ends[1:]
        at = np.repeat(np.arange(len(blocks)), np.frombuffer(self._sizes, np.int32))
        quality = None
        if self._right:
            quality = np.zeros(2 * parts)
            quality[0::2], quality[1::2] = self.right, ~self.right
        return NBest.from_arrays(
            Features.from_csr(both, indices, values, len(names), names),
            quality,
            sizes=np.full(parts, 2),
            attributes={BLOCK: pa.array(list(blocks), pa.large_string()).take(pa.array(at))} if parts else None,
        )


def _frequent(indices: Any, values: Any, ends: Any, names: list[str], kept: Bools) -> tuple[Any, Any, Any, list[str]]:
    new = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    there = kept[indices] if indices.size else np.zeros(0, bool)
    sums = np.concatenate([[0], np.cumsum(there)])
    return (
        new[indices[there]],
        values[there],
        sums[ends],
        [name for name, keep in zip(names, kept, strict=True) if keep],
    )
