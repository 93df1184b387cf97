"""Groups of candidates from ids, sizes or offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, UsageError
from runoff.nbest.table_columns import plain

if TYPE_CHECKING:
    from runoff.arrays import Ints


@dataclass(frozen=True)
class Grouping:
    """Offsets, the ids of the groups, and the order that brings interleaved rows together (None: as they came)."""

    offsets: Ints
    ids: pa.Array | None
    order: Ints | None


def group(n_rows: int, *, groups: Any = None, sizes: Any = None, offsets: Any = None) -> Grouping:
    """Group rows by ids, sizes or offsets, exactly one of which is given.

    Groups are in the order of their first row; rows of one group keep their order. A group id that appears again later
    belongs to the same group. O(rows), O(rows log rows) if interleaved.
    """
    given = [name for name, value in (("groups", groups), ("sizes", sizes), ("offsets", offsets)) if value is not None]
    if len(given) != 1:
        raise UsageError(f"give exactly one of groups=, sizes= or offsets=; found {given or 'none'}.")
    if groups is not None:
        return _from_ids(n_rows, groups)
    if sizes is not None:
        sizes = _whole_numbers(sizes, "sizes")
        cuts = np.zeros(sizes.size + 1, np.int64)
        np.cumsum(sizes, out=cuts[1:])
    else:
        cuts = _whole_numbers(offsets, "offsets")
    if cuts.size == 0 or cuts[0] != 0 or cuts[-1] != n_rows or np.any(np.diff(cuts) < 0):
        raise DataError(
            f"{given[0]} must divide {n_rows} candidates into groups: from 0 to {n_rows}, never descending; "
            f"found {cuts[:3].tolist()} … {cuts[-1:].tolist()}."
        )
    return Grouping(cuts, None, None)


def _from_ids(n_rows: int, groups: Any) -> Grouping:
    array = plain(groups if isinstance(groups, (pa.Array, pa.ChunkedArray)) else pa.array(np.asarray(groups)))
    if len(array) != n_rows:
        raise DataError(f"there are {n_rows} candidates but {len(array)} group ids.")
    if array.null_count:
        raise DataError(f"{array.null_count} candidate(s) have no group id.")
    encoded = array.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    offsets = np.zeros(len(encoded.dictionary) + 1, np.int64)
    np.cumsum(np.bincount(codes, minlength=len(encoded.dictionary)), out=offsets[1:])
    in_order = bool(np.all(codes[1:] >= codes[:-1]))
    ids = encoded.dictionary.cast(pa.large_string())
    return Grouping(offsets, ids, None if in_order else np.argsort(codes, kind="stable"))


def _whole_numbers(values: Any, name: str) -> Ints:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu") or (array.size and array.min() < 0):
        raise DataError(f"{name} must be a list of whole numbers that are not negative.")
    return array.astype(np.int64)
