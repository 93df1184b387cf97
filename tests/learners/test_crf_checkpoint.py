"""Trainings of a conditional random field that are interrupted or die, and go on."""

from __future__ import annotations

import json
import os
import signal
import time
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from helpers.crf_data import RANKS, SET, STEPS, bits, facts, lists, teaching
from helpers.processes import start_python
from runoff import CRF, NBest, UsageError, load
from runoff.learners import epoch_learner, training_loop

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


def dying(visits: int, stage: int) -> Any:
    """`run_all` that dies at one of its calls, after so many visits of every run, the checkpoint just written."""
    calls, real = [], epoch_learner.run_all

    def run_all(runs: list, steps: int, *, checkpoint: Any, **more: Any) -> bool:
        calls.append(runs)
        if len(calls) < stage:
            return real(runs, steps, checkpoint=checkpoint, **more)
        for run in runs:
            checkpoint.restore(run, steps)
            run.advance(visits)
        checkpoint.save(runs)
        raise MemoryError

    return run_all


def resumed(given: dict[str, Any], data: tuple[NBest, ...], file: Path, visits: int, stage: int) -> CRF:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epoch_learner, "run_all", dying(visits, stage))
        with pytest.raises(MemoryError):
            CRF(**given, checkpoint=str(file)).fit(*data)
    return CRF(**given, checkpoint=str(file)).fit(*data)


WAYS = [
    {**RANKS, "average": True},
    {**RANKS, "average": False, "documents": 3},
    {**RANKS, "method": "adam", "objective": "ls", "documents": 8, "samples": 20},
    {**STEPS, "method": "adam", "average": False},
    {**SET, "method": "lbfgs"},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("visits", [1, 50])
def test_a_training_that_dies_goes_on_where_it_was(way: dict[str, Any], visits: int, tmp_path: Path) -> None:
    data = lists(17, most=12), lists(18, most=12)
    given = {**way, "epochs": "auto", "max_epochs": 5}
    whole = CRF(**given).fit(*data)
    found = resumed(given, data, tmp_path / "kept", visits, 1)
    assert bits(found) == bits(whole)
    assert [each["dev"] for each in found.history] == [each["dev"] for each in whole.history]
    # And once more from the end of it.
    assert bits(CRF(**given, checkpoint=str(tmp_path / "kept")).fit(*data)) == bits(whole)


@pytest.mark.parametrize("way", WAYS[:4], ids=str)
def test_the_loss_of_a_training_that_died_is_that_of_one_that_did_not(way: dict[str, Any], tmp_path: Path) -> None:
    data = lists(17, most=12), lists(18, most=12)
    given = {**way, "epochs": "auto", "max_epochs": 5}
    whole, found = CRF(**given).fit(*data), resumed(given, data, tmp_path / "kept", 50, 1)
    assert [each["loss"] for each in found.history] == pytest.approx([each["loss"] for each in whole.history])
    assert {**facts(found), "loss": None} == {**facts(whole), "loss": None}


def test_records_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    data, found = lists(28, groups=150), []
    for seconds in (1e-9, 100.0):  # chunks of one visit, and ever longer ones
        monkeypatch.setattr(training_loop, "_CHUNK_SECONDS", seconds)
        learner = CRF(**{**RANKS, "epochs": 30}).fit(data)
        found.append((bits(learner), learner.history, facts(learner)))
    assert found[0] == found[1]


# With two values of each, five folds choose the rate, then five l2, then five the number of documents.
REFINED = {"objective": "ml", "space": "permutations", "rate": [0.1, 0.01], "l2": [0, 0.1], "documents": [4, 3]}


@pytest.mark.parametrize("stage", [1, 3, 7, 14, 16])
def test_a_training_that_dies_in_its_folds_goes_on_there(stage: int, tmp_path: Path) -> None:
    given = {**REFINED, "max_epochs": 3}
    whole = CRF(**given).fit(lists(19))
    assert len(whole.model.provenance["chosen_by_folds"]) == 4
    found = resumed(given, (lists(19),), tmp_path / "kept", 20, stage)
    assert bits(found) == bits(whole)
    assert found.model.provenance["chosen_by_folds"] == whole.model.provenance["chosen_by_folds"]


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_training_that_dies_while_choosing_on_dev_goes_on_there(stage: int, tmp_path: Path) -> None:
    given, data = {**REFINED, "max_epochs": 3}, (lists(19), lists(18))
    whole = CRF(**given).fit(*data)
    found = resumed(given, data, tmp_path / "kept", 20, stage)
    assert bits(found) == bits(whole)
    assert facts(found)["chosen_on_dev"] == facts(whole)["chosen_on_dev"]
    assert len(facts(found)["chosen_on_dev"]) == 4


def test_checkpoints_of_other_data_or_parameters_are_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "kept")
    CRF(**RANKS, checkpoint=file).fit(lists(20))
    for other in ({"rate": 0.06}, {"seed": 1}, {"objective": "el"}, {"documents": 5}, {"gain": "2^r-1"}):
        with pytest.raises(UsageError, match="other data or other parameters"):
            CRF(**{**RANKS, **other}, checkpoint=file).fit(lists(20))
    with pytest.raises(UsageError, match="other data or other parameters"):
        CRF(**RANKS, checkpoint=file).fit(lists(21))
    for epochs in (8, 2):
        longer = CRF(**{**RANKS, "epochs": epochs}, checkpoint=file).fit(lists(20))
        assert bits(longer) == bits(CRF(**{**RANKS, "epochs": epochs}).fit(lists(20)))


