"""Questions and the sentences that answer them, as parallel text at both levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.answers.levels import level1, level2, quoted_expressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.answer_patterns import AnswerPatterns
    from runoff.tasks.answers.levels import Level, SenseSource


class AnswerPair(NamedTuple):
    """A question, and a sentence with ANSWER in place of its answer, at both levels, with blanks between the units."""

    question: int
    question1: str
    sentence1: str
    question2: str
    sentence2: str


@dataclass(frozen=True)
class QuestionLevels:
    """A question at both levels, and what it has in quotes.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> class NoSenses:
    ...     def of(self, word, pos):
    ...         return None
    >>> words = ("Who", "sang", '"', "Blue", '"')
    >>> levels = QuestionLevels.of(AnnotatedSentence(words, ("WP", "VBD", '"', "NN", '"')), NoSenses())
    >>> levels.words, levels.abstract
    ('who sang " blue "', 'who sang " QUOTED "')
    """

    words: str
    abstract: str
    quoted: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, question: AnnotatedSentence, senses: SenseSource) -> QuestionLevels:
        """Both levels of a question."""
        quoted = quoted_expressions(question.words)
        return cls(
            " ".join(level1(question).units()),
            " ".join(level2(question, senses, quoted).units()),
            quoted,
        )


def training_pairs(
    questions: Sequence[QuestionLevels],
    sentences: Sequence[Sequence[AnnotatedSentence]],
    patterns: Sequence[AnswerPatterns],
    senses: SenseSource,
) -> list[AnswerPair]:
    """A pair for every sentence in which a pattern of its question matches; the first match is the answer. O(words).

    An entity that the match is a part of is the answer as a whole, as it will be a candidate as a whole.
    """
    out: list[AnswerPair] = []
    for number, (question, own, pattern) in enumerate(zip(questions, sentences, patterns, strict=True)):
        for sentence in own:
            span = answer_span(sentence, pattern)
            if span is None:
                continue
            words, abstract = level1(sentence), level2(sentence, senses, question.quoted)
            out.append(AnswerPair(number, question.words, _text(words, span), question.abstract, _text(abstract, span)))
    return out


def answer_span(sentence: AnnotatedSentence, patterns: AnswerPatterns) -> tuple[int, int] | None:
    """First and last plus one of the words that the first match touches, with those of an entity around it.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> from runoff.tasks.answers.answer_patterns import AnswerPatterns
    >>> from runoff.tasks.tagging.spans import Span
    >>> words, pos = ("By", "Ada", "Lovelace", "."), ("IN", "NNP", "NNP", ".")
    >>> sentence = AnnotatedSentence(words, pos, entities=(Span(0, 1, 3, "PERSON"),))
    >>> answer_span(sentence, AnswerPatterns.of(["Lovelace"])), answer_span(sentence, AnswerPatterns.of(["Byron"]))
    ((1, 3), None)
    """
    found = patterns.first(sentence.text)
    if found is None:
        return None
    touched = []
    begin = 0
    for at, word in enumerate(sentence.words):
        if begin < found[1] and begin + len(word) > found[0]:
            touched.append(at)
        begin += len(word) + 1
    if not touched:
        return None  # the match is of white space
    start, stop = touched[0], touched[-1] + 1
    for span in sentence.entities:
        if span.start <= start and stop <= span.stop:
            return span.start, span.stop
    return start, stop


def _text(level: Level, answer: tuple[int, int]) -> str:
    return " ".join(level.units(answer))
