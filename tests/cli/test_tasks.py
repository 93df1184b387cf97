"""Tasks on the command line: `runoff tasks`, how a task is recognised and named, and `runoff features`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner, Result

from runoff import NBest, load, read, write
from runoff.cli import main
from runoff.nbest import Features

if TYPE_CHECKING:
    from pathlib import Path

TREE, OTHER = "(S (NP (N dogs)) (VP (V bark)))", "(S (VP (N dogs) (V bark)))"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def repeating(seed: int, n: int = 40) -> NBest:
    """Texts without features; the one in which no word is repeated is right."""
    rng, texts, references = np.random.default_rng(seed), [], []
    for _ in range(n):
        words = [f"word{number}" for number in rng.choice(50, 5, replace=False)]
        stutters = [" ".join([*words[:at], words[at], *words[at:]]) for at in rng.choice(5, 2, replace=False)]
        texts += [*stutters, " ".join(words)]
        references.append(" ".join(words))
    return NBest.from_arrays(texts=texts, sizes=[3] * n, references=references, metric="wer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows, texts and trees."""
    where = tmp_path_factory.mktemp("lists")
    rows = np.random.default_rng(0).normal(size=(90, 2))
    write(NBest.from_arrays(rows, rows[:, 0], sizes=[3] * 30), where / "rows.jsonl")
    for seed, name in enumerate(("train", "test")):
        write(repeating(seed), where / f"{name}.jsonl")
    lines = [{"id": str(at), "gold": TREE, "nbest": [[-1.0, OTHER], [-2.0, TREE]]} for at in range(12)]
    (where / "trees.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return where


def test_tasks_are_listed_with_all_that_belongs_to_them() -> None:
    found = json.loads(run("tasks", "--json").stdout)
    rooms = ["answer-sentences", "answers", "parsing", "roles", "rows", "tagging", "text", "translation"]
    assert sorted(found) == rooms
    assert found["rows"] == {
        "candidates": "rows of features",
        "formats": [],
        "metrics": [],
        "baselines": [],
        "commands": None,
    }
    assert "parseval" in found["parsing"]["metrics"]
    assert found["text"]["commands"] == "runoff text"
    lines = run("tasks").stdout.splitlines()
    assert "parsing    trees in brackets" in lines
    assert "             baselines: shortest, longest, vote, bayes-risk" in lines
    assert not any("[]" in line or "None" in line for line in lines)


def test_texts_with_columns_are_told_how_to_be_looked_at(tmp_path: Path) -> None:
    columns = np.random.default_rng(0).normal(size=(120, 1))
    write(repeating(0).replace(features=Features.of(columns, ["lm"])), tmp_path / "lists.jsonl")
    told = "task: rows (rows of features); the texts are not looked at, --task text adds features of them."
    done = run("train", tmp_path / "lists.jsonl", "--learner", "loglinear", "--set", "sigma=1", "-o", tmp_path / "m")
    assert told in done.stderr
    done = run("combine", "train", tmp_path / "lists.jsonl", "--metric", "wer", "-o", tmp_path / "c")
    assert done.exit_code == 0, done.output  # words have parts, whatever comes with them


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("rows", "task: rows (rows of features); use --task to choose another."),
        ("train", "task: text (plain texts); use --task to choose another."),
        ("trees", "task: parsing (trees in brackets); use --task to choose another."),
    ],
)
def test_the_task_is_recognised_and_reported_in_one_line(folder: Path, tmp_path: Path, name: str, line: str) -> None:
    few = () if name != "train" else ("--families", "length")  # of texts, all families take seconds
    given = ("-o", tmp_path / "m", "--learner", "loglinear", "--set", "sigma=1")
    done = run("train", folder / f"{name}.jsonl", *given, *few)
    assert done.exit_code == 0, done.output
    assert [each for each in done.stderr.splitlines() if each.startswith("task:")] == [line]


