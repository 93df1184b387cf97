"""Values of ranked lists from the gains or relevance of their members, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.ordering import end_of_ties

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
def average_precision(
    offsets: Ints, relevant: Bools, tied: Bools, missed: Floats
) -> Floats:  # pragma: no cover - compiled
    """Mean over relevant candidates, and `missed` others at 0, of the precision at their places. O(candidates).

    Of n tied candidates r are relevant: each stands at each of the n places with probability r/n, and before the i-th
    of them stand (i - 1)(r - 1)/(n - 1) other relevant ones on average (McSherry & Najork 2008).
    """
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        start, stop = offsets[group], offsets[group + 1]
        found, total, at = 0, 0.0, start
        while at < stop:
            end = end_of_ties(at, stop, tied)
            here, n = _count(relevant, at, end), end - at
            if here and n == 1:
                total += (found + 1) / (end - start)
            elif here:
                more = (here - 1) / (n - 1)
                for i in range(n):
                    total += here / n * (found + 1 + i * more) / (at - start + i + 1)
            found += here
            at = end
        if found:
            out[group] = total / (found + missed[group])
    return out


@compiled
def reciprocal_rank(offsets: Ints, relevant: Bools, tied: Bools, k: int) -> Floats:  # pragma: no cover - compiled
    """One over the place of the first relevant candidate among the first k; 0 without any. O(candidates).

    Averaged over all orders of tied ones, from the probability that the first relevant one is at each place.
    """
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        start, stop = offsets[group], offsets[group + 1]
        at = start
        while at < min(stop, start + k):
            end = end_of_ties(at, stop, tied)
            here, n = _count(relevant, at, end), end - at
            if here:
                none_before = 1.0
                for i in range(min(n - here + 1, start + k - at)):
                    first = none_before * here / (n - i)
                    out[group] += first / (at - start + i + 1)
                    none_before -= first
                break
            at = end
    return out


@compiled
def success(offsets: Ints, relevant: Bools, tied: Bools, k: int) -> Floats:  # pragma: no cover - compiled
    """Probability that one of the first k candidates is relevant, over all orders of tied ones. O(candidates)."""
    out = np.zeros(offsets.size - 1)
    for group in range(out.size):
        start, stop = offsets[group], offsets[group + 1]
        at = start
        while at < min(stop, start + k):
            end = end_of_ties(at, stop, tied)
            here, n = _count(relevant, at, end), end - at
            if here:
                none_before = 1.0
                for i in range(min(n - here + 1, start + k - at)):
                    none_before -= none_before * here / (n - i)
                out[group] = 1 - none_before
                break
            at = end
    return out


@compiled
def _count(relevant: Bools, start: int, stop: int) -> int:  # pragma: no cover - compiled
    count = 0
    for at in range(start, stop):
        count += relevant[at]
    return count
