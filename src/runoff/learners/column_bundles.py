"""Features in two factors: bundles of columns that are identical within a group, and rows over bundles.

Candidates of a list have most features in common, so that thousands of columns of a group fall into a few hundred
bundles. Scores and gradients are the same; a pass over the data costs a fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.column_bundles import add_to_columns, bundle_weights, fold

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.nbest import NBest

_WORTH = 1 << 20  # stored values below which a pass is too fast for bundling to pay
_LEAST = 2.0  # factor by which bundling must reduce the stored values


@dataclass(frozen=True)
class ColumnBundles:
    """Rows over bundles, and the columns of every bundle; bundles of one group follow one another."""

    starts: Ints  # where the bundles of each group begin
    indptr: Ints
    indices: Columns
    values: Singles | None
    member_ends: Ints
    members: Columns

    def weights(self, groups: Ints, weights: Floats, out: Floats) -> None:
        """Write the weights of some groups' bundles to `out`."""
        bundle_weights(groups, self.starts, self.member_ends, self.members, weights, out)

    def add_slopes(self, groups: Ints, slopes: Floats, out: Floats) -> None:
        """Add the gradient over some groups' bundles to that over columns."""
        add_to_columns(groups, self.starts, self.member_ends, self.members, slopes, out)

    @property
    def count(self) -> int:
        """Number of bundles in all groups."""
        return int(self.starts[-1])


def bundle_columns(data: NBest, *, worth: int = _WORTH) -> ColumnBundles | None:
    """Bundle columns that are identical within groups; None where that would save little. O(stored values), two passes.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1, 1, 0, 1], [0, 0, 1, 1]], quality=[1, 0], sizes=[2])
    >>> found = bundle_columns(data, worth=0)
    >>> found.count, found.indices.tolist(), found.members.tolist()
    (3, [0, 1, 2, 1], [0, 1, 3, 2])
    """
    features = data.features
    stored = int(features.indptr[-1] - features.indptr[0])
    if stored < worth:
        return None
    bits = None if features.values is None else features.values.view(np.uint32)
    starts = np.zeros(len(data) + 1, np.int64)
    table = (data.offsets, features.indptr, features.indices, bits, features.n_columns)
    none, no_columns = np.empty(0, np.int64), np.empty(0, np.int32)
    bundles, cells, members = fold(*table, starts, none, no_columns, none, no_columns, none)
    if worth and _LEAST * (cells + members) > stored:
        return None
    rows, sources = np.zeros(data.n_candidates + 1, np.int64), np.empty(cells, np.int64)
    indices, columns = np.empty(cells, np.int32), np.empty(members, np.int32)
    ends = np.zeros(bundles + 1, np.int64)
    fold(*table, starts, rows, indices, sources, columns, ends)
    values = None if features.values is None else frozen(features.values[sources])
    return ColumnBundles(frozen(starts), frozen(rows), frozen(indices), values, frozen(ends), frozen(columns))
