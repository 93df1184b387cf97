"""IBM model 1: every target word comes from some source word, or from none, and all are as likely beforehand.

Brown, Della Pietra, Della Pietra and Mercer (1993), "The mathematics of statistical machine translation". Position 0
of a source sentence is NULL. A pass over sentence pairs costs O(source length times target length) look-ups each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.cooccurrence import slot_of

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles

LEAST = 1e-100  # of a probability that is trained: products with it stay above zero
PLAIN, ADDED, VARIATIONAL = 0, 1, 2  # kinds of smoothing
_ASYMPTOTIC = 6.0  # from here on the series of the digamma function is exact to 1e-12


@compiled
def fill_slots(
    first: int,
    last: int,
    source: Columns,
    source_offsets: Ints,
    target: Columns,
    target_offsets: Ints,
    starts: Ints,
    words: Columns,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """Slots of sentence pairs, one after the other: a row for each target word; NULL and source words are columns."""
    at = 0
    for pair in range(first, last):
        ours = source[source_offsets[pair] : source_offsets[pair + 1]]
        for token in range(target_offsets[pair], target_offsets[pair + 1]):
            out[at] = slot_of(starts, words, 0, target[token])
            for place in range(ours.size):
                out[at + place + 1] = slot_of(starts, words, ours[place] + 1, target[token])
            at += ours.size + 1


@compiled
def add_counts(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    counts: Floats,
) -> float:  # pragma: no cover - compiled
    """Add the expected counts of sentence pairs; gives the logarithm of their probability, lengths given."""
    log_likelihood, at = 0.0, 0
    for pair in range(first, last):
        positions = source_offsets[pair + 1] - source_offsets[pair] + 1
        for _ in range(target_offsets[pair], target_offsets[pair + 1]):
            total = 0.0
            for cell in range(at, at + positions):
                total += probabilities[slots[cell]]
            for cell in range(at, at + positions):
                counts[slots[cell]] += probabilities[slots[cell]] / total
            log_likelihood += np.log(total / positions)
            at += positions
    return log_likelihood


@compiled
def best_positions(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """The most probable source position of every target token, from 0; -1 for NULL. The first of equals, NULL last."""
    at = 0
    for pair in range(first, last):
        positions = source_offsets[pair + 1] - source_offsets[pair] + 1
        for token in range(target_offsets[pair], target_offsets[pair + 1]):
            best, chosen = 0.0, -1
            for place in range(1, positions):
                value = probabilities[slots[at + place]]
                if value > best:
                    best, chosen = value, place - 1
            out[token] = -1 if probabilities[slots[at]] > best else chosen
            at += positions


@compiled
def set_probabilities(
    first: int, last: int, starts: Ints, parts: Floats, smoothing: int, alpha: float, out: Floats
) -> None:  # pragma: no cover - compiled
    """Probabilities of rows from `first` to before `last`, from the counts of all parts of the data, added in order.

    Smoothing is none; `alpha` added to every count of a row; or the mean-field rule for a Dirichlet prior with
    `alpha` (Johnson 2007, "Why doesn't EM find good HMM POS-taggers?"; as in fast_align).
    """
    for row in range(first, last):
        total = 0.0
        for slot in range(starts[row], starts[row + 1]):
            count = 0.0
            for part in range(parts.shape[0]):
                count += parts[part, slot]
            if smoothing != PLAIN:
                count += alpha
            out[slot] = count
            total += count
        over = digamma(total) if smoothing == VARIATIONAL and total > 0.0 else 0.0
        for slot in range(starts[row], starts[row + 1]):
            if total == 0.0:
                value = 0.0
            elif smoothing == VARIATIONAL:
                value = np.exp(digamma(out[slot]) - over)
            else:
                value = out[slot] / total
            out[slot] = max(value, LEAST)


@compiled
def digamma(x: float) -> float:  # pragma: no cover - compiled
    """Derivative of the logarithm of the gamma function, for x > 0 (Abramowitz and Stegun 6.3.5 and 6.3.18)."""
    result = 0.0
    while x < _ASYMPTOTIC:
        result -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = 1 / 12 - square * (
        1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132 - square * 691 / 32760)))
    )
    return float(result + np.log(x) - 0.5 / x - square * series)


@compiled
def pair_log_probabilities(
    first: int,
    last: int,
    source: Ints,
    source_offsets: Ints,
    target: Ints,
    target_offsets: Ints,
    source_of: Ints,
    starts: Ints,
    words: Columns,
    probabilities: Singles,
    n_target: int,
    floor: float,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Model 1's logarithm of the probability of target texts, lengths given; no word has less than `floor`.

    Words that the table does not know are -1. The sum over a source sentence is found once for every different word
    of the target texts in a row that share it, as the candidates of a list do.
    """
    known, found_for = np.empty(n_target), np.full(n_target, -1, np.int64)
    least = np.log(floor)
    for text in range(first, last):
        sentence = source_of[text]
        ours = source[source_offsets[sentence] : source_offsets[sentence + 1]]
        total = 0.0
        for at in range(target_offsets[text], target_offsets[text + 1]):
            word = target[at]
            if word < 0:
                total += least
                continue
            if found_for[word] != sentence:
                found_for[word] = sentence
                known[word] = _word_log_probability(word, ours, starts, words, probabilities, floor)
            total += known[word]
        out[text] = total


@compiled
def _word_log_probability(
    word: int, source: Ints, starts: Ints, words: Columns, probabilities: Singles, floor: float
) -> float:  # pragma: no cover - compiled
    slot = slot_of(starts, words, 0, word)
    total = float(probabilities[slot]) if slot >= 0 else 0.0
    for each in source:
        slot = slot_of(starts, words, each + 1, word) if each >= 0 else -1
        if slot >= 0:
            total += float(probabilities[slot])
    return float(np.log(max(total / (source.size + 1), floor)))
