"""Files of questions, and what is said of wrong ones."""

from __future__ import annotations

import gzip
import json

import pytest

from runoff.errors import DataError
from runoff.tasks.answers.question_file import question_record, read_questions

TAGGED = {
    "id": 212,
    "question": "Who sang ?",
    "question_pos": "WP VBD .",
    "question_ner": "- - -",
    "answer_patterns": ["Ada\\s+L"],
    "answering": [{"text": "Ada L. sang .", "pos": "NNP NNP VBD .", "ner": "PERSON-B PERSON-I - -"}],
    "other": ["U.S.-based dogs ."],
    "trec": 9,
}


def test_texts_with_tags_are_split_at_blanks_and_others_into_words():
    record = question_record(TAGGED, "1")
    assert record.answering[0].entities == ("PERSON-B", "PERSON-I", "-", "-")
    assert record.other[0].words == ("U.S.-based", "dogs", ".")
    assert question_record({"question": "Who's it?"}, "1").question.words == ("Who", "'s", "it", "?")


def test_sentences_come_once_with_their_tags():
    twice = {**TAGGED, "other": ["Ada L. sang .", "b"]}
    assert [each.pos is not None for each in question_record(twice, "1").sentences] == [True, False]


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(TAGGED).encode()))
    assert read_questions(path)[0].id == "212"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": 3}, "expected a text in 'question', found 3."),
        ({"question": " ", "question_pos": "", "question_ner": ""}, "the question is empty."),
        ({"answering": "x"}, "expected a list for 'answering', found 'x'."),
        ({"answering": [{"text": "a b", "pos": "NN"}]}, "'pos' in 'answering' has 1 tags for 2 words."),
        ({"answering": [{"text": "a b", "pos": 7}]}, "expected tags with blanks between them for 'pos' in 'answering'"),
        ({"answer_patterns": ["("]}, r"'(' is not a regular expression: missing )"),
        ({"answers": [7]}, "expected texts in 'answer_patterns' and 'answers', found 7."),
        ({"id": [1]}, "for 'id', found [1]."),
        ({"question_type": 3}, "expected a text for 'question_type', found 3."),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path, change, message):
    path = tmp_path / "a.jsonl"
    path.write_text("\n" + json.dumps({**TAGGED, **change}))
    with pytest.raises(DataError) as error:
        read_questions(path)
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert message in str(error.value)


def test_ids_must_differ_and_there_must_be_a_question(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(TAGGED)}\n{json.dumps(TAGGED)}\n")
    with pytest.raises(DataError, match="line 2: the id '212' is that of line 1"):
        read_questions(path)
    path.write_text("\n")
    with pytest.raises(DataError, match="has no questions"):
        read_questions(path)
    path.write_text("[]\n")
    with pytest.raises(DataError, match=r"expected an object with a question, found \[\]"):
        read_questions(path)
