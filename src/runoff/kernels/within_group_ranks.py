"""Where candidates stand within their groups, column by column.

A column is chosen by its slot in `slots`, -1 for one that is not; slots that no column has count as columns without any
value. What is not stored is zero, and a column that a row has twice counts as the sum. A value that is missing (NaN)
has no place, and is no rival to the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest
from runoff.kernels.ordering import sort_best_first

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles


_COUNTED = 256  # candidates up to which comparing all with all, without a branch, is faster than sorting


@compiled
def beaten_shares(
    offsets: Ints, indptr: Ints, indices: Columns, values: Singles | None, slots: Columns, out: Singles
) -> None:  # pragma: no cover - compiled
    """Share of the other candidates of the group that each one beats, ties counting one half; 0.5 for one alone.

    NaN where the value is; the others are compared among themselves. `out` has a row for each candidate between the
    first offset and the last, and a column for each slot. O(stored values), and O(n log k) for each slot, with n
    candidates in groups of k.
    """
    most = largest(offsets)
    table = np.empty((out.shape[1], most))
    order, spare = np.empty(most, np.int64), np.empty(most, np.int64)
    for group in range(offsets.size - 1):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        _fill(table, start, size, indptr, indices, values, slots)
        first = start - offsets[0]
        for slot in range(table.shape[0]):
            known = 0
            for at in range(size):
                if np.isnan(table[slot, at]):
                    out[first + at, slot] = np.nan
                else:
                    order[known] = at
                    known += 1
            if known <= _COUNTED:
                _count(table[slot], order[:known], first, slot, out)
            else:
                sort_best_first(order, spare, 0, known, table[slot], table[slot])
                _read_off(table[slot], known, order, first, slot, out)


@compiled
def varieties(
    offsets: Ints, indptr: Ints, indices: Columns, values: Singles | None, slots: Columns, n_slots: int
) -> tuple[Ints, Ints]:  # pragma: no cover - compiled
    """Groups of at least three candidates in which a slot has two values or more, and in which it has three or more.

    O(stored values + candidates x slots).
    """
    two, three = np.zeros(n_slots, np.int64), np.zeros(n_slots, np.int64)
    table = np.empty((n_slots, largest(offsets)))
    for group in range(offsets.size - 1):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        if size < 3:
            continue
        _fill(table, start, size, indptr, indices, values, slots)
        for slot in range(n_slots):
            column = table[slot]
            one = 0
            while one < size and np.isnan(column[one]):
                one += 1
            other = one + 1
            while other < size and (np.isnan(column[other]) or column[other] == column[one]):
                other += 1
            if other >= size:
                continue
            two[slot] += 1
            for at in range(other + 1, size):
                if not np.isnan(column[at]) and column[at] != column[one] and column[at] != column[other]:
                    three[slot] += 1
                    break
    return two, three


@compiled
def _fill(
    table: Floats, start: int, size: int, indptr: Ints, indices: Columns, values: Singles | None, slots: Columns
) -> None:  # pragma: no cover - compiled
    """Write the values of a group to the first columns of the table, one row for each slot."""
    for slot in range(table.shape[0]):
        for at in range(size):
            table[slot, at] = 0.0
    for row in range(size):
        for at in range(indptr[start + row], indptr[start + row + 1]):
            slot = slots[indices[at]]
            if slot >= 0:
                table[slot, row] += 1.0 if values is None else np.float64(values[at])


@compiled
def _count(column: Floats, known: Ints, first: int, slot: int, out: Singles) -> None:  # pragma: no cover - compiled
    size = known.size
    for at in known:
        value, halves = column[at], -1  # a candidate ties with itself, which does not count
        for other in known:
            halves += (column[other] < value) + (column[other] <= value)
        out[first + at, slot] = 0.5 if size == 1 else halves / (2 * (size - 1))


@compiled
def _read_off(
    column: Floats, size: int, order: Ints, first: int, slot: int, out: Singles
) -> None:  # pragma: no cover - compiled
    low = 0
    while low < size:
        high = low + 1
        while high < size and column[order[high]] == column[order[low]]:
            high += 1
        for at in range(low, high):
            out[first + order[at], slot] = (2 * size - low - high - 1) / (2 * (size - 1))
        low = high
