"""Do scores put candidates in the order of their quality? The best one's lead, and every pair, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@compiled
def leads(offsets: Ints, quality: Floats, score: Floats) -> Floats:  # pragma: no cover - compiled
    """Highest score among the best by quality, less the highest among the others; NaN without others. O(candidates)."""
    out = np.full(offsets.size - 1, np.nan)
    for group in range(out.size):
        top, best, rival = -np.inf, -np.inf, -np.inf
        for row in range(offsets[group], offsets[group + 1]):
            if quality[row] > top:
                top, best, rival = quality[row], score[row], max(best, rival)
            elif quality[row] == top:
                best = max(best, score[row])
            else:
                rival = max(rival, score[row])
        if rival > -np.inf:
            out[group] = best - rival
    return out


@compiled
def concordance(offsets: Ints, order: Ints, quality: Floats, score: Floats) -> Ints:  # pragma: no cover - compiled
    """Pairs of different quality whose scores are in the same order, tied, and in the other; one row per group.

    Knight's (1966) way of counting for Kendall's tau: `order` lists the rows of every group by falling quality and,
    where that ties, by falling score; what a merge sort by score then has to swap is out of order, and ties are
    counted in the runs of equal values. O(n log k) for n candidates in groups of k.
    """
    out = np.zeros((offsets.size - 1, 3), np.int64)
    sorted_, spare = np.empty(score.size), np.empty(score.size)
    for group in range(out.shape[0]):
        start, stop = offsets[group], offsets[group + 1]
        # Pairs that tie by quality, by both, and by score: every member of a run ties with those before it.
        same_quality, same_both, same_score, wrong = 0, 0, 0, 0
        quality_run, both_run, score_run = start, start, start
        for at in range(start, stop):
            sorted_[at] = score[order[at]]
            if quality[order[at]] != quality[order[quality_run]]:
                quality_run, both_run = at, at
            elif sorted_[at] != sorted_[both_run]:
                both_run = at
            same_quality += at - quality_run
            same_both += at - both_run
        width = 1
        while width < stop - start:
            for left in range(start, stop, 2 * width):
                middle, right = min(left + width, stop), min(left + 2 * width, stop)
                a, b = left, middle
                for at in range(left, right):
                    if a < middle and (b == right or sorted_[a] >= sorted_[b]):
                        spare[at] = sorted_[a]
                        a += 1
                    else:
                        spare[at] = sorted_[b]
                        wrong += middle - a
                        b += 1
            for at in range(start, stop):
                sorted_[at] = spare[at]
            width *= 2
        for at in range(start, stop):
            if sorted_[at] != sorted_[score_run]:
                score_run = at
            same_score += at - score_run
        size = stop - start
        tied = same_score - same_both
        out[group, 0] = size * (size - 1) // 2 - same_quality - tied - wrong
        out[group, 1] = tied
        out[group, 2] = wrong
    return out
