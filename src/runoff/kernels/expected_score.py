"""Expected statistics of a list's choice, and what changes them: passes over lists of candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.sparse_rows import add, dot

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def expect(
    groups: Ints,
    offsets: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    weights: Floats,
    base_weight: float,
    statistics: Floats,
    shares: Floats,
    sums: Floats,
) -> None:  # pragma: no cover - compiled
    """Softmax of the scores within each group into `shares`, and the statistics of a choice by these added to `sums`.

    Scores that are not finite make the sums so. O(stored values + candidates times statistics).
    """
    for group in groups:
        start, stop = offsets[group], offsets[group + 1]
        top, total = -np.inf, 0.0
        for row in range(start, stop):
            shares[row] = base_weight * base[row] + dot(indptr[row], indptr[row + 1], indices, values, weights)
            top = max(top, shares[row])
        for row in range(start, stop):
            shares[row] = np.exp(shares[row] - top)
            total += shares[row]
        for row in range(start, stop):
            shares[row] /= total
            for at in range(sums.size):
                sums[at] += shares[row] * statistics[row, at]


@compiled
def add_slopes(
    groups: Ints,
    offsets: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    statistics: Floats,
    shares: Floats,
    direction: Floats,
    gradient: Floats,
) -> float:  # pragma: no cover - compiled
    """Add the gradient of `direction · expected statistics` by the weights; returns that by the base score's.

    O(stored values + candidates times statistics).
    """
    base_slope = 0.0
    for group in groups:
        start, stop = offsets[group], offsets[group + 1]
        mean = 0.0
        for row in range(start, stop):
            mean += shares[row] * _along(direction, statistics, row)
        for row in range(start, stop):
            slope = shares[row] * (_along(direction, statistics, row) - mean)
            base_slope += slope * base[row]
            add(slope, indptr[row], indptr[row + 1], indices, values, gradient)
    return base_slope


@compiled
def _along(direction: Floats, statistics: Floats, row: int) -> float:  # pragma: no cover - compiled
    total = 0.0
    for at in range(direction.size):
        total += direction[at] * statistics[row, at]
    return total
