"""Growing one decision tree of fixed depth, level by level, over binned data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.kernels.tree_growth import NEWTON, Z, add_pairs, add_weights, best_split, rows_by_node, send_down
from runoff.parallel import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats, Ints
    from runoff.learners.binned_data import BinnedData

_STORED_PER_PIECE, _MOST_PIECES = 1 << 21, 8
_NOISE = 1e-14  # share of all sums that rounding may leave of a sum that is 0


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A complete tree in heap order: node i has children 2i + 1 and 2i + 2; the last level are leaves."""

    column: Ints  # of the binned data, for every inner node; -1 where all rows go left
    cut: Ints  # bins below it go left
    missing_right: Bools
    sums: Floats  # a and b of every leaf, from the rows that the tree was grown on
    leaf_of: NDArray[np.uint8]  # of every row of the data, counted from 0


class RowStatistics:
    """The two numbers of every row, and how they are added to histograms."""

    def __init__(self, a: Floats, b: Floats, criterion: int) -> None:
        self.a, self.b, self.criterion = a, b, criterion
        self._weights: tuple[Floats, NDArray[np.uint8]] | None = None

    @classmethod
    def of_weights(cls, weight: Floats, is_positive: NDArray[np.uint8]) -> RowStatistics:
        """Weights of positive and of negative examples, for Schapire & Singer's Z."""
        found = cls(weight * is_positive, weight * (1 - is_positive), Z)
        found._weights = weight, 1 - is_positive  # one of the two numbers is 0
        return found

    @classmethod
    def of_derivatives(cls, gradient: Floats, hessian: Floats) -> RowStatistics:
        """First and second derivatives of a loss, for Newton steps; the first with the sign of the descent."""
        return cls(gradient, hessian, NEWTON)

    def add_to(self, histogram: Floats, rows: Columns, data: BinnedData) -> None:
        """Add rows to a histogram."""
        if self._weights is not None:
            add_weights(rows, data.rows, *self._weights, histogram)
        else:
            add_pairs(rows, data.rows, self.a, self.b, histogram)


def grow_tree(
    data: BinnedData,
    statistics: RowStatistics,
    rows: Columns,
    depth: int,
    *,
    columns: Ints,
    ridge: float = 0.0,
    least: float = 0.0,
    apply: Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]] = in_threads,
) -> GrownTree:
    """Grow a tree on some rows and columns, and find the leaves of all rows.

    Every level visits the stored values of the rows of smaller children once; their siblings are what is left of the
    parent. Sums are made in pieces whose number depends on the data alone, so that threads change nothing.
    O(depth x stored values of the rows, and 2^depth x slots).
    """
    n_inner = (1 << depth) - 1
    column, cut = np.full(n_inner, -1, np.int64), np.zeros(n_inner, np.int64)
    missing_right = np.zeros(n_inner, bool)
    node_of = np.zeros(data.n_rows, np.uint8)
    inside, starts = rows, np.array([0, rows.size])
    histograms = [_histogram(data, statistics, rows, apply)]
    for level in range(depth):
        first = (1 << level) - 1
        sums = _sums(statistics, inside, starts)
        noise = _NOISE * float(np.abs(sums).sum())
        found = apply(_splitter(data, statistics, histograms, sums, columns, ridge, least, noise), range(1 << level))
        for at, (_, split, at_cut, right) in enumerate(found):
            if split >= 0:
                column[first + at], cut[first + at], missing_right[first + at] = split, at_cut, right
                send_down(data.rows, node_of, first + at, split, at_cut, right)
        _pass_left(node_of, column, first, 1 << level)
        inside, starts = rows_by_node(inside, node_of, 2 * first + 1, 2 << level)
        if level + 1 < depth:
            histograms = _children(data, statistics, histograms, column[first : 2 * first + 1], inside, starts, apply)
    leaf_of = (node_of - n_inner).astype(np.uint8)
    return GrownTree(column, cut, missing_right, _sums(statistics, inside, starts), leaf_of)


