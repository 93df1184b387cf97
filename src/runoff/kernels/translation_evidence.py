"""What a lexicon of both directions says of every translation in lists: likelihood, words left out, links.

For every list the probabilities of its different words are looked up once; each translation then costs source words
times target words additions. Words that the lexicon does not know are -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.cooccurrence import slot_of

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles

WEAK, STRONG = 0.01, 0.1  # probabilities from which on a word explains another
# Columns of `measure`.
DIRECT, INVERSE, BEST_DIRECT, BEST_INVERSE, LEFT_OUT, ADDED, INFORMATION, UNLINKED, BARREN, FERTILE, JUMPS = (
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    9,
    10,
    11,
    12,
)
COLUMNS = 13
_FERTILE = 3  # target words of one source word that are many
_LEAST_LINK = 1e-3  # of the geometric mean of both directions' probabilities, below which a word has no link
_LEAST = 1e-6  # of each direction in that mean


class Table(NamedTuple):
    """Rows of words with their probabilities; row 0 is of NULL, row w + 1 of word w."""

    starts: Ints
    words: Columns
    probabilities: Singles


class Sides(NamedTuple):
    """Word numbers of source and target texts; source text i belongs to list i."""

    source: Ints
    source_offsets: Ints
    target: Ints
    target_offsets: Ints


@compiled
def measure(
    first: int,
    last: int,
    offsets: Ints,
    sides: Sides,
    direct: Table,
    inverse: Table,
    information: Floats,
    n_target: int,
    floor: float,
    out: Floats,
    links: Columns,
) -> None:  # pragma: no cover - compiled
    """Fill the rows of `out` of the texts of some lists, and the source position of every target token, -1 for none.

    `information` is that of every source word of the lexicon, and one more for words that it does not know.
    """
    number_of, seen_in = np.empty(n_target + 1, np.int64), np.full(n_target + 1, -1, np.int64)
    for group in range(first, last):
        source = sides.source[sides.source_offsets[group] : sides.source_offsets[group + 1]]
        begin, end = offsets[group], offsets[group + 1]
        known = 0
        for at in range(sides.target_offsets[begin], sides.target_offsets[end]):
            word = sides.target[at]  # -1 is the last place
            if seen_in[word] != group:
                seen_in[word], number_of[word] = group, known
                known += 1
        there = np.zeros((known, source.size + 1))
        back = np.zeros((known, source.size))
        words = np.full(known, -1, np.int64)
        for at in range(sides.target_offsets[begin], sides.target_offsets[end]):
            words[number_of[sides.target[at]]] = sides.target[at]
        for number in range(known):
            _look_up(words[number], source, direct, inverse, there[number], back[number])
        from_none = np.zeros(source.size)
        for place in range(source.size):
            from_none[place] = _probability(inverse, 0, source[place])
        for text in range(begin, end):
            start, stop = sides.target_offsets[text], sides.target_offsets[text + 1]
            numbers = np.empty(stop - start, np.int64)
            for at in range(start, stop):
                numbers[at - start] = number_of[sides.target[at]]
            _likelihood(numbers, there, back, from_none, floor, out[text])
            _coverage(numbers, there, back, source, information, out[text])
            _link(numbers, there, back, links[start:stop])
            _fertility(links[start:stop], source.size, out[text])


@compiled
def _probability(table: Table, row: int, word: int) -> float:  # pragma: no cover - compiled
    if word < 0:
        return 0.0
    slot = slot_of(table.starts, table.words, row, word)
    return float(table.probabilities[slot]) if slot >= 0 else 0.0


@compiled
def _look_up(
    word: int, source: Ints, direct: Table, inverse: Table, there: Floats, back: Floats
) -> None:  # pragma: no cover - compiled
    """Probabilities of a target word from NULL and every source word, and of the source words from it."""
    there[0] = _probability(direct, 0, word)
    for place in range(source.size):
        if word >= 0 and source[place] >= 0:
            there[place + 1] = _probability(direct, source[place] + 1, word)
            back[place] = _probability(inverse, word + 1, source[place])


@compiled
def _likelihood(
    numbers: Ints, there: Floats, back: Floats, from_none: Floats, floor: float, out: Floats
) -> None:  # pragma: no cover - compiled
    """Logarithms of model 1's likelihood of both directions, over all alignments and of the best one."""
    positions, length = from_none.size, numbers.size
    for number in numbers:
        total = best = there[number, 0]
        for place in range(1, positions + 1):
            total += there[number, place]
            best = max(best, there[number, place])
        out[DIRECT] += np.log(max(total / (positions + 1), floor))
        out[BEST_DIRECT] += np.log(max(best, floor))
    for place in range(positions):
        total = best = from_none[place]
        for number in numbers:
            total += back[number, place]
            best = max(best, back[number, place])
        out[INVERSE] += np.log(max(total / (length + 1), floor))
        out[BEST_INVERSE] += np.log(max(best, floor))


@compiled
def _coverage(
    numbers: Ints, there: Floats, back: Floats, source: Ints, information: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Source words that no target word explains, and target words that no source word explains."""
    for place in range(source.size):
        best = 0.0
        for number in numbers:
            best = max(best, there[number, place + 1], back[number, place])
        out[LEFT_OUT] += best < WEAK
        out[LEFT_OUT + 1] += best < STRONG
        if best < STRONG:
            out[INFORMATION] += information[source[place]]
    for number in numbers:
        best = 0.0
        for place in range(source.size):
            best = max(best, there[number, place + 1], back[number, place])
        out[ADDED] += best < WEAK
        out[ADDED + 1] += best < STRONG


@compiled
def _link(numbers: Ints, there: Floats, back: Floats, out: Columns) -> None:  # pragma: no cover - compiled
    """The source position with the highest product of both probabilities; of equal ones that nearest the diagonal."""
    positions = back.shape[1]
    for at in range(numbers.size):
        best, chosen, distance = _LEAST_LINK * _LEAST_LINK, -1, 0.0
        for place in range(positions):
            forward, backward = there[numbers[at], place + 1], back[numbers[at], place]
            value = max(forward, _LEAST) * max(backward, _LEAST)
            away = abs((place + 0.5) / positions - (at + 0.5) / numbers.size)
            if value > best or (value == best and chosen >= 0 and away < distance):
                best, chosen, distance = value, place, away
        out[at] = chosen


@compiled
def _fertility(links: Columns, positions: int, out: Floats) -> None:  # pragma: no cover - compiled
    """Words without a link on either side, source words with many, and how far links jump from word to word."""
    fertility = np.zeros(positions, np.int64)
    before = -1
    for place in links:
        if place < 0:
            out[UNLINKED] += 1
            continue
        fertility[place] += 1
        out[JUMPS] += abs(place - before - 1)
        before = place
    for count in fertility:
        out[BARREN] += count == 0
        out[FERTILE] += count >= _FERTILE
