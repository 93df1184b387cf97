"""Trees in a model's file: a table of nodes and one of leaves, checked in full before anything walks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.features.trees import MOST_DEPTH, Trees
from runoff.model.table_numbers import numbers_of
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from runoff.opening.archive import Archive, ArchiveWriter

NODES, LEAVES = "tree_nodes.arrow", "tree_leaves.arrow"


def add_trees(archive: ArchiveWriter, trees: Trees) -> None:
    """Write the nodes of all trees one after the other, and their leaves."""
    nodes = {
        "column": trees.column.astype(np.int64).ravel(),
        "cut": trees.cut.ravel(),
        "missing_right": trees.missing_right.astype(np.uint8).ravel(),
    }
    archive.add_table(NODES, pa.table({name: pa.array(values) for name, values in nodes.items()}))
    archive.add_table(LEAVES, pa.table({"value": pa.array(trees.leaves.ravel())}))


def read_trees(archive: Archive, n_columns: int) -> Trees:
    """The trees of a file, for so many columns; raises DamagedFileError where they are none."""
    nodes, leaves = archive.table(NODES), archive.table(LEAVES)
    column, cut = numbers_of(nodes["column"], np.int64), numbers_of(nodes["cut"], np.float64)
    right, value = numbers_of(nodes["missing_right"], np.uint8), numbers_of(leaves["value"], np.float64)
    # A tree has one leaf more than inner nodes.
    trees = value.size - column.size
    if trees == 0 and not value.size:
        return Trees.none()
    each = value.size // trees if trees > 0 else 0
    if each * trees != value.size or each not in [1 << depth for depth in range(1, MOST_DEPTH + 1)]:
        raise DamagedFileError("its trees do not all have the same number of leaves")
    if not (np.isfinite(cut).all() and np.isfinite(value).all() and right.max() <= 1):
        raise DamagedFileError("its trees have values that are no numbers")
    if column.min() < -1 or column.max() >= n_columns:
        raise DamagedFileError("its trees look at columns that it does not have")
    shape = trees, each - 1
    return Trees(
        frozen(column.reshape(shape)),
        frozen(cut.reshape(shape)),
        frozen(right.reshape(shape) == 1),
        frozen(value.reshape(trees, each)),
    )
