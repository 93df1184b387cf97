"""Ids of groups that come block by block must differ: 8 bytes are kept of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


class GroupIdWatch:
    """Notices a group id that several blocks have. O(groups log groups) for all.

    Examples
    --------
    >>> import pyarrow as pa
    >>> watch = GroupIdWatch()
    >>> watch.add(pa.array(["a", "b"])), watch.add(pa.array(["c", "b"])), watch.repeated()
    (None, None, 1)
    """

    def __init__(self) -> None:
        self._hashes: list[NDArray[np.int64]] = []

    def add(self, ids: pa.Array) -> None:
        """Take the ids of one more block; an id that it has twice counts once."""
        self._hashes.append(np.unique(np.fromiter(map(hash, ids.to_pylist()), np.int64, len(ids))))

    def repeated(self) -> int | None:
        """Number of the first block that has an id of an earlier one; None where all ids differ."""
        if len(self._hashes) < 2:
            return None
        of_block = np.repeat(np.arange(len(self._hashes)), [each.size for each in self._hashes])
        hashes = np.concatenate(self._hashes)
        order = np.argsort(hashes, kind="stable")
        again = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
        return int(of_block[order[again + 1]].min()) if again.size else None
