"""Hashes of 64 bits, and tables that find a key by its hash.

Tables number their keys: a slot has the number of a key plus one, 0 where it is free; the next slot is tried where
another key has it (open addressing). The size of a table is a power of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns

    Keys = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, as in Fibonacci hashing (Knuth, volume 3)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_MULTIPLIER = np.uint64(0xFF51AFD7ED558CCD)  # of MurmurHash3


@compiled
def mixed(word: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Scramble 64 bits: the output function of SplitMix64 (Steele, Lea & Flood 2014)."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@compiled
def combined(key: np.uint64, value: int | np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Key of what has a key and then a value; quicker than `mixed`, and good enough where keys are compared whole."""
    key = (key ^ np.uint64(value)) * _MULTIPLIER
    return key ^ (key >> np.uint64(32))


@compiled
def extended(key: np.uint64, word: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Key of an n-gram from that of all its words but the last, which is 0 for none."""
    return mixed(key * GOLDEN + word)


@compiled
def table_size(keys: int) -> int:  # pragma: no cover - compiled
    """Slots for so many keys: a power of two, at least half of them free."""
    size = 16
    while size < 2 * keys:
        size *= 2
    return size


@compiled
def slot_of(key: np.uint64, slots: Columns, keys: Keys) -> np.uint64:  # pragma: no cover - compiled
    """The slot with the number of a key, or the free one where it belongs; `keys` has the key of every number."""
    mask = np.uint64(slots.size - 1)
    slot = key & mask
    while slots[slot] != 0 and keys[slots[slot] - 1] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
