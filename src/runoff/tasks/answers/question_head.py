"""What a question asks for, as far as chunks show it: its question word and the noun that names the answer's kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.tagging.spans import Span

_WORDS = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "why", "how"])
_OTHER_WORD = "none"
# Nouns whose complement names the kind: what kind of bird, the name of a river.
_EMPTY_TEXT = (
    "kind kinds type types sort sorts name names form forms species variety varieties brand brands class breed breeds "
    "group term word number part example style make"
)
_EMPTY = frozenset(_EMPTY_TEXT.split())
_POSSESSIVE = "POS"


class QuestionHead(NamedTuple):
    """The question word, where it stands, and where the nouns are that name the answer's kind, the plainest last.

    Examples
    --------
    >>> QuestionHead("what", 0, (3,)).nouns
    (3,)
    """

    word: str
    at: int  # -1 where there is no question word
    nouns: tuple[int, ...]


def question_head(question: AnnotatedSentence) -> QuestionHead:
    """Find what a question asks for, in the manner of Huang, Thint & Qin (2008) but without a parser. O(words).

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence, spans_of_tags
    >>> words, pos = "What kind of bird sings ?".split(), "WDT NN IN NN VBZ .".split()
    >>> chunks = spans_of_tags("B-NP I-NP B-PP B-NP B-VP O".split())
    >>> question_head(AnnotatedSentence(tuple(words), tuple(pos), chunks))
    QuestionHead(word='what', at=0, nouns=(1, 3))
    """
    lower = [word.lower() for word in question.words]
    at = next((place for place, word in enumerate(lower) if word in _WORDS), -1)
    word = lower[at] if at >= 0 else _OTHER_WORD
    phrases = [chunk for chunk in question.chunks if chunk.label == "NP"]
    place = next((which for which, chunk in enumerate(phrases) if _asks(question, chunk, at)), None)
    if place is None:
        return QuestionHead(word, at, ())
    # "What person 's head": the possessor is not what is asked for.
    while place + 1 < len(phrases) and _is_possessed(question, phrases[place], phrases[place + 1]):
        place += 1
    nouns = [_head(question, phrases[place])]
    while lower[nouns[-1]] in _EMPTY and place + 1 < len(phrases) and len(nouns) < 3:
        between = lower[phrases[place].stop : phrases[place + 1].start]
        if between not in (["of"], ["for"]):
            break
        place += 1
        nouns.append(_head(question, phrases[place]))
    return QuestionHead(word, at, tuple(nouns))


def _asks(question: AnnotatedSentence, chunk: Span, at: int) -> bool:
    """Whether a phrase can name the kind: the one of the question word if it has a noun, else the next one."""
    if chunk.stop <= at:
        return False
    first = max(chunk.start, at + 1)
    return any(not tag.startswith(("W", "PRP", "EX")) for tag in question.pos[first : chunk.stop])


def _is_possessed(question: AnnotatedSentence, owner: Span, owned: Span) -> bool:
    return owned.start == owner.stop and question.pos[owned.start] == _POSSESSIVE


def _head(question: AnnotatedSentence, chunk: Span) -> int:
    """The last noun of a phrase before any possessive ending, or else its last word."""
    places = range(chunk.start, chunk.stop)
    return max((place for place in places if question.pos[place].startswith("NN")), default=chunk.stop - 1)
