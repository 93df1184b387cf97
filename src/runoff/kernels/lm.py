"""Keys of n-grams and their look-up: what a language model says of every text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, mixed
from runoff.kernels.prefetch import prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints, Singles

    Keys = NDArray[np.uint64]

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_32 = np.uint64(32)


@compiled
def extended(key: np.uint64, word: np.uint64, length: int) -> np.uint64:  # pragma: no cover - compiled
    """Key of the n-gram of `length` words that ends in `word`, from the key of the words before."""
    return mixed((key + np.uint64(length) * GOLDEN) * _FACTOR ^ word)


@compiled
def gram_keys(grams: NDArray[np.int32], word_keys: Keys) -> Keys:  # pragma: no cover - compiled
    """Keys of n-grams of one length; row `i` of `grams` has the numbers of the words of n-gram `i`."""
    out = np.empty(grams.shape[0], np.uint64)
    for row in range(out.size):
        key = word_keys[grams[row, 0]]
        for at in range(1, grams.shape[1]):
            key = extended(key, word_keys[grams[row, at]], at + 1)
        out[row] = key
    return out


@compiled
def home_of(key: np.uint64, slots: np.uint64) -> np.int64:  # pragma: no cover - compiled
    """Slot from which on a key is looked for: its upper half, scaled to the number of slots below 2**32."""
    return np.int64(((key >> _32) * slots) >> _32)


@compiled
def slot_of(key: np.uint64, table: Keys, slots: np.uint64) -> np.int64:  # pragma: no cover - compiled
    """Slot of a key, -1 where it is not there; `table[:, 0]` has the keys in order, the highest number between."""
    slot = home_of(key, slots)
    while table[slot, 0] < key:
        slot += 1
    return slot if table[slot, 0] == key else np.int64(-1)


@compiled
def slots_of(asked: Keys, table: Keys, slots: np.uint64) -> Ints:  # pragma: no cover - compiled
    """Slots of many keys; see `slot_of`."""
    out = np.empty(asked.size, np.int64)
    for row in range(out.size):
        out[row] = slot_of(asked[row], table, slots)
    return out


@compiled
def log_probabilities(
    table: Keys,
    values: Singles,
    slots: np.uint64,
    order: int,
    ends: Keys,
    word_keys: Keys,
    words: Ints,
    offsets: Ints,
) -> tuple[Floats, Floats]:  # pragma: no cover - compiled
    """Sum and minimum of the log probabilities of the words of every text and of its end.

    `values` is the memory of `table` as single numbers, log probability and back-off in the last two of every row;
    `ends` has the keys of start and end of a text. The longest n-gram that ends in a word counts, plus the back-offs
    of all longer contexts. O(order) a word.
    """
    total = np.zeros(offsets.size - 1)
    lowest = np.zeros(offsets.size - 1)
    longest_text = 0
    for text in range(total.size):
        longest_text = max(longest_text, offsets[text + 1] - offsets[text])
    # Row `i`: n-grams that end in word `i`, the shortest first; the start is word 0.
    keys = np.zeros((longest_text + 2, order), np.uint64)
    backoffs = np.zeros((longest_text + 2, order))
    for text in range(total.size):
        length = offsets[text + 1] - offsets[text]
        keys[0, 0] = ends[0]
        for at in range(1, length + 2):
            keys[at, 0] = ends[1] if at > length else word_keys[words[offsets[text] + at - 1]]
            for n in range(1, min(at + 1, order)):
                keys[at, n] = extended(keys[at - 1, n - 1], keys[at, 0], n + 1)
            # The memory is asked for all of them before the first is needed.
            for n in range(min(at + 1, order)):
                prefetch(table, 2 * home_of(keys[at, n], slots))
        slot = slot_of(ends[0], table, slots)
        backoffs[0, 0] = values[slot, 3] if slot >= 0 else 0.0
        for at in range(1, length + 2):
            longest = min(at + 1, order)
            found, value = 0, 0.0
            for n in range(longest):
                slot = slot_of(keys[at, n], table, slots)
                backoffs[at, n] = 0.0
                if slot >= 0:
                    found, value = n + 1, np.float64(values[slot, 2])
                    backoffs[at, n] = values[slot, 3]
            for n in range(max(found, 1), longest):
                value += backoffs[at - 1, n - 1]
            total[text] += value
            lowest[text] = min(lowest[text], value)
    return total, lowest
