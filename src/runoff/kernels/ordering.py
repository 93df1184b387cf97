"""Sorting the candidates of every group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@compiled
def best_first(offsets: Ints, score: Floats, second: Floats) -> Ints:  # pragma: no cover - compiled
    """Rows of every group from the highest score to the lowest; ties by higher `second`, then by earlier row.

    Merge sort within groups: O(n log k) for n candidates in groups of k.
    """
    rows, spare = np.arange(score.size), np.empty(score.size, np.int64)
    for group in range(offsets.size - 1):
        sort_best_first(rows, spare, offsets[group], offsets[group + 1], score, second)
    return rows


@compiled
def sort_best_first(
    rows: Ints, spare: Ints, start: int, stop: int, score: Floats, second: Floats
) -> None:  # pragma: no cover - compiled
    """Sort `rows[start:stop]` from the highest score to the lowest, ties by higher `second`; of equals none passes.

    Merge sort with `spare` as room: O(n log n).
    """
    width = 1
    while width < stop - start:
        for left in range(start, stop, 2 * width):
            middle, right = min(left + width, stop), min(left + 2 * width, stop)
            a, b = left, middle
            for at in range(left, right):
                if a < middle and (b == right or not _before(rows[b], rows[a], score, second)):
                    spare[at] = rows[a]
                    a += 1
                else:
                    spare[at] = rows[b]
                    b += 1
        for at in range(start, stop):  # copying a slice would take seconds to compile
            rows[at] = spare[at]
        width *= 2


@compiled
def _before(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    if score[one] != score[other]:
        return bool(score[one] > score[other])
    return bool(second[one] > second[other])
