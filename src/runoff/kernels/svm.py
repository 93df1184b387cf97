"""Dual coordinate descent for ranking support vector machines (Hsieh et al. 2008), over pairs of rows.

A pair wants `w · (x_better - x_worse) >= 1`. Weights are kept in the units of the data, and every column has a gain: by
how much its weight moves when a dual variable does. So a column that is multiplied by s has the gain s², and nothing is
copied; columns without a gain have no weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.sparse_rows import dot
from runoff.kernels.xorshift import uniform

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.kernels.xorshift import Seeds


@compiled
def squared_lengths(
    better: Ints, worse: Ints, indptr: Ints, indices: Columns, values: Singles | None, gain: Floats
) -> Floats:  # pragma: no cover - compiled
    """`Σ gain (x_better - x_worse)²` of every pair; exactly 0 where the rows are equal. O(stored values of pairs)."""
    out, apart = np.empty(better.size), np.zeros(gain.size)
    for pair in range(better.size):
        one, other, total = better[pair], worse[pair], 0.0
        for at in range(indptr[one], indptr[one + 1]):
            apart[indices[at]] += 1.0 if values is None else values[at]
        for at in range(indptr[other], indptr[other + 1]):
            apart[indices[at]] -= 1.0 if values is None else values[at]
        for row in (one, other):
            for at in range(indptr[row], indptr[row + 1]):
                column = indices[at]
                total += gain[column] * apart[column] ** 2
                apart[column] = 0.0
        out[pair] = total
    return out


@compiled
def descend(
    active: Ints,
    state: Seeds,
    better: Ints,
    worse: Ints,
    apart: Floats,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    gain: Floats,
    curvature: Floats,
    damping: float,
    most: float,
    high: float,
    low: float,
    dual: Floats,
    weights: Floats,
    base_weight: Floats,
) -> tuple[int, float, float]:  # pragma: no cover - compiled
    """One pass over the active pairs in random order; each dual variable, from 0 to `most`, is solved for alone.

    Variables at a bound whose slope is beyond `high` or `low` are no longer active. Gives the number of those that
    still are, which are then the first of `active`, and the largest and smallest projected slope. `curvature` is the
    squared length of the pair and of `apart`, its difference in base scores, plus `damping`.
    """
    for place in range(active.size - 1, 0, -1):
        swap = int(uniform(state) * (place + 1))
        active[place], active[swap] = active[swap], active[place]
    kept, largest, smallest = 0, -np.inf, np.inf
    for pair in active:
        one, other, before = better[pair], worse[pair], dual[pair]
        slope = base_weight[0] * apart[pair] + damping * before - 1.0
        slope += dot(indptr[one], indptr[one + 1], indices, values, weights)
        slope -= dot(indptr[other], indptr[other + 1], indices, values, weights)
        if (before == 0.0 and slope > high) or (before == most and slope < low):
            continue
        active[kept] = pair
        kept += 1
        projected = slope
        if (before == 0.0 and slope > 0.0) or (before == most and slope < 0.0):
            projected = 0.0
        largest, smallest = max(largest, projected), min(smallest, projected)
        after = min(max(before - slope / curvature[pair], 0.0), most)
        step = after - before
        if projected == 0.0 or step == 0.0:
            continue
        dual[pair] = after
        base_weight[0] += step * apart[pair]
        _add(step, indptr[one], indptr[one + 1], indices, values, gain, weights)
        _add(-step, indptr[other], indptr[other + 1], indices, values, gain, weights)
    return kept, largest, smallest


@compiled
def margins(
    better: Ints,
    worse: Ints,
    apart: Floats,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    weights: Floats,
    base_weight: float,
) -> Floats:  # pragma: no cover - compiled
    """By how much the better candidate of every pair leads. O(stored values of pairs)."""
    out = np.empty(better.size)
    for pair in range(better.size):
        one, other = better[pair], worse[pair]
        out[pair] = base_weight * apart[pair]
        out[pair] += dot(indptr[one], indptr[one + 1], indices, values, weights)
        out[pair] -= dot(indptr[other], indptr[other + 1], indices, values, weights)
    return out


@compiled
def _add(
    amount: float, first: int, last: int, indices: Columns, values: Singles | None, gain: Floats, weights: Floats
) -> None:  # pragma: no cover - compiled
    """Add a row times an amount and the gain of every column."""
    for at in range(first, last):
        column = np.uint32(indices[at])
        if values is None:
            weights[column] += amount * gain[column]
        else:
            weights[column] += amount * gain[column] * values[at]
