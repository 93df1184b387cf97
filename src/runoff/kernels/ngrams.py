"""Counts of n-grams that a text shares with its references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

MAX_ORDER = 4


@njit(cache=True, nogil=True)
def matches(
    offsets: Ints,
    text_offsets: Ints,
    texts: Ints,
    references_of: Ints,
    reference_offsets: Ints,
    references: Ints,
) -> Floats:  # pragma: no cover - compiled
    """BLEU's statistics of every text: length, closest reference length, clipped matches, totals.

    Columns are in sacrebleu's order; of two reference lengths equally close the shorter counts. An n-gram
    of the text is a match while the text has had fewer of it than the reference with the most of it.
    O(n (n + m)) for n words against m words of references.
    """
    out = np.zeros((text_offsets.size - 1, 2 + 2 * MAX_ORDER))
    for group in range(offsets.size - 1):
        for row in range(offsets[group], offsets[group + 1]):
            text = texts[text_offsets[row] : text_offsets[row + 1]]
            out[row, 0] = text.size
            closest = -1
            for at in range(references_of[group], references_of[group + 1]):
                length = reference_offsets[at + 1] - reference_offsets[at]
                gap, least = abs(length - text.size), abs(closest - text.size)
                if closest < 0 or gap < least or (gap == least and length < closest):
                    closest = length
            out[row, 1] = max(closest, 0)
            for n in range(MAX_ORDER):
                out[row, 2 + MAX_ORDER + n] = max(0, text.size - n)
            for i in range(text.size):
                had = occurrences(text[: min(text.size, i + MAX_ORDER - 1)], i, text, i)
                most = np.zeros(MAX_ORDER, np.int64)
                for at in range(references_of[group], references_of[group + 1]):
                    reference = references[reference_offsets[at] : reference_offsets[at + 1]]
                    most = np.maximum(most, occurrences(reference, reference.size, text, i))
                for n in range(MAX_ORDER):
                    if had[n] < most[n]:
                        out[row, 2 + n] += 1
    return out


@njit(cache=True, nogil=True)
def occurrences(words: Ints, until: int, text: Ints, start: int) -> Ints:  # pragma: no cover - compiled
    """How often the n-grams of `text` at `start`, for each n, begin in `words` before place `until`."""
    counts = np.zeros(MAX_ORDER, np.int64)
    for place in range(until):
        for n in range(min(MAX_ORDER, words.size - place, text.size - start)):
            if words[place + n] != text[start + n]:
                break
            counts[n] += 1
    return counts
