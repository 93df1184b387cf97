"""Perceptrons that die, are stopped, and go on: the same bits in the end."""

from __future__ import annotations

import json
import os
import signal
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.perceptron_data import ONE, TRAINING, bits, facts, lists
from helpers.processes import start_python
from runoff import Perceptron, UsageError, load
from runoff.learners.perceptron_run import PerceptronRun

if TYPE_CHECKING:
    import subprocess

WAYS = [
    {"average": True, "update": "group"},
    {"average": False, "update": "pair"},
    {"average": "voted", "update": "group"},
    {"average": "voted", "update": "pair", "slack": 0.5},
    {"average": True, "update": "group", "slack": 1.0, "order": lambda p, q: q - p < 3},
]


def dying(visits: int, stage: int) -> Any:
    """`run_all` that dies at one of its calls, after so many visits of every run, the checkpoint just written."""
    calls = []

    def run_all(runs: list, steps: int, *, checkpoint: Any, **more: Any) -> bool:
        calls.append(runs)
        if len(calls) < stage:
            return real(runs, steps, checkpoint=checkpoint, **more)
        for run in runs:
            checkpoint.restore(run, steps)
            run.advance(visits)
        checkpoint.save(runs)
        raise MemoryError

    real = TRAINING.run_all
    return run_all


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ",".join(way))
@pytest.mark.parametrize("visits", [1, 50])
def test_a_training_that_dies_goes_on_where_it_was(
    way: dict[str, Any], visits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, dev, file = lists(13), lists(14), str(tmp_path / "kept")
    given = {"tau": 0.7, "max_epochs": 8, **way}
    whole = Perceptron(**given).fit(train, dev)
    with monkeypatch.context() as patch:
        patch.setattr(TRAINING, "run_all", dying(visits, 1))
        with pytest.raises(MemoryError):
            Perceptron(**given, checkpoint=file).fit(train, dev)
    resumed = Perceptron(**given, checkpoint=file).fit(train, dev)
    assert bits(resumed) == bits(whole)
    assert resumed.history == whole.history
    assert facts(resumed) == facts(whole)
    # And once more from the end of it.
    assert bits(Perceptron(**given, checkpoint=file).fit(train, dev)) == bits(whole)


def test_a_training_that_dies_in_its_folds_goes_on_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, file = lists(15), str(tmp_path / "kept")
    given = {"max_epochs": 6, "average": "voted"}
    whole = Perceptron(**given).fit(data)
    with monkeypatch.context() as patch:
        patch.setattr(TRAINING, "run_all", dying(70, 3))
        with pytest.raises(MemoryError):
            Perceptron(**given, checkpoint=file).fit(data)
    restored = []
    original = PerceptronRun.restore
    monkeypatch.setattr(PerceptronRun, "restore", lambda run, *kept: (restored.append(run.name), original(run, *kept)))
    resumed = Perceptron(**given, checkpoint=file).fit(data)
    assert {name.split(",")[0] for name in restored} == {"fold 1 of 5", "fold 2 of 5", "fold 3 of 5"}
    assert len(restored) == 12
    assert bits(resumed) == bits(whole)
    assert facts(resumed) == facts(whole)


def test_more_epochs_go_on_from_fewer_and_fewer_do_not_shorten_the_file(tmp_path: Path) -> None:
    data, file = lists(16), str(tmp_path / "kept")
    for epochs in (3, 8, 2, 8):
        found = Perceptron(tau=0.7, epochs=epochs, checkpoint=file).fit(data)
        assert bits(found) == bits(Perceptron(tau=0.7, epochs=epochs).fit(data))
        assert len(found.history) == epochs
    assert visits_in(Path(file)) == 8 * (len(data) - found.model.provenance["dropped_groups"])


def test_checkpoints_of_other_data_or_parameters_are_refused(tmp_path: Path) -> None:
    data, file = lists(16), str(tmp_path / "kept")
    Perceptron(**ONE, checkpoint=file).fit(data)
    for other in ({"tau": 0.8}, {"seed": 1}, {"order": "ordinal"}, {"average": "voted"}, {"slack": 1.0}):
        with pytest.raises(UsageError, match="other data or other parameters"):
            Perceptron(**{**ONE, **other}, checkpoint=file).fit(data)
    for wrong in (lists(17), data.replace(quality=data.quality + 1.0 * (np.arange(data.n_candidates) == 3))):
        with pytest.raises(UsageError, match="other data or other parameters"):
            Perceptron(**ONE, checkpoint=file).fit(wrong)


def test_a_checkpoint_of_another_function_is_refused(tmp_path: Path) -> None:
    data, file = lists(16), str(tmp_path / "kept")
    for margin in (1.0, 2.0):
        learner = Perceptron("ordinal", lambda p, q, margin=margin: q - p + margin, **ONE, checkpoint=file)
        if margin == 1.0:
            learner.fit(data)
        else:  # the same place in the same file, but not the same function
            with pytest.raises(UsageError, match="other data or other parameters"):
                learner.fit(data)


def test_a_checkpoint_whose_weights_do_not_fit_is_refused(tmp_path: Path) -> None:
    data, file = lists(16), tmp_path / "kept"
    Perceptron(**ONE, checkpoint=str(file)).fit(data)
    with zipfile.ZipFile(file) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["0/state.weights"] = entries["0/state.base"]
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(UsageError, match="is not a checkpoint of Runoff, or it is damaged"):
        Perceptron(**ONE, checkpoint=str(file)).fit(data)


LONG = """
import runoff.learners.training_loop as run
run._CHECKPOINT_SECONDS, run._CHUNK_SECONDS = 0.02, 0.01
from helpers.perceptron_data import lists
from runoff import Perceptron
learner = Perceptron(**{given!r}, checkpoint={file!r}).fit(lists(18, noise=4.0))
learner.model.save({model!r})
print(learner.model.provenance["finished"], learner.model.provenance["epochs"])
"""
ENDLESS = {"tau": 0.7, "epochs": 100_000_000}


def visits_in(file: Path) -> int:
    """Visits that the only run of a checkpoint has made."""
    with zipfile.ZipFile(file) as archive:
        runs = json.loads(archive.read("checkpoint.json"))["runs"]
    return sum(done for _, done, _ in runs)


def start(tmp_path: Path, given: dict[str, Any]) -> tuple[subprocess.Popen[str], Path, Path]:
    """A training in a process of its own, once its checkpoint has a few epochs."""
    file, model = tmp_path / "kept", tmp_path / "m.runoff"
    code = LONG.format(given=given, file=str(file), model=str(model))
    process = start_python(code)
    for _ in range(2000):
        if file.exists() and visits_in(file) > 100:
            return process, file, model
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"{file} was not written")


