"""Products of columns that occur together: which pairs there are, and rows with the products after their own values.

All loops go through the columns, and for each through the rows that have it (the transposed table), so that what is
looked up at random is one array as long as the columns, which stays in the cache; no table of all pairs is needed.
Columns have numbers among those that take part, -1 where they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Ints, Singles


@compiled
def are_ordered(indptr: Ints, indices: Columns, numbers: Columns) -> bool:  # pragma: no cover - compiled
    """Whether the numbers of the columns that take part ascend in every row. O(stored values)."""
    for row in range(indptr.size - 1):
        last = -1
        for at in range(indptr[row], indptr[row + 1]):
            number = numbers[indices[at]]
            if number >= 0:
                if number <= last:
                    return False
                last = number
    return True


@compiled
def occurrences(
    indptr: Ints, indices: Columns, numbers: Columns, n: int
) -> tuple[Ints, Columns, Ints]:  # pragma: no cover - compiled
    """The table by column: where each column begins, and row and place of its stored values. O(stored values)."""
    starts = np.zeros(n + 2, np.int64)
    for at in range(indptr[0], indptr[-1]):
        number = numbers[indices[at]]
        if number >= 0:
            starts[number + 2] += 1
    for number in range(n):
        starts[number + 2] += starts[number + 1]
    rows, places = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int64)
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            number = numbers[indices[at]]
            if number >= 0:
                to = starts[number + 1]
                rows[to], places[to] = row, at
                starts[number + 1] = to + 1
    return starts[:-1], rows, places


@compiled
def frequent_pairs(
    group_of: Ints, indptr: Ints, indices: Columns, numbers: Columns, with_itself: Bools, least: int
) -> tuple[Columns, Columns]:  # pragma: no cover - compiled
    """Pairs of columns that occur together in at least so many groups, in order; and some columns with themselves.

    O(pairs of stored values of a row, summed over rows); memory for one number per stored value and column beside the
    pairs that are found.
    """
    n = with_itself.size
    ordered = are_ordered(indptr, indices, numbers)
    starts, rows, places = occurrences(indptr, indices, numbers, n)
    last, count = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    seen = np.empty(n, np.int32)
    left, right, found = np.empty(1024, np.int32), np.empty(1024, np.int32), 0
    for one in range(n):
        known = 0
        for occurrence in range(starts[one], starts[one + 1]):
            row = rows[occurrence]
            group = group_of[row]
            first = places[occurrence] if ordered else indptr[row]
            for at in range(first, indptr[row + 1]):
                other = numbers[indices[at]]
                if other < one or last[other] == group or (other == one and not with_itself[one]):
                    continue
                if count[other] == 0:
                    seen[known] = other
                    known += 1
                last[other] = group
                count[other] += 1
        seen[:known].sort()
        if found + known > left.size:
            size = max(2 * left.size, found + known)
            wider_left, wider_right = np.empty(size, np.int32), np.empty(size, np.int32)
            wider_left[:found], wider_right[:found] = left[:found], right[:found]
            left, right = wider_left, wider_right
        for other in seen[:known]:
            if count[other] >= least:
                left[found], right[found] = one, other
                found += 1
            last[other], count[other] = -1, 0
    return left[:found].copy(), right[:found].copy()


@compiled
def count_products(
    indptr: Ints,
    indices: Columns,
    numbers: Columns,
    starts: Ints,
    partners: Columns,
    column_of: Columns,
    counts: Ints,
) -> None:  # pragma: no cover - compiled
    """Number of products of every row. The pairs of column i are `partners[starts[i]:starts[i + 1]]`.

    `column_of` has the new column of each pair, -1 for one that is left out. O(pairs of values of a row + pairs).
    """
    n = starts.size - 1
    ordered = are_ordered(indptr, indices, numbers)
    firsts, rows, places = occurrences(indptr, indices, numbers, n)
    made = np.full(n, -1, np.int32)
    for one in range(n):
        if firsts[one] == firsts[one + 1]:
            continue
        for pair in range(starts[one], starts[one + 1]):
            made[partners[pair]] = column_of[pair]
        for occurrence in range(firsts[one], firsts[one + 1]):
            row = rows[occurrence]
            first = places[occurrence] if ordered else indptr[row]
            for at in range(first, indptr[row + 1]):
                other = numbers[indices[at]]
                if other >= 0 and made[other] >= 0:
                    counts[row] += 1
        for pair in range(starts[one], starts[one + 1]):
            made[partners[pair]] = -1


@compiled
def fill_products(
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    numbers: Columns,
    starts: Ints,
    partners: Columns,
    column_of: Columns,
    ends: Ints,
    out_indices: Columns,
    out_values: Singles | None,
) -> int:  # pragma: no cover - compiled
    """Write every row, and its products after it, in the order of their columns where the row is in order.

    `ends` says where each row begins and is moved to where it ends. Gives the column of a product that is too large
    for a number, else -1. As `count_products`.
    """
    n, too_large = starts.size - 1, -1
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            out_indices[ends[row]] = indices[at]
            if out_values is not None and values is not None:
                out_values[ends[row]] = values[at]
            ends[row] += 1
    ordered = are_ordered(indptr, indices, numbers)
    firsts, rows, places = occurrences(indptr, indices, numbers, n)
    made = np.full(n, -1, np.int32)
    for one in range(n):
        if firsts[one] == firsts[one + 1]:
            continue
        for pair in range(starts[one], starts[one + 1]):
            made[partners[pair]] = column_of[pair]
        for occurrence in range(firsts[one], firsts[one + 1]):
            row, place = rows[occurrence], places[occurrence]
            first = place if ordered else indptr[row]
            for at in range(first, indptr[row + 1]):
                other = numbers[indices[at]]
                if other < 0 or made[other] < 0:
                    continue
                out_indices[ends[row]] = made[other]
                if out_values is not None and values is not None:
                    product = np.float32(values[place] * values[at])
                    out_values[ends[row]] = product
                    if np.isinf(product):
                        too_large = made[other]
                ends[row] += 1
        for pair in range(starts[one], starts[one + 1]):
            made[partners[pair]] = -1
    return too_large
