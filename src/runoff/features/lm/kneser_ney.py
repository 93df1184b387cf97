"""Interpolated modified Kneser-Ney estimation, with the same numbers as KenLM's `lmplz`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.features.lm.ngram_table import END, MAX_ORDER, NEVER, SPECIAL, START, NgramTable

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints, Singles
    from runoff.features.lm.ngram_table import WordNumbers
    from runoff.metrics.tokens import Tokens

_FALLBACK = np.array([0.0, 0.5, 1.0, 1.5])  # lmplz --discount_fallback
_NEVER = 10.0**NEVER


@dataclass(frozen=True, eq=False)
class _Level:
    """The distinct n-grams of one length: rows of their prefix and suffix in the level below, and counts."""

    prefix: Ints
    suffix: Ints
    words: WordNumbers
    counts: Ints

    @property
    def after_start(self) -> Bools:
        return np.asarray(self.words[:, 0] == START)


def estimate(tokens: Tokens, order: int = 3, *, min_count: int = 1) -> NgramTable:
    """Estimate a model of texts: discounts of Chen & Goodman (1998), sentence boundaries as in Heafield et al. (2013).

    Equal to `lmplz -o ORDER --discount_fallback --prune 0 MIN_COUNT-1` up to single-precision rounding. N-grams of two
    or more words with fewer than `min_count` occurrences are pruned, and their probability goes to shorter ones.
    Without any text, the unknown word and the end are equally probable.
    O(order * words * log words) time; about 100 bytes per word.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> grams = estimate(tokenised(["a b", "a"], lambda piece: [piece]), order=1)
    >>> np.power(10.0, grams.probabilities[0], dtype=np.float64).round(3).tolist()  # <unk>, <s>, </s>, a, b
    [0.125, 1.0, 0.325, 0.325, 0.225]
    """
    check(order, min_count)
    numbers, words = number_words(tokens)
    levels = _levels(numbers, tokens.lengths, len(words), order)
    below = np.full(1, 1 / (levels[0].counts.size - 1))  # uniform; the start is never predicted
    kept_below = np.ones(1, np.bool_)
    rows, probabilities, backoffs = [], [], []
    for n, level in enumerate(levels):
        adjusted = _adjusted(levels, n)
        kept = (level.counts >= min_count) | (n == 0)
        probability, gamma = _interpolated(level, adjusted, kept, _discounts(adjusted, _last(levels, n)), below)
        if n == 0:
            probability[START] = 1.0  # as lmplz writes it
        rows.append(level.words[kept])
        probabilities.append(np.minimum(_log10(probability[kept]), np.float32(0)))
        backoffs.append(_log10(gamma[kept_below]))
        below, kept_below = probability, kept
    backoffs.append(np.zeros(rows[-1].shape[0], np.float32))
    return NgramTable(words, tuple(rows), tuple(probabilities), tuple(backoffs[1:]))


def check(order: int, min_count: int) -> None:
    """Raise for an invalid order or count."""
    if not 1 <= order <= MAX_ORDER:
        raise UsageError(
            f"the order of a language model must be a whole number from 1 to {MAX_ORDER}; found {order!r}."
        )
    if min_count < 1:
        raise UsageError(f"min_count must be a whole number of at least 1; found {min_count!r}.")


def number_words(tokens: Tokens) -> tuple[WordNumbers, pa.Array]:
    """Words numbered by first occurrence, after the special ones; and their spellings."""
    ids = tokens.ids[tokens.offsets[0] : tokens.offsets[-1]]
    first = np.full(len(tokens.spelling), ids.size)
    np.minimum.at(first, ids, np.arange(ids.size))
    order = np.argsort(first, kind="stable")[: int((first < ids.size).sum())]
    number_of = np.zeros(first.size, np.int32)
    number_of[order] = np.arange(len(SPECIAL), len(SPECIAL) + order.size)
    return number_of[ids], tokens.spelling.take(pa.array(order))


def _levels(numbers: WordNumbers, lengths: Ints, n_words: int, order: int) -> list[_Level]:
    """Number the distinct n-grams of every length: each is a prefix of n-1 words and a last word."""
    stops = np.cumsum(lengths + 2)  # with start and end
    text = np.empty(int(stops[-1]) if stops.size else 0, np.int64)
    inside = np.ones(text.size, np.bool_)
    inside[stops - 1] = inside[stops - lengths - 2] = False
    text[stops - 1], text[stops - lengths - 2], text[inside] = END, START, numbers
    room = np.repeat(stops, lengths + 2) - np.arange(text.size)  # words from here to the end of the text
    n_words += len(SPECIAL)
    counts = np.bincount(text, minlength=n_words)
    counts[START] = 0  # the start is never predicted
    nothing = np.zeros(n_words, np.int64)
    levels = [_Level(nothing, nothing, np.arange(n_words, dtype=np.int32)[:, None], counts)]
    shorter, places = text, np.arange(text.size)
    for n in range(1, order):
        fits = room[places] > n
        places, left = places[fits], shorter[fits]
        right = shorter[np.flatnonzero(fits) + 1]
        pairs, shorter, counts = np.unique(left * n_words + text[places + n], return_inverse=True, return_counts=True)
        prefix, last = np.divmod(pairs, n_words)
        suffix = np.empty(pairs.size, np.int64)
        suffix[shorter] = right
        words = np.column_stack([levels[-1].words[prefix], last.astype(np.int32)])
        levels.append(_Level(prefix, suffix, words, counts))
    return levels


def _adjusted(levels: list[_Level], n: int) -> Ints:
    """Adjusted counts: distinct words before an n-gram; plain counts after a start or at the highest order."""
    if n == len(levels) - 1:
        return levels[n].counts
    before = np.bincount(levels[n + 1].suffix, minlength=levels[n].counts.size)
    return np.where(levels[n].after_start, levels[n].counts, before)


def _discounts(adjusted: Ints, last: tuple[int, int] | None) -> Floats:
    """Discounts of counts of 0, 1, 2 and 3 or more (Chen & Goodman 1998, equation 26).

    `last` is the row of an n-gram and the count that it has here; see `_last`.
    """
    seen = np.bincount(np.minimum(adjusted, 5), minlength=6)
    if last is not None:
        seen[min(adjusted[last[0]], 5)] -= 1
        seen[min(last[1], 5)] += 1
    if not seen[1:4].all():
        return _FALLBACK
    # In single precision like lmplz, so that the range check agrees with it.
    ones, more, times = seen[1:4].astype(np.float32), seen[2:5].astype(np.float32), np.arange(1, 4, dtype=np.float32)
    kept = ones[0] / np.float32(seen[1] + 2 * seen[2])
    amounts = times - (times + 1) * kept * more / ones
    return np.append(0.0, amounts) if np.all((amounts >= 0) & (amounts <= times)) else _FALLBACK


def _last(levels: list[_Level], n: int) -> tuple[int, int] | None:
    """Row and plain count of the last n-gram in lmplz's order: by the last word, then the one before, and so on.

    lmplz handles it in a loop of its own (the end of AdjustCounts::Run), where its plain count enters the discounts
    instead of its adjusted count. In small corpora that makes a difference.
    """
    if n == len(levels) - 1:
        return None
    place = levels[0].counts.size - 1
    for level in levels[1 : n + 1]:
        longer = np.flatnonzero(level.suffix == place)
        if not longer.size:
            return None
        place = int(longer[np.argmax(level.words[longer, 0])])
    return place, int(levels[n].counts[place])


def _interpolated(
    level: _Level, adjusted: Ints, kept: Bools, discounts: Floats, below: Floats
) -> tuple[Floats, Floats]:
    """Probability of every n-gram of one length, and the back-off weight of every context."""
    totals = np.bincount(level.prefix, adjusted, below.size)
    contexts = totals > 0
    taken = discounts[np.minimum(adjusted, 3)]
    left = np.bincount(level.prefix, np.where(kept, taken, adjusted), below.size)
    gamma = np.divide(left, totals, out=np.ones(below.size), where=contexts)
    share = np.divide(adjusted - taken, totals[level.prefix], out=np.zeros(taken.size), where=contexts[level.prefix])
    return share + gamma[level.prefix] * below[level.suffix], gamma


def _log10(values: Floats) -> Singles:
    return np.asarray(np.log10(np.maximum(values, _NEVER)), np.float32)
