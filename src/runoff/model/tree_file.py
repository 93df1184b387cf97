"""Trees in a model's file: a table of nodes and one of leaves, checked in full before anything walks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.features.trees import Trees
from runoff.model.table_numbers import numbers_of

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
    return Trees.from_file(column, cut, right, value, n_columns)
