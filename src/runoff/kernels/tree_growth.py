"""Growing decision trees level by level over binned rows: histograms, splits, and which row goes where.

Every example has two numbers, `a` and `b`: weights of positive and of negative examples (AdaBoost), or first and second
derivatives of a loss (gradient boosting). A histogram has their sums for every *slot*, which is one bin of one column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.prefetch import prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats, Ints

Z, NEWTON = 0, 1  # what a split is judged by
_ROWS_AHEAD = 4  # of the one that is added, whose slots are loaded already
_SLOTS_PER_LINE = 16  # of the cache


class BinnedRows(NamedTuple):
    """Rows as histograms need them; the slots of sparse columns come first, then those of dense ones."""

    indptr: Ints
    slots: Columns  # of every stored value of the sparse columns
    dense: NDArray[np.uint8]  # (rows, dense columns): the bin of every value
    dense_first: Ints  # first slot of every dense column
    first: Ints  # first slot of every column, and the end
    zero: Ints  # for a sparse column, how many bins are below the one of values that are not stored; -1 for a dense one
    missing: Bools  # for every column, whether its last slot is for missing values
    slot_rows: Ints  # rows of every sparse slot are those from here on
    rows: Columns  # with a value in the slot


@compiled
def fetch_row(row: int, data: BinnedRows) -> None:  # pragma: no cover - compiled
    """Have the slots of a row loaded: rows in use lie apart, and waiting for them took most of the time."""
    for place in range(data.indptr[row], data.indptr[row + 1], _SLOTS_PER_LINE):
        prefetch(data.slots, place)


@compiled
def add_weights(
    rows: Columns, data: BinnedRows, weight: Floats, side: NDArray[np.uint8], out: Floats
) -> None:  # pragma: no cover - compiled
    """Add the weight of every row to its side of all its slots. O(stored values of the rows)."""
    width, flat = np.uint64(data.dense.shape[1]), out.reshape(-1)
    for each in range(rows.size):
        fetch_row(rows[min(each + _ROWS_AHEAD, rows.size - 1)], data)
        row = rows[each]
        w, at = weight[row], np.uint64(side[row])
        for slot in data.slots[data.indptr[row] : data.indptr[row + 1]]:
            flat[(np.uint64(slot) << np.uint64(1)) + at] += w
        bins = data.dense[row]
        for column in range(width):
            slot = np.uint64(data.dense_first[column]) + np.uint64(bins[column])
            flat[(slot << np.uint64(1)) + at] += w


@compiled
def add_pairs(
    rows: Columns, data: BinnedRows, a: Floats, b: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Add both numbers of every row to all its slots. O(stored values of the rows)."""
    width = np.uint64(data.dense.shape[1])
    for each in range(rows.size):
        fetch_row(rows[min(each + _ROWS_AHEAD, rows.size - 1)], data)
        row = rows[each]
        first, second = a[row], b[row]
        for found in data.slots[data.indptr[row] : data.indptr[row + 1]]:
            slot = np.uint64(found)
            out[slot, 0] += first
            out[slot, 1] += second
        bins = data.dense[row]
        for column in range(width):
            slot = np.uint64(data.dense_first[column]) + np.uint64(bins[column])
            out[slot, 0] += first
            out[slot, 1] += second


