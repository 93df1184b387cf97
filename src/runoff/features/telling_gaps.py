"""Columns in which that a value is missing says something about quality."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Bools, Ints
    from runoff.nbest import NBest

_CHANCE = 0.05  # of keeping any column, where nothing that is missing says anything


def telling_gaps(data: NBest, columns: Ints) -> Bools:
    """Whether missing values of each column go with quality within lists, beyond chance.

    The quality of the candidates that miss the value, less the mean of their list, is summed, and compared with what
    the sum would be if the qualities of every list were shuffled: mean 0 and a known variance (Hoeffding 1951);
    two-sided, at 5% for all columns together. O(stored values).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> X = [[np.nan, 1.0], [2.0, np.nan], [3.0, 0.0]] * 40
    >>> data = NBest.from_arrays(X, quality=[0, 1, 2] * 40, sizes=[3] * 40)
    >>> telling_gaps(data, np.array([0, 1])).tolist()
    [True, False]
    """
    from scipy import sparse

    features, d = data.features, columns.size
    if features.values is None or data.quality is None or not d:
        return np.zeros(d, np.bool_)
    group, sizes = data.group_of, np.maximum(data.sizes, 1)
    apart = data.quality - (np.bincount(group, data.quality, len(data)) / sizes)[group]
    variance = np.bincount(group, apart**2, len(data)) / np.maximum(sizes - 1, 1)
    table = features.to_scipy()
    slots = np.full(features.n_columns, -1)
    slots[columns] = np.arange(d)
    row = np.repeat(np.arange(data.n_candidates), np.diff(table.indptr))
    at = np.isnan(table.data) & (slots[table.indices] >= 0)
    row, slot = row[at], slots[table.indices[at]]
    sums = np.bincount(slot, apart[row], d)
    counts = sparse.coo_array((np.ones(row.size), (group[row], slot)), shape=(len(data), d)).tocsr()
    counts.data = counts.data - counts.data**2 / np.repeat(sizes, np.diff(counts.indptr))
    variances = np.asarray(counts.T @ variance)
    limit = NormalDist().inv_cdf(1 - _CHANCE / (2 * d))
    return np.asarray(sums**2 > limit**2 * np.maximum(variances, np.finfo(np.float64).tiny))
