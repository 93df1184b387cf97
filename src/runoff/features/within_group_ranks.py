"""Ranks within the group as features: how a candidate's value compares with those of its rivals.

Whether a document has the highest score of its list tells a linear model something that the score does not, as scores
of one query cannot be compared with those of another. For a column `c` there is a new one, `rank:c`, the rank scaled to
0 to 1: the share of the other candidates of the group that this one beats, ties counting one half, so 1 for the best, 0
for the last and 0.5 for all where all are equal. A value that is not stored counts as zero; one that is missing has no
rank either, and counts among nobody's rivals. Where such a name is taken by another column, all of them get a mark:
`rank':c`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.features.added_columns import free_mark, names_apart, texts
from runoff.features.columns import align
from runoff.kernels import within_group_ranks as kernel
from runoff.kernels.sparse_rows import beside
from runoff.nbest import Features
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Singles
    from runoff.nbest import NBest

STEP = "group-ranks"
_STORED = 0.1  # share of the candidates that have a value, below which a column is left as it is
_CANDIDATES_PER_PIECE = 1 << 14


def fit_group_ranks(data: NBest) -> dict[str, Any]:
    """Choose the columns whose rank within the group says something that the value does not.

    A column must have a value in at least a tenth of the candidates. Ranks are dense, so the words of a large
    vocabulary are left out: there are at most ten times as many ranks as stored values. And it must have three values
    or more in at least half of the groups where it varies, counting groups of three candidates or more: with two
    values, as flags and rare counts have, the rank is the value on another scale.
    O(stored values + candidates x columns with a value in a tenth of them).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> table = [[1, 2.5], [0, -4.0], [0, 0.0]]
    >>> fit_group_ranks(NBest.from_arrays(table, sizes=[3], feature_names=["flag", "bm25"]))
    {'step': 'group-ranks', 'columns': ['bm25'], 'mark': ''}
    """
    features = data.features.check(missing=True)
    first, last = features.indptr[[0, -1]]
    stored = np.bincount(features.indices[first:last], minlength=features.n_columns)
    common = np.flatnonzero((stored > 0) & (stored >= _STORED * data.n_candidates))
    slots = np.full(features.n_columns, -1, np.int32)
    slots[common] = np.arange(common.size)
    arrays = features.indptr, features.indices, features.values, frozen(slots)
    varying, several = kernel.varieties(data.offsets, *arrays, common.size)
    chosen = common[(several > 0) & (2 * several >= varying)]
    names = features.column_names()
    step: dict[str, Any] = {"step": STEP, "columns": names.take(pa.array(chosen)).to_pylist()}
    mark = free_mark(names, lambda mark: group_rank_names({**step, "mark": mark}).values())
    return {**step, "mark": mark}


def apply_group_ranks(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Add the ranks of the columns that the step names; a column that the data does not have is zero for all.

    What a group becomes depends on that group alone. A column that the training data did not have, and that has the
    name of a column of ranks, is renamed so as not to be taken for it. O(stored values), and O(n log k) for each
    column, with n candidates in groups of k.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[7.0], [-1.0], [7.0], [3.0]], sizes=[3, 1], feature_names=["bm25"])
    >>> made = apply_group_ranks(data, {"step": "group-ranks", "columns": ["bm25"]})
    >>> made.features.column_names().to_pylist(), made.features.to_scipy().toarray()[:, 1].tolist()
    (['bm25', 'rank:bm25'], [0.75, 0.0, 0.75, 0.5])
    """
    made = group_rank_names(step)
    if not made:
        return data
    features = data.features.check(missing=True)
    table = beside(features.indptr, features.indices, features.values, features.n_columns, _ranks(data, list(made)))
    own = names_apart(features.column_names(), made.values(), " (not a rank)")
    names = pa.concat_arrays([own, texts(made.values())])
    return data.replace(features=Features.from_csr(*table, features.n_columns + len(made), names))


def group_rank_names(step: Mapping[str, Any]) -> dict[str, str]:
    """Name of the column with the ranks of each column.

    Examples
    --------
    >>> group_rank_names({"step": "group-ranks", "columns": ["bm25", "pagerank"]})
    {'bm25': 'rank:bm25', 'pagerank': 'rank:pagerank'}
    """
    mark = step.get("mark", "")
    return {name: f"rank{mark}:{name}" for name in step["columns"]}


def _ranks(data: NBest, columns: list[str]) -> Singles:
    """One row for each candidate, one column for each of the names."""
    features = data.features
    slots = frozen(align(features, texts(columns)).astype(np.int32))
    out = np.empty((data.n_candidates, len(columns)), np.float32)
    cuts = even_cuts(data.offsets, 1 + data.n_candidates // _CANDIDATES_PER_PIECE)

    def piece(at: int) -> None:
        offsets = data.offsets[cuts[at] : cuts[at + 1] + 1]
        rows = out[offsets[0] : offsets[-1]]
        kernel.beaten_shares(offsets, features.indptr, features.indices, features.values, slots, rows)

    in_threads(piece, range(cuts.size - 1))
    return out
