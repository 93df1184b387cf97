"""Cutting the values of columns into bins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats, Ints, Singles


class Bins(NamedTuple):
    """Bins of the columns that are used: sparse ones first, then dense ones."""

    place: Columns  # of every column of the data among the used ones; -1 where it is not used
    n_sparse: int
    cut_start: Ints  # cuts of every used column are those from here on
    cuts: Floats  # rising within a column
    missing: Bools  # whether a used column has a bin for missing values, after all others
    zero: Ints  # the bin of zero
    first: Ints  # first slot of every used column, and the end; a sparse one has no slot for the bin of zero


@compiled
def column_ranges(
    columns: Columns, values: Singles, n_columns: int
) -> tuple[Singles, Singles, Ints, Bools]:  # pragma: no cover - compiled
    """Lowest and highest stored value of every column, how many it has, and whether one is NaN. O(stored values)."""
    low, high = np.full(n_columns, np.inf, np.float32), np.full(n_columns, -np.inf, np.float32)
    stored, missing = np.zeros(n_columns, np.int64), np.zeros(n_columns, np.bool_)
    for at in range(columns.size):
        column, value = columns[at], values[at]
        stored[column] += 1
        if np.isnan(value):
            missing[column] = True
        else:
            low[column], high[column] = min(low[column], value), max(high[column], value)
    return low, high, stored, missing


@compiled
def column_cuts(known: Singles, absent: int, most: int) -> Floats:  # pragma: no cover - compiled
    """Cuts between the sorted values of a column, beside `absent` zeros that are not stored.

    At most `most` cuts: half-way between any two different values where these are few, else between values at
    quantiles, and on both sides of zero where zeros are not stored. O(n).
    """
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
def _bin_of(value: float, column: int, bins: Bins) -> int:  # pragma: no cover - compiled
    """The number of cuts below a value; NaN has the bin for missing values, after all others."""
    low, high = int(bins.cut_start[column]), int(bins.cut_start[column + 1])
    first = low
    if np.isnan(value):
        return high - first + 1
    while low < high:
        middle = (low + high) // 2
        if bins.cuts[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - first


@compiled
def count_slots(
    indptr: Ints, columns: Columns, values: Singles, bins: Bins, start: int, stop: int, out: Ints
) -> None:  # pragma: no cover - compiled
    """Number of slots that every row from `start` to `stop` has. O(stored values log cuts)."""
    for row in range(start, stop):
        count = 0
        for at in range(indptr[row], indptr[row + 1]):
            column = bins.place[columns[at]]
            if 0 <= column < bins.n_sparse and _bin_of(values[at], column, bins) != bins.zero[column]:
                count += 1
        out[row] = count


@compiled
def bin_rows(
    indptr: Ints,
    columns: Columns,
    values: Singles,
    bins: Bins,
    start: int,
    stop: int,
    slot_start: Ints,
    slots: Columns,
    dense: NDArray[np.uint8],
) -> None:  # pragma: no cover - compiled
    """Write the slots of rows from `start` to `stop`, and their bins of dense columns. O(stored values log cuts)."""
    for row in range(start, stop):
        to = slot_start[row]
        for column in range(bins.n_sparse, bins.zero.size):
            dense[row, column - bins.n_sparse] = bins.zero[column]
        for at in range(indptr[row], indptr[row + 1]):
            column = bins.place[columns[at]]
            if column < 0:
                continue
            bin_, zero = _bin_of(values[at], column, bins), bins.zero[column]
            if column >= bins.n_sparse:
                dense[row, column - bins.n_sparse] = bin_
            elif bin_ != zero:
                slots[to] = bins.first[column] + bin_ - (1 if bin_ > zero else 0)
                to += 1


@compiled
def invert_slots(indptr: Ints, slots: Columns, n_slots: int, rows: Columns) -> Ints:  # pragma: no cover - compiled
    """Fill in the rows of every slot, in their order; where each slot's start. O(stored values)."""
    starts = np.zeros(n_slots + 1, np.int64)
    for slot in slots:
        starts[slot + 1] += 1
    for slot in range(n_slots):
        starts[slot + 1] += starts[slot]
    next_ = starts[:-1].copy()
    for row in range(indptr.size - 1):
        for place in range(indptr[row], indptr[row + 1]):
            rows[next_[slots[place]]] = row
            next_[slots[place]] += 1
    return starts
