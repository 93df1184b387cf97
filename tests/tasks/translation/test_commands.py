"""`runoff translate …` as a person runs it: what is written, what is said, and what of mistakes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import runoff
from runoff.cli import main
from runoff.tasks.translation import load_translator, read_alignments
from runoff.tasks.translation import translator as translator_module

from .conftest import TRAINED

if TYPE_CHECKING:
    from click.testing import Result

    from runoff.tasks.translation.translator import Translator

DEV = 8
SEARCH = ("--stack", "5", "--distortion-limit", "4")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["translate", *map(str, arguments)])


def told(*arguments: object) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phrases: tuple[list[str], list[str]], model_file: Path
) -> Path:
    """A folder with parallel text, some of it gzipped, and a translator."""
    monkeypatch.chdir(tmp_path)
    for language, lines in zip(("en", "de"), phrases, strict=True):
        Path(f"train.{language}.gz").write_bytes(gzip.compress(("\n".join(lines[:60]) + "\n").encode()))
        Path(f"dev.{language}").write_text("\n".join(lines[TRAINED : TRAINED + DEV]) + "\n")
    Path("model").write_bytes(model_file.read_bytes())
    return tmp_path


def test_training_is_said_and_repeated_to_the_byte(folder: Path) -> None:
    for name in ("one", "two"):
        said = told("train", "train.en.gz", "train.de.gz", "--order", 3, "-o", name)
    assert "wrote two: Translator(" in said
    assert "next: runoff translate tune two DEV_SOURCE DEV_TARGET" in said
    assert Path("one").read_bytes() == Path("two").read_bytes()
    found = json.loads(run("train", "train.en.gz", "train.de.gz", "--order", 2, "--json", "-o", "one").stdout)
    assert found["order"] == 2
    assert found["phrases"] == len(load_translator("one").table)
    told("train", "train.en.gz", "train.de.gz", "--text", "dev.de", "--text", "dev.de", "--order", 3, "-o", "more")
    assert len(load_translator("more").language_model) > len(load_translator("two").language_model)


def test_links_and_tables_go_out_and_come_in_again(folder: Path) -> None:
    text = ("train.en.gz", "train.de.gz")
    told("train", *text, "-o", "own")
    said = told("align", *text, "-o", "links", "--tokens", "tokens.en", "tokens.de")
    assert "next: runoff translate train train.en.gz train.de.gz --alignment links" in said
    links = read_alignments("links")
    for language, side in (("en", links.source), ("de", links.target)):
        lines = Path(f"tokens.{language}").read_text().splitlines()
        assert all(int(at) < len(lines[int(pair)].split()) for pair, at in zip(links.pair_of, side, strict=True))
    told("train", *text, "--alignment", "links", "-o", "linked")
    assert Path("linked").read_bytes() == Path("own").read_bytes()
    told("table", "own", "-o", "phrases.gz", "--reordering", "reordering")
    assert json.loads(run("table", "own", "-o", "phrases.gz", "--json").stdout)["phrases"] == len(
        load_translator("own").table
    )
    told("train", *text, "--phrase-table", "phrases.gz", "--reordering-table", "reordering", "-o", "again")
    own, again = (
        load_translator(name).nbest(["She says that the man sees the tree."], 20) for name in ("own", "again")
    )
    assert own.texts.equals(again.texts)
    assert own.base.tolist() == pytest.approx(again.base.tolist(), abs=1e-4)
    told("train", *text, "--phrase-table", "phrases.gz", "-o", "unordered")
    assert "reordering:next-swap" not in load_translator("unordered").weights


def test_alignment_error_beside_links_that_people_drew(folder: Path) -> None:
    Path("a.en").write_text("the house\nthe book\na book\na house\n" * 5)
    Path("a.de").write_text("das Haus\ndas Buch\nein Buch\nein Haus\n" * 5)
    Path("gold").write_text("0-0 1-1\n0-0 1?1 0?1\n")
    said = told("align", "a.en", "a.de", "--as-is", "--gold", "gold", "-o", "links")
    # By hand: 4 links of the first two pairs, all of them possible, and all 3 sure ones among them.
    assert "alignment error rate 0.000: precision 1.000, recall 1.000 (2 pairs with 4 links)" in said
    Path("gold").write_text("0-1 1-0\n")
    error = json.loads(run("align", "a.en", "a.de", "--as-is", "--gold", "gold", "--json", "-o", "links").stdout)[
        "error"
    ]
    assert (error["error_rate"], error["precision"], error["recall"]) == (1, 0, 0)
    Path("gold").write_text("0-0\n" * 21)
    assert (
        "gold: expected one alignment for each of 20 sentence pairs, found 21."
        in run("align", "a.en", "a.de", "--gold", "gold", "-o", "links").output
    )
    Path("gold").write_text("0-2\n")
    assert (
        "gold, line 1: a link names target position 2, but the target sentence has 2 words"
        in run("align", "a.en", "a.de", "--gold", "gold", "-o", "links").output
    )


def test_tuning_translating_and_listing(folder: Path, translator: Translator) -> None:
    said = told("tune", "model", "dev.en", "dev.de", *SEARCH, "-k", 10, "--rounds", 2, "-o", "tuned")
    assert "with the weights of round" in said
    assert "nan" not in said
    tuned = load_translator("tuned")
    assert tuned.settings.stack == 5  # what it was tuned with is kept
    assert tuned.weights != translator.weights
    said = told("decode", "tuned", "dev.en", "--references", "dev.de", "-o", "out")
    assert f"translated {DEV} sentences" in said
    assert "bleu " in said
    assert "chrf " in said
    source = Path("dev.en").read_text().splitlines()
    assert Path("out").read_text().splitlines() == tuned.translate(source)
    piped = subprocess.run(
        [sys.executable, "-m", "runoff", "translate", "decode", "tuned", "-"],
        input=f"{source[0]}\n\n",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
    )
    assert piped.stdout.splitlines() == [tuned.translate(source)[0], ""]
    found = json.loads(run("decode", "tuned", "dev.en", "--json", "-o", "out", "--references", "dev.de").stdout)
    assert found["sentences"] == DEV
    for name in ("lists.jsonl.gz", "lists.arrow", "lists.nbest"):
        told("nbest", "tuned", "dev.en", "-k", 5, "--references", "dev.de", "-o", name)
        lists = runoff.read(name)
        assert lists.sizes.tolist() == [5] * DEV
        assert runoff.tasks.recognise(runoff.read("lists.jsonl.gz")).name == "translation"
    told("nbest", "tuned", "dev.en", "-k", 2, "--phrase-pairs", "-o", "pairs.jsonl")
    assert any(name.startswith("phrase:") for name in runoff.read("pairs.jsonl").features.column_names().to_pylist())


@pytest.mark.parametrize("method", ["pro", "crf", "loglinear", "best-vs-rest", "splitting", "orum"])
def test_all_methods_of_tuning(folder: Path, method: str) -> None:
    told("tune", "model", "dev.en", "dev.de", *SEARCH, "-k", 5, "--rounds", 1, "--method", method, "-o", "tuned")
    assert load_translator("tuned").provenance["tuning"]["method"] == method


MISTAKES = [
    (("train", "dev.en", "train.de.gz", "-o", "x"), "train.de.gz: it has 60 lines, but dev.en has 8 lines;"),
    (("train", "dev.en", "none", "-o", "x"), "none: the file cannot be read: no such file or directory."),
    (("train", "dev.en", "dev.de", "-o", "dev.en"), "dev.en is named twice"),
    (("train", "dev.en", "dev.de", "-o", "no/x"), "there is no folder no"),
    (("train", "dev.en", "dev.de", "-o", "/dev/full"), "/dev/full cannot be written: it is a device or a pipe"),
    (("train", "dev.en", "dev.de", "--order", "9", "-o", "x"), "must be a whole number from 1 to 7; found 9"),
    (("train", "dev.en", "dev.de", "--lm", "dev.en", "-o", "x"), "dev.en"),
    (("train", "dev.en", "dev.de", "--alignment", "dev.en", "-o", "x"), "dev.en, line 1: expected links such as 0-0"),
    (
        ("train", "dev.en", "dev.de", "--phrase-table", "dev.en", "-o", "x"),
        "dev.en, line 1: expected source ||| target",
    ),
    (("train", "dev.en", "dev.de", "--reordering-table", "dev.en", "-o", "x"), "belongs to a phrase table"),
    (
        ("train", "dev.en", "dev.de", "--alignment", "dev.en", "--phrase-table", "dev.en", "-o", "x"),
        "phrases come from an alignment or from a phrase table; give one of them.",
    ),
    (("tune", "model", "dev.en", "train.de.gz", "-o", "x"), "train.de.gz: it has 60 lines, but dev.en has 8 lines;"),
    (("tune", "model", "dev.en", "dev.de", "--method", "sgd", "-o", "x"), "there is no method 'sgd' of tuning; there"),
    (("tune", "model", "dev.en", "dev.de", "-k", "1", "-o", "x"), "lists of at least 2"),
    (("tune", "model", "dev.en", "dev.de", "--metric", "ndcg", "-o", "x"), "a metric of single texts"),
    (("tune", "model", "dev.en", "dev.de", "--set", "restarts", "-o", "x"), "expected a setting as key=value"),
    (("decode", "dev.en", "dev.en"), "dev.en is not a Runoff translator, or it is damaged"),
    (("decode", "model", "dev.en", "--json"), "--json needs standard output for itself"),
    (("decode", "model", "dev.en", "--references", "train.de.gz"), "train.de.gz: it has 60 lines, but dev.en has 8"),
    (("nbest", "model", "dev.en", "-o", "x.txt"), "x.txt"),
    (("table", "model", "-o", "model"), "model is named twice"),
    (("pipeline", "dev.en", "dev.de", "-o", "x"), "8 sentence pairs are too few: neighbouring ones"),
    (("pipeline", "dev.en", "dev.de", "--dev", "dev.en", "-o", "x"), "expected a share such as 0.1, or SOURCE,TARGET"),
    (
        ("jackknife", "dev.en", "dev.de", "--weights", "model", "-o", "x"),
        "model was not tuned, so its weights are rough",
    ),
    (("jackknife", "dev.en", "dev.de", "-o", "x"), "in blocks of 20 lines, and 2 blocks are needed."),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_mistakes_are_told_in_a_sentence(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert isinstance(done.exception, SystemExit)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("command", ["train", "tune", "decode", "nbest"])
def test_what_was_there_stays_when_work_is_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    Path("out.jsonl").write_text("old")
    if command == "train":
        monkeypatch.setattr("runoff.tasks.translation.training.build_phrase_table", interrupted)
        done = run("train", "dev.en", "dev.de", "-o", "out.jsonl")
    else:
        monkeypatch.setattr(translator_module.Decoder, "nbest", interrupted)
        files = ("dev.en", "dev.de") if command == "tune" else ("dev.en",)
        done = run(command, "model", *files, "-o", "out.jsonl")
    assert done.exit_code == 130
    assert "interrupted: out.jsonl was not written." in done.stderr
    assert Path("out.jsonl").read_text() == "old"
    assert {path.name for path in folder.iterdir()} == {
        "train.en.gz", "train.de.gz", "dev.en", "dev.de", "model", "out.jsonl",
    }  # fmt: skip


def test_a_full_disk_is_told_and_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    Path("out").write_text("old")
    monkeypatch.setattr("runoff.opening.archive.ArchiveWriter.add_array", full)
    done = run("train", "dev.en", "dev.de", "-o", "out")
    assert done.exit_code == 1
    assert "out was not written: the disk is full. The previous file is unchanged." in done.stderr
    assert Path("out").read_text() == "old"
