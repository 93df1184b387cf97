"""What question and sentence have in common: terms, runs of them, meanings, and what a sentence shares with others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.answers.term_counts import TermCounts, terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.tasks.answers.supersenses import Supersenses

NAMES = (
    "match:share",
    "match:count",
    "match:rarity",
    "match:bm25",
    "match:rarest",
    "match:second rarest",
    "match:of sentence",
    "match:pairs",
    "match:longest run",
    "match:window",
    "match:words",
    "match:meaning",
    "new:rarity",
    "new:digits",
    "length:sentence",
    "list:before",
    "list:likeness",
    "list:share",
)
_OWN = len(NAMES) - 3  # of a sentence by itself
_TAGS = ("NN", "VB")  # a term may be either
_MEANING = 0.5  # of a word whose meaning is above or below another, beside that of a match


class Meanings:
    """The concepts above words, kept once they were looked up.

    Examples
    --------
    >>> from runoff.tasks.answers.supersenses import Supersenses
    >>> meanings = Meanings(Supersenses.shipped())
    >>> meanings.are_close("poodles", "dog"), meanings.are_close("dog", "treaty")
    (True, False)
    """

    def __init__(self, senses: Supersenses) -> None:
        self._senses = senses
        self._paths: dict[str, tuple[tuple[str, ...], ...]] = {}
        self._names: dict[str, frozenset[str]] = {}

    def _of(self, word: str) -> tuple[tuple[str, ...], ...]:
        if word not in self._paths:
            self._paths[word] = tuple(self._senses.hypernyms(word, tag) for tag in _TAGS)
            lemmas = [self._senses.lemma(word, tag) for tag in _TAGS]
            own = {f"{lemma}.{tag[0].lower()}.01" for lemma, tag in zip(lemmas, _TAGS, strict=True) if lemma}
            self._names[word] = frozenset(own)
        return self._paths[word]

    def are_close(self, one: str, two: str) -> bool:
        """Whether one word is a kind of the other, or both are of the same closest concept, by their first senses."""
        ours, theirs = self._of(one), self._of(two)
        for path, other in zip(ours, theirs, strict=True):
            if path and other and len(path) > 3 and path[0] == other[0]:
                return True
            if self._names[two] & set(path[:3]) or self._names[one] & set(other[:3]):
                return True
        return False


@dataclass(frozen=True, eq=False)
class ListEvidence:
    """A question and the sentences of its list, as words."""

    question: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    counts: TermCounts
    meanings: Meanings

    @cached_property
    def asked(self) -> Mapping[str, float]:
        """The terms of the question and their weights."""
        return {term: self.counts.idf(term) for term in terms_of(self.question) if term is not None}

    @cached_property
    def terms(self) -> list[list[str | None]]:
        """The terms of every sentence."""
        return [terms_of(words) for words in self.sentences]

    def rows(self, *, in_order: bool) -> Floats:
        """A row of `NAMES` for every sentence; `in_order`: they follow each other in a document. O(words²)."""
        n = len(self.sentences)
        own = np.array([self._row(at) for at in range(n)]).reshape(n, _OWN)
        shares = own[:, 0]
        before = np.concatenate([[0.0], shares[:-1]])[:n] if in_order else np.zeros(n)
        found: Floats = np.column_stack([own, before, self._likeness(), shares / (shares.sum() or 1.0)])
        return found

    def _share(self, here: set[str]) -> float:
        total = sum(self.asked.values()) or 1.0
        return sum(weight for term, weight in self.asked.items() if term in here) / total

    def _row(self, at: int) -> tuple[float, ...]:
        terms, asked, words = self.terms[at], self.asked, self.sentences[at]
        present = [term for term in terms if term is not None]
        here = set(present)
        matched = here & asked.keys()
        ranked = sorted(asked, key=lambda term: (-asked[term], term))
        order = [term for term in terms_of(self.question) if term is not None]
        pairs = set(pairwise(order))
        found_pairs = pairs & set(pairwise(present))
        places = [place for place, term in enumerate(terms) if term in asked]
        window = (places[-1] - places[0] + 1) / len(places) if places else 0.0
        lower = {word.lower() for word in words}
        new = [term for term in present if term not in asked]
        return (
            self._share(here),
            float(len(matched)),
            sum(asked[term] for term in matched),
            self.counts.bm25(asked, terms),
            float(bool(ranked) and ranked[0] in here),
            float(len(ranked) > 1 and ranked[1] in here),
            len([term for term in present if term in asked]) / max(len(present), 1),
            len(found_pairs) / max(len(pairs), 1),
            float(_longest_run(order, present)),
            math.log1p(window),
            sum(word.lower() in lower for word in self.question) / max(len(self.question), 1),
            self._meaning(words, here),
            math.log1p(sum(map(self.counts.idf, new))),
            math.log1p(sum(any(map(str.isdigit, word)) and word not in self.question for word in words)),
            math.log1p(len(words)),
        )

    def _meaning(self, words: Sequence[str], here: set[str]) -> float:
        """The share of the question's terms that are there, or close in meaning to a word that is."""
        total = sum(self.asked.values()) or 1.0
        found = 0.0
        for word, term in zip(self.question, terms_of(self.question), strict=True):
            if term is None:
                continue
            if term in here:
                found += self.asked[term]
            elif any(self.meanings.are_close(word, other) for other in words if len(other) > 2):
                found += _MEANING * self.asked[term]
        return found / total

    def _likeness(self) -> Floats:
        """Mean cosine with the other sentences of the list."""
        number: dict[str, int] = {}
        for terms in self.terms:
            for term in terms:
                if term is not None:
                    number.setdefault(term, len(number))
        n = len(self.terms)
        table = np.zeros((n, max(len(number), 1)))
        for at, terms in enumerate(self.terms):
            for term in terms:
                if term is not None:
                    table[at, number[term]] = self.counts.idf(term)
        norms = np.linalg.norm(table, axis=1)
        table /= np.where(norms > 0, norms, 1.0)[:, None]
        found: Floats = (table @ table.sum(axis=0) - (norms > 0)) / max(n - 1, 1)
        return found


def _longest_run(asked: Sequence[str], present: Sequence[str]) -> int:
    """Length of the longest run of terms that both have."""
    best, before = 0, [0] * (len(present) + 1)
    for term in asked:
        now = [0] * (len(present) + 1)
        for at, other in enumerate(present):
            if term == other:
                now[at + 1] = before[at] + 1
                best = max(best, now[at + 1])
        before = now
    return best
