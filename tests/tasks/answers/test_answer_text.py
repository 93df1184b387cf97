"""Answers as a person reads them."""

from __future__ import annotations

from runoff.tasks.answers.answer_ranking import Answer, Answers, SourcedSentence
from runoff.tasks.answers.answer_text import SAID, shown
from runoff.tasks.answers.candidate_features import COLUMNS

REX = Answer("Rex", 0.75, SourcedSentence("Rex barked.", "a#1", "a.txt", 3), 2, {})
FIDO = Answer("Fido", 0.25, SourcedSentence("Fido slept.", "b#1", "b.txt", 1), 1, {})
REASONS = (("type:E", 2.5), ("near:after", -1.25), ("base", 0.5))


def test_every_column_has_words() -> None:
    assert set(SAID) == set(COLUMNS)
    assert len(set(SAID.values())) == len(SAID)


def test_answers_with_their_places_and_reasons() -> None:
    assert shown(Answers("Who barked?", (REX, FIDO), 0.8, REASONS), 2).splitlines() == [
        "Who barked?",
        "  1. Rex  (75% of the votes, 2 sentences, confidence 0.80)",
        "     a.txt, line 3: Rex barked.",
        "  2. Fido  (25% of the votes, 1 sentence)",
        "     b.txt, line 1: Fido slept.",
        "  For the first, against the second: of a type that is expected (2.50); base (0.50).",
        "  For the second: words of the question just after it (1.25).",
    ]


def test_reasons_why_there_is_none() -> None:
    unsure = Answers("Who barked?", (REX, FIDO), 0.8, REASONS).at_least(0.9)
    assert shown(unsure, 3) == "Who barked?\n  no answer found (confidence 0.80)."
    nothing = Answers("Who barked?", (), None, ())
    assert shown(nothing, 3) == "Who barked?\n  no answer found: no passage has any of its words."
    assert shown(Answers("?!", (), None, ()), 3) == "?!\n  no answer found: the question has no words."


def test_long_questions_are_cut() -> None:
    (first, _) = shown(Answers("dog " * 200, (), None, ()), 1).splitlines()
    assert len(first) <= 300
