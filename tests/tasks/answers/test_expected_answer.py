"""Expected types beside a slow count, and what they fall back on."""

from __future__ import annotations

import pytest

from runoff.errors import ModelError
from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.candidates import AnswerCandidate
from runoff.tasks.answers.expected_answer import ExpectedAnswer, answer_types

PERSON, DATE, PLACE = ("PERSON",), ("DATE", "number"), ("GPE",)


def learned():
    who, when = {"HUM:ind": 1.0}, {"NUM:date": 1.0}
    questions = [who] * 8 + [when] * 8
    types = [[PERSON, DATE, PLACE, PLACE]] * 16
    right = [[True, False, False, False]] * 8 + [[False, True, False, False]] * 8
    return ExpectedAnswer.learn(questions, types, right)


def test_shares_are_counts_that_lean_on_coarser_classes():
    found = learned()
    # Every question counts once: a quarter of its candidates are persons, a half places.
    assert found.usual == pytest.approx({"DATE": 0.25, "GPE": 0.5, "PERSON": 0.25, "number": 0.25})
    overall = 8 / 16
    coarse = (8 + 4 * overall) / (8 + 4)
    assert found.classes[""]["PERSON"] == pytest.approx(overall)
    assert found.classes["HUM"]["PERSON"] == pytest.approx(coarse)
    assert found.classes["HUM:ind"]["PERSON"] == pytest.approx((8 + 4 * coarse) / 12)


def test_types_and_scores():
    found = learned()
    assert found.types("HUM:ind") == ("PERSON",)
    assert found.types("NUM:date") == ("DATE", "number")
    assert found.types("HUM:new") == ("PERSON",)  # as its coarse class
    assert set(found.types("LOC:city")) == {"DATE", "PERSON", "number"}  # as all questions
    candidates = [PERSON, DATE, PLACE]
    assert found.scores({"HUM:ind": 0.7, "NUM:date": 0.3}, candidates).tolist() == pytest.approx([0.7, 0.3, 0.0])
    person, date, place = found.affinity({"HUM:ind": 1.0}, candidates)
    assert person > 0 > date > place


def test_without_candidates_nothing_is_expected():
    found = ExpectedAnswer.learn([{"a": 1.0}], [[]], [[]])
    assert (found.types("a"), found.scores({"a": 1.0}, [PERSON]).tolist()) == ((), [0.0])
    assert found.affinity({"a": 1.0}, [PERSON]).tolist() == [0.0]


def test_types_of_a_candidate():
    class Senses:
        def of(self, word, pos):  # noqa: ARG002 - as supersenses are asked for
            return {"years": "noun.time"}.get(word)

    sentence = AnnotatedSentence(("for", "12", "years", "he", "slept"), ("IN", "CD", "NNS", "PRP", "VBD"))
    assert answer_types(AnswerCandidate(0, 1, 3, "DATE", "12 years"), sentence, Senses()) == (
        "DATE",
        "nounTime",
        "number",
    )
    assert answer_types(AnswerCandidate(0, 3, 4, "phrase", "he"), sentence, Senses()) == ("phrase",)


def test_files_are_checked():
    found = learned()
    assert ExpectedAnswer.from_dict(found.to_dict()) == found
    with pytest.raises(ModelError, match="shares from 0 to 1"):
        ExpectedAnswer.from_dict({"usual": {"a": "b"}, "classes": {}})