def test_a_named_task_is_not_reported_and_is_checked(folder: Path, tmp_path: Path) -> None:
    more = ("-o", tmp_path / "m", "--learner", "loglinear", "--set", "sigma=1")
    done = run("train", folder / "train.jsonl", "--task", "rows", *more)
    assert done.exit_code == 0, done.output
    assert "task:" not in done.stderr
    done = run("train", folder / "rows.jsonl", "--task", "text", *more)
    assert done.exit_code == 1
    assert f"{folder / 'rows.jsonl'}: the task text needs candidates with texts, and these have none" in done.stderr
    done = run("train", folder / "rows.jsonl", "--task", "speech", *more)
    assert done.exit_code == 2
    known = "answer-sentences, answers, parsing, roles, rows, tagging, text, translation"
    assert f"there is no task 'speech'; there are: {known}." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--families", "length"],
            "--families does not apply: the task is rows (rows of features), and its learner has no such setting. "
            "Use --task to choose another task.",
        ),
        (["--recipes", "vote", "--learner", "boost"], "--recipes does not apply: the task is rows"),
        (["--bold", "--learner", "boost"], "--bold does not apply: the task is rows (rows of features), and boost has"),
        (["--careful"], "--careful needs held-out lists to choose a threshold; give --dev."),
        (["--featurizer", "{}/rows.jsonl"], "not a Runoff model"),
    ],
)
def test_options_that_do_not_apply_are_a_sentence(
    folder: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    given = [each.format(folder) for each in arguments]
    done = run("train", folder / "rows.jsonl", "-o", tmp_path / "m", *given)
    assert done.exit_code in (1, 2)
    assert words in done.stderr
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "has rows of features: nothing to extract; train on it as it is."),
        (["--families", "length"], "rows of features need no featurizer; leave out families."),
        (["--like", "{}/rows.jsonl"], "the task rows has no featurizer; leave --like out."),
    ],
)
def test_features_of_rows_are_a_sentence(folder: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    given = [each.format(folder) for each in arguments]
    done = run("features", folder / "rows.jsonl", "-o", tmp_path / "f.arrow", *given)
    assert done.exit_code == 2
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_features_are_extracted_kept_and_used_again(folder: Path, tmp_path: Path) -> None:
    kept, train, test = tmp_path / "f.runoff", tmp_path / "train.arrow", tmp_path / "test.arrow"
    families = ("--families", "repetition,length")
    done = run("features", folder / "train.jsonl", "-o", train, "--keep", kept, *families, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["task"], found["groups"], found["families"]) == ("text", 40, ["length", "repetition"])
    assert found["features"] == read(train).features.n_columns
    assert f"wrote {kept}" in done.stderr
    done = run("features", folder / "test.jsonl", "-o", test, "--like", kept)
    assert done.exit_code == 0, done.output
    assert "candidates per second." in done.stderr
    assert read(test).features.column_names().equals(read(train).features.column_names())
    # A model that was trained on the features takes raw lists, and picks what it picks from their features.
    given = ("--learner", "loglinear", "--set", "sigma=1")
    assert run("train", train, *given, "-o", tmp_path / "bare").exit_code == 0
    assert run("train", train, *given, "--featurizer", kept, "-o", tmp_path / "whole").exit_code == 0
    whole = load(tmp_path / "whole")
    picked = whole.pick(read(folder / "test.jsonl"))
    assert picked.indices.tolist() == load(tmp_path / "bare").pick(read(test)).indices.tolist()
    # Its own featurizer extracts the same features.
    run("features", folder / "test.jsonl", "-o", tmp_path / "again.arrow", "--like", tmp_path / "whole")
    assert (read(tmp_path / "again.arrow").features.to_scipy() != read(test).features.to_scipy()).nnz == 0


def test_mistakes_with_featurizers_are_sentences(folder: Path, tmp_path: Path) -> None:
    train, out = folder / "train.jsonl", tmp_path / "f.arrow"
    bare, whole = tmp_path / "bare", tmp_path / "whole"
    given = ("--learner", "loglinear", "--set", "sigma=1")
    assert run("train", folder / "rows.jsonl", *given, "-o", bare).exit_code == 0
    assert run("train", train, *given, "--families", "length", "-o", whole).exit_code == 0
    for arguments, words in (
        (("features", train, "-o", out, "--like", bare), "bare contains no featurizer; leave --like out."),
        (
            ("features", train, "-o", out, "--like", whole, "--keep", tmp_path / "kept"),
            "--keep saves a fitted featurizer, and with --like nothing is fitted; leave one out.",
        ),
        (
            ("features", train, "-o", out, "--like", whole, "--families", "length"),
            "--like already determines the features; leave out families.",
        ),
        (
            ("features", train, "-o", out, "--like", train),
            "the featurizer 'text' cannot be restored from feature names",
        ),
        (("features", train, "-o", out, "--set", "width=3"), "has no setting 'width'; it has: families"),
        (
            ("train", train, *given, "--featurizer", whole, "-o", out),
            "the task text fits its own featurizer in training; leave --featurizer out.",
        ),
        (
            ("train", folder / "rows.jsonl", *given, "--featurizer", bare, "-o", out),
            "bare contains no featurizer; give the --keep file of `runoff features`.",
        ),
        (
            ("explain", whole, train, "--group", "0", "--picture", tmp_path / "p.svg"),
            "the task text cannot draw candidates (plain texts); leave out --picture.",
        ),
    ):
        done = run(*arguments)
        assert done.exit_code == 2, (arguments, done.output)
        assert words in done.stderr
        assert "Traceback" not in done.output
        assert not out.exists()


def test_lists_without_quality_get_features_and_a_note(folder: Path, tmp_path: Path) -> None:
    write(read(folder / "test.jsonl").replace(references=None, quality=None, stats={}), tmp_path / "new.jsonl")
    done = run("features", tmp_path / "new.jsonl", "-o", tmp_path / "f.arrow", "--families", "length")
    assert done.exit_code == 0, done.output
    assert (
        "note: to extract the same features from other lists, use --keep FILE here and --like FILE there."
        in done.stderr
    )
    assert "note: the candidates have no quality, so a model can choose from this data but not learn from it." in (
        done.stderr
    )


def test_pick_writes_texts_by_the_endings_of_the_task(folder: Path, tmp_path: Path) -> None:
    model, trees = tmp_path / "m", folder / "trees.jsonl"
    assert run("train", trees, "--learner", "loglinear", "--set", "sigma=1", "-o", model).exit_code == 0
    assert run("pick", model, trees, "-o", tmp_path / "chosen.mrg").exit_code == 0
    assert (tmp_path / "chosen.mrg").read_text().splitlines() == [TREE] * 12
    done = run("pick", model, trees, "-o", tmp_path / "chosen.csv")
    assert done.exit_code == 2
    assert (
        ".jsonl or .ndjson (everything) or .txt or .mrg or .trees (only the texts), as .trn, .tsv (ids and texts)"
        in done.stderr
    )


def test_ctrl_c_while_features_are_extracted_says_that_there_is_no_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runoff.tasks.text.featurizer import TextFeaturizer

    def interrupted(*_: object) -> NBest:
        raise KeyboardInterrupt

    monkeypatch.setattr(TextFeaturizer, "fit_transform", interrupted)
    done = run("features", folder / "train.jsonl", "-o", tmp_path / "f.arrow")
    assert done.exit_code == 130
    assert done.stderr.endswith(f"runoff: interrupted: {tmp_path / 'f.arrow'} was not written.\n")
    assert list(tmp_path.iterdir()) == []


def test_pick_does_not_look_at_references(folder: Path, tmp_path: Path) -> None:
    given = ("--learner", "loglinear", "--set", "sigma=1", "--families", "length,repetition")
    assert run("train", folder / "train.jsonl", *given, "-o", tmp_path / "m").exit_code == 0
    wrong = read(folder / "test.jsonl")
    write(wrong.replace(references=wrong.references.take(list(range(len(wrong)))[::-1])), tmp_path / "wrong.jsonl")
    assert run("pick", tmp_path / "m", tmp_path / "wrong.jsonl").stdout == (
        run("pick", tmp_path / "m", folder / "test.jsonl").stdout
    )
