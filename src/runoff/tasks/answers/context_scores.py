"""How much sentences look like the translations of a question: B, R and Lf of España-Bonet & Comas (2012)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from runoff.arrays import Floats, Ints

ORDER = 4  # longest n-gram of BLEU
SKIP = 4  # most words between the two of a pair, for ROUGE-S4


@dataclass(frozen=True, eq=False)
class Patterns:
    """The best translations of one question at one level, as units; sentences are compared with them.

    Examples
    --------
    >>> patterns = Patterns([["the", "ANSWER", "sang"], ["ANSWER", "sang", "it"]])
    >>> bleu, rouge = patterns.scores([["ANSWER", "sang", "it"], ["no", "word"]])
    >>> bleu.round(3).tolist(), rouge.round(3).tolist(), patterns.frequency([["sang", "no"]]).tolist()
    ([1.0, 0.0], [1.0, 0.0], [0.5])
    """

    texts: Sequence[Sequence[str]]

    def scores(self, sentences: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
        """B and R of sentences, each from 0 to 1.

        B is BLEU of a sentence with all translations as its references, orders above 1 smoothed by adding 1 to matches
        and counts (Lin & Och 2004), as sacrebleu's add-k. R is the highest F of ROUGE-S4 with one of the translations.
        O(words of the sentences, times log of those of the translations), and O(translations) for each pair in common.
        """
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        if not lengths.sum() or not self._reference_lengths.sum():
            return np.zeros(lengths.size), np.zeros(lengths.size)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        known = self._numbers
        ids = np.array([known.get(word, 0) for sentence in sentences for word in sentence], np.int64)
        return self._bleu(ids, offsets), self._rouge(ids, offsets)

    def frequency(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """Lf: mean frequency in the translations of the words of a sentence, relative to the most frequent one."""
        counts = Counter(word for text in self.texts for word in text)
        most = max(counts.values(), default=1)
        means = [sum(counts[word] for word in each) / len(each) / most if each else 0.0 for each in sentences]
        return np.array(means, np.float64)

    # ---------------------------------------------------------------- the translations

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Words of the translations from 1; 0 is any other."""
        return {word: at + 1 for at, word in enumerate(dict.fromkeys(word for text in self.texts for word in text))}

    @cached_property
    def _reference_lengths(self) -> Ints:
        return np.array([len(text) for text in self.texts], np.int64)

    @cached_property
    def _references(self) -> tuple[Ints, Ints]:
        ids = np.array([self._numbers[word] for text in self.texts for word in text], np.int64)
        return ids, np.concatenate([[0], np.cumsum(self._reference_lengths)])

    @cached_property
    def _most(self) -> list[tuple[Ints, Floats]]:
        """For every order the n-grams of the translations, and how often one translation has each at most."""
        found = []
        for order in range(1, ORDER + 1):
            keys, text_of = self._ngrams(*self._references, order)
            pairs, counts = np.unique(keys * len(self.texts) + text_of, return_counts=True)
            different, first = np.unique(pairs // max(len(self.texts), 1), return_index=True)
            most = np.maximum.reduceat(counts, first) if first.size else counts
            found.append((different, most.astype(np.float64)))
        return found

    @cached_property
    def _pairs(self) -> tuple[Ints, Any]:
        """Pairs of words, the t-th occurrence of each in a translation by itself; and which translations have them."""
        keys, text_of = _occurrences(*self._skip_pairs(*self._references))
        different, column = np.unique(keys, return_inverse=True)
        table = np.zeros((different.size, len(self.texts)), np.float32)
        table[column, text_of] = 1
        return different, table

    # ---------------------------------------------------------------- the sentences

    def _bleu(self, ids: Ints, offsets: Ints) -> Floats:
        lengths = np.diff(offsets)
        log_sum, nothing = np.zeros(lengths.size), np.zeros(lengths.size, bool)
        for order, (known, most) in enumerate(self._most, 1):
            keys, sentence_of = self._ngrams(ids, offsets, order)
            where, is_known = _found(keys, known)
            pairs, counts = np.unique(sentence_of[is_known] * (known.size + 1) + where[is_known], return_counts=True)
            sentence, ngram = np.divmod(pairs, known.size + 1)
            matches = np.bincount(sentence, np.minimum(counts, most[ngram]), lengths.size)
            total = np.maximum(lengths - order + 1, 0)
            added = float(order > 1)
            nothing |= (matches + added == 0) | (lengths == 0)
            log_sum += np.log(np.maximum(matches + added, 1e-300) / np.maximum(total + added, 1.0))
        # Of the translations that are as close in length, the shorter one.
        gaps = np.abs(lengths[:, None] - np.sort(self._reference_lengths)[None, :])
        closest = np.sort(self._reference_lengths)[gaps.argmin(axis=1)]
        penalty = np.minimum(0.0, 1 - closest / np.maximum(lengths, 1))
        return np.where(nothing, 0.0, np.exp(log_sum / ORDER + penalty))

    def _rouge(self, ids: Ints, offsets: Ints) -> Floats:
        known, table = self._pairs
        keys, sentence_of = _occurrences(*self._skip_pairs(ids, offsets))
        where, is_known = _found(keys, known)
        rows, n_rows = sentence_of[is_known], offsets.size - 1
        ones = np.ones(rows.size, np.float32)
        has = sparse.csr_array((ones, (rows, where[is_known])), shape=(n_rows, max(known.size, 1)))
        matches = has @ table if known.size else np.zeros((n_rows, len(self.texts)))
        sizes = _pair_counts(np.diff(offsets))[:, None] + _pair_counts(self._reference_lengths)[None, :]
        return np.asarray((2.0 * matches / np.maximum(sizes, 1)).max(axis=1), np.float64)

    def _ngrams(self, ids: Ints, offsets: Ints, order: int) -> tuple[Ints, Ints]:
        """A number for every n-gram, and the text that it is from; -1 for those with a word of no translation."""
        lengths = np.diff(offsets)
        text_of = np.repeat(np.arange(lengths.size), lengths)
        inside = np.arange(ids.size) + order <= offsets[1:][text_of]
        starts = np.flatnonzero(inside)
        keys, is_known = np.zeros(starts.size, np.int64), np.ones(starts.size, bool)
        for at in range(order):
            word = ids[starts + at]
            keys = keys * (len(self._numbers) + 1) + word
            is_known &= word > 0
        return np.where(is_known, keys, -1), text_of[starts]

    def _skip_pairs(self, ids: Ints, offsets: Ints) -> tuple[Ints, Ints]:
        """A number for every pair of words with at most four between them, and the text that it is from."""
        lengths = np.diff(offsets)
        text_of = np.repeat(np.arange(lengths.size), lengths)
        keys, texts = [], []
        for gap in range(1, SKIP + 2):
            starts = np.flatnonzero(np.arange(ids.size) + gap < offsets[1:][text_of])
            first, second = ids[starts], ids[starts + gap]
            known = (first > 0) & (second > 0)
            keys.append((first * (len(self._numbers) + 1) + second)[known])
            texts.append(text_of[starts][known])
        return np.concatenate(keys), np.concatenate(texts)


def _occurrences(keys: Ints, text_of: Ints) -> tuple[Ints, Ints]:
    """Keys with the number of their occurrence in the text as a part of them: least of two counts is what both have."""
    order = np.lexsort((keys, text_of))
    keys, text_of = keys[order], text_of[order]
    new = np.ones(keys.size, bool)
    new[1:] = (keys[1:] != keys[:-1]) | (text_of[1:] != text_of[:-1])
    places = np.arange(keys.size)
    time = places - np.maximum.accumulate(np.where(new, places, 0))
    return keys * (1 << 16) + np.minimum(time, (1 << 16) - 1), text_of


def _found(keys: Ints, known: Ints) -> tuple[Ints, Any]:
    """Where each key is among the known ones, which are sorted, and whether it is there."""
    if not known.size:
        return np.zeros(keys.size, np.int64), np.zeros(keys.size, bool)
    where = np.minimum(np.searchsorted(known, keys), known.size - 1)
    return where, known[where] == keys


def _pair_counts(lengths: Ints) -> Ints:
    """How many pairs of words a text of some length has, with at most four words between the two."""
    return sum((np.maximum(lengths - gap, 0) for gap in range(1, SKIP + 2)), np.zeros_like(lengths))
