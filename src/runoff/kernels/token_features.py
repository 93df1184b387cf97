"""Numbers of features of tokens: keys of conjunctions of codes, and tables that number them, template by template.

A code of 0 is no value, and what needs it has no feature: its key is 0. Tokens before a sentence have the code 1, those
after it 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import extended, slot_of

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints
    from runoff.kernels.hashing import Keys

NONE, BEFORE, AFTER, FIRST_VALUE = range(4)


@compiled
def conjunction_keys(
    template: int, codes: Columns, rows: Ints, shifts: Ints, offsets: Ints, keys: Keys
) -> None:  # pragma: no cover - compiled
    """Key of a template at every token; 0 where an atom has no value.

    Atom a is row `rows[a]` of `codes` at the token `shifts[a]` further on. O(tokens x atoms).
    """
    begin = extended(np.uint64(0), np.uint64(template + 1))
    for sentence in range(offsets.size - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for token in range(first, last):
            key = begin
            for atom in range(rows.size):
                at = token + shifts[atom]
                code = BEFORE if at < first else AFTER if at >= last else codes[rows[atom], at]
                if code == NONE:
                    key = np.uint64(0)
                    break
                key = extended(key, np.uint64(code))
            keys[token] = key


@compiled
def keys_of_parts(template: int, parts: Columns, keys: Keys) -> None:  # pragma: no cover - compiled
    """Key of every feature of a template by the codes of its atoms, one row for each. O(codes)."""
    begin = extended(np.uint64(0), np.uint64(template + 1))
    for feature in range(parts.shape[0]):
        key = begin
        for atom in range(parts.shape[1]):
            key = extended(key, np.uint64(parts[feature, atom]))
        keys[feature] = key


@compiled
def number_keys(
    wanted: Keys, first: int, slots: Columns, keys: Keys, counts: Ints, firsts: Ints, known: int
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Count keys, new ones under the next number; `firsts` has the place where each came first.

    Stops where a table is full; gives the place to go on with and how many are known. O(keys).
    """
    for at in range(first, wanted.size):
        key = wanted[at]
        if key == 0:
            continue
        slot = slot_of(key, slots, keys)
        number = slots[slot] - 1
        if number < 0:
            if known == keys.size or (known + 1) * 2 > slots.size:
                return at, known
            number = known
            keys[known], firsts[known], counts[known] = key, at, 0
            known += 1
            slots[slot] = known
        counts[number] += 1
    return wanted.size, known


@compiled
def fill_slots(keys: Keys, known: int, slots: Columns) -> int:  # pragma: no cover - compiled
    """Put known keys into free slots; gives the number of one that comes twice, or -1. O(keys)."""
    for number in range(known):
        slot = slot_of(keys[number], slots, keys)
        if slots[slot] != 0:
            return number
        slots[slot] = number + 1
    return -1


@compiled
def find_keys(
    wanted: Keys, slots: Columns, keys: Keys, start: int, numbers: Columns
) -> None:  # pragma: no cover - compiled
    """Number of every key, counted from `start`; -1 where it is not known. O(keys)."""
    for at in range(wanted.size):
        numbers[at] = -1
        if wanted[at] != 0:
            found = slots[slot_of(wanted[at], slots, keys)]
            if found:
                numbers[at] = start + found - 1


@compiled
def find_codes(
    codes: Columns, shift: int, offsets: Ints, number_of: Columns, numbers: Columns
) -> None:  # pragma: no cover - compiled
    """Number of a template of a single atom at every token: `number_of` has it for every code. O(tokens)."""
    for sentence in range(offsets.size - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        for token in range(first, last):
            at = token + shift
            numbers[token] = number_of[BEFORE if at < first else AFTER if at >= last else codes[at]]


@compiled
def csr_of(numbers: Columns, indptr: Ints, features: Columns) -> None:  # pragma: no cover - compiled
    """Rows of tokens from `numbers[template, token]`, without those that are -1. O(numbers)."""
    at = 0
    for token in range(numbers.shape[1]):
        for template in range(numbers.shape[0]):
            if numbers[template, token] >= 0:
                features[at] = numbers[template, token]
                at += 1
        indptr[token + 1] = at
