"""`runoff parse pipeline` as a person runs it; the parser is the stand-in of the pipeline's own tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from helpers.little_grammar import LittleGrammar, no_pictures, stand_in, write_treebank
from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["parse", "pipeline", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> type[LittleGrammar]:
    no_pictures(monkeypatch)
    return stand_in(monkeypatch)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return write_treebank(tmp_path / "bank.mrg", 8)


def test_the_table_is_the_output_and_the_rest_is_beside_it(
    bank: Path, tmp_path: Path, parser: type[LittleGrammar]
) -> None:
    out = tmp_path / "out"
    found = run(bank, "-o", out, "--recipes", "orum")
    assert found.exit_code == 0, found.output
    rows = [line.split("  ")[0].strip() for line in found.stdout.splitlines()]
    assert rows[2:7] == ["random", "first round", "chosen (orum)", "oracle of 2", "oracle"]
    assert "Gain in parseval +" in found.stdout
    assert "train: Treebank(60 sentences, 6 documents, 360 words)" in found.stderr
    assert "[11 of 11] evaluation on test\n" in found.stderr
    assert f"next: runoff parse nbest {out}/grammar.runoff SENTENCES -o LISTS.jsonl\n" in found.stderr
    again = run(bank, "-o", out, "--recipes", "orum")
    assert again.stdout == found.stdout
    assert again.stderr.count(" up to date\n") == 11


def test_as_json_it_is_the_file_and_where_things_are(bank: Path, tmp_path: Path, parser: type[LittleGrammar]) -> None:
    out = tmp_path / "out"
    found = json.loads(run(bank, "-o", out, "--recipes", "orum", "--no-words", "--json").stdout)
    assert (found.pop("output"), found.pop("model")) == (str(out), str(out / "model.runoff"))
    assert found == json.loads((out / "result.json").read_text())


def test_settings_of_the_grammar(bank: Path, tmp_path: Path, parser: type[LittleGrammar]) -> None:
    how = (bank, "-o", tmp_path / "out", "--recipes", "orum")
    assert run(*how, "--set", "rare=2", "--set", "beam=12").exit_code == 0
    parser.asked = 0
    assert run(*how, "--set", "beam=12.0", "--set", "rare=2").exit_code == 0
    assert parser.asked == 0  # the same settings
    assert run(*how, "--set", "rare=3", "--set", "beam=12").exit_code == 0
    assert parser.asked == 80  # others: all sentences anew


def test_dev_and_test_by_share_and_by_file(bank: Path, tmp_path: Path, parser: type[LittleGrammar]) -> None:
    dev = write_treebank(tmp_path / "dev.mrg", 3, seed=1)
    found = run(bank, "-o", tmp_path / "out", "--dev", dev, "--test", "0.25", "--recipes", "orum", "--folds", 2)
    assert found.exit_code == 0, found.output
    for line in ("train: Treebank(60 sentences", "dev: Treebank(30 sentences", "test: Treebank(20 sentences"):
        assert line in found.stderr
    assert "2 folds" in found.stderr


def test_ctrl_c_is_a_sentence_and_the_same_command_resumes(
    bank: Path, tmp_path: Path, parser: type[LittleGrammar]
) -> None:
    parser.stops_after = 65  # in dev: train has 60 sentences
    found = run(bank, "-o", tmp_path / "out", "--recipes", "orum", "--threads", 1)
    assert found.exit_code == 130
    assert found.stdout == ""
    assert found.stderr.endswith(f"runoff: interrupted: the same command resumes from what is in {tmp_path / 'out'}.\n")
    parser.stops_after, parser.asked = None, 0
    assert run(bank, "-o", tmp_path / "out", "--recipes", "orum").exit_code == 0
    assert parser.asked == 20  # dev and test


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--dev", "nowhere.mrg"], "'nowhere.mrg' is neither a share such as 0.1 nor an existing file or folder."),
        (
            ["--recipes", "svm"],
            "there is no recipe 'svm' for the task parsing; there are: orum, loglinear, crf, boost.",
        ),
        (["--dev", "1.5"], "dev is a share between 0 and 1, or a file of trees; found 1.5."),
        (["--families", "roots"], "roots"),
        (["--set", "depth=3"], "a grammar has no setting 'depth'; it has: lexical, "),
        (["--set", "lexical=true", "--no-words"], "leave out one of them."),
    ],
)
def test_mistakes_are_sentences(
    bank: Path, tmp_path: Path, parser: type[LittleGrammar], options: list[str], sentence: str
) -> None:
    found = run(bank, "-o", tmp_path / "out", *options)
    assert found.exit_code == 2
    assert sentence in found.stderr
    assert not (tmp_path / "out").exists()


def test_too_few_documents_are_a_sentence(tmp_path: Path, parser: type[LittleGrammar]) -> None:
    found = run(write_treebank(tmp_path / "bank.mrg", 3), "-o", tmp_path / "out")
    assert found.exit_code == 2
    assert "at least 4 documents are needed" in found.stderr
