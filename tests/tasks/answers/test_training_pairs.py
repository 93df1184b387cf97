"""Pairs of questions and answering sentences at both levels."""

from __future__ import annotations

from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.answer_patterns import AnswerPatterns
from runoff.tasks.answers.training_pairs import QuestionLevels, answer_span, training_pairs
from runoff.tasks.tagging.spans import Span


class Senses:
    def of(self, word, pos):  # noqa: ARG002 - as supersenses are asked for
        return {"nickname": "noun.communication"}.get(word)


QUESTION = AnnotatedSentence(
    ("What", "is", "Malone", "'s", "nickname", "?"),
    ("WP", "VBZ", "NNP", "POS", "NN", "."),
    (),
    (Span(0, 2, 3, "PERSON"),),
)
SENTENCE = AnnotatedSentence(
    ("Malone", "earned", "the", "nickname", "The", "Mailman"),
    ("NNP", "VBD", "DT", "NN", "DT", "NNP"),
    (),
    (Span(0, 0, 1, "PERSON"), Span(0, 4, 6, "PERSON")),
)


def test_pairs_have_answer_in_place_of_the_answer():
    levels = QuestionLevels.of(QUESTION, Senses())
    other = AnnotatedSentence(("No", "answer"), ("DT", "NN"))
    (pair,) = training_pairs([levels], [[other, SENTENCE]], [AnswerPatterns.of(["mailman"])], Senses())
    assert pair == (
        0,
        "what is malone 's nickname ?",
        "malone earned the nickname ANSWER",
        "what is PERSON 's nounCommunication ?",
        "PERSON earned the nounCommunication ANSWER",
    )


def test_a_match_across_words_takes_all_of_them():
    assert answer_span(SENTENCE, AnswerPatterns.of([r"name\s+the\s+mail"])) == (3, 6)
    assert answer_span(SENTENCE, AnswerPatterns.of([r"\s"])) is None
