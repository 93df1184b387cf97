"""Expected quality of texts if another one of their list is the reference: many lists at a time, over threads."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.engines import current
from runoff.nbest.list_pieces import list_cuts
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from runoff.arrays import Floats, Ints
    from runoff.metrics.text_metric import TextMetric
    from runoff.nbest import NBest

_WORK = 1 << 22  # texts x tokens of the lists that are compared at a time, which bounds the memory of a chunk


def expected_quality(metric: TextMetric, data: NBest, weights: Floats) -> Floats:
    """`metric.expected` of the data's texts, on the current engine.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "a", "b"], sizes=[3])
    >>> expected_quality(get("exact"), data, np.ones((3, 1))).ravel().round(2).tolist()
    [0.67, 0.67, 0.33]
    """
    engine, cuts = current(), list_cuts(data)
    texts: pa.Array = data.texts
    if engine.is_here or len(cuts) == 1:
        return metric.expected(texts.to_pylist(), data.offsets, weights)
    shared = engine.share((metric, texts, data.offsets, weights))
    return np.concatenate(list(engine.map(_expected_of, cuts, shared)))


def _expected_of(cut: tuple[int, int], shared: tuple[TextMetric, pa.Array, Ints, Floats]) -> Floats:
    """Expected quality of the texts of some lists."""
    metric, texts, offsets, weights = shared
    own = frozen(offsets[cut[0] : cut[1] + 1] - offsets[cut[0]])
    rows = slice(int(offsets[cut[0]]), int(offsets[cut[1]]))
    return metric.expected(texts[rows].to_pylist(), own, frozen(weights[rows]))


def expected_in_chunks(
    sums: Callable[[slice, Ints, Floats], Floats], lengths: Ints, offsets: Ints, weights: Floats
) -> Floats:
    """Weighted means for `TextMetric.expected`, from a function that gives the weighted sums of a few lists.

    `sums` gets the rows of their texts, the lists' offsets among these rows and the rows of the weights; it must
    release the interpreter lock. `lengths` says how long each text is. Results do not depend on the number of threads.

    Examples
    --------
    >>> def alike(rows, offsets, weights):
    ...     return np.ones(weights.shape)
    >>> expected_in_chunks(alike, np.array([3, 4]), np.array([0, 2]), np.ones((2, 1))).tolist()
    [[0.5], [0.5]]
    """
    offsets, weights = np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(weights, np.float64)
    out = np.zeros(weights.shape)
    before = np.concatenate([[0], np.cumsum(lengths)])
    sizes = np.diff(offsets)
    work = np.concatenate([[0], np.cumsum(sizes * (sizes + np.diff(before[offsets])))])
    cuts = even_cuts(work, 1 + int(work[-1]) // _WORK)

    def piece(bounds: tuple[int, int]) -> None:
        first, last = bounds
        rows = slice(int(offsets[first]), int(offsets[last]))
        out[rows] = sums(rows, frozen(offsets[first : last + 1] - rows.start), frozen(weights[rows]))

    in_threads(piece, list(itertools.pairwise(cuts.tolist())))
    return weighted_means(out, offsets, weights)


def weighted_means(sums: Floats, offsets: Ints, weights: Floats) -> Floats:
    """Sums over the texts of a list divided by the list's total weight; 0 where that is 0.

    Examples
    --------
    >>> weighted_means(np.array([[3.0], [1.0]]), np.array([0, 2]), np.array([[1.0], [1.0]])).tolist()
    [[1.5], [0.5]]
    """
    sizes = np.diff(offsets)
    list_of = np.repeat(np.arange(sizes.size), sizes)
    total = np.column_stack([np.bincount(list_of, column, sizes.size)[list_of] for column in weights.T])
    means: Floats = np.divide(sums, total, out=np.zeros(sums.shape), where=total > 0)
    return means
