"""The consensus of lists of word sequences: the middle one, the others aligned to it, and a vote in every slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.bit_parallel_edits import edits_between, forget, pattern_bits
from runoff.kernels.common_ends import differing
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints


@compiled
def consensus(
    offsets: Ints, text_offsets: Ints, words: Ints, weights: Floats, compared: Bools, n_words: int, cells: int
) -> tuple[Ints, Ints, Ints]:  # pragma: no cover - compiled
    """Words of the consensus of all lists, how many each has, and the edits from every text to that of its list.

    The middle of a list is looked for among the texts that are to be `compared`. O(k² n m / 64) for k of them, and
    O(k n m) to align; words have numbers below `n_words`. `cells` is the size of the largest table of costs.
    """
    first_row = offsets[0]
    out = np.empty(text_offsets[offsets[-1]] - text_offsets[first_row], np.int64)
    lengths = np.zeros(offsets.size - 1, np.int64)
    edits = np.zeros(offsets[-1] - first_row, np.int64)
    slots = np.zeros(n_words, np.int32)
    size = 0
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        if first == last:
            continue
        middle = _middle(first, last, text_offsets, words, weights, compared, slots)
        found = _vote(text_offsets[first : last + 1], words, weights[first:last], middle - first, cells)
        for word in found:
            out[size] = word
            size += 1
        lengths[group] = found.size
        places = pattern_bits(found, slots)
        up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
        for text in range(first, last):
            own = words[text_offsets[text] : text_offsets[text + 1]]
            edits[text - first_row] = edits_between(places, found.size, own, slots, up, down)
        forget(found, slots)
    return out[:size].copy(), lengths, edits


# ---------------------------------------------------------------- the middle of a list


@compiled
def _middle(
    first: int,
    last: int,
    text_offsets: Ints,
    words: Ints,
    weights: Floats,
    compared: Bools,
    slots: Columns,
) -> int:  # pragma: no cover - compiled
    """The text with the least distance to the others by their weights; the first of several."""
    cost = np.zeros(last - first)
    for i in range(first, last - 1):
        if not compared[i]:
            continue
        pattern = words[text_offsets[i] : text_offsets[i + 1]]
        places = pattern_bits(pattern, slots)
        up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
        for j in range(i + 1, last):
            if compared[j]:
                other = words[text_offsets[j] : text_offsets[j + 1]]
                distance = edits_between(places, pattern.size, other, slots, up, down)
                cost[i - first] += weights[j] * distance
                cost[j - first] += weights[i] * distance
        forget(pattern, slots)
    best = -1
    for i in range(first, last):
        if compared[i] and (best < 0 or cost[i - first] < cost[best - first]):
            best = i
    return best


# ---------------------------------------------------------------- the vote


@compiled
def _vote(
    text_offsets: Ints, words: Ints, weights: Floats, middle: int, cells: int
) -> Ints:  # pragma: no cover - compiled
    """Words that win their slots; a slot without a word for a text has its vote for none."""
    base = words[text_offsets[middle] : text_offsets[middle + 1]]
    start = text_offsets[0]
    place = np.empty(text_offsets[-1] - start, np.int64)  # 2 j + 1 with word j of the base, 2 j before it
    inserted = np.zeros(base.size + 1, np.int64)
    costs = np.empty(cells, np.int32)
    for text in range(weights.size):
        own = words[text_offsets[text] : text_offsets[text + 1]]
        found = place[text_offsets[text] - start : text_offsets[text + 1] - start]
        _align(own, base, found, costs)
        in_gap = 0
        for at in range(own.size):
            in_gap = 0 if found[at] % 2 else in_gap + 1 if at and found[at - 1] == found[at] else 1
            inserted[found[at] // 2] = max(inserted[found[at] // 2], in_gap)
    begin = np.zeros(base.size + 2, np.int64)
    for gap in range(base.size + 1):
        begin[gap + 1] = begin[gap] + inserted[gap] + 1
    n_slots = begin[-1] - 1
    # Votes by slot, those of one slot in the order of the texts.
    slot_of = np.empty(place.size, np.int64)
    ends = np.zeros(n_slots + 1, np.int64)
    for text in range(weights.size):
        in_gap = 0
        for at in range(text_offsets[text] - start, text_offsets[text + 1] - start):
            gap = place[at] // 2
            repeated = at > text_offsets[text] - start and place[at - 1] == place[at]
            in_gap = in_gap + 1 if repeated else 0
            slot_of[at] = begin[gap] + (inserted[gap] if place[at] % 2 else in_gap)
            ends[slot_of[at] + 1] += 1
    for slot in range(n_slots):
        ends[slot + 1] += ends[slot]
    voters, ballots = np.empty(place.size, np.int64), np.empty(place.size, np.int64)
    free = ends[:-1].copy()
    for text in range(weights.size):
        for at in range(text_offsets[text] - start, text_offsets[text + 1] - start):
            voters[free[slot_of[at]]], ballots[free[slot_of[at]]] = text, words[start + at]
            free[slot_of[at]] += 1
    out, size = np.empty(n_slots, np.int64), 0
    for gap in range(base.size + 1):
        for slot in range(begin[gap], min(begin[gap + 1], n_slots)):
            word = base[gap] if slot == begin[gap + 1] - 1 else -1
            cast = slice(ends[slot], ends[slot + 1])
            winner = _winner(ballots[cast], voters[cast], weights, word)
            if winner >= 0:
                out[size] = winner
                size += 1
    return out[:size]


@compiled
def _winner(ballots: Ints, voters: Ints, weights: Floats, own: int) -> int:  # pragma: no cover - compiled
    """The entry of most weight, -1 for no word; of several that of the base, then the first word."""
    entries, sums = np.empty(ballots.size + 2, np.int64), np.zeros(ballots.size + 2)
    entries[0] = own
    known = 1
    rest = weights.sum()
    for at in range(ballots.size):
        entry = 0
        while entry < known and entries[entry] != ballots[at]:
            entry += 1
        if entry == known:
            entries[known] = ballots[at]
            known += 1
        sums[entry] += weights[voters[at]]
        rest -= weights[voters[at]]
    if own == -1:
        sums[0] = rest
    else:
        entries[known], sums[known] = -1, rest
        known += 1
    return int(entries[np.argmax(sums[:known])])


# ---------------------------------------------------------------- alignment


@compiled
def _align(text: Ints, base: Ints, out: Ints, costs: Columns) -> None:  # pragma: no cover - compiled
    """Align with the fewest edits; halves the text while the table of costs is too small (Hirschberg 1975)."""
    start, stop, end = differing(text, base)
    for at in range(start):
        out[at] = 2 * at + 1
    for at in range(stop, text.size):
        out[at] = 2 * (at - stop + end) + 1
    waiting = np.empty((128, 4), np.int64)  # halving leaves one part for each level
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = start, stop, start, end
    size = 1
    while size > 0:
        size -= 1
        start, stop, begin, end = waiting[size, 0], waiting[size, 1], waiting[size, 2], waiting[size, 3]
        if (stop - start + 1) * (end - begin + 1) <= costs.size:
            _align_by_table(text[start:stop], base[begin:end], out[start:stop], begin, costs)
        elif begin == end or start == stop:
            out[start:stop] = 2 * begin
        elif stop - start == 1:
            out[start] = 2 * begin + 1
            for at in range(begin, end):
                if base[at] == text[start]:
                    out[start] = 2 * at + 1
                    break
        else:
            half = (start + stop) // 2
            ahead = _last_costs(text[start:half], base[begin:end], False)
            behind = _last_costs(text[half:stop], base[begin:end], True)
            cut = 0
            for at in range(1, ahead.size):
                if ahead[at] + behind[ahead.size - 1 - at] < ahead[cut] + behind[ahead.size - 1 - cut]:
                    cut = at
            for part in range(2):
                waiting[size, 0], waiting[size, 1] = (half, stop) if part else (start, half)
                waiting[size, 2], waiting[size, 3] = (begin + cut, end) if part else (begin, begin + cut)
                size += 1


@compiled
def _align_by_table(
    text: Ints, base: Ints, out: Ints, shift: int, costs: Columns
) -> None:  # pragma: no cover - compiled
    """Of several alignments the one that, from the end, substitutes first, then leaves words of the base out."""
    width = base.size + 1
    if text.size == 0:
        return
    for j in range(width):
        costs[j] = j
    for i in range(1, text.size + 1):
        row = i * width
        left = np.int32(i)
        costs[row] = left
        for j in range(1, width):
            step = costs[row - width + j - 1] + np.int32(text[i - 1] != base[j - 1])
            left = min(step, min(costs[row - width + j], left) + 1)
            costs[row + j] = left
    i, j = text.size, base.size
    while i > 0:
        cost = costs[i * width + j]
        if j > 0 and cost == costs[(i - 1) * width + j - 1] + (text[i - 1] != base[j - 1]):
            i, j = i - 1, j - 1
            out[i] = 2 * (shift + j) + 1
        elif j > 0 and cost == costs[i * width + j - 1] + 1:
            j -= 1
        else:
            i -= 1
            out[i] = 2 * (shift + j)


@compiled
def _last_costs(text: Ints, base: Ints, from_end: bool) -> Ints:  # pragma: no cover - compiled
    """Edits from the whole text to every beginning of the base, or to its ends, both then read from the last word."""
    row = np.arange(base.size + 1)
    for i in range(text.size):
        word = text[text.size - 1 - i if from_end else i]
        diagonal, row[0] = row[0], i + 1
        for j in range(1, row.size):
            step = diagonal + (word != base[base.size - j if from_end else j - 1])
            diagonal = row[j]
            row[j] = min(step, min(row[j], row[j - 1]) + 1)
    return row