@pytest.mark.slow
@pytest.mark.parametrize("way", [{}, {"average": "voted", "update": "pair"}], ids=str)
def test_kill_9_loses_nothing_that_was_kept(way: dict[str, Any], tmp_path: Path) -> None:
    process, file, model = start(tmp_path, {**ENDLESS, **way})
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not model.exists()
    data = lists(18, noise=4.0)
    epochs = visits_in(file) // int(np.sum(data.sizes > 1)) + 3
    resumed = Perceptron(tau=0.7, epochs=epochs, checkpoint=str(file), **way).fit(data)
    assert bits(resumed) == bits(Perceptron(tau=0.7, epochs=epochs, **way).fit(data))


@pytest.mark.slow  # the quick tests interrupt trainings on the command line
def test_ctrl_c_leaves_a_model_and_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    process, file, model = start(tmp_path, ENDLESS)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    finished, epochs = out.split()
    assert finished == "False"
    # The model is the one after the last whole epoch.
    data = lists(18, noise=4.0)
    assert load(model).weights.tobytes() == Perceptron(tau=0.7, epochs=int(epochs)).fit(data).model.weights.tobytes()
    further = {"tau": 0.7, "epochs": int(epochs) + 2}
    assert bits(Perceptron(**further, checkpoint=str(file)).fit(data)) == bits(Perceptron(**further).fit(data))


def interrupted(visits: int) -> Any:
    """`run_all` as after Ctrl-C: every run has made so many visits and ends there."""

    def run_all(runs: list, steps: int, **_: Any) -> bool:
        for run in runs:
            run.advance(min(visits, steps))
        return False

    return run_all


@pytest.mark.parametrize("visits", [3, 60])
@pytest.mark.parametrize("average", [True, "voted"])
def test_ctrl_c_with_dev_leaves_the_best_so_far(visits: int, average: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(19), lists(20)
    monkeypatch.setattr(TRAINING, "run_all", interrupted(visits))
    learner = Perceptron(order="auto", average=average).fit(train, dev)
    provenance = learner.model.provenance
    assert provenance["finished"] is False
    assert provenance["epochs"] == (1 if visits == 60 else 0)
    assert learner.model.weights.any()
    assert learner.predict(dev).shape == (40,)


def test_ctrl_c_in_the_folds_chooses_by_what_there_is_or_says_that_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = lists(19)
    monkeypatch.setattr(TRAINING, "run_all", interrupted(60))
    provenance = Perceptron().fit(data).model.provenance
    assert provenance["finished"] is False
    assert len(provenance["chosen_by_folds"]) == 4
    monkeypatch.setattr(TRAINING, "run_all", interrupted(3))
    with pytest.raises(KeyboardInterrupt, match="before the first epoch of a fold had ended"):
        Perceptron().fit(data)


def test_after_ctrl_c_settings_that_were_never_tried_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_all(runs: list, steps: int, **_: Any) -> bool:
        calls.append(runs)
        if len(calls) == 1:  # in the first fold two of four settings get through one epoch
            for run in runs[:2]:
                run.advance(run.length)
            return False
        return real(runs, steps, **_)

    real, calls = TRAINING.run_all, []
    monkeypatch.setattr(TRAINING, "run_all", run_all)
    provenance = Perceptron().fit(lists(19)).model.provenance
    assert len(provenance["chosen_by_folds"]) == 2
    assert provenance["interrupted_in"] == ["folds"]
    assert provenance["epochs_tried"] == 1


def test_a_fold_that_has_ended_keeps_nothing_but_its_curve(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    Perceptron(average="voted", max_epochs=3, checkpoint=str(file)).fit(lists(19))
    with zipfile.ZipFile(file) as archive:
        runs = json.loads(archive.read("checkpoint.json"))["runs"]
    kept = {name.split(",")[0]: set(keys) for name, _, keys in runs}
    assert kept["fold 1 of 5"] == {"converged", "history", "curve"}
    assert {"state.weights", "votes.deltas"} <= kept["all groups"]
