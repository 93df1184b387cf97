"""What questions ask for; what is right was read in the questions."""

from __future__ import annotations

import pytest

from helpers import annotated_questions as questions
from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.question_head import question_head


@pytest.mark.parametrize(
    ("question", "word", "nouns"),
    [
        (questions.WHO, "who", ["telephone"]),
        (questions.BIRD, "what", ["bird"]),
        (questions.KIND, "what", ["kind", "bridge"]),
        (questions.WHEN, "when", ["Hawaii"]),
        (questions.POPULATION, "what", ["population"]),
        (questions.HEAD_OF_PERSON, "what", ["head"]),
        (questions.LATE, "which", ["team"]),
        (questions.REQUEST, "none", ["city"]),
        (questions.MANY, "how", ["cars"]),
        (AnnotatedSentence(("What", "?"), ("WP", ".")), "what", []),
        (AnnotatedSentence((), ()), "none", []),
    ],
)
def test_question_words_and_nouns(question: AnnotatedSentence, word: str, nouns: list[str]) -> None:
    head = question_head(question)
    assert head.word == word
    assert [question.words[at] for at in head.nouns] == nouns
    assert (head.at == -1) == (word == "none")
