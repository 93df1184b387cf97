"""Loops over groups of candidates stored one after the other, cut by `offsets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


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
def softmax(offsets: Ints, score: Floats) -> Floats:  # pragma: no cover - compiled
    """Softmax of the scores within each group, safe for any finite score. O(candidates)."""
    out = np.empty(score.size)
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        if start == stop:
            continue
        top = score[start]  # numpy's max takes as long to compile as the rest
        for row in range(start + 1, stop):
            top = max(top, score[row])
        total = 0.0
        for row in range(start, stop):
            out[row] = np.exp(score[row] - top)
            total += out[row]
        for row in range(start, stop):
            out[row] /= total
    return out


@compiled
def largest(offsets: Ints) -> int:  # pragma: no cover - compiled
    """Size of the largest group. O(groups)."""
    most = 0
    for group in range(offsets.size - 1):
        most = max(most, offsets[group + 1] - offsets[group])
    return most


@compiled
def largest_of(groups: Ints, offsets: Ints) -> int:  # pragma: no cover - compiled
    """Size of the largest of some groups. O(groups)."""
    most = 0
    for group in groups:
        most = max(most, offsets[group + 1] - offsets[group])
    return most
