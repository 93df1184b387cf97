"""Phrases of a sorted table in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints


@compiled
def _first_from(  # pragma: no cover - compiled
    offsets: Ints, words: Columns, low: int, high: int, depth: int, word: int
) -> int:
    """First phrase from `low` on whose word at `depth` is at least `word`; all of them agree before that word."""
    while low < high:
        middle = (low + high) // 2
        at = offsets[middle] + depth
        if at == offsets[middle + 1] or words[at] < word:  # a phrase that ends here comes first
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def phrases_in(  # pragma: no cover - compiled
    sentence: Columns, offsets: Ints, words: Columns, longest: int
) -> NDArray[np.int32]:
    """All spans of a sentence that are phrases, as rows of start, end and number of the phrase, in this order.

    Phrase p is `words[offsets[p] : offsets[p + 1]]`; phrases are in lexicographic order and none is longer than
    `longest`. Words of the sentence that the table does not have are below 0. O(words * longest * log phrases).
    """
    found = np.empty((sentence.size * longest, 3), np.int32)
    count = 0
    for start in range(sentence.size):
        low, high = 0, offsets.size - 1
        for depth in range(min(longest, sentence.size - start)):
            word = sentence[start + depth]
            if word < 0:
                break
            low = _first_from(offsets, words, low, high, depth, word)
            high = _first_from(offsets, words, low, high, depth, word + 1)
            if low == high:
                break
            if offsets[low + 1] - offsets[low] == depth + 1:
                found[count, 0], found[count, 1], found[count, 2] = start, start + depth + 1, low
                count += 1
    return found[:count].copy()


@compiled
def first_out_of_order(  # pragma: no cover - compiled
    rows: Ints, scores: NDArray[np.float32], offsets: Ints, words: Columns
) -> int:
    """First item of a group that does not come after the one before it, -1 where there is none.

    The items of group g are `rows[g]` to `rows[g + 1]`; they come by falling scores, and those of equal scores in the
    lexicographic order of their words, each once. O(words).
    """
    for group in range(rows.size - 1):
        for item in range(rows[group] + 1, rows[group + 1]):
            if scores[item] < scores[item - 1]:
                continue
            if scores[item] > scores[item - 1] or not _is_before(
                words[offsets[item - 1] : offsets[item]], words[offsets[item] : offsets[item + 1]]
            ):
                return item
    return -1


@compiled
def _is_before(one: Columns, other: Columns) -> bool:  # pragma: no cover - compiled
    for at in range(min(one.size, other.size)):
        if one[at] != other[at]:
            return bool(one[at] < other[at])
    return one.size < other.size
