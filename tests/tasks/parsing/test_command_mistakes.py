"""What the commands say to mistakes with lists of parses, and their help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.rice import run
from runoff import LinearModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(parse_folder: Path) -> Path:
    return parse_folder


def test_mistakes_get_a_sentence(folder: Path, tmp_path: Path) -> None:
    model, lists, gold = folder / "m.runoff", folder / "test.jsonl", folder / "gold.mrg"
    out, nothing = tmp_path / "x.arrow", tmp_path / "nothing"
    LinearModel.of({"lm": 1.0}).save(tmp_path / "other.runoff")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.jsonl").write_text('{"id": "a", "nbest": [[-1, "(S (NN a)"], [-2, "(NN a)"]]}')
    cases = [
        (("features", lists, "-o", out, "--families", "nope"), 2, "there is no feature family 'nope'"),
        (("features", lists, "-o", out, "--set", "min_lists=0"), 2, "min_lists must be a whole number of at least 1"),
        (("features", lists, "-o", out, "--set", "processes=0"), 2, "processes must be a whole number of at least 1"),
        (
            ("features", lists, "-o", out, "--set", "depth=3"),
            2,
            "the featurizer of the task parsing has no setting 'depth'; it has: ",
        ),
        (
            ("features", lists, "-o", out, "--like", model, "--families", "rule"),
            2,
            "--like already determines the features",
        ),
        (("features", lists, "-o", out, "--like", lists), 2, "has no features of parses"),
        (("features", lists, "-o", out, "--like", tmp_path / "other.runoff"), 2, "contains no featurizer"),
        (("features", lists, "-o", out, "--format", "nope"), 2, "nope"),
        (("features", lists, "-o", out, "--set", f"cache={gold}"), 2, "cannot be used as a cache: file exists."),
        (("features", lists, "-o", tmp_path / "x.nope"), 2, "does not tell which format to write"),
        (("features", lists, "-o", lists), 2, "named twice, as an output and as an input"),
        (("features", nothing, "-o", out), 1, "nothing: the file cannot be read: no such file or directory."),
        (("features", tmp_path / "empty.jsonl", "-o", out), 1, "empty.jsonl: the file is empty."),
        (
            ("features", tmp_path / "broken.jsonl", "-o", out),
            1,
            "broken.jsonl, line 1, list 'a', candidate 1: the tree is not closed; 1 closing bracket is missing.",
        ),
        (("pick", model, lists, "-o", out), 2, "choices are written as .jsonl or .ndjson (everything) or .txt or .mrg"),
        (("pick", lists, model), 1, "test.jsonl is not a Runoff model"),
        (("pick", model, model), 1, "m.runoff: the file is a zip archive, as Runoff's own models are"),
        (("parse", "eval"), 2, "Missing argument 'GOLD'"),
        (("parse", "eval", gold), 2, "Missing argument 'TEST'"),
        (
            ("parse", "eval", gold, lists),
            1,
            "test.jsonl, line 1: expected a tree, which starts with an opening bracket",
        ),
        (("eval", model, lists, "--references", gold), 2, "has a gold tree of its own; leave out the file"),
        (("eval", model, lists, "--confidence", 2), 2, "confidence between 0 and 1"),
        (("explain", model, lists, "--group", "nobody"), 2, "there is no group 'nobody' in"),
        (("explain", model, folder / "train.arrow", "--group", "nobody"), 2, "there is no group 'nobody'"),
        (("explain", model, lists, "--group", "empty"), 2, "group 'empty' has 0 candidate(s): nothing to compare."),
        (("explain", model, lists, "--group", "s1", "--against", 9), 2, "no candidate '9'; it has 3, counted from 0"),
        (("explain", model, lists, "--group", "s1", "--picture", tmp_path / "t.jpg"), 2, ".png, .svg or .pdf"),
    ]
    for arguments, code, sentence in cases:
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (code, ""), (arguments, done.output)
        assert sentence in done.stderr, arguments
    assert not out.exists()


def test_help_has_an_example_for_every_command() -> None:
    for command in ("train", "nbest", "jackknife", "eval", "pipeline", "demo"):
        assert f"runoff parse {command}" in run("parse", command, "--help").stdout.split("Example:")[1]
    assert "runoff pick model.runoff" in run("parse", "--help").stdout.split("Example:")[1]
