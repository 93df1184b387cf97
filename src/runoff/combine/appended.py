"""Lists with the assembled candidate as one more."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.combine.systems import SCORE
from runoff.features.columns import concat_columns
from runoff.nbest import Features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.combine.combiner import Combiner
    from runoff.nbest import NBest

COMBINED, GAIN = "combined", "combined:gain"  # columns


def appended(combiner: Combiner, data: NBest, *, verbose: bool = False) -> NBest:
    """See `Combiner.append`. Scores of systems are missing for the new candidate, and its base score is the lowest."""
    reader = combiner.reader
    texts: list[str] = []
    is_new, gains, marks, sizes = [], [], [], []
    for found in combiner.assemble(data, verbose=verbose):
        own = list(found.pool.texts)
        gains += combiner.gains(found)
        mark = [0.0] * len(own)
        if own:
            text = found.text(reader)
            if text in own:
                mark[own.index(text)] = 1.0
            else:
                own.append(text)
                mark.append(1.0)
                gains.append(sum(2 * found.probabilities[at] - combiner.price for at in found.kept))
        is_new += [False] * len(found.pool.texts) + [True] * (len(own) - len(found.pool.texts))
        texts += own
        marks += mark
        sizes.append(len(own))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    new = np.array(is_new, bool)
    old_of = np.cumsum(~new) - 1  # row of the old data; of a new candidate, that of the one before it
    columns = np.column_stack([marks, gains]) if texts else np.zeros((0, 2))
    features = concat_columns(_features(data, new, old_of), Features.of(columns, [COMBINED, GAIN]))
    return dataclasses.replace(
        data,
        offsets=frozen(offsets),
        features=features,
        texts=pa.array(texts, pa.large_string()),
        base=None if data.base is None else frozen(_base(data, data.base, new, old_of, offsets)),
        quality=None,
        candidate_ids=None,
        stats={},
        rows=None,
    )


def _features(data: NBest, new: Bools, old_of: Ints) -> Features:
    """The old rows, and for new candidates rows in which the systems' scores are missing and all else is zero."""
    names = None if data.features.n_columns == 0 else data.features.column_names().to_pylist()
    scores = np.array([at for at, name in enumerate(names or []) if name.endswith(f":{SCORE}")], np.int32)
    kept = data.features.to_scipy()
    counts = np.where(new, scores.size, np.diff(kept.indptr)[old_of] if old_of.size else 0)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    from_new = np.repeat(new, counts)
    indices[from_new], values[from_new] = np.tile(scores, int(new.sum())), np.nan
    indices[~from_new], values[~from_new] = kept.indices, kept.data
    return Features.from_csr(indptr, indices, values, data.features.n_columns, names)


def _base(data: NBest, base: Floats, new: Bools, old_of: Ints, offsets: Ints) -> Floats:
    lowest = np.zeros(len(data))
    filled = data.sizes > 0
    if filled.any():
        lowest[filled] = np.minimum.reduceat(base, data.offsets[:-1][filled])
    return np.where(new, np.repeat(lowest, np.diff(offsets)), base[old_of] if old_of.size else 0.0)


def combined_rows(data: NBest) -> Sequence[int]:
    """Row of the assembled candidate of every group that has candidates, in lists that `Combiner.append` made."""
    table = data.features.to_scipy().tocsc()
    at = data.features.column_names().to_pylist().index(COMBINED)
    found: list[int] = np.sort(table.indices[table.indptr[at] : table.indptr[at + 1]]).tolist()
    return found
