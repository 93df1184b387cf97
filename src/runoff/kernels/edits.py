"""Edit distance between sequences of word numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.common_ends import differing
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@compiled
def fewest_edits(
    offsets: Ints,
    text_offsets: Ints,
    texts: Ints,
    references_of: Ints,
    reference_offsets: Ints,
    references: Ints,
) -> Floats:  # pragma: no cover - compiled
    """Substitutions, insertions, deletions and reference words of every text against its nearest reference.

    Nearest is the one of its group with the fewest edits, then the fewest words, then the first. O(n m) for
    n and m words between the first and the last difference.
    """
    out = np.zeros((text_offsets.size - 1, 4))
    for group in range(offsets.size - 1):
        for row in range(offsets[group], offsets[group + 1]):
            text = texts[text_offsets[row] : text_offsets[row + 1]]
            fewest = np.iinfo(np.int64).max
            for at in range(references_of[group], references_of[group + 1]):
                reference = references[reference_offsets[at] : reference_offsets[at + 1]]
                edits, shifts = edit_counts(text, reference)
                if edits < fewest or (edits == fewest and reference.size < out[row, 3]):
                    fewest = edits
                    out[row, 0] = edits - shifts
                    out[row, 1] = (shifts + text.size - reference.size) // 2
                    out[row, 2] = (shifts - text.size + reference.size) // 2
                    out[row, 3] = reference.size
    return out


@compiled
def edit_counts(text: Ints, reference: Ints) -> tuple[int, int]:  # pragma: no cover - compiled
    """Fewest edits between two sequences, and the fewest insertions and deletions among so many."""
    start, stop, end = differing(text, reference)
    # A substitution costs `unit` and a shift one more, so that one number carries both counts.
    unit = stop + end + 1
    cost = np.arange(end - start + 1) * (unit + 1)
    for i in range(start, stop):
        diagonal, cost[0] = cost[0], cost[0] + unit + 1
        for j in range(1, cost.size):
            step = diagonal if text[i] == reference[start + j - 1] else diagonal + unit
            diagonal = cost[j]
            cost[j] = min(step, min(cost[j], cost[j - 1]) + unit + 1)
    return cost[-1] // unit, cost[-1] % unit
