"""Ctrl-C and kill -9 as real signals to a conditional random field that is trained on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.interrupts import (
    ENOUGH,
    arguments,
    ctrl_c_in,
    ctrl_c_twice_in,
    run_in,
    saved_runs,
    send_ctrl_c,
    start,
    wait_for,
)
from runoff import NBest, load, write
from runoff.learners.crf_batch import BatchRun
from runoff.learners.crf_run import StepRun

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RANKS = ("space=permutations", "objective=el", "documents=6", "rate=0.01", "l2=0")
ENDLESS = "epochs=100000000"
# With two values of each, five folds choose the rate, then five l2.
CHOOSES = ("space=permutations", "objective=el", "documents=6", "rate=[0.1,0.01]", "l2=[0,0.01]")
GROUPS = 60


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Graded documents, of which a query has more than six."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(10 * GROUPS, 5))
    grades = np.digitize(table @ np.linspace(1, -1, 5) + rng.normal(size=10 * GROUPS), [0.5, 1.5])
    grades[::10], grades[1::10] = 0, 2  # every query teaches something
    path = tmp_path_factory.mktemp("lists") / "lists.arrow"
    write(NBest.from_arrays(table, grades, sizes=[10] * GROUPS), path)
    return path


def command(lists: Path, *settings: str) -> list[str]:
    return [*arguments(lists, "crf", *settings), "--metric", "ndcg"]


def train(folder: Path, lists: Path, monkeypatch: pytest.MonkeyPatch, *settings: str) -> Result:
    return run_in(folder, command(lists, *settings), monkeypatch)


def test_ctrl_c_leaves_a_model_and_a_checkpoint_to_resume_from(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        ctrl_c_in(patch, StepRun, "all groups", steps=2 * GROUPS)
        done = train(tmp_path, lists, monkeypatch, *RANKS, ENDLESS)
    assert done.exit_code == 0, done.output
    assert "stopping; Ctrl-C once more to stop without a model." in done.stderr
    assert "interrupted: the model is from the last of the epochs so far." in done.stderr
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert f"epochs: {provenance['epochs']:,}\n" in done.stdout
    # A few epochs more than the checkpoint has, with it and without.
    ((_, visits),) = saved_runs(tmp_path / "kept")
    assert visits >= 2 * GROUPS
    epochs = visits // GROUPS + 3
    for folder in (tmp_path, tmp_path / "anew"):
        assert train(folder, lists, monkeypatch, *RANKS, f"epochs={epochs}").exit_code == 0
    resumed, anew = load(tmp_path / "m"), load(tmp_path / "anew" / "m")
    assert resumed.weights.tobytes() == anew.weights.tobytes()
    assert resumed.provenance["epochs"] == epochs


def test_ctrl_c_in_the_folds_starts_the_final_fit_and_a_second_one_ends_that(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctrl_c_in(monkeypatch, StepRun, "fold 1 of 5", "all groups", steps=GROUPS)
    done = train(tmp_path, lists, monkeypatch, *CHOOSES, ENDLESS)
    assert done.exit_code == 0, done.output
    assert "stopping the folds, to choose by what they have shown so far; Ctrl-C once more" in done.stderr
    assert (
        "interrupted during cross-validation: parameters were chosen by the folds so far; the model is from the last "
        "of the epochs" in done.stderr
    )
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is False
    assert provenance["l2"] == 0  # l2 had no turn
    assert set(provenance["chosen_by_folds"]) <= {f"el, rate {rate}, l2 0.0, 6 documents" for rate in (0.1, 0.01)}


def test_ctrl_c_ends_a_minimisation_at_its_next_step(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ("objective=kl", "temperature=0.1", "l2=0", "tolerance=0")
    real = BatchRun._look_up

    def look_up(self: Any, intermediate_result: Any) -> None:
        if self._latest.get("step") == 3:
            send_ctrl_c()
            assert self.stopping.wait(ENOUGH)
        real(self, intermediate_result)

    with monkeypatch.context() as patch:
        patch.setattr(BatchRun, "_look_up", look_up)
        done = train(tmp_path, lists, monkeypatch, *settings)
    assert done.exit_code == 0, done.output
    assert "interrupted: the model is from the last of the steps so far." in done.stderr
    provenance = load(tmp_path / "m").provenance
    assert provenance["finished"] is provenance["converged"] is False
    assert 3 <= provenance["steps"] <= 5
    assert f"steps: {provenance['steps']}\n" in done.stdout
    assert np.abs(load(tmp_path / "m").weights).max() > 0.01
    # An unfinished minimisation is not saved: the same command starts anew, with the same result as ever.
    for folder in (tmp_path, tmp_path / "anew"):
        assert train(folder, lists, monkeypatch, *settings).exit_code == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "anew" / "m").read_bytes()
    assert load(tmp_path / "m").provenance["finished"] is True


def test_a_second_ctrl_c_leaves_no_model_and_the_checkpoint(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        ctrl_c_twice_in(patch, StepRun)
        done = train(tmp_path, lists, monkeypatch, *RANKS, ENDLESS)
    assert done.exit_code == 130
    assert done.stderr.endswith("runoff: interrupted: no model was written. The same command resumes from kept.\n")
    assert not (tmp_path / "m").exists()
    ((_, visits),) = saved_runs(tmp_path / "kept")
    epochs = f"epochs={visits // GROUPS + 3}"
    for folder in (tmp_path, tmp_path / "anew"):
        assert train(folder, lists, monkeypatch, *RANKS, epochs).exit_code == 0
    assert load(tmp_path / "m").weights.tobytes() == load(tmp_path / "anew" / "m").weights.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "place"),
    [
        (CHOOSES, "fold 2 of 5, el, rate 0.01"),
        ((*RANKS[:4], "l2=[0,0.01]"), "fold 3 of 5, el, rate 0.01, l2 0.01"),
    ],
    ids=["first", "refining"],
)
def test_kill_9_while_choosing_and_the_same_command_again_end_in_the_same_bytes(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: tuple[str, ...], place: str
) -> None:
    settings = (*settings, "max_epochs=40", "patience=40")
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = start(killed, command(lists, *settings), StepRun, slow=place)
    wait_for(process, killed / "kept", place)
    process.kill()
    process.communicate()
    assert not (killed / "m").exists()
    for folder in (killed, whole):
        done = train(folder, lists, monkeypatch, *settings)
        assert done.exit_code == 0, done.output
    assert (killed / "m").read_bytes() == (whole / "m").read_bytes()
