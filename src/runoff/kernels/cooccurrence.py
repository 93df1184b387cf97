"""Which target words stand opposite which source words in sentence pairs, as sorted rows, and their look-up.

Row 0 is NULL, and row s + 1 is source word s; the slot of a pair of words is its place among all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints


@compiled
def sentences_of(ids: Columns, offsets: Ints, n_words: int) -> tuple[Ints, Columns]:  # pragma: no cover - compiled
    """Sentences in which every word occurs, each once, in their order. O(tokens)."""
    starts, last = np.zeros(n_words + 1, np.int64), np.full(n_words, -1, np.int32)
    for sentence in range(offsets.size - 1):
        for at in range(offsets[sentence], offsets[sentence + 1]):
            if last[ids[at]] != sentence:
                last[ids[at]] = sentence
                starts[ids[at] + 1] += 1
    for word in range(n_words):
        starts[word + 1] += starts[word]
    places, found = starts[:-1].copy(), np.empty(starts[-1], np.int32)
    last[:] = -1
    for sentence in range(offsets.size - 1):
        for at in range(offsets[sentence], offsets[sentence + 1]):
            word = ids[at]
            if last[word] != sentence:
                last[word] = sentence
                found[places[word]] = sentence
                places[word] += 1
    return starts, found


@compiled
def fill_rows(
    first: int,
    last: int,
    sentence_starts: Ints,
    sentences: Columns,
    target: Columns,
    target_offsets: Ints,
    n_target: int,
    sizes: Ints,
    starts: Ints,
    words: Columns,
) -> None:  # pragma: no cover - compiled
    """Sorted rows of source words from `first` to before `last`; with an empty `words`, only their sizes.

    O(sum over pairs of different source words times target words).
    """
    seen = np.full(n_target, -1, np.int32)
    for source in range(first, last):
        at = starts[source + 1] if words.size else 0
        begin = at
        for place in range(sentence_starts[source], sentence_starts[source + 1]):
            sentence = sentences[place]
            for token in range(target_offsets[sentence], target_offsets[sentence + 1]):
                word = target[token]
                if seen[word] != source:
                    seen[word] = source
                    if words.size:
                        words[at] = word
                    at += 1
        if words.size:
            words[begin:at].sort()
        else:
            sizes[source + 1] = at


@compiled
def slot_of(starts: Ints, words: Columns, row: int, word: int) -> int:  # pragma: no cover - compiled
    """Place of a word in a row; -1 where the row does not have it. O(log of the row)."""
    low, high = starts[row], starts[row + 1]
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return int(low) if low < starts[row + 1] and words[low] == word else -1


@compiled
def slots_of(starts: Ints, words: Columns, rows: Ints, wanted: Ints) -> Ints:  # pragma: no cover - compiled
    """Places of many words, each in its row; -1 where a row does not have the word, or where either is negative."""
    out = np.full(rows.size, -1, np.int64)
    for at in range(rows.size):
        if 0 <= rows[at] < starts.size - 1 and wanted[at] >= 0:
            out[at] = slot_of(starts, words, rows[at], wanted[at])
    return out
