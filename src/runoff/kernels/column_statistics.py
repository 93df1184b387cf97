"""What a column of features does inside groups: how often it is there and how much it varies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, mixed

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def column_facts(
    offsets: Ints, indptr: Ints, indices: Columns, values: Singles | None, n_columns: int
) -> tuple[Ints, Floats]:  # pragma: no cover - compiled
    """Groups in which each column occurs, and its spread within the groups where it varies.

    The spread is the root mean square, over the groups where the column is not constant, of its standard
    deviation within the group; 0 for a column that varies nowhere. O(stored values), two passes.
    """
    seen, varying = np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64)
    spread, mean, square = np.zeros(n_columns), np.zeros(n_columns), np.zeros(n_columns)
    stored, touched = np.zeros(n_columns, np.int64), np.empty(n_columns, np.int64)
    low, high = np.zeros(n_columns), np.zeros(n_columns)
    for group in range(offsets.size - 1):
        size = offsets[group + 1] - offsets[group]
        first, last = indptr[offsets[group]], indptr[offsets[group + 1]]
        n_touched = 0
        for at in range(first, last):
            column = indices[at]
            value = 1.0 if values is None else np.float64(values[at])
            if stored[column] == 0:
                touched[n_touched] = column
                n_touched += 1
                low[column] = high[column] = value
            stored[column] += 1
            low[column], high[column] = min(low[column], value), max(high[column], value)
            mean[column] += value / size
        # Squares of deviations in a pass of their own: a sum of squares would lose the small differences
        # between large values.
        for at in range(first, last):
            column = indices[at]
            value = 1.0 if values is None else np.float64(values[at])
            square[column] += (value - mean[column]) ** 2
        for slot in range(n_touched):
            column = touched[slot]
            seen[column] += 1
            if low[column] != high[column] or (stored[column] < size and high[column] != 0.0):
                varying[column] += 1
                spread[column] += (square[column] + (size - stored[column]) * mean[column] ** 2) / size
            mean[column] = square[column] = 0.0
            stored[column] = 0
    for column in range(n_columns):
        if varying[column]:
            spread[column] = np.sqrt(spread[column] / varying[column])
    return seen, spread


@compiled
def row_hashes(
    indptr: Ints, indices: Columns, values: Singles | None
) -> npt.NDArray[np.uint64]:  # pragma: no cover - compiled
    """A number for every row that is the same for rows with the same columns and values, in any order.

    Sums of well-mixed 64-bit numbers: two different rows collide with a chance of about 2**-64. O(stored values).
    """
    out = np.zeros(indptr.size - 1, np.uint64)
    for row in range(out.size):
        for at in range(indptr[row], indptr[row + 1]):
            value = np.float64(1.0) if values is None else np.float64(values[at])
            if np.isnan(value):
                value = np.float64(np.nan)  # of one sign, whatever it had
            out[row] += mixed(np.uint64(indices[at]) * GOLDEN + np.float64(value).view(np.uint64))
    return out


@compiled
def square_distances(
    offsets: Ints, indptr: Ints, indices: Columns, values: Singles | None, n_columns: int
) -> float:  # pragma: no cover - compiled
    """Sum over all rows of the squared distance of a row from the mean of its group. O(stored values)."""
    mean, stored = np.zeros(n_columns), np.zeros(n_columns, np.int64)
    total = 0.0
    for group in range(offsets.size - 1):
        size = offsets[group + 1] - offsets[group]
        first, last = indptr[offsets[group]], indptr[offsets[group + 1]]
        for at in range(first, last):
            mean[indices[at]] += (1.0 if values is None else np.float64(values[at])) / size
            stored[indices[at]] += 1
        for at in range(first, last):
            total += ((1.0 if values is None else np.float64(values[at])) - mean[indices[at]]) ** 2
        for at in range(first, last):
            column = indices[at]
            if stored[column]:
                total += (size - stored[column]) * mean[column] ** 2
            mean[column], stored[column] = 0.0, 0
    return total
