"""Keywords of a question with their salience, as España-Bonet & Comas (2012, section 4.1) rank them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.answers.question_head import question_head
from runoff.tasks.answers.quotations import quotations
from runoff.tasks.tagging.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.tasks.answers.annotated import AnnotatedSentence

# Kinds of keywords, the most salient first.
QUOTED, ENTITY, NOUNS, NOUN, VERB, WORD = "quoted", "entity", "nouns", "noun", "verb", "word"
SALIENCE = {QUOTED: 6.0, ENTITY: 5.0, NOUNS: 4.0, NOUN: 3.0, VERB: 2.0, WORD: 1.0}
_NAMING = ("NN", "JJ", "CD", "VBN", "VBG")  # what a sequence of nouns and adjectives may have
_TELLING = ("NN", "JJ", "CD", "RB", "VB", "FW", "ADD", "AFX")
_AUXILIARIES_TEXT = "be am is are was were been being 's 're 'm do does did done have has had having 've 'd"
_AUXILIARIES = frozenset(_AUXILIARIES_TEXT.split())
_REQUESTS = frozenset(["name", "tell", "give", "list", "describe", "define", "say", "find"])  # as the first word
_AMOUNTS = frozenset(("many", "much"))
_NEGATIONS = frozenset(("n't", "not"))


class Keyword(NamedTuple):
    """Words that a passage with the answer should have; `span.label` says what they are.

    Examples
    --------
    >>> Keyword("Golden Gate", ("Golden", "Gate"), 5.0, Span(0, 3, 5, "entity")).salience
    5.0
    """

    text: str
    words: tuple[str, ...]
    salience: float
    span: Span


def keywords(question: AnnotatedSentence) -> tuple[Keyword, ...]:
    """Quoted words, entities, sequences of nouns and adjectives, nouns, verbs, other words that say something.

    The most salient first, in the order of the question; no word belongs to two. Question words, auxiliaries, and
    nouns that only announce another ("name of", "kind of") are none. O(words).

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence, spans_of_tags
    >>> words, pos = "Who painted the Blue Boy ?".split(), "WP VBD DT NNP NNP .".split()
    >>> chunks = spans_of_tags("B-NP B-VP B-NP I-NP I-NP O".split())
    >>> [(each.text, each.span.label) for each in keywords(AnnotatedSentence(tuple(words), tuple(pos), chunks))]
    [('Blue Boy', 'nouns'), ('painted', 'verb')]
    """
    taken = [False] * len(question)
    for at in _saying_nothing(question):
        taken[at] = True
    found: list[Span] = []
    for span in _proposed(question, taken):
        if any(taken[span.start : span.stop]):
            continue
        taken[span.start : span.stop] = [True] * (span.stop - span.start)
        found.append(span)
    found.sort(key=lambda span: (-SALIENCE[span.label], span.start))
    return tuple(
        Keyword(" ".join(question.words_of(span)), question.words_of(span), SALIENCE[span.label], span)
        for span in found
    )


def _proposed(question: AnnotatedSentence, taken: list[bool]) -> Iterator[Span]:
    """Stretches that may be keywords, the most salient kinds first; `taken` changes while they are asked for."""
    yield from (Span(0, start, stop, QUOTED) for start, stop in quotations(question.words))
    for span in filter(partial(_is_named, question), question.entities):
        yield from (Span(0, start, stop, ENTITY) for start, stop in _free(span.start, span.stop, taken))
    for start, stop in _sequences(question, taken):
        yield Span(0, start, stop, NOUNS)
    for kind, beginnings in ((NOUN, ("NN",)), (VERB, ("VB",)), (WORD, _TELLING)):
        for at, tag in enumerate(question.pos):
            if tag.startswith(beginnings) and not taken[at]:
                yield Span(0, at, at + 1, kind)


def _is_named(question: AnnotatedSentence, span: Span) -> bool:
    """Whether an entity has a name or digits; descriptions such as "the team" are nouns like others."""
    places = range(span.start, span.stop)
    return any(question.pos[at].startswith("NNP") or any(map(str.isdigit, question.words[at])) for at in places)


def _free(start: int, stop: int, taken: list[bool]) -> Iterator[tuple[int, int]]:
    """The parts of a stretch that no keyword has."""
    first = start
    for at in range(start, stop + 1):
        if at == stop or taken[at]:
            if first < at:
                yield first, at
            first = at + 1


def _sequences(question: AnnotatedSentence, taken: list[bool]) -> list[tuple[int, int]]:
    """Two or more nouns and adjectives beside each other in one chunk, with a noun at the end."""
    found = []
    chunk_of = {at: which for which, span in enumerate(question.chunks) for at in range(span.start, span.stop)}
    start = 0
    for at in range(len(question) + 1):
        goes_on = (
            at < len(question)
            and not taken[at]
            and question.pos[at].startswith(_NAMING)
            and at in chunk_of
            and question.chunks[chunk_of[at]].label == "NP"
            and (at == start or chunk_of[at] == chunk_of.get(at - 1))
        )
        if goes_on:
            continue
        stop = at
        while stop > start and not question.pos[stop - 1].startswith("NN"):
            stop -= 1
        if stop - start > 1:
            found.append((start, stop))
        is_first = at < len(question) and not taken[at] and question.pos[at].startswith(_NAMING)
        start = at if is_first and chunk_of.get(at) != chunk_of.get(at - 1) else at + 1
    return found


def _saying_nothing(question: AnnotatedSentence) -> Iterator[int]:
    head = question_head(question)
    quoted = {at for start, stop in quotations(question.words) for at in range(start, stop)}
    for at, (word, tag) in enumerate(zip(question.words, question.pos, strict=True)):
        lower = word.lower()
        is_empty = (
            at == head.at
            or at in head.nouns[:-1]
            or not tag.startswith(_TELLING)
            or not any(map(str.isalnum, word))
            or lower in _NEGATIONS
            or (lower in _AUXILIARIES and tag.startswith("VB"))
            or (at == 0 and lower in _REQUESTS)
            or (at == head.at + 1 and head.word == "how" and lower in _AMOUNTS)
        )
        if is_empty and at not in quoted and not _is_inside(question, at):
            yield at


def _is_inside(question: AnnotatedSentence, at: int) -> bool:
    """Whether a word stands inside of an entity, which may have words such as "of"; its ends must say something."""
    return any(span.start < at < span.stop - 1 for span in question.entities)
