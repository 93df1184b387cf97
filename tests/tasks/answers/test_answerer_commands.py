"""`runoff answer`: what its commands print, write and refuse."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import runoff
from helpers.pages import said_by
from runoff import tasks
from runoff.cli import main


def refused(*command):
    """What is said to a mistake, with its exit code."""
    done = CliRunner().invoke(main, command)
    assert done.exit_code in (1, 2)
    assert "Traceback" not in done.output
    return done.output


@pytest.fixture
def paths(answerer_file, almanac, index):
    return str(answerer_file), str(almanac.texts.parent / "texts.index"), str(almanac.test)


def test_answers_as_text_and_as_json(paths):
    model, texts, _ = paths
    text = said_by("answer", "ask", model, texts, "Who invented the pocket lamp?", "Xyzzy?")
    assert "1. Nils Umberton" in text
    assert "persons/nils-umberton.txt, line 1:" in text
    assert text.rstrip().endswith("Xyzzy?\n  no answer found: no passage has any of its words.")
    (found,) = json.loads(said_by("answer", "ask", model, texts, "Who invented the pocket lamp?", "--json", "-k", "2"))
    assert found["answer"] == "Nils Umberton"
    assert len(found["answers"]) == 2
    assert found["answers"][0]["file"] == "persons/nils-umberton.txt"


def test_no_answer_below_the_confidence_that_is_asked_for(paths):
    model, texts, _ = paths
    text = said_by("answer", "ask", model, texts, "Who invented the pocket lamp?", "--min-confidence", "1")
    assert "no answer found (confidence 0." in text


def test_evaluation_from_sentences_and_from_an_index(paths):
    model, texts, test = paths
    found = json.loads(said_by("answer", "eval", model, test, "--json", "--products", "--trials", "100"))
    assert len(found["products"]) == 22
    text = said_by("answer", "eval", model, test, "--index", texts, "--trials", "100")
    assert "success@50" in text


def test_lists_are_those_of_the_task(paths, tmp_path):
    model, _, test = paths
    out = tmp_path / "lists.jsonl"
    assert "20 lists of" in said_by("answer", "lists", model, test, "-o", str(out))
    data = runoff.read(out)
    assert tasks.recognise(data).name == "answers"
    assert data.metric == "mrr"


def test_mistakes_are_told(paths, almanac, tmp_path):
    model, texts, test = paths
    assert "is not a Runoff answerer" in refused("answer", "ask", test, texts, "Who?")
    assert "no such file" in refused("answer", "ask", str(tmp_path / "none"), texts, "Who?")
    assert refused("answer", "ask", model, test, "Who?")
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert "the file has no questions" in refused("answer", "train", str(empty), "-o", str(tmp_path / "a.runoff"))
    few = tmp_path / "few.jsonl"
    few.write_text('{"question": "Who?"}\n')
    assert "at least 4 questions" in refused("answer", "train", str(few), "-o", str(tmp_path / "a.runoff"))
    assert not (tmp_path / "a.runoff").exists()
    assert "folds of AnswererSettings" in refused(
        "answer", "train", str(almanac.training), "-o", str(tmp_path / "a.runoff"), "--folds", "1"
    )
    assert "is named twice" in refused("answer", "train", test, "-o", test)
