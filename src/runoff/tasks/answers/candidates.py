"""Candidate answers: all entities and all phrases with a noun, each with its sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.answers.annotated import AnnotatedSentence

PHRASE = "phrase"  # the type of a candidate that is no entity
_NOUNS = ("NN", "NOUN", "PROPN")  # how parts of speech of nouns begin
_NUMBER = ("CD", "NUM")
# What stands at the ends of a phrase without being part of the answer.
_ARTICLES = ("the", "a", "an", "this", "that", "these", "those", "his", "her", "its", "their", "our", "my", "your")
_OUTER = frozenset({*_ARTICLES, "''", "``", '"', "'", ",", ".", ";", ":", "(", ")", "-lrb-", "-rrb-"})
_WORD = re.compile(r"\w+", re.UNICODE)


class AnswerCandidate(NamedTuple):
    """Words `start` to before `stop` of a sentence, and the class of the entity that they are, or "phrase".

    Examples
    --------
    >>> AnswerCandidate(0, 1, 3, "PERSON", "Karl Malone").text
    'Karl Malone'
    """

    sentence: int
    start: int
    stop: int
    kind: str
    text: str


def candidates_in(sentences: Sequence[AnnotatedSentence]) -> list[AnswerCandidate]:
    """All entities and all chunks with a noun or a number, each stretch of words once. O(words).

    Articles, possessives and marks at the ends of chunks are not part of the candidate. A chunk that is an entity has
    its class.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> from runoff.tasks.tagging.spans import Span
    >>> chunks, entities = (Span(0, 0, 1, "NP"), Span(0, 1, 2, "VP"), Span(0, 2, 4, "NP")), (Span(0, 0, 1, "PERSON"),)
    >>> sentence = AnnotatedSentence(("Ada", "wrote", "a", "note"), ("NNP", "VBD", "DT", "NN"), chunks, entities)
    >>> [(each.text, each.kind) for each in candidates_in([sentence])]
    [('Ada', 'PERSON'), ('note', 'phrase')]
    """
    out: list[AnswerCandidate] = []
    for number, sentence in enumerate(sentences):
        found = {(span.start, span.stop): span.label for span in sentence.entities}
        for span in sentence.chunks:
            start, stop = _inner(sentence.words, span.start, span.stop)
            if start < stop and any(pos.startswith((*_NOUNS, *_NUMBER)) for pos in sentence.pos[start:stop]):
                found.setdefault((start, stop), PHRASE)
        for (start, stop), kind in sorted(found.items()):
            out.append(AnswerCandidate(number, start, stop, kind, " ".join(sentence.words[start:stop])))
    return out


def answer_key(text: str) -> str:
    """What two answers have in common that say the same: words and numbers, lower case, without articles.

    Examples
    --------
    >>> answer_key("The Golden Gate Bridge ,") == answer_key("Golden Gate bridge")
    True
    """
    words = _WORD.findall(text.lower())
    kept = [word for word in words if word not in ("the", "a", "an")] or words
    return " ".join(kept)


def _inner(words: Sequence[str], start: int, stop: int) -> tuple[int, int]:
    while start < stop and words[start].lower() in _OUTER:
        start += 1
    while start < stop and words[stop - 1].lower() in _OUTER:
        stop -= 1
    return start, stop