LONG = """
import runoff.learners.training_loop as run
run._CHECKPOINT_SECONDS, run._CHUNK_SECONDS = 0.02, 0.01
from helpers.crf_data import lists
from runoff import CRF
learner = CRF(**{given!r}, checkpoint={file!r}).fit(lists(22))
learner.model.save({model!r})
print(learner.model.provenance["finished"], learner.model.provenance["epochs"])
"""


def visits_in(file: Path) -> int:
    """Visits that the only run of a checkpoint has made."""
    with zipfile.ZipFile(file) as archive:
        return sum(done for _, done, _ in json.loads(archive.read("checkpoint.json"))["runs"])


def start(tmp_path: Path, given: dict[str, Any]) -> tuple[subprocess.Popen[str], Path, Path]:
    """An endless training in a process of its own, once its checkpoint has a few epochs."""
    file, model = tmp_path / "kept", tmp_path / "m.runoff"
    given = {**given, "epochs": 100_000_000}
    code = LONG.format(given=given, file=str(file), model=str(model))
    process = start_python(code)
    for _ in range(3000):
        if file.exists() and visits_in(file) > 100:
            return process, file, model
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"{file} was not written")


@pytest.mark.slow
@pytest.mark.parametrize("way", [RANKS, {**RANKS, "average": False, "method": "adam"}], ids=["sgd", "adam"])
def test_kill_9_loses_nothing_that_was_kept(way: dict[str, Any], tmp_path: Path) -> None:
    process, file, model = start(tmp_path, way)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not model.exists()
    data = lists(22)
    epochs = visits_in(file) // len(teaching(data)) + 3
    assert bits(CRF(**{**way, "epochs": epochs}, checkpoint=str(file)).fit(data)) == bits(
        CRF(**{**way, "epochs": epochs}).fit(data)
    )


@pytest.mark.slow  # the quick tests interrupt trainings on the command line
def test_ctrl_c_leaves_a_model_and_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    process, file, model = start(tmp_path, STEPS)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    finished, epochs = out.split()
    assert finished == "False"
    data, further = lists(22), int(epochs) + 2
    # The model is the one after the last whole epoch.
    expected = CRF(**{**STEPS, "epochs": int(epochs)}).fit(data).model
    assert load(model).weights.tobytes() == expected.weights.tobytes()
    assert bits(CRF(**{**STEPS, "epochs": further}, checkpoint=str(file)).fit(data)) == bits(
        CRF(**{**STEPS, "epochs": further}).fit(data)
    )
