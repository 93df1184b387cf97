"""Lists of several sets, one set after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.features.columns import align
from runoff.nbest import Features, NBest
from runoff.nbest.checks import PER_CANDIDATE, PER_GROUP

if TYPE_CHECKING:
    from collections.abc import Sequence


def concatenate(parts: Sequence[NBest]) -> NBest:
    """All lists of some sets; features are matched by name, and what a set does not have of them is 0 there.

    Scores, quality, texts and the like must be in all sets or in none. O(stored values).

    Examples
    --------
    >>> one = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["a"], group_ids=["x"])
    >>> two = NBest.from_arrays([[3.0, 4.0]], sizes=[1], feature_names=["b", "a"], group_ids=["y"])
    >>> both = concatenate([one, two])
    >>> both.features.to_scipy().toarray().tolist(), both.group_ids.to_pylist()
    ([[1.0, 0.0], [2.0, 0.0], [4.0, 3.0]], ['x', 'y'])
    """
    if not parts:
        raise UsageError("there are no lists to put together.")
    if len(parts) == 1:
        return parts[0]
    fields: dict[str, Any] = {}
    for name in (*PER_CANDIDATE, *PER_GROUP):
        fields[name] = _joined(name, [getattr(part, name) for part in parts])
    for name in ("attributes", "stats"):
        shared = [key for key in getattr(parts[0], name) if all(key in getattr(part, name) for part in parts)]
        fields[name] = {key: _joined(key, [getattr(part, name)[key] for part in parts]) for key in shared}
    metrics = {part.metric for part in parts}
    return NBest(
        offsets=frozen(np.concatenate([[0], np.cumsum(np.concatenate([part.sizes for part in parts]))])),
        features=_features([part.features for part in parts]),
        metric=metrics.pop() if len(metrics) == 1 else None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        **fields,
    )


def _joined(name: str, values: Sequence[Any]) -> Any:
    lacking = sum(value is None for value in values)
    if lacking == len(values):
        return None
    if lacking:
        raise UsageError(f"{lacking} of {len(values)} sets of lists have no {name}, so they cannot be put together.")
    if isinstance(values[0], np.ndarray):
        return frozen(np.concatenate(values))
    kind = values[0].type
    return pa.concat_arrays([_one(value).cast(kind) for value in values])


def _one(value: pa.Array | pa.ChunkedArray) -> pa.Array:
    return value.combine_chunks() if isinstance(value, pa.ChunkedArray) else value


def _features(blocks: Sequence[Features]) -> Features:
    names = pa.array(
        list(dict.fromkeys(name for block in blocks for name in block.column_names().to_pylist())), pa.large_string()
    )
    rows = []
    for block in blocks:
        matrix = block.to_scipy()
        columns = align(block, names)[matrix.indices]
        rows.append(sparse.csr_array((matrix.data, columns, matrix.indptr), shape=(matrix.shape[0], len(names))))
    return Features.of(sparse.vstack(rows, format="csr"), names)
