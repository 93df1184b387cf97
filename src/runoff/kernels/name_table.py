"""A growing set of names that numbers them by their first appearance: open addressing over bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]

# Places are unsigned here: numba checks signed ones for being negative, and eight bytes are then not read at once.
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_FIVE, _SIX, _SEVEN, _EIGHT = np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
_HALF = np.uint64(32)
_NUMBER = np.uint64(0xFFFFFFFF)


@compiled
def number(
    text: Bytes, spans: Columns, first: int, slots: Words, known: int, ends: Ints, letters: Bytes, numbers: Columns
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Number the names from `first` on; new ones get the next numbers.

    Stops where a table is full; gives the name to go on with and how many names are known. Name k is
    `letters[ends[k]:ends[k + 1]]`; a slot has the upper half of the name's hash and its number plus one, 0 where
    it is free. O(bytes).
    """
    mask = np.uint64(slots.size - 1)
    for name in range(first, spans.shape[0]):
        start, length = np.uint64(spans[name, 0]), np.uint64(spans[name, 1] - spans[name, 0])
        if (known + 1) * 2 > slots.size or known + 1 == ends.size or ends[known] + np.int64(length) > letters.size:
            return name, known
        hashed = _hash(text, start, length)
        slot = hashed & mask
        while True:
            found = slots[slot]
            if found == 0:
                for at in range(np.int64(length)):
                    letters[ends[known] + at] = text[start + np.uint64(at)]
                ends[known + 1] = ends[known] + np.int64(length)
                slots[slot] = ((hashed >> _HALF) << _HALF) | np.uint64(known + 1)
                numbers[name] = known
                known += 1
                break
            if found >> _HALF == hashed >> _HALF:
                place = np.int64(found & _NUMBER) - 1
                begin = np.uint64(ends[place])
                if np.uint64(ends[place + 1]) - begin == length and _are_equal(text, start, letters, begin, length):
                    numbers[name] = place
                    break
            slot = (slot + _ONE) & mask
    return spans.shape[0], known


@compiled
def fill_slots(slots: Words, ends: Ints, letters: Bytes, known: int) -> None:  # pragma: no cover - compiled
    """Put all known names into fresh slots. O(bytes)."""
    mask = np.uint64(slots.size - 1)
    for name in range(known):
        hashed = _hash(letters, np.uint64(ends[name]), np.uint64(ends[name + 1] - ends[name]))
        slot = hashed & mask
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = ((hashed >> _HALF) << _HALF) | np.uint64(name + 1)


@compiled
def has_repeats(numbers: Columns, lengths: Ints, skip: Bools, n_names: int) -> bool:  # pragma: no cover - compiled
    """Whether a name comes twice in one of the rows that are not to be skipped. O(names)."""
    last_row = np.full(n_names, -1, np.int64)
    at = 0
    for row in range(lengths.size):
        for _ in range(lengths[row]):
            if last_row[numbers[at]] == row and not skip[row]:
                return True
            last_row[numbers[at]] = row
            at += 1
    return False


@compiled
def _hash(text: Bytes, at: np.uint64, length: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    hashed, end = length, at + length
    while at + _EIGHT <= end:
        hashed = _mixed(hashed ^ _word(text, at))
        at += _EIGHT
    return _mixed(hashed ^ _tail(text, at, end))


@compiled
def _are_equal(
    one: Bytes, at: np.uint64, other: Bytes, place: np.uint64, length: np.uint64
) -> bool:  # pragma: no cover - compiled
    end = at + length
    while at + _EIGHT <= end:
        if _word(one, at) != _word(other, place):
            return False
        at, place = at + _EIGHT, place + _EIGHT
    return bool(_tail(one, at, end) == _tail(other, place, place + (end - at)))


@compiled
def _mixed(word: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    word *= GOLDEN
    return word ^ (word >> _HALF)


@compiled
def _word(text: Bytes, at: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Eight bytes as one number; the compiler makes one load of them."""
    low = (
        np.uint64(text[at])
        | np.uint64(text[at + _ONE]) << np.uint64(8)
        | np.uint64(text[at + _TWO]) << np.uint64(16)
        | np.uint64(text[at + _THREE]) << np.uint64(24)
    )
    high = (
        np.uint64(text[at + _FOUR]) << np.uint64(32)
        | np.uint64(text[at + _FIVE]) << np.uint64(40)
        | np.uint64(text[at + _SIX]) << np.uint64(48)
        | np.uint64(text[at + _SEVEN]) << np.uint64(56)
    )
    return low | high


@compiled
def _tail(text: Bytes, at: np.uint64, end: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """Up to seven bytes as one number."""
    word = np.uint64(0)
    while at < end:
        word = word << _EIGHT | np.uint64(text[at])
        at += _ONE
    return word
