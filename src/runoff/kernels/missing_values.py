"""Missing values of sparse rows, replaced by the mean of their group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints, Singles


@compiled
def fill_with_means(
    offsets: Ints, indptr: Ints, indices: Columns, values: Singles, slots: Columns, n_slots: int, out: Singles
) -> None:  # pragma: no cover - compiled
    """Copy the stored values to `out`, with the mean of the group's known values in place of each that is missing.

    `slots` numbers the columns that have missing values, -1 for others. What is not stored is a known zero; where
    nothing is known the mean is 0. O(stored values).
    """
    sums, missing = np.zeros(n_slots), np.zeros(n_slots, np.int64)
    begin = indptr[0]
    for group in range(offsets.size - 1):
        first, last = indptr[offsets[group]], indptr[offsets[group + 1]]
        for at in range(first, last):
            slot = slots[indices[at]]
            if slot >= 0:
                if np.isnan(values[at]):
                    missing[slot] += 1
                else:
                    sums[slot] += values[at]
        size = offsets[group + 1] - offsets[group]
        for at in range(first, last):
            out[at - begin] = values[at]
            if np.isnan(values[at]):
                slot = slots[indices[at]]
                known = size - missing[slot]
                out[at - begin] = sums[slot] / known if known else 0.0
        for at in range(first, last):
            slot = slots[indices[at]]
            if slot >= 0:
                sums[slot], missing[slot] = 0.0, 0
