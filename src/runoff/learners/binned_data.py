"""Features cut into bins, as trees are grown over them: sparse columns by stored values, dense ones as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.kernels.tree_bins import bin_values, column_cuts, invert_slots
from runoff.kernels.tree_growth import BinnedRows

if TYPE_CHECKING:
    from typing import Any

    from runoff.arrays import Floats, Ints

MOST_CUTS = 254  # with the bin of missing values, bins fit into a byte
DENSE = 0.25  # share of rows with a stored value from which on a column is kept as bytes, one for every row
_LARGEST = 1 << 33  # bytes of dense columns


@dataclass(frozen=True, eq=False)
class BinnedData:
    """Binned rows, and what their bins mean.

    A column is dense where a quarter of its values are stored or more. Its values are cut into bins by up to 254 cuts;
    missing values (NaN) have a bin of their own.
    """

    rows: BinnedRows
    source: Ints  # column of the data that every binned column is
    cuts: tuple[Floats, ...]  # of every binned column
    n_rows: int

    @property
    def n_columns(self) -> int:
        """Number of columns that have at least one cut."""
        return self.source.size

    @property
    def n_slots(self) -> int:
        """Length of a histogram."""
        return int(self.rows.first[-1])

    @property
    def n_stored(self) -> int:
        """Values that one pass over all rows visits."""
        return self.rows.slots.size + self.rows.dense.size

    @classmethod
    def of(cls, table: Any, most_cuts: int = MOST_CUTS) -> BinnedData:
        """Bin a CSR matrix; columns that are the same everywhere are left out. O(stored values log).

        Examples
        --------
        >>> from scipy import sparse
        >>> data = BinnedData.of(sparse.csr_array(np.array([[0.0, 1.5, 7.0], [2.0, np.nan, 7.0], [3.0, 0.5, 7.0]])))
        >>> data.source.tolist(), [cuts.tolist() for cuts in data.cuts]
        ([0, 1], [[1.0, 2.5], [1.0]])
        """
        n, width = table.shape
        indptr, _, values = _columns(table)
        cuts = [
            column_cuts(values[indptr[at] : indptr[at + 1]], n - int(indptr[at + 1] - indptr[at]), most_cuts)
            for at in range(width)
        ]
        has_missing = np.zeros(width, bool)
        has_missing[np.searchsorted(indptr, np.flatnonzero(np.isnan(values)), side="right") - 1] = True
        for at in np.flatnonzero(has_missing).tolist():
            if not cuts[at].size:  # all that is known is equal: what is missing can still be told from it
                cuts[at] = np.array([np.finfo(np.float64).max])
        is_used, is_dense = np.array([each.size > 0 for each in cuts], bool), np.diff(indptr) >= DENSE * max(n, 1)
        source = np.concatenate([np.flatnonzero(is_used & ~is_dense), np.flatnonzero(is_used & is_dense)])
        n_sparse = int((is_used & ~is_dense).sum())
        used = tuple(cuts[at] for at in source)
        return cls(_bin(table, source, used, has_missing[source], n_sparse), source, used, n)

    def like(self, table: Any) -> BinnedData:
        """Other rows with the same columns, in the bins of these; a value that is missing only there counts as 0."""
        missing, n_sparse = self.rows.missing, self.source.size - self.rows.dense.shape[1]
        return BinnedData(
            _bin(table, self.source, self.cuts, missing, n_sparse), self.source, self.cuts, table.shape[0]
        )


def _columns(table: Any) -> tuple[Any, Any, Any]:
    by_column = table.tocsc()
    by_column.sort_indices()
    return by_column.indptr, by_column.indices, by_column.data.astype(np.float32)


def _bin(table: Any, source: Ints, cuts: tuple[Floats, ...], missing: Any, n_sparse: int) -> BinnedRows:
    n, n_dense = table.shape[0], source.size - n_sparse
    if n * n_dense > _LARGEST:
        raise DataError(
            f"{n_dense:,} columns have values in a quarter of the {n:,} rows or more: too much for trees to hold in "
            "memory; use fewer such features."
        )
    indptr, indices, values = _columns(table)
    first, zero = np.zeros(source.size + 1, np.int64), np.full(source.size, -1, np.int64)
    dense = np.zeros((n, n_dense), np.uint8)
    rows, slots = [], []
    for to, at in enumerate(source.tolist()):
        stored, here = values[indptr[at] : indptr[at + 1]], indices[indptr[at] : indptr[at + 1]]
        if not missing[to]:
            stored = np.nan_to_num(stored, nan=0.0, posinf=np.inf, neginf=-np.inf)
        bins, below = np.empty(stored.size, np.int32), int(np.searchsorted(cuts[to], 0.0))
        bin_values(stored, cuts[to], bins)
        if to < n_sparse:
            zero[to] = below
            kept = bins != below  # only where other data had made the bins
            rows.append(here[kept])
            slots.append((first[to] + bins - (bins > below))[kept])
            first[to + 1] = first[to] + cuts[to].size + missing[to]
        else:
            dense[:, to - n_sparse] = below
            dense[here, to - n_sparse] = bins
            first[to + 1] = first[to] + cuts[to].size + 1 + missing[to]
    starts, in_rows = _by_row(n, rows, slots)
    slot_rows, rows_of = invert_slots(starts, in_rows, int(first[n_sparse]))
    return BinnedRows(starts, in_rows, dense, first[n_sparse:-1], first, zero, missing, slot_rows, rows_of)


def _by_row(n: int, rows: list[Any], slots: list[Any]) -> tuple[Ints, Any]:
    """Slots of every row, in their order."""
    if not rows:
        return np.zeros(n + 1, np.int64), np.zeros(0, np.int32)
    from scipy import sparse

    where, which = np.concatenate(rows), np.concatenate(slots).astype(np.int32)
    order = sparse.coo_array((which, (where, np.arange(which.size))), shape=(n, which.size)).tocsr()
    return order.indptr.astype(np.int64), order.data.astype(np.int32)
