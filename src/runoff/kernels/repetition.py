"""How much a text repeats itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import extended, slot_of, table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Keys = NDArray[np.uint64]

LONGEST_PERIOD = 1_000


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
    slots, keys = np.zeros(table_size(room), np.int32), np.empty(room, np.uint64)
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
    table = slots[: table_size(words.size)]
    table[:] = 0
    known = 0
    for at in range(words.size - order + 1):
        key = np.uint64(0)
        for place in range(order):
            key = extended(key, np.uint64(words[at + place] + 1))
        slot = slot_of(key, table, keys)
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
