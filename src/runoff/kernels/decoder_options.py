"""Translation options of a sentence: for each of its spans, the best ways to say it (Koehn, Och & Marcu 2003).

The options of a span are neighbours, best first; `Options.first[start, length - 1]` to `last[start, length - 1]` has
them. A word that no phrase of one word covers is copied or dropped. O(options of the sentence's phrases).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import combined
from runoff.kernels.lm_state import LN10, NgramLookup, advance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

    Keys = NDArray[np.uint64]

# The terms of the log-linear model, in the order of the names of a translator's terms.
LM, DISTORTION, WORDS, PHRASES, UNKNOWN, TABLE, PREVIOUS, NEXT = 0, 1, 2, 3, 4, 5, 9, 12
N_TERMS = 15
NOT_IN_TABLE = -1  # the number of an option that copies or drops a word


class Phrases(NamedTuple):
    """The options of every phrase of a phrase table."""

    option_offsets: Ints
    target_offsets: Ints
    target_ids: Columns
    scores: Singles  # option, term
    reordering: Singles  # option, term; no rows where the table has none


class Options(NamedTuple):
    """Options of one sentence."""

    starts: Columns  # option -> source span
    ends: Columns
    numbers: Ints  # in the table
    static: Floats  # weighted terms that depend on nothing else
    estimates: Floats  # the same and the weighted language model of the words alone
    offsets: Ints  # words of option o are `words[offsets[o]:offsets[o + 1]]`
    words: Columns
    keys: Keys  # of these words, for the language model
    previous: Floats  # option, orientation -> weighted term; no rows without reordering
    next: Floats
    classes: Keys  # options of the same class have the same `next`
    first: Columns  # start, length - 1 -> options
    last: Columns


@compiled
def sentence_options(
    spans: Columns,
    copies: Columns,
    phrases: Phrases,
    lm: NgramLookup,
    word_keys: Keys,
    weights: Floats,
    limit: int,
    is_copied: bool,
) -> Options:  # pragma: no cover - compiled
    """At most `limit` options for every span of a sentence.

    `spans` has rows of start, end and number of a phrase, in this order; `copies` the target word that is written like
    each source word, `word_keys` the language model's key of each target word.
    """
    n_words = copies.size
    longest, most, most_words = 1, n_words, n_words
    for at in range(spans.shape[0]):
        longest = max(longest, spans[at, 1] - spans[at, 0])
        phrase = spans[at, 2]
        most += min(limit, phrases.option_offsets[phrase + 1] - phrases.option_offsets[phrase])
    chosen, static, estimates = np.empty(most, np.int64), np.empty(most), np.empty(most)
    starts, ends = np.empty(most, np.int32), np.empty(most, np.int32)
    first, last = np.zeros((n_words, longest), np.int32), np.zeros((n_words, longest), np.int32)
    keys, backoffs = np.empty((1, lm.order), np.uint64), np.empty((1, lm.order), np.float32)
    count, row = 0, 0
    for start in range(n_words):
        is_covered = False
        while row < spans.shape[0] and spans[row, 0] == start:
            end, phrase = spans[row, 1], spans[row, 2]
            low, high = phrases.option_offsets[phrase], phrases.option_offsets[phrase + 1]
            row += 1
            if low == high:
                continue
            is_covered = is_covered or end == start + 1
            base, all_of_them = np.empty(high - low), np.empty(high - low)
            for option in range(low, high):
                base[option - low] = _static(option, phrases, weights)
                all_of_them[option - low] = base[option - low] + weights[LM] * _estimate(
                    option, phrases, lm, word_keys, keys, backoffs
                )
            order = np.argsort(-all_of_them, kind="mergesort")
            first[start, end - start - 1] = count
            for at in order[:limit]:
                chosen[count], starts[count], ends[count] = low + at, start, end
                static[count], estimates[count] = base[at], all_of_them[at]
                count += 1
            last[start, end - start - 1] = count
        if not is_covered:
            chosen[count], starts[count], ends[count] = NOT_IN_TABLE, start, start + 1
            static[count] = weights[PHRASES] + weights[UNKNOWN]
            estimates[count] = static[count]
            if is_copied:
                static[count] += weights[WORDS]
                value, _ = advance(lm, word_keys[copies[start]], keys, backoffs, 0, 0)
                estimates[count] = static[count] + weights[LM] * LN10 * value
            first[start, 0], last[start, 0] = count, count + 1
            count += 1
    for at in range(count):
        if chosen[at] != NOT_IN_TABLE:
            most_words += phrases.target_offsets[chosen[at] + 1] - phrases.target_offsets[chosen[at]]
    offsets, words = np.zeros(count + 1, np.int64), np.empty(most_words, np.int32)
    for at in range(count):
        filled = offsets[at]
        if chosen[at] != NOT_IN_TABLE:
            for place in range(phrases.target_offsets[chosen[at]], phrases.target_offsets[chosen[at] + 1]):
                words[filled] = phrases.target_ids[place]
                filled += 1
        elif is_copied:
            words[filled] = copies[starts[at]]
            filled += 1
        offsets[at + 1] = filled
    words = words[: offsets[count]].copy()
    previous, following, classes = _reordering(chosen[:count], phrases, weights)
    return Options(
        starts[:count].copy(),
        ends[:count].copy(),
        chosen[:count].copy(),
        static[:count].copy(),
        estimates[:count].copy(),
        offsets,
        words,
        word_keys[words],
        previous,
        following,
        classes,
        first,
        last,
    )


@compiled
def _static(option: int, phrases: Phrases, weights: Floats) -> float:  # pragma: no cover - compiled
    """Weighted terms of an option of the table that depend on nothing else."""
    total = weights[PHRASES]
    total += weights[WORDS] * (phrases.target_offsets[option + 1] - phrases.target_offsets[option])
    for term in range(phrases.scores.shape[1]):
        total += weights[TABLE + term] * phrases.scores[option, term]
    return float(total)


@compiled
def _estimate(
    option: int,
    phrases: Phrases,
    lm: NgramLookup,
    word_keys: Keys,
    keys: Keys,
    backoffs: Singles,
) -> float:  # pragma: no cover - compiled
    """Log probability of the target words of an option, of which only those before in the option are known."""
    total, length = 0.0, 0
    for place in range(phrases.target_offsets[option], phrases.target_offsets[option + 1]):
        value, length = advance(lm, word_keys[phrases.target_ids[place]], keys, backoffs, 0, length)
        total += value
    return total * LN10


@compiled
def _reordering(
    chosen: Ints, phrases: Phrases, weights: Floats
) -> tuple[Floats, Floats, Keys]:  # pragma: no cover - compiled
    """Weighted terms of reordering of every option, before and after it; and a key of those after it."""
    n_options = chosen.size if phrases.reordering.shape[0] > 0 else 0
    previous, following = np.zeros((n_options, 3)), np.zeros((n_options, 3))
    for at in range(n_options):
        if chosen[at] != NOT_IN_TABLE:
            for orientation in range(3):
                # Adding zero turns a negative zero into zero: classes compare bits.
                previous[at, orientation] = (
                    weights[PREVIOUS + orientation] * phrases.reordering[chosen[at], orientation] + 0.0
                )
                following[at, orientation] = (
                    weights[NEXT + orientation] * phrases.reordering[chosen[at], 3 + orientation] + 0.0
                )
    bits, classes = following.view(np.uint64), np.zeros(n_options, np.uint64)
    for at in range(n_options):
        for orientation in range(3):
            classes[at] = combined(classes[at], bits[at, orientation])
    return previous, following, classes


@compiled
def orientation(start: int, end: int, previous_start: int, previous_end: int) -> int:  # pragma: no cover - compiled
    """How a span follows the one translated before: 0 right after it, 1 right before it, 2 anything else (Moses).

    What is before the first span of a sentence ends at 0 and has no start (-1).
    """
    if start == previous_end:
        return 0
    return 1 if end == previous_start else 2
