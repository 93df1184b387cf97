"""What later work found useful beside the translations: words in common, distances, votes, kinds of things.

Columns are named family:what. Echihabi & Marcu (2003) rank by the probability that an answer sentence translates into
the question; Clarke et al. (2001) let answers vote; distances to the words of the question are as old as the task.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.answers.candidates import PHRASE, answer_key
from runoff.tasks.answers.term_counts import term_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.candidates import AnswerCandidate
    from runoff.tasks.answers.supersenses import Supersenses
    from runoff.tasks.answers.term_counts import TermCounts

SENTENCE = ("sentence:bm25", "sentence:overlap", "sentence:pairs", "sentence:length")
PLACE = ("near:closest", "near:weighted", "near:before", "near:after", "near:focus")
OWN = (
    "own:in question",
    "own:rarity",
    "own:words",
    "own:capitals",
    "own:digits",
    "own:year",
    "own:entity",
    "own:kind of focus",
    "own:quoted",
)
VOTES = ("votes:sentences", "votes:weighted", "votes:inside others", "votes:share of all")
COLUMNS = (*SENTENCE, *PLACE, *OWN, *VOTES)
_FAR = 20  # words, where nothing is near
_REACH = 5.0  # words over which nearness halves


@dataclass(frozen=True)
class AskedTerms:
    """The terms of a question: their weights, and the words of what it asks for ("river" of "what river").

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> from runoff.tasks.answers.term_counts import TermCounts
    >>> question = AnnotatedSentence(("What", "river", "crosses", "Paris", "?"), ("WDT", "NN", "VBZ", "NNP", "."))
    >>> asked = AskedTerms.of(question, TermCounts(0, {}))
    >>> list(asked.idf), asked.focus
    (['river', 'cross', 'pari'], 'river')
    """

    idf: Mapping[str, float]
    order: tuple[str, ...]
    focus: str | None  # the noun that says what is asked for, in lower case

    @classmethod
    def of(cls, question: AnnotatedSentence, counts: TermCounts) -> AskedTerms:
        """From a question."""
        terms = tuple(term for term in terms_of(question.words) if term is not None)
        return cls({term: counts.idf(term) for term in terms}, terms, _focus(question))


def evidence(
    asked: AskedTerms,
    sentences: Sequence[AnnotatedSentence],
    candidates: Sequence[AnswerCandidate],
    counts: TermCounts,
    senses: Supersenses,
) -> Floats:
    """A row of `COLUMNS` for every candidate. O(words of the sentences, for each candidate in them)."""
    terms = [terms_of(sentence.words) for sentence in sentences]
    of_sentence = np.array([_sentence_row(asked, each, counts) for each in terms]).reshape(len(terms), len(SENTENCE))
    out = np.zeros((len(candidates), len(COLUMNS)))
    places = [np.array([at for at, term in enumerate(each) if term in asked.idf], np.int64) for each in terms]
    for row, candidate in enumerate(candidates):
        sentence, own = sentences[candidate.sentence], terms[candidate.sentence]
        out[row, : len(SENTENCE)] = of_sentence[candidate.sentence]
        near = _nearness(asked, own, places[candidate.sentence], candidate)
        shape = _shape(asked, sentence, own, candidate, counts, senses)
        out[row, len(SENTENCE) : -len(VOTES)] = (*near, *shape)
    out[:, -len(VOTES) :] = _votes(candidates, of_sentence[:, 0], counts)
    return out


def _sentence_row(asked: AskedTerms, terms: Sequence[str | None], counts: TermCounts) -> tuple[float, ...]:
    here = set(terms)
    total = sum(asked.idf.values()) or 1.0
    matched = [term for term in terms if term in asked.idf]
    pairs = set(pairwise(asked.order))
    followed = pairs & set(pairwise(matched))
    return (
        counts.bm25(asked.idf, terms),
        sum(weight for term, weight in asked.idf.items() if term in here) / total,
        len(followed) / max(len(pairs), 1),
        np.log1p(len(terms)),
    )


def _nearness(
    asked: AskedTerms, terms: Sequence[str | None], places: Ints, candidate: AnswerCandidate
) -> tuple[float, ...]:
    outside = places[(places < candidate.start) | (places >= candidate.stop)]
    if not outside.size:
        return float(np.log1p(_FAR)), 0.0, 0.0, 0.0, 0.0
    gaps = np.where(outside < candidate.start, candidate.start - outside, outside - candidate.stop + 1)
    weights = np.array([asked.idf[str(terms[at])] for at in outside.tolist()])
    nearness = weights * 0.5 ** (gaps / _REACH)
    # Of several places of a term the closest counts.
    best: dict[str, float] = {}
    for at, value in zip(outside.tolist(), nearness.tolist(), strict=True):
        best[str(terms[at])] = max(best.get(str(terms[at]), 0.0), value)
    total = sum(asked.idf.values()) or 1.0
    before = float(weights[gaps <= 3][outside[gaps <= 3] < candidate.start].sum()) / total
    after = float(weights[gaps <= 3][outside[gaps <= 3] >= candidate.stop].sum()) / total
    focus = best.get(term_of(asked.focus or "") or "", 0.0) / total
    return float(np.log1p(min(gaps.min(), _FAR))), sum(best.values()) / total, before, after, focus


def _shape(
    asked: AskedTerms,
    sentence: AnnotatedSentence,
    terms: Sequence[str | None],
    candidate: AnswerCandidate,
    counts: TermCounts,
    senses: Supersenses,
) -> tuple[float, ...]:
    words = sentence.words[candidate.start : candidate.stop]
    own = [term for term in terms[candidate.start : candidate.stop] if term is not None]
    weight = sum(map(counts.idf, own)) or 1.0
    around = (*sentence.words[max(candidate.start - 1, 0) : candidate.start], *sentence.words[candidate.stop :][:1])
    return (
        sum(counts.idf(term) for term in own if term in asked.idf) / weight if own else 1.0,
        max(map(counts.idf, own), default=0.0),
        float(len(words)),
        sum(word[:1].isupper() for word in words) / len(words),
        float(any(any(map(str.isdigit, word)) for word in words)),
        float(any(len(word) == 4 and word.isdecimal() and word[0] in "12" for word in words)),
        float(candidate.kind != PHRASE),
        float(_is_kind_of(asked.focus, words, sentence.pos[candidate.start : candidate.stop], senses)),
        float(any(word in ("``", "''", '"', "“", "”", "(", ")", "-LRB-") for word in around)),
    )


def _is_kind_of(focus: str | None, words: Sequence[str], pos: Sequence[str], senses: Supersenses) -> bool:
    """Whether a noun of the candidate is by its first sense a kind of what is asked for: a poodle, a dog."""
    if focus is None:
        return False
    above = {name.split(".")[0] for word, tag in zip(words, pos, strict=True) for name in senses.hypernyms(word, tag)}
    return focus in above


def _votes(candidates: Sequence[AnswerCandidate], weights: Floats, counts: TermCounts) -> Floats:
    """How many sentences give the answer, how well these fit, how often it is a part of others, its share of all."""
    keys = [answer_key(each.text) for each in candidates]
    given: dict[str, set[int]] = {}
    for key, candidate in zip(keys, candidates, strict=True):
        given.setdefault(key, set()).add(candidate.sentence)
    inside: Counter[str] = Counter()
    for key in given:
        parts = key.split()
        pieces = {" ".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, min(len(parts), i + 5) + 1)}
        for piece in pieces - {key}:
            if piece in given:
                inside[piece] += 1
    total = float(weights.sum()) or 1.0
    rows = {}
    for key, where in given.items():
        fit = float(weights[list(where)].sum()) / total
        # Terms of the collection, so that what is everywhere says little.
        everywhere = max((counts.counts.get(term, 1) for term in terms_of(key.split()) if term), default=1)
        rows[key] = (np.log1p(len(where)), fit, np.log1p(inside[key]), np.log(len(where) / everywhere))
    return np.array([rows[key] for key in keys]).reshape(len(keys), len(VOTES))


def _focus(question: AnnotatedSentence) -> str | None:
    """The last noun of the first run of nouns, which is what a question with what, which or name asks for."""
    found = None
    for word, pos in zip(question.words, question.pos, strict=True):
        if pos.startswith("NN") and not pos.startswith("NNP"):
            found = word.lower()
        elif found is not None:
            break
    return found
