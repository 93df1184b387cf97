"""A back-off language model that is asked word by word, by many hypotheses that each have read something else.

A state is what the model needs to know of the words before: the n-grams that end in the last word, as their keys and
back-offs. It is as short as the model allows: where it has no n-gram of the last three words, what was before them has
no influence any more (the minimal state of Li & Khudanpur 2008 and of Heafield 2011, whose n-grams contain their
beginnings as those of every estimator do). States are rows of `keys` and `backoffs`, the shortest n-gram first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.lm import extended, home_of, slot_of
from runoff.kernels.prefetch import prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Singles

    Keys = NDArray[np.uint64]

LN10 = 2.302585092994046


class NgramLookup(NamedTuple):
    """The memory of a language model; see `runoff.kernels.lm.log_probabilities`."""

    table: Keys
    values: Singles
    slots: np.uint64
    order: int
    start: np.uint64  # keys of the start and the end of a text
    end: np.uint64


@compiled
def begin(lm: NgramLookup, word: np.uint64, keys: Keys, backoffs: Singles, row: int) -> int:  # pragma: no cover
    """Make a row the state after nothing but a word (the start of a text); the length of the state."""
    keys[row, 0], backoffs[row, 0] = word, 0.0
    if lm.order == 1:
        return 0
    slot = slot_of(word, lm.table, lm.slots)
    if slot >= 0:
        backoffs[row, 0] = lm.values[slot, 3]
    return 1


@compiled
def advance(
    lm: NgramLookup, word: np.uint64, keys: Keys, backoffs: Singles, row: int, length: int
) -> tuple[float, int]:  # pragma: no cover - compiled
    """Log10 probability of the next word; the row becomes the state after it, whose length is returned. O(order)."""
    longest = lm.order - 1  # n-grams of a state
    for n in range(length, 0, -1):
        keys[row, n] = extended(keys[row, n - 1], word, n + 1)
        # The memory is asked for all of them before the first is needed.
        prefetch(lm.table, 2 * home_of(keys[row, n], lm.slots))
    keys[row, 0] = word
    value, is_found, kept = 0.0, False, 0
    # From the longest on, so that the back-offs of the contexts are read before they are replaced.
    for n in range(length, -1, -1):
        slot = slot_of(keys[row, n], lm.table, lm.slots)
        if not is_found:
            if slot >= 0:
                value += lm.values[slot, 2]
                is_found = True
            elif n > 0:
                value += backoffs[row, n - 1]
        if n < longest:
            backoffs[row, n] = lm.values[slot, 3] if slot >= 0 else np.float32(0.0)
            if slot >= 0 and kept == 0:
                kept = n + 1
    return value, kept


@compiled
def advance_all(
    lm: NgramLookup,
    words: Keys,
    start: int,
    end: int,
    keys: Keys,
    backoffs: Singles,
    row: int,
    length: int,
) -> tuple[float, int]:  # pragma: no cover - compiled
    """Natural logarithm of the probability of `words[start:end]` after a state, and the length of the state then."""
    total = 0.0
    for at in range(start, end):
        value, length = advance(lm, words[at], keys, backoffs, row, length)
        total += value
    return total * LN10, length


@compiled
def copy_state(
    from_keys: Keys,
    from_backoffs: Singles,
    from_row: int,
    keys: Keys,
    backoffs: Singles,
    row: int,
    length: int,
) -> None:  # pragma: no cover - compiled
    """Copy a state of so many n-grams into another row."""
    for n in range(length):
        keys[row, n], backoffs[row, n] = from_keys[from_row, n], from_backoffs[from_row, n]
