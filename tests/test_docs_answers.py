"""docs/answers.md: what it tells people to type works, and what it says of keys, columns and names is so."""

import json
from pathlib import Path

import pytest

from helpers.pages import Page, names, said_by
from runoff.tasks.answers.candidate_features import COLUMNS
from runoff.tasks.answers.demo.almanac import Almanac
from runoff.tasks.answers.demo.almanac_files import write_almanac
from runoff.tasks.answers.question_file import question_record
from runoff.tasks.tagging import read_corpus
from runoff.tasks.tagging.training import train_tagger

ANSWERS = Page("answers.md")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    files = write_almanac(Almanac.of(0), tmp_path)
    files.training.rename("questions.jsonl")
    corpus = read_corpus(files.sentences, columns="word,pos,chunk,entity")
    for name, column in (("pos", "pos"), ("chunks", "chunk"), ("entities", "entity")):
        before = {"pos": ["word"], "chunk": ["word", "pos"], "entity": ["word", "pos", "chunk"]}[column]
        kept = type(corpus)({each: corpus[each] for each in (*before, column)}, corpus.offsets)
        train_tagger(kept, column, name).save(f"{name}.runoff")
    return tmp_path


def test_the_page_of_answers_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = [said_by(*command) for command in ANSWERS.commands()]
    everything = " ".join(told)
    # The answer that the page shows, and the place in the texts.
    assert "1. Nils Umberton" in told[2]
    assert "persons/nils-umberton.txt, line 1: Nils Umberton is the inventor of the pocket lamp." in told[2]
    assert "Against the best product of the paper" in told[3]
    assert (folder / "better.runoff").exists()
    assert "(B+R)EL" in everything
    assert "success@50" in everything
    assert "lists of " in everything
    ANSWERS.run_python()
    assert capsys.readouterr().out.splitlines()[-1] == "Nils Umberton persons/nils-umberton.txt"


def test_the_line_of_the_page_is_a_question() -> None:
    record = question_record(json.loads(ANSWERS.blocks("json")[0]), "1")
    assert record.patterns.match(record.answering[0].text)
    assert not record.patterns.match(record.other[0].text)


def test_families_of_columns_are_those_of_candidates() -> None:
    told = [name for row in ANSWERS.table("## What a candidate is judged by") for name in names(row[0])]
    whole = {name for name in told if not name.endswith("…")}
    families = {name.removesuffix(":…") for name in told if name.endswith("…")}
    assert whole <= set(COLUMNS)
    assert {name.split(":")[0] for name in COLUMNS} == families | {name.split(":")[0] for name in whole}
    assert {name for name in COLUMNS if name.split(":")[0] not in families} == whole