@compiled
def fill_by_weights(
    rows: Columns,
    starts: Ints,
    stops: Ints,
    data: BinnedRows,
    weight: Floats,
    side: NDArray[np.uint8],
    first: int,
    step: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """The histogram of every piece of the rows, `step` pieces apart, by `add_weights`."""
    for piece in range(first, starts.size, step):
        out[piece] = 0.0
        add_weights(rows[starts[piece] : stops[piece]], data, weight, side, out[piece])


@compiled
def fill_by_pairs(
    rows: Columns,
    starts: Ints,
    stops: Ints,
    data: BinnedRows,
    a: Floats,
    b: Floats,
    first: int,
    step: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """The histogram of every piece of the rows, `step` pieces apart, by `add_pairs`."""
    for piece in range(first, starts.size, step):
        out[piece] = 0.0
        add_pairs(rows[starts[piece] : stops[piece]], data, a, b, out[piece])


@compiled
def columns_in_use(histogram: Floats, data: BinnedRows, columns: Ints) -> Ints:  # pragma: no cover - compiled
    """Those columns of which some row of a node has a value that counts: no other can split it or its children."""
    found, size = np.empty_like(columns), 0
    for column in columns:
        for slot in range(data.first[column], data.first[column + 1]):
            if histogram[slot, 0] != 0.0 or histogram[slot, 1] != 0.0:
                found[size] = column
                size += 1
                break
    return found[:size]


@compiled
def _value(a: float, b: float, criterion: int, ridge: float, noise: float) -> float:  # pragma: no cover - compiled
    """What a leaf with these sums is worth: -Z of Schapire & Singer (1999), or twice Newton's decrease of the loss.

    A root would make much of what rounding leaves of a sum that is 0.
    """
    if criterion == Z:
        root: float = np.sqrt((a if a > noise else 0.0) * (b if b > noise else 0.0))
        return -2.0 * root
    return a * a / (b + ridge) if b + ridge > 0.0 else 0.0


@compiled
def _most_left(whole: float, gain: float) -> float:  # pragma: no cover - compiled
    """By Z, the product of both sums in one child of a split that gains more: its -2 sqrt alone must be above `whole`.

    A little more, for rounding.
    """
    least = whole + gain
    return (1.0 + 1e-10) * 0.25 * least * least if least < 0.0 else 0.0


@compiled
def _weight(a: float, b: float, criterion: int) -> float:  # pragma: no cover - compiled
    return a + b if criterion == Z else b


@compiled
def best_split(
    histogram: Floats,
    data: BinnedRows,
    columns: Ints,
    total_a: float,
    total_b: float,
    criterion: int,
    ridge: float,
    least: float,
    noise: float,
) -> tuple[float, int, int, bool]:  # pragma: no cover - compiled
    """The split of a node that gains most: its gain, column (-1: none), cut, and whether missing values go right.

    Bins below the cut go left. Of gains that differ by rounding alone the first column's, then the lowest cut's stays;
    `noise` is how far sums may be off. Where none of the node's rows misses the value, later rows that do go to the
    heavier side, as most do. O(slots of the columns).
    """
    whole = _value(total_a, total_b, criterion, ridge, noise)
    tolerance = 1e-9 * (abs(whole) + abs(total_a) + abs(total_b) + 1e-300)
    best, best_column, best_cut, best_right = tolerance, -1, 0, False
    most = _most_left(whole, best)
    for column in columns:
        start, stop, zero = data.first[column], data.first[column + 1], data.zero[column]
        if criterion == Z and stop - start == 1 and zero >= 0:
            # One value beside zero: without its rows, most columns leave too much to the others to gain enough.
            rest_a, rest_b = total_a - histogram[start, 0], total_b - histogram[start, 1]
            if rest_a > noise and rest_b > noise and rest_a * rest_b >= most:
                continue
        missing_a = missing_b = 0.0
        if data.missing[column]:
            stop -= 1
            missing_a, missing_b = histogram[stop, 0], histogram[stop, 1]
        some_missing = abs(missing_a) > noise or missing_b > noise
        absent_a = absent_b = 0.0
        bins = stop - start
        if zero >= 0:
            absent_a, absent_b = total_a - missing_a, total_b - missing_b
            for slot in range(start, stop):
                absent_a -= histogram[slot, 0]
                absent_b -= histogram[slot, 1]
            bins += 1
        left_a = left_b = 0.0
        slot = start
        for cut in range(1, bins):
            if cut - 1 == zero:
                left_a += absent_a
                left_b += absent_b
            else:
                left_a += histogram[slot, 0]
                left_b += histogram[slot, 1]
                slot += 1
            right_a, right_b = total_a - missing_a - left_a, total_b - missing_b - left_b
            for missing_right in range(2 if some_missing else 1):
                one_a = left_a if missing_right else left_a + missing_a
                one_b = left_b if missing_right else left_b + missing_b
                other_a = right_a + missing_a if missing_right else right_a
                other_b = right_b + missing_b if missing_right else right_b
                one, other = _weight(one_a, one_b, criterion), _weight(other_a, other_b, criterion)
                if not (one >= least and other >= least):
                    continue
                gain = _value(one_a, one_b, criterion, ridge, noise) - whole
                gain += _value(other_a, other_b, criterion, ridge, noise)
                if gain > best + tolerance:
                    best, best_column, best_cut = gain, column, cut
                    most = _most_left(whole, best)
                    best_right = missing_right == 1 if some_missing else other > one + noise
    return best, best_column, best_cut, best_right


@compiled
def send_down(
    data: BinnedRows,
    node_of: NDArray[np.uint8],
    first: int,
    column: Ints,
    cut: Ints,
    missing_right: Bools,
    start: int,
    stop: int,
) -> None:  # pragma: no cover - compiled
    """Move rows from `start` to `stop` from the nodes of a level to their children 2 node + 1 (left) and 2 node + 2.

    Nodes of the level are those from `first` on, with a column (-1: all rows go left), a cut and a side for missing
    values each. Rows of sparse columns go where zeros do; `correct_sparse` then moves the others. O(rows).
    """
    n_sparse = data.first.size - 1 - data.dense.shape[1]
    children, place = np.empty((column.size, 256), np.uint8), np.empty(column.size, np.int64)
    for at in range(column.size):
        left, split = 2 * (first + at) + 1, column[at]
        place[at] = split - n_sparse
        if split < 0:
            children[at] = left
        elif place[at] < 0:
            children[at] = left + (1 if data.zero[split] >= cut[at] else 0)
        else:
            children[at] = left
            children[at, cut[at] :] = left + 1
            if data.missing[split]:
                last = data.first[split + 1] - data.first[split] - 1
                children[at, last] = left + (1 if missing_right[at] else 0)
    for row in range(start, stop):
        at = node_of[row] - first
        node_of[row] = children[at, data.dense[row, place[at]] if place[at] >= 0 else 0]


@compiled
def correct_sparse(
    data: BinnedRows, node_of: NDArray[np.uint8], node: int, column: int, cut: int, missing_right: bool
) -> None:  # pragma: no cover - compiled
    """Move the rows of a node that have a value in its sparse column, and were sent where zeros go, where they belong.

    O(the column's stored values).
    """
    left, right = 2 * node + 1, 2 * node + 2
    start, stop, zero = data.first[column], data.first[column + 1], data.zero[column]
    absent_right = zero >= cut
    here, there = (right, left) if absent_right else (left, right)
    for slot in range(start, stop):
        at = slot - start  # its place among the bins, of which that of absent values is one
        goes_right = at + (at >= zero) >= cut
        if data.missing[column] and slot == stop - 1:
            goes_right = missing_right
        if goes_right == absent_right:
            continue
        for place in range(data.slot_rows[slot], data.slot_rows[slot + 1]):
            if node_of[data.rows[place]] == here:
                node_of[data.rows[place]] = there


@compiled
def split_rows(
    rows: Columns, node_of: NDArray[np.uint8], left: int, a: Floats, b: Floats, out: Columns, sums: Floats
) -> int:  # pragma: no cover - compiled
    """Rows that are in the node `left`, then the others, in their order; returns how many are. O(rows).

    Sums of both numbers over the two halves go to `sums`.
    """
    size, others = 0, np.empty(rows.size, np.int32)
    left_a = left_b = right_a = right_b = 0.0
    for at in range(rows.size):
        row = rows[at]
        if node_of[row] == left:
            out[size] = row
            size += 1
            left_a += a[row]
            left_b += b[row]
        else:
            others[at - size] = row
            right_a += a[row]
            right_b += b[row]
    out[size:] = others[: rows.size - size]
    sums[0, 0], sums[0, 1], sums[1, 0], sums[1, 1] = left_a, left_b, right_a, right_b
    return size
