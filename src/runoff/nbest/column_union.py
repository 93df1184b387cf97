"""Columns of features of several files: their union, and features put into its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.nbest.csr import Features

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints, Singles


class ColumnUnion:
    """The columns of all files, in the order in which they first appear; by number where no file has names.

    Examples
    --------
    >>> union = ColumnUnion()
    >>> union.add(2, pa.array(["a", "b"], pa.large_string()))
    >>> union.add(2, pa.array(["c", "b"], pa.large_string()))
    >>> union.names.to_pylist()
    ['a', 'b', 'c']
    >>> two = Features.of(np.array([[1.0, 2.0]]), ["c", "b"])
    >>> union.aligned(two).to_scipy().toarray().tolist()
    [[0.0, 2.0, 1.0]]
    """

    def __init__(self) -> None:
        self.n_columns = 0
        self.names: pa.Array | None = None

    def add(self, n_columns: int, names: pa.Array | None) -> None:
        """Take the columns of one more file. O(columns)."""
        if names is None and self.names is None:
            self.n_columns = max(self.n_columns, n_columns)
            return
        known, more = _named(self.n_columns, self.names), _named(n_columns, names)
        if not more.equals(known):
            fresh = more.filter(pc.invert(pc.is_in(more, value_set=known))) if len(known) else more
            known = pa.concat_arrays([known, fresh]) if len(fresh) else known
        self.names, self.n_columns = known, len(known)

    def aligned(self, features: Features) -> Features:
        """Features with the columns of the union; what is stored is shared where no column moves. O(stored values)."""
        if self.names is None:
            return Features.from_csr(features.indptr, features.indices, features.values, self.n_columns)
        mine = features.column_names()
        if mine.equals(self.names):
            return features
        to = pc.index_in(mine, value_set=self.names).to_numpy(zero_copy_only=False).astype(np.int32)
        start, stop = int(features.indptr[0]), int(features.indptr[-1])
        indptr, used = frozen(features.indptr - start), features.indices[start:stop]
        values = None if features.values is None else features.values[start:stop]
        if bool(np.all(to == np.arange(to.size))):
            return Features.from_csr(indptr, used, values, self.n_columns, self.names)
        indices: Columns = to[used]
        if not bool(np.all(to[1:] > to[:-1])):
            indices, values = _sorted_rows(indptr, indices, values)
        return Features.from_csr(indptr, indices, values, self.n_columns, self.names)


def _named(n_columns: int, names: pa.Array | None) -> pa.Array:
    return pa.array(np.arange(n_columns).astype(str), pa.large_string()) if names is None else names


def _sorted_rows(indptr: Ints, indices: Columns, values: Singles | None) -> tuple[Columns, Singles | None]:
    from scipy import sparse

    small = indptr.astype(np.int32) if indices.size <= np.iinfo(np.int32).max else indptr
    stored = np.empty(indices.size, np.uint8) if values is None else np.array(values)
    rows = sparse.csr_array((stored, indices, small), shape=(indptr.size - 1, int(indices.max(initial=0)) + 1))
    rows.sort_indices()
    return rows.indices, None if values is None else rows.data
