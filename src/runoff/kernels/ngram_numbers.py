"""Numbers of the n-grams of texts, list by list: within a list equal n-grams have equal numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Ints

_HALF = np.uint64(32)


@compiled
def ngram_numbers(
    offsets: Ints, text_offsets: Ints, tokens: npt.NDArray[np.int32], orders: int
) -> tuple[npt.NDArray[np.int32], Ints]:  # pragma: no cover - compiled
    """Number the n-grams of every list from 0, for each order by itself, and count the different ones.

    Texts of list `i` are `offsets[i]` to `offsets[i + 1]`, tokens (not negative) of text `t` those from
    `text_offsets[t]` to `text_offsets[t + 1]`. The n-gram of order n that begins at place `p` of the tokens has number
    `numbers[n - 1, p - text_offsets[offsets[0]]]`, -1 where the text ends before it does. An n-gram is looked up by
    the number of its first n - 1 tokens and its last token, so the numbers are exact: no two n-grams share one.
    O(tokens x orders).
    """
    origin = text_offsets[offsets[0]]
    numbers = np.full((orders, text_offsets[offsets[-1]] - origin), -1, np.int32)
    found = np.zeros((offsets.size - 1, orders), np.int64)
    largest = 1
    for group in range(offsets.size - 1):
        largest = max(largest, text_offsets[offsets[group + 1]] - text_offsets[offsets[group]])
    bits = 1
    while (1 << bits) < 2 * largest:
        bits += 1
    keys = np.empty(1 << bits, np.uint64)
    values = np.empty(1 << bits, np.int32)
    written = np.zeros(1 << bits, np.int64)  # in which round a slot was last filled: spares clearing the table
    turn = 0
    for group in range(offsets.size - 1):
        # A small list keeps to a small part of the table, which then stays in the cache.
        bits = 1
        while (1 << bits) < 2 * (text_offsets[offsets[group + 1]] - text_offsets[offsets[group]]):
            bits += 1
        shift, mask = np.uint64(64 - bits), (1 << bits) - 1
        for n in range(orders):
            turn += 1
            known = 0
            for text in range(offsets[group], offsets[group + 1]):
                for place in range(text_offsets[text], text_offsets[text + 1] - n):
                    key = np.uint64(tokens[place + n])
                    if n > 0:
                        key |= np.uint64(numbers[n - 1, place - origin]) << _HALF
                    slot = np.int64((key * GOLDEN) >> shift)
                    while written[slot] == turn and keys[slot] != key:
                        slot = (slot + 1) & mask
                    if written[slot] != turn:
                        written[slot], keys[slot], values[slot] = turn, key, known
                        known += 1
                    numbers[n, place - origin] = values[slot]
            found[group, n] = known
    return numbers, found
