"""Edit distance, many to many: to references, and between every two texts of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.bit_parallel_edits import edits_between, forget, pattern_bits
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@compiled
def nearest_edits(
    offsets: Ints, text_offsets: Ints, references_of: Ints, reference_offsets: Ints, tokens: Ints, n_tokens: int
) -> Floats:  # pragma: no cover - compiled
    """Edits and reference tokens of every text against its nearest reference.

    Nearest is the one of its group with the fewest edits, then the fewest tokens, then the first. References of group
    `g` are `references_of[g]` to `references_of[g + 1]`; both kinds of offsets point into `tokens`, numbers below
    `n_tokens`. Cost as for `edit_sums`.
    """
    out = np.zeros((text_offsets.size - 1, 2))
    slots = np.zeros(n_tokens + 1, np.int32)  # 0: not in the pattern
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        for at in range(references_of[group], references_of[group + 1] if last > first else 0):
            pattern = tokens[reference_offsets[at] : reference_offsets[at + 1]]
            places = pattern_bits(pattern, slots)
            up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
            for row in range(first, last):
                text = tokens[text_offsets[row] : text_offsets[row + 1]]
                edits = edits_between(places, pattern.size, text, slots, up, down)
                nearer = edits < out[row, 0] or (edits == out[row, 0] and pattern.size < out[row, 1])
                if at == references_of[group] or nearer:
                    out[row, 0], out[row, 1] = edits, pattern.size
            forget(pattern, slots)
    return out


@compiled
def edit_sums(
    offsets: Ints, text_offsets: Ints, tokens: Ints, n_tokens: int, weights: Floats
) -> Floats:  # pragma: no cover - compiled
    """Sum over the other texts j of a list of weight j times the edits between i and j.

    Texts of list `l` are `offsets[l]` to `offsets[l + 1]`, tokens (numbers below `n_tokens`) of text `t` those from
    `text_offsets[t]` to `text_offsets[t + 1]`; `weights` and the result have a row for each text.
    Edits are substitutions, insertions and deletions (Levenshtein).
    O(m n / 64) per pair of texts with m and n tokens, O(m²/64) memory.
    """
    sums = np.zeros(weights.shape)
    slots = np.zeros(n_tokens + 1, np.int32)  # 0: not in the pattern
    for group in range(offsets.size - 1):
        for i in range(offsets[group], offsets[group + 1]):
            pattern = tokens[text_offsets[i] : text_offsets[i + 1]]
            places = pattern_bits(pattern, slots)
            up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
            for j in range(i + 1, offsets[group + 1]):
                text = tokens[text_offsets[j] : text_offsets[j + 1]]
                edits = edits_between(places, pattern.size, text, slots, up, down)
                for column in range(weights.shape[1]):
                    sums[i, column] += weights[j, column] * edits
                    sums[j, column] += weights[i, column] * edits
            forget(pattern, slots)
    return sums
