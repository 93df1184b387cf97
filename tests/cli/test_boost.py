"""Boosting on the command line: what it says of the choices that it made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from helpers.boosting_data import binary
from runoff import load, write
from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("lists")
    for seed, name in enumerate(("train", "dev")):
        write(binary(seed), where / f"{name}.arrow")
    return where


def train(folder: Path, *more: object, learner: str = "boost") -> Result:
    command = ["train", folder / "train.arrow", "--learner", learner, "-o", folder / "m", *more]
    return CliRunner().invoke(main, [str(each) for each in command], catch_exceptions=False)


def lines(done: Result) -> dict[str, str]:
    assert done.exit_code == 0, done.output
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


def test_the_score_of_the_folds_that_decided_is_printed(folder: Path) -> None:
    told = lines(train(folder, "--set", "max_rounds=40"))
    provenance = load(folder / "m").provenance
    key = f"{provenance['smoothing']:g}"
    chosen = provenance["chosen_by_folds"][key]
    assert chosen["score"] == max(each["score"] for each in provenance["chosen_by_folds"].values())
    expected = f"smoothing {key}, {chosen['rounds']} rounds, quality {chosen['score']:.4g}, of 8 tried"
    assert told["best by folds"] == expected
    assert told["pairs to learn from"] == f"{provenance['pairs']:,}"


def test_the_smoothing_that_was_best_on_dev_is_printed_beside_the_first_round(folder: Path) -> None:
    told = lines(train(folder, "--dev", folder / "dev.arrow", "--set", "max_rounds=40"))
    provenance = load(folder / "m").provenance
    score = f"quality {provenance['dev']['score']:.4g}"
    assert (
        told["best on dev"]
        == f"smoothing {provenance['smoothing']:g}, {provenance['rounds']} rounds, {score}, of 8 tried"
    )
    assert told["dev"] == f"{score} (first round {provenance['dev']['first_round']:.4g})"


@pytest.mark.parametrize("learner", ["loglinear", "perceptron"])
def test_other_learners_say_what_decided_too(folder: Path, learner: str) -> None:
    told = lines(train(folder, learner=learner))
    provenance = load(folder / "m").provenance
    scores = provenance.get("sigma_scores") or {
        key: each["score"] for key, each in provenance["chosen_by_folds"].items()
    }
    assert f"quality {max(scores.values()):.4g}, of {len(scores)} tried" in told["best by folds"]


def test_without_rounds_there_is_no_word_of_their_work(folder: Path) -> None:
    done = train(folder, "--set", "rounds=0", "--set", "smoothing=0.0025")
    told = lines(done)
    assert told["rounds"] == "0"
    assert "naive" not in done.stdout
    assert "drift" not in done.stdout


def test_runs_that_were_given_up_are_noted(folder: Path) -> None:
    more = ["--dev", folder / "dev.arrow", "--set", "max_rounds=700", "--set", "smoothing=0.0025"]
    assert "note: 1 of 1 runs ended before 700 rounds" in train(folder, *more).stderr
    patient = train(folder, *more, "--set", "patience=null", "--json")
    assert "ended before" not in patient.stderr
    assert json.loads(patient.stdout)["rounds_tried"] == 700
