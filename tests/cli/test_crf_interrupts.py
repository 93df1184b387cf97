"""Ctrl-C and kill -9 as real signals to a conditional random field that is trained on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from runoff import NBest, load, write

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from test_interrupts import COMMAND, wait_for

RANKS = ("space=permutations", "objective=el", "documents=6", "rate=0.01", "l2=0")
ENDLESS = "epochs=100000000"
# With two values of each, five folds choose the rate, then five l2.
CHOOSES = ("space=permutations", "objective=el", "documents=6", "rate=[0.1,0.01]", "l2=[0,0.01]")


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Graded documents, of which a query has more than six."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(3000, 5))
    grades = np.digitize(table @ np.linspace(1, -1, 5) + rng.normal(size=3000), [0.5, 1.5])
    grades[::10], grades[1::10] = 0, 2  # every query teaches something
    path = tmp_path_factory.mktemp("lists") / "lists.arrow"
    write(NBest.from_arrays(table, grades, sizes=[10] * 300), path)
    return path


def start(folder: Path, lists: Path, *settings: str, before: str = "") -> subprocess.Popen[str]:
    """`runoff train --learner crf` in a folder of its own, with a checkpoint there."""
    folder.mkdir(exist_ok=True)
    more = [part for setting in ("checkpoint=kept", *settings) for part in ("--set", setting)]
    command = ["train", lists, "--learner", "crf", "--metric", "ndcg", "-o", "m", *more]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(before=before), *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    """What was said by the end, which is no traceback."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out, err


def test_ctrl_c_leaves_a_model_and_a_checkpoint_to_go_on_from(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, *RANKS, ENDLESS)
    wait_for(process, tmp_path / "kept", "all groups")
    process.send_signal(signal.SIGINT)
    out, err = ended(process)
    assert "stopping; Ctrl-C once more to stop without a model." in err
    assert "interrupted: the model is that of the epochs so far." in err
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert f"epochs: {provenance['epochs']:,}\n" in out
    # A few epochs more than the checkpoint has, with it and without.
    with zipfile.ZipFile(tmp_path / "kept") as archive:
        ((_, visits, _),) = json.loads(archive.read("checkpoint.json"))["runs"]
    assert visits > 0
    epochs = f"epochs={visits // 300 + 3}"
    ended(start(tmp_path, lists, *RANKS, epochs))
    ended(start(tmp_path / "anew", lists, *RANKS, epochs))
    further, anew = load(tmp_path / "m"), load(tmp_path / "anew" / "m")
    assert further.weights.tobytes() == anew.weights.tobytes()
    assert further.provenance["epochs"] == visits // 300 + 3


def test_ctrl_c_in_the_folds_goes_on_to_the_final_fit_and_again_ends_that(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, *CHOOSES, ENDLESS)
    wait_for(process, tmp_path / "kept", "fold 1 of 5")
    process.send_signal(signal.SIGINT)
    wait_for(process, tmp_path / "kept", "all groups")
    process.send_signal(signal.SIGINT)
    _, err = ended(process)
    assert "stopping the folds, to choose by what they have shown so far; Ctrl-C once more" in err
    assert "interrupted in the folds: they chose by what they had shown so far; the model is that of the epochs" in err
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert provenance["l2"] == 0  # l2 had no turn
    assert set(provenance["chosen_by_folds"]) <= {f"el, rate {rate}, l2 0.0, 6 documents" for rate in (0.1, 0.01)}


# A minimisation whose steps take long, and one that has made a few of them.
SLOW_STEPS = """
import runoff.learners.crf_batch as crf_batch
look_up = crf_batch.BatchRun._look_up
def slowly(self, intermediate_result):
    look_up(self, intermediate_result)
    if self._latest["step"] >= 3:
        open("slow", "w").close()
        time.sleep(0.5)
crf_batch.BatchRun._look_up = slowly
"""


def test_ctrl_c_ends_a_minimisation_at_its_next_step(lists: Path, tmp_path: Path) -> None:
    settings = ("objective=kl", "temperature=0.1", "l2=0", "tolerance=0")
    process = start(tmp_path, lists, *settings, before=SLOW_STEPS)
    for _ in range(2000):
        if (tmp_path / "slow").exists():
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    out, err = ended(process)
    assert time.monotonic() - asked < 8  # two hundred steps would be a hundred seconds
    assert "interrupted: the model is that of the steps so far." in err
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is provenance["converged"] is False
    assert 3 <= provenance["steps"] < 100
    assert f"steps: {provenance['steps']}\n" in out
    assert np.abs(load(tmp_path / "m").weights).max() > 0.01
    # What is not at its end is not kept: the same command starts anew, and ends as if nothing had been.
    ended(start(tmp_path, lists, *settings))
    ended(start(tmp_path / "anew", lists, *settings))
    assert (tmp_path / "m").read_bytes() == (tmp_path / "anew" / "m").read_bytes()
    assert load(tmp_path / "m").provenance["finished"] is True


# Chunks that do not end by themselves for a while, so that a second Ctrl-C comes in the middle of one.
SLOW_CHUNKS = """
import runoff.learners.crf_run as crf_run
made = crf_run.StepRun.advance
def slowly(self, visits):
    going_on = made(self, visits)
    if self.done > 50:
        open("slow", "w").close()
        time.sleep(3)
    return going_on
crf_run.StepRun.advance = slowly
run._CHECKPOINT_SECONDS = 1e9
"""


def test_a_second_ctrl_c_leaves_no_model_and_the_checkpoint(lists: Path, tmp_path: Path) -> None:
    process = start(tmp_path, lists, *RANKS, ENDLESS, before=SLOW_CHUNKS)
    for _ in range(2000):
        if (tmp_path / "slow").exists():
            break
        time.sleep(0.02)
    assert not (tmp_path / "kept").exists()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = ended(process, 130)
    assert err.endswith("runoff: interrupted: no model was written. The same command goes on from kept.\n")
    assert not (tmp_path / "m").exists()
    ended(start(tmp_path, lists, *RANKS, "epochs=4"))
    ended(start(tmp_path / "anew", lists, *RANKS, "epochs=4"))
    assert load(tmp_path / "m").weights.tobytes() == load(tmp_path / "anew" / "m").weights.tobytes()


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        pytest.param(CHOOSES, "fold 2 of 5, el, rate 0.01", marks=pytest.mark.slow),
        ((*RANKS[:4], "l2=[0,0.01]"), "fold 3 of 5, el, rate 0.01, l2 0.01"),
    ],
    ids=["first", "refining"],
)
def test_kill_9_while_choosing_and_the_same_command_again_end_in_the_same_bytes(
    lists: Path, tmp_path: Path, settings: tuple[str, ...], place: str
) -> None:
    settings = (*settings, "max_epochs=300", "patience=300")
    killed = start(tmp_path / "killed", lists, *settings)
    wait_for(killed, tmp_path / "killed" / "kept", place)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not (tmp_path / "killed" / "m").exists()
    ended(start(tmp_path / "killed", lists, *settings))
    ended(start(tmp_path / "whole", lists, *settings))
    assert (tmp_path / "killed" / "m").read_bytes() == (tmp_path / "whole" / "m").read_bytes()
