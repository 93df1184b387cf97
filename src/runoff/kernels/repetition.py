"""How much a text repeats itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Keys = NDArray[np.uint64]

LONGEST_PERIOD = 1_000
# The mixing steps of SplitMix64 (Steele, Lea & Flood 2014).
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_THIRTY, _TWENTY_SEVEN, _THIRTY_ONE = np.uint64(30), np.uint64(27), np.uint64(31)


@compiled
def repetition(
    first: int, last: int, text_offsets: Ints, words: Ints, out: Floats
) -> None:  # pragma: no cover - compiled
    """Fill the rows of texts first..last: words like the one before, n-grams seen before, stretch, different words.

    Two n-grams that differ are taken for one if their 64-bit keys are equal. O(words x longest period).
    """
    room = 1
    for text in range(first, last):
        room = max(room, text_offsets[text + 1] - text_offsets[text])
    power = 16
    while power < 2 * room:
        power *= 2
    slots, keys = np.zeros(power, np.int32), np.empty(room, np.uint64)
    for text in range(first, last):
        own, row = words[text_offsets[text] : text_offsets[text + 1]], out[text - first]
        row[:] = 0.0
        row[4] = 1.0
        if own.size == 0:
            continue
        alike = 0
        for at in range(1, own.size):
            alike += own[at] == own[at - 1]
        row[0] = alike / own.size
        for order in range(1, 4):
            ngrams = own.size - order + 1
            if ngrams < 1:
                break
            distinct = _distinct(own, order, slots, keys)
            if order == 1:
                row[4] = distinct / ngrams
            else:
                row[order - 1] = (ngrams - distinct) / ngrams
        row[3] = np.log1p(_longest(own))


@compiled
def _distinct(words: Ints, order: int, slots: Columns, keys: Keys) -> int:  # pragma: no cover - compiled
    size = 16
    while size < 2 * words.size:
        size *= 2
    table = slots[:size]
    table[:] = 0
    mask = np.uint64(size - 1)
    known = 0
    for at in range(words.size - order + 1):
        key = np.uint64(0)
        for place in range(order):
            key = key * _FACTOR + np.uint64(words[at + place] + 1)
            key = (key ^ (key >> _THIRTY)) * _FIRST
            key = (key ^ (key >> _TWENTY_SEVEN)) * _SECOND
            key ^= key >> _THIRTY_ONE
        slot = key & mask
        while table[slot] != 0 and keys[table[slot] - 1] != key:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] == 0:
            keys[known] = key
            known += 1
            table[slot] = known
    return known


@compiled
def _longest(words: Ints) -> int:  # pragma: no cover - compiled
    """Most words in a row that repeat the stretch just before them, whole stretches only."""
    longest = 0
    for period in range(1, min(LONGEST_PERIOD, words.size // 2) + 1):
        run = 0
        for at in range(period, words.size):
            run = run + 1 if words[at] == words[at - period] else 0
            if run > longest:
                longest = max(longest, run - run % period)
    return longest
