"""N-grams of texts in lists by 64-bit keys: those that tell the texts of a list apart, counted in each text.

A unit is a word by its number, with the hash of its spelling in `hashes`, or a code point, with no `hashes`. The key of
an n-gram comes from the hashes of its units alone, so other data has the same key for the same spelling. Two n-grams
that differ have the same key once in about 2**64 pairs; they are then taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, extended, slot_of, table_size
from runoff.kernels.ordering import sort_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints, Singles

    Keys = NDArray[np.uint64]


class _Table(NamedTuple):
    """Room for the n-grams of one list: by number in order of first appearance, and by text."""

    slots: Columns  # number of an n-gram plus one where its key leads, 0 where it is free
    keys: Keys  # of every number: its key,
    last_text: Columns  # the last text that has it,
    last_entry: Columns  # the entry there,
    texts: Columns  # how many texts have it,
    tells: Bools  # and whether they have it with different counts, or some not at all
    number_of: Columns  # of every entry, which is an n-gram of a text: its number,
    count_of: Columns  # and how often the text has it
    entries_until: Ints  # where the entries of a text end


@compiled
def telling_keys(
    offsets: Ints, text_offsets: Ints, units: Ints, hashes: Keys, wanted: Bools
) -> Keys:  # pragma: no cover - compiled
    """Keys of the n-grams that tell texts of a list apart, once for each list, of all lists. O(units x orders)."""
    table = _table(offsets, text_offsets, wanted)
    out = np.empty(text_offsets[offsets[-1]] * max(1, wanted.sum()), np.uint64)
    size = 0
    for group in range(offsets.size - 1):
        known, _ = _count(offsets[group], offsets[group + 1], text_offsets, units, hashes, wanted, table)
        for number in range(known):
            if table.tells[number]:
                out[size] = table.keys[number]
                size += 1
    return out[:size].copy()


@compiled
def counts(
    offsets: Ints,
    text_offsets: Ints,
    units: Ints,
    hashes: Keys,
    wanted: Bools,
    vocabulary: Keys,
    slots: Columns,
    mask: np.uint64,
) -> tuple[Ints, Columns, Singles]:  # pragma: no cover - compiled
    """Number of columns of each text, the columns in rising order, and how often the text has their n-grams.

    The column of a key is its place in the vocabulary, or where `slots` is empty its lower bits as `mask` has them.
    O(units x orders), and sorting within texts.
    """
    table = _table(offsets, text_offsets, wanted)
    column_of = np.empty(table.keys.size, np.int32)
    first_text = offsets[0]
    longest = 0
    for text in range(first_text, offsets[-1]):
        longest = max(longest, text_offsets[text + 1] - text_offsets[text])
    room = np.empty(longest * wanted.sum(), np.int64)
    lengths = np.zeros(offsets[-1] - first_text, np.int64)
    columns = np.empty(1024, np.int32)
    values = np.empty(1024, np.float32)
    size = 0
    for group in range(offsets.size - 1):
        known, entries = _count(offsets[group], offsets[group + 1], text_offsets, units, hashes, wanted, table)
        for number in range(known):
            column_of[number] = -1
            if table.tells[number]:
                key = table.keys[number]
                column_of[number] = (
                    np.int64(key & mask) if slots.size == 0 else slots[slot_of(key, slots, vocabulary)] - 1
                )
        while size + entries > columns.size:
            columns = np.concatenate((columns, np.empty(columns.size, np.int32)))
            values = np.concatenate((values, np.empty(values.size, np.float32)))
        at = 0
        for text in range(offsets[group], offsets[group + 1]):
            stop = table.entries_until[text - offsets[group]]
            row = room[: stop - at]
            filled = 0
            for entry in range(at, stop):
                column = np.int64(column_of[table.number_of[entry]])
                if column >= 0:
                    row[filled] = column << 32 | table.count_of[entry]
                    filled += 1
            sort_numbers(row, filled)
            before = size
            for packed in row[:filled]:
                column = packed >> 32
                if size > before and columns[size - 1] == column:
                    values[size - 1] += np.float32(packed & 0xFFFFFFFF)
                else:
                    columns[size] = column
                    values[size] = packed & 0xFFFFFFFF
                    size += 1
            lengths[text - first_text] = size - before
            at = stop
    return lengths, columns[:size].copy(), values[:size].copy()


@compiled
def spell(
    text_offsets: Ints,
    units: Ints,
    hashes: Keys,
    wanted: Bools,
    vocabulary: Keys,
    slots: Columns,
    part: int,
    parts: int,
    out: Ints,
) -> None:  # pragma: no cover - compiled
    """Write the units of the n-grams of a vocabulary to the rows of `out` that begin with -1.

    Only rows whose number leaves `part` when divided by `parts`: several threads can so fill one table. O(units x
    orders).
    """
    divisor, rest = np.uint64(parts), np.uint64(part)
    for text in range(text_offsets.size - 1):
        for at in range(text_offsets[text], text_offsets[text + 1]):
            key = np.uint64(0)
            for order in range(1, min(wanted.size, text_offsets[text + 1] - at + 1)):
                key = _extended(key, units[at + order - 1], hashes)
                if wanted[order] and key % divisor == rest:
                    row = slots[slot_of(key, slots, vocabulary)] - 1
                    if row >= 0 and out[row, 0] < 0:
                        for place in range(order):
                            out[row, place] = units[at + place]


@compiled
def runs(rising: Keys, at_least: int) -> tuple[Keys, Ints]:  # pragma: no cover - compiled
    """Keys that come at least so often in a rising array, and how often. O(keys)."""
    keys, times = np.empty(rising.size, np.uint64), np.empty(rising.size, np.int64)
    size = start = 0
    for at in range(1, rising.size + 1):
        if at == rising.size or rising[at] != rising[start]:
            if at - start >= at_least:
                keys[size], times[size] = rising[start], at - start
                size += 1
            start = at
    return keys[:size].copy(), times[:size].copy()


@compiled
def slots_of(vocabulary: Keys) -> Columns:  # pragma: no cover - compiled
    """A table by which `counts` and `spell` find keys. O(keys)."""
    slots = np.zeros(table_size(vocabulary.size), np.int32)
    mask = np.uint64(slots.size - 1)
    for number in range(vocabulary.size):
        slot = vocabulary[number] & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = number + 1
    return slots


@compiled
def _extended(key: np.uint64, unit: int, hashes: Keys) -> np.uint64:  # pragma: no cover - compiled
    """Key of an n-gram from that of all its units but the last, which is 0 for none."""
    return extended(key, hashes[unit] if hashes.size else np.uint64(unit + 1) * GOLDEN)


@compiled
def _table(offsets: Ints, text_offsets: Ints, wanted: Bools) -> _Table:  # pragma: no cover - compiled
    """Room for the largest list: all its n-grams, repeated ones included, and all its texts."""
    room = most_texts = 1
    for group in range(offsets.size - 1):
        units = text_offsets[offsets[group + 1]] - text_offsets[offsets[group]]
        room = max(room, units * wanted.sum())
        most_texts = max(most_texts, offsets[group + 1] - offsets[group])
    return _Table(
        np.zeros(table_size(room), np.int32),
        np.empty(room, np.uint64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.bool_),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(most_texts, np.int64),
    )


@compiled
def _count(
    first: int, last: int, text_offsets: Ints, units: Ints, hashes: Keys, wanted: Bools, table: _Table
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Fill the table with the n-grams of texts first..last; gives the number of different ones and of entries."""
    slots = table.slots[: table_size((text_offsets[last] - text_offsets[first]) * wanted.sum())]
    slots[:] = 0
    known = entries = 0
    for text in range(first, last):
        for at in range(text_offsets[text], text_offsets[text + 1]):
            key = np.uint64(0)
            for order in range(1, min(wanted.size, text_offsets[text + 1] - at + 1)):
                key = _extended(key, units[at + order - 1], hashes)
                if not wanted[order]:
                    continue
                slot = slot_of(key, slots, table.keys)
                number = slots[slot] - 1
                if number < 0:
                    number = known
                    slots[slot] = known + 1
                    table.keys[number], table.last_text[number], table.texts[number] = key, -1, 0
                    known += 1
                if table.last_text[number] == text:
                    table.count_of[table.last_entry[number]] += 1
                else:
                    table.number_of[entries], table.count_of[entries] = number, 1
                    table.last_text[number], table.last_entry[number] = text, entries
                    table.texts[number] += 1
                    entries += 1
        table.entries_until[text - first] = entries
    for number in range(known):
        table.tells[number] = table.texts[number] < last - first
    for entry in range(entries):
        number = table.number_of[entry]
        if table.count_of[entry] != table.count_of[table.last_entry[number]]:
            table.tells[number] = True
    return known, entries
