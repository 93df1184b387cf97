"""`runoff train` as a person runs it: folds, settings, checkpoints, what it says and what it draws."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from runoff import load
from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def test_train_with_folds_proves_itself_and_settings_reach_the_learner(folder: Path, tmp_path: Path) -> None:
    done = run(
        *("train", folder / "train.jsonl", "--metric", "wer", "--folds", "3", "--json"),
        *("--learner", "loglinear", "--set", "sigma=0.5", "--set", "right=tied", "-o", tmp_path / "m.runoff"),
    )
    found = json.loads(done.stdout)
    assert found["folds"]["results"][0]["metric"] == "wer"
    assert found["parameters"]["right"] == "tied"
    assert found["sigma"] == 0.5
    assert load(tmp_path / "m.runoff").provenance["parameters"]["sigma"] == 0.5


def test_a_learning_curve_is_printed_kept_and_described(folder: Path, tmp_path: Path) -> None:
    done = run(
        *("train", folder / "train.jsonl", "--metric", "wer", "--dev", folder / "dev.jsonl", "--learning-curve"),
        *("--learner", "loglinear", "--set", "sigma=0.5", "-o", tmp_path / "m.runoff"),
    )
    curve = load(tmp_path / "m.runoff").learning_curve
    assert curve is not None
    assert curve.points[-1].lists + curve.held_out == 150
    assert str(curve) in done.stdout
    described = run("describe", tmp_path / "m.runoff").stdout
    assert str(curve) in described
    assert "steps: " in described
    found = json.loads(run("describe", tmp_path / "m.runoff", "--json").stdout)
    assert found["learning_curve"]["points"][-1]["score"] == curve.points[-1].score
    assert "No learning curve: runoff train --learning-curve" in run("describe", folder / "m.runoff").stdout


@pytest.mark.slow
def test_training_twice_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in "ab":
        run("train", folder / "train.jsonl", "--metric", "wer", "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def boosted(folder: Path, *more: object) -> Result:
    arguments = ("--dev", folder / "dev.jsonl", "--metric", "wer", "--learner", "boost", *more)
    return run("train", folder / "train.jsonl", *arguments)


def test_boosting_tells_its_work_by_the_papers_intervals_and_draws_its_curve(folder: Path, tmp_path: Path) -> None:
    arguments = ("--set", "rounds=150", "--set", "smoothing=0.0025", "-o", tmp_path / "m.runoff")
    done = boosted(folder, *arguments, "--picture", tmp_path / "a.svg")
    provenance = load(tmp_path / "m.runoff").provenance
    told = provenance["savings_by_rounds"]
    assert list(told) == ["1-10", "11-100", "101-150"]  # as section 5.4.3 of Collins & Koo (2005) reports them
    shown = ", ".join(f"{rounds}: {times:,.4g}" for rounds, times in told.items())
    assert (
        f"savings over the naive algorithm: {provenance['savings']:,.4g}\nsavings by rounds: {shown}\n" in done.stdout
    )
    assert f"features left out (rare, or the same in every pair): {provenance['columns_left_out']:,}\n" in done.stdout
    assert "on the dev data from" in (tmp_path / "a.svg").read_text()
    assert json.loads(boosted(folder, *arguments, "--json").stdout)["savings_by_rounds"] == told


def test_features_that_are_all_left_out_are_a_warning(folder: Path, tmp_path: Path) -> None:
    done = boosted(folder, "--set", "min_groups=1000", "--set", "rounds=5", "-o", tmp_path / "m.runoff")
    assert done.exit_code == 0
    assert "warning: all " in done.stderr
    assert "Lower min_groups to learn from them." in done.stderr


def test_a_checkpoint_must_be_writable_before_the_work_begins(folder: Path, tmp_path: Path) -> None:
    for file, words in (
        (tmp_path / "no" / "kept", "there is no folder"),
        (tmp_path, "it is a folder"),
        (folder / "train.jsonl", "is named twice"),
        (tmp_path / "m.runoff", "is named twice"),
    ):
        done = boosted(folder, "--set", f"checkpoint={file}", "-o", tmp_path / "m.runoff")
        assert done.exit_code == 2
        assert words in done.stderr
    assert boosted(folder, "--set", "checkpoint=3", "-o", tmp_path / "m.runoff").exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_what_decides_in_training_is_said(folder: Path, tmp_path: Path) -> None:
    train, out = folder / "train.jsonl", tmp_path / "m.runoff"
    said = run(
        "train", train, "--dev", train, "--metric", "wer,exact", "-o", out, "--learner", "loglinear", "--set", "sigma=1"
    ).output
    assert "the dev data is the training data" in said
    assert "the first one is used for training: wer" in said
    few = tmp_path / "few.jsonl"
    few.write_text("".join(train.read_text().splitlines(keepends=True)[:3]))
    said = run(
        "train", train, "--dev", few, "--metric", "wer", "-o", out, "--learner", "loglinear", "--set", "sigma=1"
    ).output
    assert "3 groups of dev data are too few: parameters are chosen largely by chance" in said
