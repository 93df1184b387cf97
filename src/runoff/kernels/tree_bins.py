"""Cutting the values of columns into bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def column_cuts(values: Singles, absent: int, most: int) -> Floats:  # pragma: no cover - compiled
    """Cuts between the values of a column, `absent` of which are zeros that are not stored; NaN does not count.

    At most `most` cuts: half-way between any two different values where these are few, else between values at
    quantiles, and on both sides of zero where zeros are not stored. O(n log n).
    """
    known = np.sort(values[~np.isnan(values)])
    different, counts = np.empty(known.size + 1), np.zeros(known.size + 1, np.int64)
    size, waits = 0, absent > 0
    for value in known:
        if waits and value >= 0.0:
            different[size], counts[size] = 0.0, absent
            size += 1
            waits = False
        if size and different[size - 1] == value:
            counts[size - 1] += 1
        else:
            different[size], counts[size] = value, 1
            size += 1
    if waits:
        different[size], counts[size] = 0.0, absent
        size += 1
    if size < 2:
        return np.empty(0)
    cuts = np.empty(size - 1)
    kept, passed = 0, 0
    step = known.size / (most - 2) if size - 1 > most else 0.0
    for at in range(size - 1):
        passed += counts[at]
        beside_zero = absent > 0 and (different[at] == 0.0 or different[at + 1] == 0.0)
        # The two cuts beside zero are always made; others once enough values have passed since the last.
        if passed >= step or beside_zero:
            cuts[kept] = 0.5 * (different[at] + different[at + 1])
            kept += 1
            passed = 0
    return cuts[:kept]


@compiled
def bin_values(values: Singles, cuts: Floats, out: Columns) -> None:  # pragma: no cover - compiled
    """The number of cuts below every value; one more than there are cuts for NaN. O(n log cuts)."""
    for at in range(values.size):
        out[at] = cuts.size + 1 if np.isnan(values[at]) else np.searchsorted(cuts, values[at])


@compiled
def invert_slots(indptr: Ints, slots: Columns, n_slots: int) -> tuple[Ints, Columns]:  # pragma: no cover - compiled
    """Rows of every slot, in their order, and where each slot's start. O(stored values)."""
    starts = np.zeros(n_slots + 1, np.int64)
    for slot in slots:
        starts[slot + 1] += 1
    for slot in range(n_slots):
        starts[slot + 1] += starts[slot]
    rows, next_ = np.empty(slots.size, np.int32), starts[:-1].copy()
    for row in range(indptr.size - 1):
        for place in range(indptr[row], indptr[row + 1]):
            rows[next_[slots[place]]] = row
            next_[slots[place]] += 1
    return starts, rows
