"""Ctrl-C and kill -9 as real signals to a training on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import sparse

from runoff import NBest, load, write

if TYPE_CHECKING:
    from pathlib import Path

# The command itself, with progress kept every few milliseconds instead of every ten seconds.
COMMAND = """
import os, signal, sys, time
import runoff.learners.training_loop as run
run._CHECKPOINT_SECONDS, run._CHUNK_SECONDS = 0.02, 0.01
from runoff.cli import main
{before}
main(sys.argv[1:])
"""
# A real signal from inside: it comes while this piece of work is being done, wherever that is in time.
SIGNAL_IN = """
import {module} as module
def slow(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(30)
module.{name} = slow
"""


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough pairs and features that boosting does not run out of them."""
    rng = np.random.default_rng(0)
    rows, columns = 3000, 600
    table = (rng.random((rows, columns)) < 0.1).astype(float)
    quality = np.round(table @ rng.normal(size=columns) + rng.normal(size=rows), 1)
    data = NBest.from_arrays(
        sparse.csr_array(table), quality, sizes=[5] * 600, base=quality + 3 * rng.normal(size=rows)
    )
    path = tmp_path_factory.mktemp("lists") / "lists.arrow"
    write(data, path)
    return path


def start(folder: Path, lists: Path, *settings: str, before: str = "") -> subprocess.Popen[str]:
    """`runoff train` in a folder of its own, with a checkpoint there."""
    folder.mkdir(exist_ok=True)
    more = [part for setting in ("checkpoint=kept", *settings) for part in ("--set", setting)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(before=before), "train", lists, "--learner", "boost", "-o", "m", *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], file: Path, run: str) -> None:
    """Wait until the checkpoint has rounds of a run."""
    for _ in range(2000):
        if process.poll() is not None:
            raise AssertionError(f"the training ended by itself: {process.communicate()}")
        if file.exists():
            with zipfile.ZipFile(file) as archive:
                runs = json.loads(archive.read("checkpoint.json"))["runs"]
            if any(name.startswith(run) for name, _, _ in runs):
                return
        time.sleep(0.02)
    raise AssertionError(f"there was no {run} in {file}")


