"""Ids of candidates differ within their group, so that files which name candidates can be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, brief
from runoff.nbest.arrow_numbers import as_numpy

if TYPE_CHECKING:
    from runoff.nbest.core import NBest


class RepeatedIdError(DataError):
    """Two candidates of a group with one id; readers of files turn the input rows (from 0) into lines."""

    def __init__(self, name: str, group: str, row: int, earlier: int) -> None:
        self.name, self.group, self.row, self.earlier = name, group, row, earlier
        super().__init__(f"row {row + 1}: {self.sentence(f'row {earlier + 1}')}")

    def sentence(self, earlier: str) -> str:
        """What is wrong, without the row, and what to do."""
        return (
            f"group {brief(self.group)} already has a candidate with the id {brief(self.name)}, in {earlier}; "
            "ids must differ within a group, so leave one of the two out, or give no ids."
        )


def check_ids_differ(data: NBest) -> None:
    """Raise if an id occurs twice in a group. O(candidates).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> NBest.from_arrays(sizes=[2, 1], quality=[1, 0, 1], candidate_ids=["a", "a", "b"])
    Traceback (most recent call last):
    runoff.nbest.candidate_ids.RepeatedIdError: row 2: group '0' already has a candidate with the id 'a', in row 1; ...
    """
    if data.candidate_ids is None:
        return
    encoded = data.candidate_ids.dictionary_encode()
    pairs = data.group_of * len(encoded.dictionary) + as_numpy(encoded.indices)
    if len(pc.unique(pa.array(pairs))) == pairs.size:
        return
    first: dict[int, int] = {}
    for row, pair in enumerate(pairs.tolist()):
        if pair in first:
            break
        first[pair] = row
    rows = np.arange(pairs.size) if data.rows is None else data.rows
    group = data.group_ids[int(data.group_of[row])].as_py()
    raise RepeatedIdError(data.candidate_ids[row].as_py(), group, int(rows[row]), int(rows[first[pair]]))
