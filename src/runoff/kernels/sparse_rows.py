"""Rows of sparse matrices (CSR); `values` of None means that all stored values are one.

Loops over one row get plain arrays: handing over a whole tuple of them for every row would cost more than the row
itself. Columns are unsigned, which spares the compiled code the question whether they count from the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def dot(
    first: int, last: int, indices: Columns, values: Singles | None, weights: Floats
) -> float:  # pragma: no cover - compiled
    """Product of a row, its stored values from `first` to before `last`, with weights. O(stored values)."""
    total = 0.0
    for at in range(first, last):
        if values is None:
            total += weights[np.uint32(indices[at])]
        else:
            total += weights[np.uint32(indices[at])] * values[at]
    return total


@compiled
def add(
    amount: float, first: int, last: int, indices: Columns, values: Singles | None, sums: Floats
) -> None:  # pragma: no cover - compiled
    """Add a row times an amount to sums by column. O(stored values)."""
    for at in range(first, last):
        if values is None:
            sums[np.uint32(indices[at])] += amount
        else:
            sums[np.uint32(indices[at])] += amount * values[at]


@compiled
def row_products(
    indptr: Ints, indices: Columns, values: Singles | None, weights: Floats, first: int, out: Floats
) -> None:  # pragma: no cover - compiled
    """`out[r] = x_(first+r) · weights` over CSR rows; `values` of None means that all are one. O(stored values)."""
    for row in range(out.size):
        total = 0.0
        for at in range(
            indptr[first + row], indptr[first + row + 1]
        ):  # calling `dot` would double the time of short rows
            if values is None:
                total += weights[indices[at]]
            else:
                total += weights[indices[at]] * values[at]
        out[row] = total


@compiled
def beside(
    indptr: Ints, indices: Columns, values: Singles | None, n_columns: int, table: Singles
) -> tuple[Ints, Columns, Singles]:  # pragma: no cover - compiled
    """CSR rows with the columns of a dense table after their own; zeros of the table are not stored. O(values)."""
    starts = np.zeros(indptr.size, np.int64)
    for row in range(indptr.size - 1):
        filled = 0
        for column in range(table.shape[1]):
            filled += table[row, column] != 0
        starts[row + 1] = starts[row] + indptr[row + 1] - indptr[row] + filled
    columns, numbers = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    to = 0
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            columns[to], numbers[to] = indices[at], 1.0 if values is None else values[at]
            to += 1
        for column in range(table.shape[1]):
            if table[row, column] != 0:
                columns[to], numbers[to] = n_columns + column, table[row, column]
                to += 1
    return starts, columns, numbers
