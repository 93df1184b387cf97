"""Features cut into bins, as trees are grown over them: sparse columns by stored values, dense ones as bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.tree_bins import Bins, bin_rows, column_cuts, column_ranges, count_slots, invert_slots
from runoff.kernels.tree_growth import BinnedRows
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from typing import Any

    from runoff.arrays import Bools, Floats, Ints, Singles

MOST_CUTS = 254  # with the bin of missing values, bins fit into a byte
DENSE = 0.25  # share of rows with a stored value from which on a column is kept as bytes, one for every row
_LARGEST = 1 << 33  # bytes of dense columns
_STORED_PER_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class BinnedData:
    """Binned rows, and what their bins mean.

    A column is dense where a quarter of its values are stored or more. Its values are cut into bins by up to 254 cuts;
    missing values (NaN) have a bin of their own.
    """

    rows: BinnedRows
    source: Ints  # column of the data that every binned column is
    bins: Bins
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

    @property
    def n_cuts(self) -> Ints:
        """Number of cuts of every binned column."""
        return np.diff(self.bins.cut_start)

    def cuts(self, column: int) -> Floats:
        """The cuts of a binned column."""
        return self.bins.cuts[self.bins.cut_start[column] : self.bins.cut_start[column + 1]]

    @classmethod
    def of(cls, table: Any, most_cuts: int = MOST_CUTS) -> BinnedData:
        """Bin a CSR matrix; columns that are the same everywhere are left out. O(stored values log).

        Examples
        --------
        >>> from scipy import sparse
        >>> data = BinnedData.of(sparse.csr_array(np.array([[0.0, 1.5, 7.0], [2.0, np.nan, 7.0], [3.0, 0.5, 7.0]])))
        >>> data.source.tolist(), data.cuts(0).tolist(), data.cuts(1).tolist()
        ([0, 1], [1.0, 2.5], [1.0])
        """
        n, width = table.shape
        values = table.data.astype(np.float32, copy=False)
        low, high, stored, has_missing = column_ranges(table.indices, values, width)
        # Most sparse columns have one value beside zero, and so one cut.
        is_plain = (low == high) & (low != 0) & (stored < n) & ~has_missing
        several = np.flatnonzero((stored > 0) & ~is_plain)
        found = dict(zip(several.tolist(), _cuts_of(table, several, stored, most_cuts), strict=True))
        n_cuts = is_plain.astype(np.int64)
        n_cuts[several] = [found[at].size for at in several.tolist()]
        is_used, is_dense = n_cuts > 0, stored >= DENSE * max(n, 1)
        sparse = np.flatnonzero(is_used & ~is_dense)
        sparse = sparse[np.argsort(-stored[sparse], kind="stable")]  # slots that are often met lie close together
        source = np.concatenate([sparse, np.flatnonzero(is_used & is_dense)])
        halves = 0.5 * low.astype(np.float64)
        parts = [found[at] if at in found else halves[at : at + 1] for at in source.tolist()]
        bins = _bins(source, width, sparse.size, n_cuts[source], np.concatenate([*parts, []]), has_missing)
        return cls(_binned(table, bins), source, bins, n)

    def like(self, table: Any) -> BinnedData:
        """Other rows with the same columns, in the bins of these, and of values that are missing only there."""
        has_missing = column_ranges(table.indices, table.data.astype(np.float32, copy=False), table.shape[1])[3]
        has_missing[self.source] |= self.bins.missing
        width, cuts = self.bins.place.size, self.bins.cuts
        bins = _bins(self.source, width, self.bins.n_sparse, self.n_cuts, cuts, has_missing)
        return BinnedData(_binned(table, bins), self.source, bins, table.shape[0])


def _cuts_of(table: Any, columns: Ints, stored: Ints, most_cuts: int) -> list[Floats]:
    """Cuts of columns with several values."""
    if not columns.size:
        return []
    by_column = (table if columns.size == table.shape[1] else table[:, columns]).tocsc()
    indptr, values = by_column.indptr, by_column.data.astype(np.float32, copy=False)

    def cuts(at: int) -> Floats:
        ordered: Singles = np.sort(values[indptr[at] : indptr[at + 1]])
        known = ordered[: ordered.size - int(np.isnan(ordered).sum())]
        found: Floats = column_cuts(known, table.shape[0] - int(stored[columns[at]]), most_cuts)
        if known.size < ordered.size and not found.size:
            found = np.array([np.finfo(np.float64).max])  # all that is known is equal; what is missing is not
        return found

    return in_threads(cuts, range(columns.size))


def _bins(source: Ints, width: int, n_sparse: int, n_cuts: Ints, cuts: Floats, has_missing: Bools) -> Bins:
    place = np.full(width, -1, np.int32)
    place[source] = np.arange(source.size)
    cut_start = np.concatenate([[0], np.cumsum(n_cuts)]).astype(np.int64)
    below = np.concatenate([[0], np.cumsum(cuts < 0)])
    slots = n_cuts + has_missing[source]
    slots[n_sparse:] += 1  # of the bin of zero
    return Bins(
        frozen(place),
        n_sparse,
        frozen(cut_start),
        frozen(cuts),
        frozen(has_missing[source]),
        frozen(below[cut_start[1:]] - below[cut_start[:-1]]),
        frozen(np.concatenate([[0], np.cumsum(slots)]).astype(np.int64)),
    )


def _binned(table: Any, bins: Bins) -> BinnedRows:
    n, n_dense = table.shape[0], bins.zero.size - bins.n_sparse
    if n * n_dense > _LARGEST:
        raise DataError(
            f"{n_dense:,} columns have values in a quarter of the {n:,} rows or more: too much for trees to hold in "
            "memory; use fewer such features."
        )
    arrays = table.indptr.astype(np.int64), table.indices, table.data.astype(np.float32, copy=False), bins
    cuts = even_cuts(arrays[0], int(1 + table.nnz // _STORED_PER_PIECE))
    counts = np.zeros(n, np.int64)
    if bins.n_sparse:
        in_threads(lambda at: count_slots(*arrays, cuts[at], cuts[at + 1], counts), range(cuts.size - 1))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    slots, dense = np.empty(starts[-1], np.int32), np.zeros((n, n_dense), np.uint8)
    in_threads(lambda at: bin_rows(*arrays, cuts[at], cuts[at + 1], starts, slots, dense), range(cuts.size - 1))
    rows_of = np.empty(slots.size, np.int32)  # by numpy, as every large array: it may lie in a file
    slot_rows = invert_slots(starts, slots, int(bins.first[bins.n_sparse]), rows_of)
    zero = np.where(np.arange(bins.zero.size) < bins.n_sparse, bins.zero, -1)
    return BinnedRows(
        starts, slots, dense, bins.first[bins.n_sparse : -1], bins.first, zero, bins.missing, slot_rows, rows_of
    )
