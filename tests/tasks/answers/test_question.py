"""Analysers of questions: everything together, and in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers import annotated_questions as questions
from runoff.errors import ModelError
from runoff.tasks.answers.keywords import keywords
from runoff.tasks.answers.question import QuestionAnalyser, load_analyser
from runoff.tasks.answers.question_types import QuestionTypes

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.answers.annotator import Annotator


@pytest.fixture(scope="module")
def analyser(annotator: Annotator) -> QuestionAnalyser:
    types = QuestionTypes.fit([questions.WHO, questions.WHEN], ["HUM:ind", "NUM:date"])
    return QuestionAnalyser(annotator, types)


def test_a_question_has_everything(analyser: QuestionAnalyser) -> None:
    (question,) = analyser.analyse(["Who said the man left?"])
    assert question.text == "Who said the man left?"
    assert question.annotated == analyser.annotator.annotate(["Who said the man left?"])[0]
    assert question.type == "HUM:ind"
    assert sum(question.types.values()) == pytest.approx(1.0)
    assert question.types["HUM:ind"] == analyser.question_types.predict_proba([question.annotated])[0, 0]
    assert question.keywords == keywords(question.annotated)
    assert {"man", "left"} <= {word for each in question.keywords for word in each.words}


def test_words_that_are_given(analyser: QuestionAnalyser) -> None:
    (question,) = analyser.analyse_words([["Who", "left?"]])
    assert question.text == "Who left?"
    assert question.annotated.words == ("Who", "left?")
    assert analyser.analyse([]) == analyser.analyse_words([]) == []


def test_a_question_without_words(analyser: QuestionAnalyser) -> None:
    (question,) = analyser.analyse([" "])
    assert question.keywords == ()
    assert sum(question.types.values()) == pytest.approx(1.0)


def test_a_file_gives_the_same_analyser(analyser: QuestionAnalyser, tmp_path: Path) -> None:
    analyser.save(tmp_path / "a.runoff")
    texts = ["Who said the man left?", "When did a cat sleep?"]
    assert load_analyser(tmp_path / "a.runoff").analyse(texts) == analyser.analyse(texts)


def test_a_file_of_something_else(analyser: QuestionAnalyser, tmp_path: Path) -> None:
    analyser.annotator.save(tmp_path / "a.runoff")
    with pytest.raises(ModelError, match=r"a\.runoff is not a Runoff question analyser\."):
        load_analyser(tmp_path / "a.runoff")
