"""Words that texts share with the input of their list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def shared_words(
    offsets: Ints, text_offsets: Ints, words: Ints, n_words: int, numbers: Bools, names: Bools, first_input: int
) -> Floats:  # pragma: no cover - compiled
    """Counts for every text beside its input; the input of list `i` is text `first_input + i`.

    `numbers` and `names` say of every word in its place whether it is one. Columns: words of the text that the input
    has, words of the input that the text has, pairs of neighbours that the input has, different numbers of the input
    that are lost, different numbers of the text that are made up, the same for names.
    O(n + m log m) for texts of n words with an input of m.
    """
    out = np.zeros((first_input, 7))
    in_input, in_text, lost = (
        np.full(n_words, -1, np.int64),
        np.full(n_words, -1, np.int64),
        np.full(n_words, -1, np.int64),
    )
    for group in range(offsets.size - 1):
        begin, end = text_offsets[first_input + group], text_offsets[first_input + group + 1]
        given = words[begin:end]
        if given.size == 0:
            continue
        for word in given:
            in_input[word] = group
        pairs = np.sort(given[:-1] * n_words + given[1:])
        for text in range(offsets[group], offsets[group + 1]):
            start, stop = text_offsets[text], text_offsets[text + 1]
            for at in range(start, stop):
                word = words[at]
                if in_input[word] == group:
                    out[text, 0] += 1
                elif in_text[word] != text:
                    out[text, 4] += numbers[at]
                    out[text, 6] += names[at] and at > start
                in_text[word] = text
                if at > start and pairs.size:
                    key = words[at - 1] * n_words + word
                    place = np.searchsorted(pairs, key)
                    out[text, 2] += place < pairs.size and pairs[place] == key
            for at in range(begin, end):
                if in_text[words[at]] == text:
                    out[text, 1] += 1
                elif lost[words[at]] != text:
                    lost[words[at]] = text
                    out[text, 3] += numbers[at]
                    out[text, 5] += names[at] and at > begin
    return out