def _splitter(
    data: BinnedData,
    statistics: RowStatistics,
    histograms: list[Floats],
    sums: Floats,
    columns: Ints,
    ridge: float,
    least: float,
    noise: float,
) -> Callable[[int], tuple[float, int, int, bool]]:
    """The best split of every node of a level; nodes that were not split have no histogram, and no split."""

    def split(at: int) -> tuple[float, int, int, bool]:
        if not histograms[at].size:
            return 0.0, -1, 0, False
        found: tuple[float, int, int, bool] = best_split(
            histograms[at], data.rows, columns, sums[at, 0], sums[at, 1], statistics.criterion, ridge, least, noise
        )
        return found

    return split


def _pass_left(node_of: NDArray[np.uint8], column: Ints, first: int, count: int) -> None:
    """Rows of nodes without a split go left."""
    moved = np.arange(256, dtype=np.uint8)
    for node in range(first, first + count):
        if column[node] < 0:
            moved[node] = 2 * node + 1
    np.take(moved, node_of, out=node_of)


def _sums(statistics: RowStatistics, rows: Columns, starts: Ints) -> Floats:
    """Sums of both numbers over the rows of every node."""
    out = np.zeros((starts.size - 1, 2))
    filled = starts[1:] > starts[:-1]
    for at, values in enumerate((statistics.a, statistics.b)):
        if rows.size:
            out[filled, at] = np.add.reduceat(values[rows], starts[:-1][filled])
    return out


def _histogram(data: BinnedData, statistics: RowStatistics, rows: Columns, apply: Any) -> Floats:
    """Sums of both numbers for every slot, over some rows."""
    share = rows.size / max(data.n_rows, 1)
    pieces = int(min(_MOST_PIECES, 1 + share * data.n_stored // _STORED_PER_PIECE))

    def piece(part: Columns) -> Floats:
        out = np.zeros((data.n_slots, 2))
        statistics.add_to(out, part, data)
        return out

    found = apply(piece, np.array_split(rows, pieces))
    total: Floats = found[0]
    for each in found[1:]:
        total += each
    return total


def _children(
    data: BinnedData,
    statistics: RowStatistics,
    parents: list[Floats],
    split: Ints,
    inside: Columns,
    starts: Ints,
    apply: Any,
) -> list[Floats]:
    """Histograms of the next level: the smaller child's by its rows, its sibling's by subtraction."""
    out: list[Floats] = []
    nothing = np.empty((0, 2))
    for at, parent in enumerate(parents):
        if split[at] < 0:
            out += [nothing, nothing]  # no split was found, and none will be
            continue
        left, right = (inside[starts[2 * at + side] : starts[2 * at + side + 1]] for side in (0, 1))
        smaller = _histogram(data, statistics, left if left.size <= right.size else right, apply)
        parent -= smaller
        out += [smaller, parent] if left.size <= right.size else [parent, smaller]
    return out


def newton_steps(sums: Floats, ridge: float) -> Floats:
    """The values of leaves that minimise the loss to the second order: first by second derivatives."""
    below = sums[:, 1] + ridge
    values: Floats = np.where(below > 0, sums[:, 0] / np.where(below > 0, below, 1.0), 0.0)
    return values


def leaves_of(data: BinnedData, column: Ints, cut: Ints, missing_right: Bools) -> NDArray[np.uint8]:
    """The leaf in which every row ends, of a tree that was grown elsewhere. O(rows x nodes)."""
    node_of, inner = np.zeros(data.n_rows, np.uint8), column.size
    for node in range(inner):
        if column[node] >= 0:
            send_down(data.rows, node_of, node, int(column[node]), int(cut[node]), bool(missing_right[node]))
        else:
            _pass_left(node_of, column, node, 1)
    return (node_of - inner).astype(np.uint8)
