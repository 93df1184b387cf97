"""Ctrl-C and kill -9 as real signals to a training on the command line."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import sparse

from helpers.interrupts import (
    arguments,
    ctrl_c_in,
    ctrl_c_twice_in,
    run_in,
    saved_runs,
    send_ctrl_c,
    start,
    wait_for,
)
from runoff import NBest, evaluate, load, read, write
from runoff.files import replacing
from runoff.learners import boost
from runoff.learners.boosting_run import BoostingRun

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click.testing import Result

ENDLESS = "rounds=10000000"


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough pairs and features that boosting does not run out of them."""
    rng = np.random.default_rng(0)
    rows, columns = 1500, 300
    table = (rng.random((rows, columns)) < 0.1).astype(float)
    quality = np.round(table @ rng.normal(size=columns) + rng.normal(size=rows), 1)
    data = NBest.from_arrays(
        sparse.csr_array(table), quality, sizes=[5] * 300, base=quality + 3 * rng.normal(size=rows)
    )
    path = tmp_path_factory.mktemp("lists") / "lists.arrow"
    write(data, path)
    return path


def train(folder: Path, lists: Path, monkeypatch: pytest.MonkeyPatch, *settings: str) -> Result:
    return run_in(folder, arguments(lists, "boost", *settings), monkeypatch)


def interrupting(*_: object, **__: object) -> Any:
    """Stands in for a piece of work that Ctrl-C interrupts."""
    send_ctrl_c()
    signal.pause()


def is_better(folder: Path, lists: Path) -> bool:
    return evaluate(load(folder / "m"), read(lists)).results[0].better


def test_ctrl_c_from_outside_leaves_a_model_that_can_be_used(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, arguments(lists, "boost", ENDLESS, "smoothing=0.0025"), BoostingRun)
    wait_for(process, tmp_path / "kept", "all groups", steps=50)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "stopping; Ctrl-C once more to stop without a model." in err
    assert "interrupted: the model is from the last of the rounds so far." in err
    assert "Traceback" not in err
    rounds = load(tmp_path / "m").provenance["rounds"]
    assert f"rounds: {rounds:,}\n" in out
    assert 0 < rounds < 10_000_000
    assert is_better(tmp_path, lists)


def test_ctrl_c_in_the_folds_starts_the_final_fit_and_a_second_one_ends_that(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctrl_c_in(monkeypatch, BoostingRun, "fold 1 of 5", "all groups", steps=100)
    done = train(tmp_path, lists, monkeypatch, ENDLESS, "smoothing=auto")
    assert done.exit_code == 0, done.output
    assert "stopping the folds, to choose by what they have shown so far; Ctrl-C once more" in done.stderr
    assert (
        "interrupted during cross-validation: parameters were chosen by the folds so far; the model is from the last "
        "of the rounds so far." in done.stderr
    )
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert "0.0025" in provenance["chosen_by_folds"]
    assert all(each["rounds"] > 0 for each in provenance["chosen_by_folds"].values())
    assert is_better(tmp_path, lists)


def test_ctrl_c_in_the_folds_and_a_training_that_ends_by_itself(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = boost.choose_by_folds

    def two_rounds(*given: Any) -> Any:
        found = real(*given)
        found.rounds = 2
        return found

    monkeypatch.setattr(boost, "choose_by_folds", two_rounds)
    ctrl_c_in(monkeypatch, BoostingRun, "fold 1 of 5")
    done = train(tmp_path, lists, monkeypatch, ENDLESS, "smoothing=auto")
    assert done.exit_code == 0, done.output
    assert (
        "interrupted during cross-validation: parameters were chosen by the folds so far; the final training is "
        "complete." in done.stderr
    )


def test_a_second_ctrl_c_leaves_no_model_and_the_checkpoint(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctrl_c_twice_in(monkeypatch, BoostingRun)
    done = train(tmp_path, lists, monkeypatch, ENDLESS, "smoothing=0.0025")
    assert done.exit_code == 130
    assert "stopping; Ctrl-C once more to stop without a model.\n" in done.stderr
    assert done.stderr.endswith("runoff: interrupted: no model was written. The same command resumes from kept.\n")
    assert not (tmp_path / "m").exists()
    ((name, rounds),) = saved_runs(tmp_path / "kept")
    assert name.startswith("all groups")
    assert rounds > 50


def test_ctrl_c_while_the_checkpoint_is_saved_leaves_the_checkpoint(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def interrupted(path: Path) -> Iterator[Path]:
        send_ctrl_c()
        with replacing(path) as temporary:
            yield temporary

    monkeypatch.setattr("runoff.opening.archive.replacing", interrupted)
    done = train(tmp_path, lists, monkeypatch, "rounds=10", "smoothing=0.0025")
    assert done.exit_code == 130
    assert done.stderr.endswith("runoff: interrupted: no model was written. The same command resumes from kept.\n")
    assert [rounds for _, rounds in saved_runs(tmp_path / "kept")] == [10]


def test_ctrl_c_after_the_model_was_written_says_that_it_was(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runoff.cli.training_summary.fact_lines", interrupting)
    done = train(tmp_path, lists, monkeypatch, "rounds=10", "smoothing=0.0025")
    assert done.exit_code == 130
    assert done.stderr.endswith("runoff: interrupted after the model was written; m is complete.\n")
    assert load(tmp_path / "m").provenance["rounds"] == 10


@pytest.mark.parametrize("name", ["fit_thresholds", "make_pairs", "PairIndex.build"])
def test_ctrl_c_during_the_preparations_says_so(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(f"runoff.learners.boosting_problem.{name}", interrupting)
    done = train(tmp_path, lists, monkeypatch, "rounds=10", "smoothing=0.0025")
    assert done.exit_code == 130
    assert done.stderr.endswith("runoff: interrupted before the first round: no model was written.\n")
    assert done.stdout == ""
    assert not (tmp_path / "m").exists()


def test_ctrl_c_while_reading_says_that_there_is_no_model(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runoff.io.read", interrupting)
    done = train(tmp_path, lists, monkeypatch, "rounds=10")
    assert done.exit_code == 130
    assert done.stderr == "runoff: interrupted: no model was written.\n"


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        (("rounds=300", "smoothing=0.0001"), "all groups"),
        pytest.param(
            ("rounds=auto", "max_rounds=100", "loss=log", "pairs=sample", "smoothing=0.0025"),
            "fold 2 of 5",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_kill_9_and_the_same_command_again_end_in_the_same_bytes(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: tuple[str, ...], place: str
) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = start(killed, arguments(lists, "boost", *settings), BoostingRun, slow=place)
    wait_for(process, killed / "kept", place)
    process.kill()
    process.communicate()
    assert not (killed / "m").exists()
    for folder in (killed, whole):
        done = train(folder, lists, monkeypatch, *settings)
        assert done.exit_code == 0, done.output
    assert (killed / "m").read_bytes() == (whole / "m").read_bytes()
