"""Columns of features: matching them by name, joining them, counting them, measuring their spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.kernels.column_statistics import column_facts
from runoff.nbest import Features

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True)
class ColumnFacts:
    """For every column: the number of groups that have it, and its spread (`feature_scaling.spread_within`)."""

    groups: Ints
    spread: Floats


def facts(data: NBest) -> ColumnFacts:
    """Count and measure every column within groups. O(stored values)."""
    features = data.features.check()
    return ColumnFacts(
        *column_facts(data.offsets, features.indptr, features.indices, features.values, features.n_columns)
    )


def align(features: Features, names: pa.Array) -> Ints:
    """Index of every column of `features` among `names`; -1 for a column that is not there. O(columns)."""
    mine = features.column_names()
    if mine.equals(names):
        return np.arange(features.n_columns)
    places = pc.fill_null(pc.index_in(mine, value_set=names), -1)
    return frozen(places.to_numpy().astype(np.int64))


def concat_columns(*blocks: Features) -> Features:
    """Columns of all blocks of features for the same candidates, from left to right. O(stored values)."""
    from scipy import sparse

    filled = [block for block in blocks if block.n_columns] or list(blocks[:1])
    if len(filled) == 1:
        return filled[0]
    names = pa.concat_arrays([block.column_names() for block in filled])
    return Features.of(sparse.hstack([block.to_scipy() for block in filled], format="csr"), names)
