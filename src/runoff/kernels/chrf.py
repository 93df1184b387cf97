"""Character n-gram F-scores: matches with references, and the scores of every two texts of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.ngram_matches import clipped_matches

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Counts = npt.NDArray[np.int32]

EPSILON = 1e-16


@compiled
def reference_matches(
    offsets: Ints, n_candidates: Ints, text_offsets: Ints, numbers: Counts, found: Ints
) -> Counts:  # pragma: no cover - compiled
    """N-grams that every candidate of a list shares with every reference of it.

    Of the texts of a list, the first `n_candidates` are candidates and the others references; `numbers` and `found`
    come from `ngram_numbers`. Rows are pairs, all references of a candidate before the next candidate; columns are
    orders. O(tokens x orders) per pair.
    """
    pairs, orders, origin = 0, numbers.shape[0], text_offsets[offsets[0]]
    for group in range(offsets.size - 1):
        pairs += n_candidates[group] * (offsets[group + 1] - offsets[group] - n_candidates[group])
    out = np.zeros((pairs, orders), np.int32)
    left = np.zeros(found.max() if found.size else 0, np.int32)
    start = 0
    for group in range(offsets.size - 1):
        split = offsets[group] + n_candidates[group]
        n_references = offsets[group + 1] - split
        for n in range(orders):
            for reference in range(split, offsets[group + 1]):
                theirs = numbers[n, text_offsets[reference] - origin : text_offsets[reference + 1] - origin]
                for ngram in theirs:
                    if ngram >= 0:
                        left[ngram] += 1
                row = start + reference - split
                for candidate in range(offsets[group], split):
                    ours = numbers[n, text_offsets[candidate] - origin : text_offsets[candidate + 1] - origin]
                    out[row, n] = clipped_matches(ours, left)
                    row += n_references
                for ngram in theirs:
                    if ngram >= 0:
                        left[ngram] = 0
        start += n_candidates[group] * n_references
    return out


@compiled
def chrf_sums(
    offsets: Ints,
    lengths: Ints,
    characters: Counts,
    words: Counts,
    starts: Ints,
    weights: Floats,
    factor: float,
    smoothed: bool,
) -> Floats:  # pragma: no cover - compiled
    """Sum over the references j of weight j times the sentence chrF of i against j.

    `characters` and `words` are what texts share by `shared_ngrams`, with the same `starts`; `lengths` has the numbers
    of characters and words of each text; `factor` is the square of beta. The operations and their order are those of
    sacrebleu's `_compute_f_score`, and references are added up as they come. O(k²) per list.
    """
    sums = np.zeros(weights.shape)
    n_characters = len(characters)
    orders = n_characters + len(words)
    totals = np.zeros((lengths.shape[0], orders), np.int64)
    for text in range(lengths.shape[0]):
        for n in range(orders):
            totals[text, n] = max(0, lengths[text, 0] - n if n < n_characters else lengths[text, 1] - n + n_characters)
    matches = np.zeros(orders, np.int64)
    for group in range(offsets.size - 1):
        pair = starts[group]
        for i in range(offsets[group], offsets[group + 1]):
            with_itself = _f_score(totals[i], totals[i], totals[i], factor, smoothed)
            for column in range(weights.shape[1]):
                sums[i, column] += weights[i, column] * with_itself
            for j in range(i + 1, offsets[group + 1]):
                for n in range(n_characters):
                    matches[n] = characters[n, pair]
                for n in range(n_characters, orders):
                    matches[n] = words[n - n_characters, pair]
                pair += 1
                forth = _f_score(totals[i], totals[j], matches, factor, smoothed)
                back = _f_score(totals[j], totals[i], matches, factor, smoothed)
                for column in range(weights.shape[1]):
                    sums[i, column] += weights[j, column] * forth
                    sums[j, column] += weights[i, column] * back
    return sums


@compiled
def _f_score(
    ours: Ints, theirs: Ints, matches: Ints, factor: float, smoothed: bool
) -> float:  # pragma: no cover - compiled
    """As sacrebleu's `_compute_f_score`, operation by operation."""
    score, precisions, recalls, order = 0.0, 0.0, 0.0, 0
    for n in range(ours.size):
        # sacrebleu counts none of ours where the reference has no n-gram.
        precision = matches[n] / ours[n] if ours[n] > 0 and theirs[n] > 0 else EPSILON
        recall = matches[n] / theirs[n] if theirs[n] > 0 else EPSILON
        if smoothed:
            below = factor * precision + recall
            score += ((1 + factor) * precision * recall / below) if below > 0 else EPSILON
        if ours[n] > 0 and theirs[n] > 0:
            precisions += precision
            recalls += recall
            order += 1
    if smoothed:
        return 100 * score / ours.size
    if precisions + recalls == 0:
        return 0.0
    precisions /= order
    recalls /= order
    return 100 * ((1 + factor) * precisions * recalls / (factor * precisions + recalls))
