"""Tags by plain rules, on sentences whose tags anybody would give."""

from __future__ import annotations

import pytest

from runoff.errors import DataError
from runoff.tasks.answers.answer_sources import analyser_for, question_word, read_typed_questions
from runoff.tasks.answers.plain_tags import plain_tags
from runoff.tasks.answers.question_file import question_record
from runoff.tasks.answers.supersenses import Supersenses

SENSES = Supersenses.shipped()


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("On May 3 , 1998 , it fell", "O B-DATE I-DATE I-DATE I-DATE O O O"),
        ("It cost 3 million", "O O B-NUMBER I-NUMBER"),
        ("Ada met Bob", "B-NAME O B-NAME"),
        ("The river is long", "O O O O"),
        ("", ""),
    ],
)
def test_entities(text, entities):
    assert " ".join(plain_tags(text.split(), SENSES).entities) == entities


@pytest.mark.parametrize(
    ("text", "pos"),
    [
        ("The dogs run quickly", "DT NNS VB RB"),
        ("to run the run", "TO VB DT NN"),
        ("Ada 's dog", "NNP POS NN"),
        ("she is walking ;", "PRP VBZ VBG ;"),
    ],
)
def test_parts_of_speech(text, pos):
    assert " ".join(plain_tags(text.split(), SENSES).pos) == pos


def test_phrases_begin_at_determiners():
    assert plain_tags(["gave", "the", "dog", "the", "bone"], SENSES).chunks == ("B-VP", "B-NP", "I-NP", "B-NP", "I-NP")


def records(**more):
    rows = [
        ("Who sang ?", "Ada", "Ada sang ."),
        ("When ?", "1990", "It was in 1990 ."),
        ("Who fell ?", "Bo", "Bo fell ."),
    ]
    return [
        question_record({"question": asked, "answers": [answer], "answering": [text], **more}, str(at))
        for at, (asked, answer, text) in enumerate(rows)
    ]


def test_data_without_tags_gets_them_by_rules_and_says_so():
    said = []
    analyser = analyser_for(records(), say=said.append)
    assert [line.split(" are given")[0] for line in said[:3]] == [
        f"note: no tags of {part}" for part in ("pos", "chunks", "entities")
    ]
    (question,) = analyser.analyse(["When was it ?"])
    assert (question.type, question.annotated.pos[0]) == ("when", "WRB")


def test_classes_of_the_data_are_learned_where_all_questions_have_one():
    said = []
    one = [*records(question_type="HUM:ind")[:2], *records(question_type="NUM:date")[2:]]
    assert analyser_for(one, say=said.append).question_types.classes == ("HUM:ind", "NUM:date")
    assert not any("question words" in line for line in said)


def test_question_words():
    assert question_word(["On", "which", "day", "?"]) == "which"
    assert question_word(["how"]) == "how"


def test_lines_without_a_question_are_told(tmp_path):
    path = tmp_path / "types.txt"
    path.write_text("HUM:ind Who ?\n\nNUM\n")
    with pytest.raises(DataError, match="line 3: expected a class, a blank and a question, found 'NUM'"):
        read_typed_questions(path)
    path.write_text(" \n \n")
    with pytest.raises(DataError, match="the file is empty"):
        read_typed_questions(path)
