"""Cubes of a stack: a group of hypotheses beside the options of a span that may come next (Huang & Chiang 2007).

A cube's corner joins the best hypothesis with the best option. All that is joined in a cube translates the same words
and pays the same distortion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.coverage import cover, is_free, may_follow, remaining
from runoff.kernels.kept_stacks import slot_rows

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats
    from runoff.kernels.decoder_options import Options
    from runoff.kernels.kept_stacks import Kept

_GROUP, _FIRST, _LAST = 0, 1, 2


class Cubes(NamedTuple):
    """Groups and options that may be joined."""

    groups: Columns  # row of `Kept`
    first: Columns  # options
    last: Columns
    distortions: Floats  # words jumped over, below 0
    futures: Floats  # estimate of all that is left to translate


@compiled
def open_cubes(
    stack: int, kept: Kept, options: Options, inner: Floats, to_end: Floats, distortion: int
) -> Cubes:  # pragma: no cover - compiled
    """Cubes whose hypotheses translate `stack` words; `inner` and `to_end` as `future_scores` gives them."""
    n_words, longest = options.first.shape
    rows, numbers = np.empty((64, 3), np.int32), np.empty((64, 2))
    scratch = np.empty((1, kept.bits.shape[1]), np.uint64)
    count = 0
    for length in range(1, min(longest, stack) + 1):
        slot, row = slot_rows(kept, stack - length)
        for group in range(row, row + kept.counts[slot]):
            gap, end = kept.gaps[group], kept.ends[group]
            last = n_words - length if distortion < 0 else min(n_words - length, end + distortion)
            for start in range(gap, last + 1):
                first = options.first[start, length - 1]
                if (
                    first == options.last[start, length - 1]
                    or not may_follow(gap, end, start, start + length, distortion)
                    or not is_free(kept.bits, group, gap, start, start + length)
                ):
                    continue
                if count == rows.shape[0]:
                    more_rows, more_numbers = np.empty((2 * count, 3), np.int32), np.empty((2 * count, 2))
                    more_rows[:count], more_numbers[:count] = rows, numbers
                    rows, numbers = more_rows, more_numbers
                then = cover(kept.bits, group, gap, start, start + length, scratch, 0)
                rows[count, _GROUP], rows[count, _FIRST] = group, first
                rows[count, _LAST] = options.last[start, length - 1]
                numbers[count, 0] = -abs(start - end)
                numbers[count, 1] = remaining(scratch, 0, then, inner, to_end)
                count += 1
    return Cubes(
        rows[:count, _GROUP].copy(),
        rows[:count, _FIRST].copy(),
        rows[:count, _LAST].copy(),
        numbers[:count, 0].copy(),
        numbers[:count, 1].copy(),
    )
