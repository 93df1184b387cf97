"""Words of a source text that its translation keeps as they are, by kind of word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints


@compiled
def kept_words(
    offsets: Ints,
    source: Ints,
    source_offsets: Ints,
    target: Ints,
    target_offsets: Ints,
    kinds: Columns,
    n_kinds: int,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Of every text and kind, words of the source in the text, words lost, and words that the source does not have.

    Words on both sides are numbers of one list of spellings; `kinds` has their kind, -1 for words that are not looked
    at. A word counts as often as both sides have it. Source text i belongs to list i. O(words).
    """
    room = np.zeros(kinds.size, np.int64)
    for group in range(offsets.size - 1):
        ours = source[source_offsets[group] : source_offsets[group + 1]]
        for word in ours:
            room[word] = 0
        for text in range(offsets[group], offsets[group + 1]):
            theirs = target[target_offsets[text] : target_offsets[text + 1]]
            for word in theirs:
                room[word] = 0
            for word in ours:
                room[word] += 1
                if kinds[word] >= 0:
                    out[text, n_kinds + kinds[word]] += 1
            for word in theirs:
                kind = kinds[word]
                if room[word] > 0:
                    room[word] -= 1
                    if kind >= 0:
                        out[text, kind] += 1
                        out[text, n_kinds + kind] -= 1
                elif kind >= 0:
                    out[text, 2 * n_kinds + kind] += 1
            for word in ours:
                room[word] = 0
