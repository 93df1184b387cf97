"""Values of ranked lists from the gains or relevance of their members, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def ndcg(
    offsets: Ints,
    gains: Floats,
    ideal_offsets: Ints,
    ideal: Floats,
    above: Floats,
    below: Floats,
    k: int,
    shortest: int,
) -> Floats:  # pragma: no cover - compiled
    """NDCG@k of every group; 0 without gains or with fewer than `shortest` candidates. O(candidates + ideal).

    `gains` are in ranked order and `ideal` in descending order; place i is discounted by above[i]/below[i].
    """
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        if size < shortest:
            continue
        reached = best = 0.0
        for place in range(min(size, k)):
            reached += gains[start + place] * above[place] / below[place]
        start, size = ideal_offsets[group], ideal_offsets[group + 1] - ideal_offsets[group]
        for place in range(min(size, k)):
            best += ideal[start + place] * above[place] / below[place]
        if best > 0:
            out[group] = reached / best
    return out


@compiled
def mean_ndcg(
    offsets: Ints, gains: Floats, ideal: Floats, above: Floats, below: Floats
) -> Floats:  # pragma: no cover - compiled
    """Mean of NDCG@1 to NDCG@n of every group of n candidates. O(candidates)."""
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        start, size = offsets[group], offsets[group + 1] - offsets[group]
        reached = best = total = 0.0
        for place in range(size):
            reached += gains[start + place] * above[place] / below[place]
            best += ideal[start + place] * above[place] / below[place]
            if best > 0:
                total += reached / best
        if size > 0:
            out[group] = total / size
    return out


@compiled
def average_precision(offsets: Ints, relevant: Bools, missed: Floats) -> Floats:  # pragma: no cover - compiled
    """Mean over relevant candidates, and `missed` others at 0, of the precision at their places. O(candidates)."""
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        found, total = 0, 0.0
        for row in range(offsets[group], offsets[group + 1]):
            if relevant[row]:
                found += 1
                total += found / (row - offsets[group] + 1)
        if found:
            out[group] = total / (found + missed[group])
    return out


@compiled
def reciprocal_rank(offsets: Ints, relevant: Bools, k: int) -> Floats:  # pragma: no cover - compiled
    """One over the place of the first relevant candidate among the first k; 0 without any. O(candidates)."""
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        for row in range(offsets[group], min(offsets[group + 1], offsets[group] + k)):
            if relevant[row]:
                out[group] = 1.0 / (row - offsets[group] + 1)
                break
    return out


@compiled
def expected_reciprocal_rank(sizes: Ints, relevant: Ints, k: int) -> Floats:  # pragma: no cover - compiled
    """Mean of `reciprocal_rank` over all orders of n candidates of which r are relevant. O(candidates)."""
    out = np.zeros(sizes.size)
    for group in range(out.size):
        n, r = sizes[group], relevant[group]
        none_before = 1.0
        for place in range(min(n - r + 1, k) if r else 0):
            here = none_before * r / (n - place)
            out[group] += here / (place + 1)
            none_before -= here
    return out
