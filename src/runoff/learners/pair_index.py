"""An index between pairs of candidates and the features on which they differ, in both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError, brief
from runoff.kernels.pairs import difference_counts, differences, groups_with, inverted
from runoff.pairs import MOST_PAIRS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints
    from runoff.nbest import Features, NBest
    from runoff.pairs import Pairs

COMMON = 16_384  # sums of so many features stay in the cache; those of others are prefetched


@dataclass(frozen=True, eq=False)
class PairIndex:
    """Between pairs and the features on which they differ; built once and shared by all runs.

    Features are numbered by falling frequency ("places"), so that sums that change often lie close together.
    Memory: 8 bytes for every feature on which a pair differs.
    """

    pairs: Pairs
    columns: Ints  # original column of every place
    places: Columns  # place of every column, or -1
    spans: Ints  # items of pair p are items[spans[2p]:spans[2p + 2]], those of rare features from spans[2p + 1] on
    items: NDArray[np.uint32]  # 2 * place + side; side 0: the better candidate has the feature
    starts: Ints  # pairs of place f are members[starts[f]:starts[f + 1]]
    members: NDArray[np.uint32]  # 2 * pair + side
    costs: Ints  # additions that a round with this place makes

    @classmethod
    def build(cls, data: NBest, pairs: Pairs, min_groups: int) -> PairIndex:
        """Index the pairs by binary features that occur in at least `min_groups` groups and tell a pair apart.

        O(stored values of both candidates, over all pairs).
        """
        features = data.features.check()
        if features.values is not None:
            raise ValueError("boosting needs binary features: every stored value must be one")
        if len(pairs) > MOST_PAIRS:
            raise UsageError(
                f'boosting can hold {MOST_PAIRS:,} pairs; found {len(pairs):,}. Take fewer groups, or pairs="sample".'
            )
        # Large arrays are allocated by numpy, not by kernels: numpy uses huge pages, which random access needs.
        table = features.indptr, features.indices
        rows = frozen(pairs.better), frozen(pairs.worse)
        seen, repeat = groups_with(data.offsets, *table, features.n_columns)
        if repeat >= 0:
            raise DataError(_said(features, repeat))
        counts, used = np.zeros(len(pairs), np.int64), np.zeros(features.n_columns, np.int64)
        difference_counts(*rows, *table, seen >= min_groups, _marks(features.n_columns), counts, used)
        columns = np.argsort(-used, kind="stable")[: np.count_nonzero(used)]
        places = np.full(features.n_columns, -1, np.int32)
        places[columns] = np.arange(columns.size)
        spans, starts = np.zeros(2 * len(pairs) + 1, np.int64), np.zeros(columns.size + 1, np.int64)
        np.cumsum(counts, out=spans[2::2])
        np.cumsum(used[columns], out=starts[1:])
        items, members = np.empty(spans[-1], np.uint32), np.empty(spans[-1], np.uint32)
        differences(*rows, *table, places, COMMON, _marks(features.n_columns), spans, items)
        costs = np.zeros(columns.size, np.int64)
        inverted(spans, items, starts[:-1].copy(), members, costs)
        return cls(pairs, *(frozen(each) for each in (columns, places, spans, items, starts, members, costs)))

    @property
    def n_items(self) -> int:
        """The paper's T: additions of one pass over all pairs."""
        return self.items.size


def _marks(n_columns: int) -> Columns:
    return np.full((n_columns, 2), -1, np.int32)


def _said(features: Features, repeat: int) -> str:
    row = int(np.searchsorted(features.indptr, repeat, side="right")) - 1
    name = features.column_names()[int(features.indices[repeat])].as_py()
    return (
        f"boosting needs rows that have a feature once or not at all; candidate {row} has {brief(name)} more than "
        "once. Features.of(features.to_scipy(), features.names) merges such values into their sum."
    )