def judged(folder: Path, lists: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-m", "runoff", "eval", folder / "m", lists, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)["results"][0]


def test_ctrl_c_leaves_a_model_that_can_be_judged(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, "rounds=10000000", "smoothing=0.0025")
    wait_for(process, tmp_path / "kept", "all groups")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "stopping; Ctrl-C once more to stop without a model." in err
    assert "interrupted: the model is that of the rounds so far." in err
    assert "Traceback" not in err
    rounds = load(tmp_path / "m").provenance["rounds"]
    assert f"rounds: {rounds:,}\n" in out
    assert 0 < rounds < 10_000_000
    assert judged(tmp_path, lists)["better"]


def test_ctrl_c_in_the_folds_goes_on_to_the_final_fit_and_again_ends_that(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, "rounds=10000000", "smoothing=auto")
    wait_for(process, tmp_path / "kept", "fold 1 of 5")
    process.send_signal(signal.SIGINT)
    wait_for(process, tmp_path / "kept", "all groups")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert "stopping the folds, to choose by what they have shown so far; Ctrl-C once more" in err
    assert "interrupted in the folds: they chose by what they had shown so far; the model is that of the rounds" in err
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert "0.0025" in provenance["chosen_by_folds"]
    assert all(each["rounds"] > 0 for each in provenance["chosen_by_folds"].values())
    assert judged(tmp_path, lists)["better"]


def test_ctrl_c_in_the_folds_and_a_training_that_ends_by_itself(lists: Path, tmp_path: Path) -> None:
    # Whatever comes after the folds is done in a moment: two rounds.
    before = """
import runoff.learners.boosting_selection as choice
real = choice.choose_by_folds
def few(*arguments):
    found = real(*arguments)
    found.rounds = 2
    return found
import runoff.learners.boost as boost
boost.choose_by_folds = few
"""
    process = start(tmp_path, lists, "rounds=10000000", "smoothing=auto", before=before)
    wait_for(process, tmp_path / "kept", "fold 1 of 5")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "interrupted in the folds: they chose by what they had shown so far; the training after them is" in err


# Chunks that do not end by themselves for a while, so that a second Ctrl-C comes in the middle of one.
SLOW_CHUNKS = """
import runoff.learners.boosting_run as boosting_run
made = boosting_run.BoostingRun.advance
def slowly(self, rounds):
    going_on = made(self, rounds)
    if self.done > 50:
        open("slow", "w").close()
        time.sleep(3)
    return going_on
boosting_run.BoostingRun.advance = slowly
"""


def test_a_second_ctrl_c_leaves_no_model_and_the_checkpoint(lists: Path, tmp_path: Path) -> None:
    process = start(
        tmp_path, lists, "rounds=10000000", "smoothing=0.0025", before=SLOW_CHUNKS + "run._CHECKPOINT_SECONDS = 1e9"
    )
    for _ in range(2000):
        if (tmp_path / "slow").exists():
            break
        time.sleep(0.02)
    assert not (tmp_path / "kept").exists()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopping; Ctrl-C once more to stop without a model.\n" in err
    assert err.endswith("runoff: interrupted: no model was written. The same command goes on from kept.\n")
    assert "Traceback" not in err
    assert not (tmp_path / "m").exists()
    with zipfile.ZipFile(tmp_path / "kept") as archive:
        ((name, rounds, _),) = json.loads(archive.read("checkpoint.json"))["runs"]
    assert name.startswith("all groups")
    assert rounds > 50


def test_ctrl_c_after_the_model_was_written_says_that_it_was(lists: Path, tmp_path: Path) -> None:
    before = SIGNAL_IN.format(module="runoff.cli.training_summary", name="facts")
    process = start(tmp_path, lists, "rounds=10", "smoothing=0.0025", before=before)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("runoff: interrupted after the model was written; m is complete.\n")
    assert load(tmp_path / "m").provenance["rounds"] == 10


@pytest.mark.parametrize("name", ["fit_thresholds", "make_pairs", "PairIndex.build"])
def test_ctrl_c_during_the_preparations_says_so(lists: Path, tmp_path: Path, name: str) -> None:
    before = SIGNAL_IN.format(module="runoff.learners.boosting_problem", name=name)
    process = start(tmp_path, lists, "rounds=10", "smoothing=0.0025", before=before)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.endswith("runoff: interrupted before the first round: no model was written.\n")
    assert "Traceback" not in err
    assert out == ""
    assert not (tmp_path / "m").exists()


def test_ctrl_c_while_reading_says_that_there_is_no_model(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, "rounds=10", before=SIGNAL_IN.format(module="runoff.io", name="read"))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "runoff: interrupted: no model was written.\n"


@pytest.mark.parametrize(
    "settings",
    [
        ("rounds=6000", "smoothing=0.0001"),
        pytest.param(
            ("rounds=auto", "max_rounds=500", "loss=log", "pairs=sample", "smoothing=0.0025"), marks=pytest.mark.slow
        ),
    ],
)
def test_kill_9_and_the_same_command_again_end_in_the_same_bytes(
    lists: Path, tmp_path: Path, settings: tuple[str, ...]
) -> None:
    whole = start(tmp_path / "whole", lists, *settings)
    killed = start(tmp_path / "killed", lists, *settings)
    wait_for(killed, tmp_path / "killed" / "kept", "all groups" if len(settings) == 2 else "fold 2 of 5")
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (tmp_path / "killed" / "m").exists()
    again = start(tmp_path / "killed", lists, *settings)
    _, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    _, err = whole.communicate(timeout=300)
    assert whole.returncode == 0, err
    assert (tmp_path / "killed" / "m").read_bytes() == (tmp_path / "whole" / "m").read_bytes()
