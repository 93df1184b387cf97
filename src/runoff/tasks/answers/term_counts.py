"""Terms of sentences, and in how many sentences of a collection each is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.tasks.answers.retrieval.porter import stem
from runoff.tasks.answers.retrieval.terms import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@cache
def term_of(word: str) -> str | None:
    """The stem of a word; None for marks and words that say nothing by themselves.

    Examples
    --------
    >>> term_of("Bridges"), term_of("the"), term_of("?")
    ('bridg', None, None)
    """
    lower = word.lower()
    return None if lower in STOP_WORDS or not any(map(str.isalnum, lower)) else stem(lower)


def terms_of(words: Sequence[str]) -> list[str | None]:
    """The term of every word.

    Examples
    --------
    >>> terms_of(["the", "bridges"])
    [None, 'bridg']
    """
    return [term_of(word) for word in words]


@dataclass(frozen=True)
class TermCounts:
    """In how many of all sentences each term is; those in one only are known as such by being absent.

    Examples
    --------
    >>> counts = TermCounts.of([["the", "bridge"], ["bridges", "fall"], ["night"]])
    >>> counts.sentences, dict(counts.counts), counts.idf("bridg") < counts.idf("fall") == counts.idf("unknown")
    (3, {'bridg': 2}, True)
    """

    sentences: int
    counts: Mapping[str, int]
    mean_length: float = 25.0  # terms of a sentence

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> TermCounts:
        """Count the terms of sentences, given as words. O(words)."""
        counts: Counter[str] = Counter()
        number, length = 0, 0
        for words in sentences:
            terms = [term for term in terms_of(words) if term is not None]
            counts.update(set(terms))
            number, length = number + 1, length + len(terms)
        kept = {term: count for term, count in sorted(counts.items()) if count > 1}
        return cls(number, kept, max(length / max(number, 1), 1.0))

    def idf(self, term: str) -> float:
        """Inverse document frequency as in Lucene's BM25: never below 0."""
        count = self.counts.get(term, 1)
        return math.log1p((self.sentences - count + 0.5) / (count + 0.5))

    def bm25(self, query: Iterable[str], sentence: Sequence[str | None], k1: float = 1.2, b: float = 0.75) -> float:
        """BM25 of a sentence for the terms of a query."""
        here = Counter(term for term in sentence if term is not None)
        norm = k1 * (1 - b + b * sum(here.values()) / self.mean_length)
        return sum(self.idf(term) * here[term] / (here[term] + norm) for term in set(query) if term in here)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"sentences": self.sentences, "counts": dict(self.counts), "mean_length": self.mean_length}

    @classmethod
    def from_dict(cls, values: Any) -> TermCounts:
        """From `to_dict`, with a full check."""
        number, counts, length = values["sentences"], values["counts"], values["mean_length"]
        if type(number) is not int or number < 0 or type(length) is not float or not 1 <= length < math.inf:
            raise ModelError("its counts of terms are damaged.")
        if not isinstance(counts, dict) or not all(
            type(each) is int and 0 < each <= number for each in counts.values()
        ):
            raise ModelError("its counts of terms must be whole numbers up to that of the sentences.")
        return cls(number, counts, length)
