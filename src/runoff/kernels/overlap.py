"""How much two sequences have in common: words, pairs of words near each other, the longest common subsequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.common_ends import differing
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

# What is counted; 0 and above are pairs with at most so many words between them.
SUBSEQUENCE = -2
WORDS = -1


@compiled
def best_overlap(
    offsets: Ints,
    text_offsets: Ints,
    texts: Ints,
    references_of: Ints,
    reference_offsets: Ints,
    references: Ints,
    kind: int,
    words: int,
    empty: float,
) -> Floats:  # pragma: no cover - compiled
    """F-measure of every text against the reference of its group that gives the highest.

    `words` is larger than any word's number and `empty` what a text without words is worth beside a reference
    without words. O(n log n) for n units to be counted in a text, O(n m) for the subsequence.
    """
    out = np.zeros(text_offsets.size - 1)
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        if first == last:
            continue
        begin, end = references_of[group], references_of[group + 1]
        starts, units = counted_units(begin, end, reference_offsets, references, kind, words)
        for row in range(first, last):
            text = sorted_units(texts[text_offsets[row] : text_offsets[row + 1]], kind, words)
            text_words = text_offsets[row + 1] - text_offsets[row]
            for at in range(starts.size - 1):
                reference = units[starts[at] : starts[at + 1]]
                bare = text_words == 0 and reference_offsets[begin + at] == reference_offsets[begin + at + 1]
                out[row] = max(out[row], empty if bare else f_measure(text, reference, kind))
    return out


@compiled
def summed_overlap(
    offsets: Ints, text_offsets: Ints, texts: Ints, weights: Floats, kind: int, words: int, empty: float
) -> Floats:  # pragma: no cover - compiled
    """Sum over the texts of its list of their weight times the F-measure of a text against them; for every text.

    O(k²) comparisons for lists of k texts: each pair is compared once.
    """
    out = np.zeros(weights.shape)
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        starts, units = counted_units(first, last, text_offsets, texts, kind, words)
        for row in range(first, last):
            one = units[starts[row - first] : starts[row - first + 1]]
            no_words = text_offsets[row] == text_offsets[row + 1]
            for other in range(row, last):
                if no_words and text_offsets[other] == text_offsets[other + 1]:
                    value = empty
                else:
                    value = f_measure(one, units[starts[other - first] : starts[other - first + 1]], kind)
                if value == 0.0:
                    continue
                for column in range(weights.shape[1]):
                    out[row, column] += value * weights[other, column]
                    if other != row:
                        out[other, column] += value * weights[row, column]
    return out


@compiled
def counted_units(
    first: int, last: int, text_offsets: Ints, texts: Ints, kind: int, words: int
) -> tuple[Ints, Ints]:  # pragma: no cover - compiled
    """Sorted units of the texts from `first` to `last`, and where each text's begin and end."""
    starts = np.zeros(last - first + 1, np.int64)
    for at in range(first, last):
        starts[at - first + 1] = starts[at - first] + n_units(text_offsets[at + 1] - text_offsets[at], kind)
    units = np.empty(starts[-1], np.int64)
    for at in range(first, last):
        found = sorted_units(texts[text_offsets[at] : text_offsets[at + 1]], kind, words)
        units[starts[at - first] : starts[at - first + 1]] = found
    return starts, units


@compiled
def n_units(size: int, kind: int) -> int:  # pragma: no cover - compiled
    """How many units there are in so many words."""
    if kind < 0:
        return size
    reach = min(kind + 1, max(size - 1, 0))
    return reach * size - reach * (reach + 1) // 2


@compiled
def sorted_units(text: Ints, kind: int, words: int) -> Ints:  # pragma: no cover - compiled
    """Numbers of what is counted in a text, in rising order; its words as they come for the subsequence."""
    if kind == SUBSEQUENCE:
        return text.copy()
    units = np.empty(n_units(text.size, kind), np.int64)
    if kind == WORDS:
        units[:] = text
    else:
        at = 0
        for i in range(text.size):
            for j in range(i + 1, min(text.size, i + kind + 2)):
                units[at] = text[i] * words + text[j]
                at += 1
    units.sort()
    return units


@compiled
def f_measure(text: Ints, reference: Ints, kind: int) -> float:  # pragma: no cover - compiled
    """Harmonic mean of precision and recall, in the order of operations of the tools it is compared with."""
    if text.size == 0 or reference.size == 0:
        return 0.0
    common = longest_common(text, reference) if kind == SUBSEQUENCE else shared(text, reference)
    if common == 0:
        return 0.0
    precision, recall = common / text.size, common / reference.size
    return 2 * precision * recall / (precision + recall)


@compiled
def shared(text: Ints, reference: Ints) -> int:  # pragma: no cover - compiled
    """Units that two sorted sequences share, each as often as the one with fewer of it has it."""
    i, j, common = 0, 0, 0
    while i < text.size and j < reference.size:
        if text[i] == reference[j]:
            common += 1
            i += 1
            j += 1
        elif text[i] < reference[j]:
            i += 1
        else:
            j += 1
    return common


@compiled
def longest_common(text: Ints, reference: Ints) -> int:  # pragma: no cover - compiled
    """Length of the longest common subsequence."""
    start, stop, end = differing(text, reference)
    around = start + text.size - stop
    length = np.zeros(end - start + 1, np.int64)
    for i in range(start, stop):
        diagonal = 0
        for j in range(1, length.size):
            step = diagonal + 1 if text[i] == reference[start + j - 1] else max(length[j], length[j - 1])
            diagonal = length[j]
            length[j] = step
    return around + int(length[-1])
