"""Sampled pairs of candidates, and the logistic loss of the differences between them (Hopkins & May 2011)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.sparse_rows import add, dot
from runoff.kernels.xorshift import uniform

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.kernels.xorshift import Seeds


@compiled
def sampled_pairs(
    offsets: Ints, quality: Floats, draws: int, kept: int, least: float, seeds: Seeds
) -> tuple[Ints, Ints, Ints]:  # pragma: no cover - compiled
    """Pairs of every group whose qualities differ most: offsets of the groups, better and worse rows.

    Of `draws` random pairs, or of all where a group has no more, those that differ by more than `least` count, and of
    these the `kept` that differ most; of equal differences chance decides. O(draws log draws) a group.
    """
    ends = np.zeros(offsets.size, np.int64)
    for group in range(offsets.size - 1):
        size = offsets[group + 1] - offsets[group]
        ends[group + 1] = ends[group] + min(kept, draws, size * (size - 1) // 2)
    better, worse = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64)
    one, other, gaps = np.empty(draws, np.int64), np.empty(draws, np.int64), np.empty(draws)
    to = 0
    for group in range(offsets.size - 1):
        first, size = offsets[group], offsets[group + 1] - offsets[group]
        ends[group] = to
        state, every, n = seeds[group : group + 1], size * (size - 1) // 2, 0
        if size < 2:
            continue
        a, b = 0, 0
        for _ in range(min(draws, every)):
            if every <= draws:
                b += 1
                if b == size:
                    a, b = a + 1, a + 2
            else:
                a, b = int(uniform(state) * size), int(uniform(state) * (size - 1))
                b += b >= a
            gap = quality[first + a] - quality[first + b]
            if abs(gap) > least:
                one[n], other[n] = (first + a, first + b) if gap > 0 else (first + b, first + a)
                gaps[n] = -abs(gap)
                n += 1
        for at in range(n - 1, 0, -1):  # so that of equal gaps chance decides
            swap = int(uniform(state) * (at + 1))
            one[at], one[swap] = one[swap], one[at]
            other[at], other[swap] = other[swap], other[at]
            gaps[at], gaps[swap] = gaps[swap], gaps[at]
        order = np.argsort(gaps[:n], kind="mergesort")
        for at in order[:kept]:
            better[to], worse[to] = one[at], other[at]
            to += 1
    ends[-1] = to
    return ends, better[:to], worse[:to]


@compiled
def logistic_loss(
    better: Ints,
    worse: Ints,
    rows: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    weights: Floats,
    base_weight: float,
    score: Floats,
    gradient: Floats,
) -> tuple[float, float]:  # pragma: no cover - compiled
    """`Σ log(1 + exp(-lead of the better))`, its derivative by the base weight, and by the weights into `gradient`.

    `better` and `worse` are places among `rows`, and `score` is room for as many numbers. O(stored values of the rows +
    pairs).
    """
    for at in range(rows.size):
        row = rows[at]
        score[at] = base_weight * base[row] + dot(indptr[row], indptr[row + 1], indices, values, weights)
    slope, loss = np.zeros(rows.size), 0.0
    for pair in range(better.size):
        lead = score[better[pair]] - score[worse[pair]]
        far = np.exp(-abs(lead))
        loss += np.log1p(far) + max(-lead, 0.0)
        wrong = (1.0 if lead < 0 else far) / (1.0 + far)
        slope[better[pair]] -= wrong
        slope[worse[pair]] += wrong
    base_slope = 0.0
    for at in range(rows.size):
        row = rows[at]
        base_slope += slope[at] * base[row]
        add(slope[at], indptr[row], indptr[row + 1], indices, values, gradient)
    return loss, base_slope
