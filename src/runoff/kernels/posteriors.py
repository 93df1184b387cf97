"""How much of a list has the n-grams of a text: posteriors of n-grams, by numbers given inside each list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import extended, slot_of, table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Keys = NDArray[np.uint64]

ORDERS = 3


@compiled
def posteriors(
    offsets: Ints, text_offsets: Ints, words: Ints, weights: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Fill the rows of `out`: precision and recall of every order, the weakest word, and words of no other text.

    Two n-grams that differ are taken for one if their 64-bit keys are equal. O(words x orders).
    """
    first_row = offsets[0]
    room = 1
    for group in range(offsets.size - 1):
        room = max(room, text_offsets[offsets[group + 1]] - text_offsets[offsets[group]])
    slots = np.zeros(table_size(room), np.int32)
    keys = np.empty(room, np.uint64)
    number_of = np.empty(room, np.int64)
    mass, texts, last_text = np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64)
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        total = 0.0
        for text in range(first, last):
            total += weights[text]
        for order in range(1, ORDERS + 1):
            known = _number(order, text_offsets[first : last + 1], words, slots, keys, number_of)
            for number in range(known):
                mass[number], texts[number], last_text[number] = 0.0, 0, -1
            start = text_offsets[first]
            for text in range(first, last):
                for at in range(text_offsets[text], text_offsets[text + 1] - order + 1):
                    number = number_of[at - start]
                    if last_text[number] != text:
                        last_text[number] = text
                        mass[number] += weights[text]
                        texts[number] += 1
            whole = 0.0
            for number in range(known):
                if total > 0:
                    mass[number] /= total
                whole += mass[number]
                last_text[number] = -1
            for text in range(first, last):
                row = out[text - first_row]
                own, covered, weakest, strangers = 0.0, 0.0, 1.0, 0
                ngrams = max(0, text_offsets[text + 1] - text_offsets[text] - order + 1)
                for at in range(text_offsets[text], text_offsets[text] + ngrams):
                    number = number_of[at - start]
                    own += mass[number]
                    weakest = min(weakest, mass[number])
                    strangers += texts[number] == 1
                    if last_text[number] != text:
                        last_text[number] = text
                        covered += mass[number]
                row[2 * order - 2] = own / ngrams if ngrams else 0.0
                row[2 * order - 1] = covered / whole if whole > 0 else 0.0
                if order == 1:
                    row[2 * ORDERS] = weakest if ngrams else 0.0
                    row[2 * ORDERS + 1] = strangers


@compiled
def _number(
    order: int, text_offsets: Ints, words: Ints, slots: Columns, keys: Keys, number_of: Ints
) -> int:  # pragma: no cover - compiled
    """Number the n-grams of a list by the words where they begin; gives how many differ."""
    start = text_offsets[0]
    table = slots[: table_size(text_offsets[-1] - start)]
    table[:] = 0
    known = 0
    for text in range(text_offsets.size - 1):
        for at in range(text_offsets[text], text_offsets[text + 1] - order + 1):
            key = np.uint64(0)
            for place in range(order):
                key = extended(key, np.uint64(words[at + place] + 1))
            slot = slot_of(key, table, keys)
            if table[slot] == 0:
                keys[known] = key
                known += 1
                table[slot] = known
            number_of[at - start] = table[slot] - 1
    return known
