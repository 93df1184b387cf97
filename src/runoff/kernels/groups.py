"""Loops over groups of candidates stored one after the other, cut by `offsets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def first_best(offsets: Ints, score: Floats, second: Floats) -> Ints:  # pragma: no cover - compiled
    """Position within each group of the highest score; ties by higher `second`, then by earlier place.

    Groups without candidates get -1. O(candidates).
    """
    best = np.full(offsets.size - 1, -1, np.int64)
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        if start == stop:
            continue
        top = start
        for row in range(start + 1, stop):
            if score[row] > score[top] or (score[row] == score[top] and second[row] > second[top]):
                top = row
        best[group] = top - start
    return best


@compiled
def row_products(
    indptr: Ints, indices: Columns, values: Singles | None, weights: Floats, first: int, out: Floats
) -> None:  # pragma: no cover - compiled
    """`out[r] = x_(first+r) · weights` over CSR rows; `values` of None means that all are one. O(stored values)."""
    for row in range(out.size):
        total = 0.0
        for at in range(indptr[first + row], indptr[first + row + 1]):
            if values is None:
                total += weights[indices[at]]
            else:
                total += weights[indices[at]] * values[at]
        out[row] = total


@compiled
def softmax(offsets: Ints, score: Floats) -> Floats:  # pragma: no cover - compiled
    """Softmax of the scores within each group, safe for any finite score. O(candidates)."""
    out = np.empty(score.size)
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        if start == stop:
            continue
        top = score[start:stop].max()
        total = 0.0
        for row in range(start, stop):
            out[row] = np.exp(score[row] - top)
            total += out[row]
        for row in range(start, stop):
            out[row] /= total
    return out
