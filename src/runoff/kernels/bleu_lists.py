"""Sentence BLEU of every text of a list against every other, added up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Counts = npt.NDArray[np.int32]

MAX_ORDER = 4
NONE, EXP, FLOOR, ADD_K = range(4)  # ways to smooth
_KNOWN = 64  # logarithms of ratios of numbers below this are computed once


@compiled
def bleu_sums(
    offsets: Ints,
    lengths: Ints,
    shared: Counts,
    starts: Ints,
    weights: Floats,
    smooth: int,
    smooth_value: float,
) -> Floats:  # pragma: no cover - compiled
    """Sum over the references j of weight j times the sentence BLEU (effective order) of i against j.

    `shared` and `starts` come from `shared_ngrams`; `lengths` and `weights` have a row for each text. The operations
    and their order are those of sacrebleu's `compute_bleu`, and references are added up as they come. O(k²) per list.
    """
    sums = np.zeros(weights.shape)
    logs = _logarithms(smooth, smooth_value)
    own, matches = np.zeros(MAX_ORDER, np.int64), np.zeros(MAX_ORDER, np.int64)
    for group in range(offsets.size - 1):
        pair = starts[group]
        for i in range(offsets[group], offsets[group + 1]):
            for n in range(MAX_ORDER):
                own[n] = max(0, lengths[i] - n)
            with_itself = _sentence(own, lengths[i], lengths[i], smooth, smooth_value, logs)
            for column in range(weights.shape[1]):
                sums[i, column] += weights[i, column] * with_itself
            for j in range(i + 1, offsets[group + 1]):
                for n in range(MAX_ORDER):
                    matches[n] = shared[n, pair]
                pair += 1
                forth = _sentence(matches, lengths[i], lengths[j], smooth, smooth_value, logs)
                back = _sentence(matches, lengths[j], lengths[i], smooth, smooth_value, logs)
                for column in range(weights.shape[1]):
                    sums[i, column] += weights[j, column] * forth
                    sums[j, column] += weights[i, column] * back
    return sums


@compiled
def _logarithms(smooth: int, smooth_value: float) -> Floats:  # pragma: no cover - compiled
    """Logarithm of 100 times matches per n-gram; first for unigrams, then for longer ones, which add-k changes."""
    logs = np.zeros((2, _KNOWN, _KNOWN))
    for longer in range(2):
        added = smooth_value if smooth == ADD_K and longer else 0.0
        for correct in range(_KNOWN):
            for total in range(1, _KNOWN):
                if correct + added > 0:
                    logs[longer, correct, total] = math.log(100.0 * (correct + added) / (total + added))
    return logs


@compiled
def _sentence(
    matches: Ints, length: int, reference_length: int, smooth: int, smooth_value: float, logs: Floats
) -> float:  # pragma: no cover - compiled
    """As sacrebleu's `compute_bleu` with effective order, operation by operation."""
    if matches[0] == 0:  # then nothing longer matches either
        return 0.0
    brevity = math.exp(1 - reference_length / length) if length < reference_length else 1.0
    total_log, order, halves = 0.0, 0, 1.0
    for n in range(MAX_ORDER):
        added = smooth_value if smooth == ADD_K and n > 0 else 0.0
        total = max(0, length - n)
        if total + added == 0:
            break
        order = n + 1
        if matches[n] + added > 0:
            if 0 < total < _KNOWN:
                total_log += logs[min(n, 1), matches[n], total]
            else:
                total_log += math.log(100.0 * (matches[n] + added) / (total + added))
        elif smooth == EXP:
            halves *= 2
            total_log += math.log(100.0 / (halves * total))
        elif smooth == FLOOR and smooth_value > 0:
            total_log += math.log(100.0 * smooth_value / total)
        else:
            return 0.0
    return brevity * math.exp(total_log / order)
