"""Word sequences aligned one after another into slots, at the least number of expected edits.

Costs are whole numbers, `UNIT` for an edit, so that ties are ties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.bit_parallel_edits import edits_between, forget, pattern_bits
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints

UNIT = 120  # many shares of it are whole
_SUBSTITUTED, _SKIPPED, _INSERTED = 0, 1, 2


@compiled
def spelling_costs(
    offsets: Ints, characters: Ints, n_characters: int, discount: int
) -> Columns:  # pragma: no cover - compiled
    """Cost of every word in place of every other: `UNIT`, less `discount` times the share of characters that agree.

    Characters of word `w` are those from `offsets[w]`, numbers below `n_characters`; what agrees is the longer word's
    length less the edits between the two. O(words² characters / 64) time, O(words²) memory.
    """
    n_words = offsets.size - 1
    costs = np.zeros((n_words, n_words), np.int32)
    slots = np.zeros(n_characters + 1, np.int32)
    for one in range(n_words):
        pattern = characters[offsets[one] : offsets[one + 1]]
        places = pattern_bits(pattern, slots)
        up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
        for other in range(one + 1, n_words):
            text = characters[offsets[other] : offsets[other + 1]]
            longest = max(pattern.size, text.size)
            agreeing = longest - edits_between(places, pattern.size, text, slots, up, down)
            costs[one, other] = costs[other, one] = UNIT - discount * agreeing // longest
        forget(pattern, slots)
    return costs


@compiled
def confusion_network(
    offsets: Ints, words: Ints, order: Ints, costs: Columns
) -> Columns:  # pragma: no cover - compiled
    """Word of every text in every slot, -1 for none.

    Texts are added in this order. A text is aligned so that the edits between it and those before it, along the slots,
    are fewest in sum: a word in a slot costs its mean distance to what the texts have there, a new slot `UNIT`, and a
    slot left out the share of the texts that have a word in it. Without `costs` of words, different words cost `UNIT`.
    O(k n s d) for k texts of n words, s slots and d different words in a slot; O(n s) bytes.
    """
    n_texts = order.size
    labels = np.empty((n_texts, 0), np.int32)
    for added in range(n_texts):
        text = words[offsets[order[added]] : offsets[order[added] + 1]]
        place = align(text, labels, order[:added], costs, 0)
        labels = _with_text(labels, order[added], text, place)
    return labels


@compiled
def align(text: Ints, labels: Columns, rows: Ints, costs: Columns, price: int) -> Ints:  # pragma: no cover - compiled
    """Place of every word of a text among the slots of these rows: 2 j + 1 in slot j, 2 j before it.

    `price` is charged for a word that its slot does not have, or that has none, and for leaving out a slot in which
    all rows have a word: above all other costs, it makes the fewest of these edits come first. Of equal alignments the
    one that, from the end, takes a slot, then leaves one out. A word must be below `costs.shape[0]`, or -1: unknown.
    """
    entries, counts, different, empty = _tally(labels, rows)
    width = different.size + 1
    steps = np.empty((text.size + 1, width), np.uint8)
    insertion = rows.size * UNIT + price
    total = np.zeros(width, np.int64)
    skips = np.empty(width, np.int64)
    for slot in range(width - 1):
        skips[slot] = (rows.size - empty[slot]) * UNIT + (price if empty[slot] == 0 else 0)
        total[slot + 1] = total[slot] + skips[slot]
        steps[0, slot + 1] = _SKIPPED
    for i in range(text.size):
        word = text[i]
        diagonal = total[0]
        total[0] += insertion
        steps[i + 1, 0] = _INSERTED
        for slot in range(width - 1):
            cost, extra = empty[slot] * UNIT, price
            for entry in range(different[slot]):
                there = entries[slot, entry]
                if there == word:
                    extra = 0
                elif costs.size and word >= 0:
                    cost += counts[slot, entry] * costs[word, there]
                else:
                    cost += counts[slot, entry] * UNIT
            best, step = diagonal + cost + extra, _SUBSTITUTED
            if total[slot] + skips[slot] < best:
                best, step = total[slot] + skips[slot], _SKIPPED
            if total[slot + 1] + insertion < best:
                best, step = total[slot + 1] + insertion, _INSERTED
            diagonal = total[slot + 1]
            total[slot + 1] = best
            steps[i + 1, slot + 1] = step
    place = np.empty(text.size, np.int64)
    i, slot = text.size, width - 1
    while i > 0:
        step = steps[i, slot]
        slot -= step != _INSERTED
        i -= step != _SKIPPED
        if step != _SKIPPED:
            place[i] = 2 * slot + (step == _SUBSTITUTED)
    return place


@compiled
def _tally(labels: Columns, rows: Ints) -> tuple[Columns, Columns, Ints, Ints]:  # pragma: no cover - compiled
    """Different words of every slot and their counts, how many there are, and how many rows have no word."""
    n_slots = labels.shape[1]
    entries = np.empty((n_slots, max(rows.size, 1)), np.int32)
    counts = np.zeros((n_slots, max(rows.size, 1)), np.int32)
    different, empty = np.zeros(n_slots, np.int64), np.zeros(n_slots, np.int64)
    for slot in range(n_slots):
        for row in rows:
            word = labels[row, slot]
            if word < 0:
                empty[slot] += 1
                continue
            entry = 0
            while entry < different[slot] and entries[slot, entry] != word:
                entry += 1
            if entry == different[slot]:
                entries[slot, entry] = word
                different[slot] += 1
            counts[slot, entry] += 1
    return entries, counts, different, empty


@compiled
def _with_text(labels: Columns, row: int, text: Ints, place: Ints) -> Columns:  # pragma: no cover - compiled
    """The slots with one text more, whose inserted words have new ones."""
    n_slots = labels.shape[1]
    wider = np.full((labels.shape[0], n_slots + np.sum(place % 2 == 0)), -1, np.int32)
    at, out = 0, 0
    for slot in range(n_slots + 1):
        while at < text.size and place[at] == 2 * slot:
            wider[row, out] = text[at]
            at += 1
            out += 1
        if slot == n_slots:
            break
        wider[:, out] = labels[:, slot]
        if at < text.size and place[at] == 2 * slot + 1:
            wider[row, out] = text[at]
            at += 1
        out += 1
    return wider
