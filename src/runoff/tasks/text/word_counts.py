"""Counts of words and pairs of words in references: what a combination knows of the language."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.text.confusion_network import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

START, END = "<s>", "</s>"
_TRUST = 5.0  # a pair's own count weighs as much as the word's alone where the left word was seen so often
_UNSEEN = 0.5


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How often words and pairs of neighbours, joined by a blank, occur; pairs have the ends of texts too.

    Examples
    --------
    >>> counts = WordCounts.of([["a", "cat"], ["a", "dog"], ["the", "cat", "sat"]])
    >>> counts.word("cat"), counts.pair("a", "cat"), counts.without([["a", "cat"]]).pair("a", "cat")
    (2, 1, 0)
    >>> counts.fluency("the", "cat", "sat") > counts.fluency("the", "dog", "sat")
    True
    """

    words: Mapping[str, int]
    pairs: Mapping[str, int]
    total: int  # of words
    less: Mapping[str, int] = field(default_factory=dict)  # of words and pairs that are not to count

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> WordCounts:
        """Count. O(words)."""
        words: Counter[str] = Counter()
        pairs: Counter[str] = Counter()
        for text in texts:
            words.update(text)
            pairs.update(_pairs(text))
        return cls.restored(words, pairs)

    @classmethod
    def restored(cls, words: Mapping[str, int], pairs: Mapping[str, int]) -> WordCounts:
        """From what was counted."""
        return cls(words, pairs, sum(words.values()))

    def without(self, texts: Iterable[Sequence[str]]) -> WordCounts:
        """The same as if these texts had not been counted. O(their words)."""
        less: Counter[str] = Counter()
        for text in texts:
            less.update(text)
            less.update(_pairs(text))
        return WordCounts(self.words, self.pairs, self.total, less)

    def word(self, word: str) -> int:
        """How often a word occurs."""
        return max(0, self.words.get(word, 0) - self.less.get(word, 0))

    def pair(self, left: str, right: str) -> int:
        """How often a word follows another, or the beginning of a text."""
        both = f"{left} {right}"
        return max(0, self.pairs.get(both, 0) - self.less.get(both, 0))

    def fluency(self, left: str, word: str, right: str) -> float:
        """Base-2 logarithm of the probability of a word, or none, between two others, by pairs and single words."""
        path = [left, word, right] if word != NOTHING else [left, right]
        return sum(math.log2(self._probability(*both)) for both in pairwise(path))

    def _probability(self, left: str, word: str) -> float:
        alone = (self.word(word) + _UNSEEN) / (self.total + 1.0)
        return (self.pair(left, word) + _TRUST * alone) / (self.word(left) + _TRUST)


def _pairs(text: Sequence[str]) -> Iterable[str]:
    return (f"{left} {right}" for left, right in pairwise([START, *text, END]))
