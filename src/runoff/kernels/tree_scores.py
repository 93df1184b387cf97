"""Applying many trees at once: which leaf every row ends in, without walking down any tree.

After QuickScorer (Lucchese et al. 2015), turned to sparse rows: every tree is oriented so that a row of zeros ends in
its first leaf, and a value that is not stored is never looked at. A stored value visits only the nodes that it sends
the other way; each of these removes leaves from its tree, and the first that is left is where the row ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACES = np.zeros(64, np.int64)
for _bit in range(64):
    _PLACES[((1 << _bit) * int(_DEBRUIJN) & (1 << 64) - 1) >> 58] = _bit


class NodesByColumn(NamedTuple):
    """Nodes by column: those that a value above their cut sends the other way, a value below, a missing one."""

    above_start: Ints
    above_cut: Floats  # rising within a column
    above_tree: Columns
    above_mask: NDArray[np.uint64]  # leaves that remain
    below_start: Ints
    below_cut: Floats  # falling within a column
    below_tree: Columns
    below_mask: NDArray[np.uint64]
    missing_start: Ints
    missing_tree: Columns
    missing_mask: NDArray[np.uint64]
    leaves: Floats  # (trees, leaves): values in the order of the bits
    output_of: Columns  # of every tree


@compiled
def score_rows(
    indptr: Ints,
    columns: Columns,
    values: Singles | None,
    column_of: Ints,
    forest: NodesByColumn,
    first: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Add the value of every tree to its output, for rows from `first` on; `column_of` is -1 for unknown columns.

    O(trees, and nodes that stored values send the other way) for every row.
    """
    trees = forest.leaves.shape[0]
    left = np.empty(trees, np.uint64)
    for row in range(out.shape[0]):
        _narrow(indptr[first + row], indptr[first + row + 1], columns, values, column_of, forest, left)
        for tree in range(trees):
            out[row, forest.output_of[tree]] += forest.leaves[tree, _first_leaf(left[tree])]


@compiled
def reached_leaves(
    indptr: Ints,
    columns: Columns,
    values: Singles | None,
    column_of: Ints,
    forest: NodesByColumn,
    first: int,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """Write the value of the leaf that every row ends in, one column for each tree, as a whole number."""
    trees = forest.leaves.shape[0]
    left = np.empty(trees, np.uint64)
    for row in range(out.shape[0]):
        _narrow(indptr[first + row], indptr[first + row + 1], columns, values, column_of, forest, left)
        for tree in range(trees):
            out[row, tree] = np.int32(forest.leaves[tree, _first_leaf(left[tree])])


@compiled
def _narrow(
    start: int,
    stop: int,
    columns: Columns,
    values: Singles | None,
    column_of: Ints,
    forest: NodesByColumn,
    left: NDArray[np.uint64],
) -> None:  # pragma: no cover - compiled
    """Leaves of every tree that the stored values of a row leave."""
    left[:] = ~np.uint64(0)
    for place in range(start, stop):
        column = column_of[columns[place]]
        if column < 0:
            continue
        value = 1.0 if values is None else values[place]
        if np.isnan(value):
            for at in range(forest.missing_start[column], forest.missing_start[column + 1]):
                left[forest.missing_tree[at]] &= forest.missing_mask[at]
        elif value >= 0.0:
            for at in range(forest.above_start[column], forest.above_start[column + 1]):
                if forest.above_cut[at] >= value:
                    break
                left[forest.above_tree[at]] &= forest.above_mask[at]
        else:
            for at in range(forest.below_start[column], forest.below_start[column + 1]):
                if forest.below_cut[at] < value:
                    break
                left[forest.below_tree[at]] &= forest.below_mask[at]


@compiled
def _first_leaf(left: np.uint64) -> int:  # pragma: no cover - compiled
    """The lowest bit that is set."""
    lowest = left & (~left + np.uint64(1))
    place: int = _PLACES[(lowest * _DEBRUIJN) >> np.uint64(58)]
    return place
