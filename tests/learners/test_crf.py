"""`CRF`: what L-BFGS finds, choices on dev and by folds, checkpoints, hard data, and what must not change."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from runoff import CRF, DataError, LogLinear, NBest, UsageError, load
from runoff.learners import crf_problem, crf_run, epoch_learner, running
from runoff.learners.crf_problem import OBJECTIVES
from runoff.metrics import get
from runoff.model import LinearModel

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from test_crf_objectives import base_unit, data_of, losses_of, teaching, total_of

SET = {"l2": 0.01, "temperature": 0.5, "loss_weight": 2.0, "rate": 0.05}  # nothing left to choose but epochs
STEPS = {**SET, "method": "sgd", "epochs": 4}
RANKS = {**SET, "space": "permutations", "epochs": 4, "documents": 4}


def lists(seed: int, groups: int = 40, *, most: int = 8, base: bool = False, noise: float = 1.0) -> NBest:
    """Graded documents whose features tell the grade, in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most, groups)
    X = rng.normal(size=(int(sizes.sum()), 5))
    told = X @ np.linspace(1, -1, 5) + noise * rng.normal(size=len(X))
    grades = np.digitize(told, [0.5, 1.5]).astype(float)
    return NBest.from_arrays(X, grades, sizes=sizes, base=told + rng.normal(size=len(X)) if base else None)


def bits(learner: CRF) -> bytes:
    return learner.model.weights.tobytes() + np.float64(learner.model.base_weight).tobytes()


def facts(learner: CRF) -> dict[str, Any]:
    """The record of the model, without the name of the checkpoint."""
    made = learner.model.made
    return {**made, "parameters": {**made["parameters"], "checkpoint": None}}


# ---------------------------------------------------------------- L-BFGS


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
def test_lbfgs_finds_the_minimum_of_the_plain_objective(objective: Any, kind: str) -> None:
    data = data_of(kind, 11, groups=15)
    learner = CRF(objective, **{**SET, "l2": 0.2}, scale="none", epochs=1, max_iter=1000, tolerance=1e-9).fit(data)
    many = len(teaching(data))

    def mean(weights: np.ndarray) -> float:
        return total_of(learner, data, weights) / many + 0.1 * float(weights[:-1] @ weights[:-1])

    found = np.append(learner.model.weights, learner.model.base_weight * base_unit(data))
    expected = minimize(mean, np.array([0.0, 0, 0, 0, 1]), method="BFGS", options={"gtol": 1e-7})
    assert found == pytest.approx(expected.x, abs=2e-4)
    assert mean(found) == pytest.approx(expected.fun, abs=1e-8)
    assert learner.model.made["loss"] == pytest.approx(mean(found), abs=1e-9)
    assert learner.model.made["converged"]
    assert np.abs(found).max() > 0.05


@pytest.mark.parametrize("scale", ["none", "spread"])
@pytest.mark.parametrize("base", [True, False])
def test_ml_with_one_right_answer_is_the_log_linear_model(scale: Any, base: bool) -> None:
    # LogLinear has the sum over groups and w²/sigma², CRF the mean and l2 w²/2: the same for l2 = 2 / (sigma² groups).
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 5, 20)
    X = rng.normal(size=(int(sizes.sum()), 4))
    quality = X[:, 0] + rng.normal(size=len(X))  # no two alike
    data = NBest.from_arrays(X, quality, sizes=sizes, base=quality + rng.normal(size=len(X)) if base else None)
    for sigma in (0.3, 2.0):
        other = LogLinear(sigma, "best", scale, tolerance=1e-9, max_iter=1000).fit(data).model
        given = {"l2": 2 / (sigma**2 * 20), "scale": scale, "epochs": 1, "tolerance": 1e-9, "max_iter": 1000}
        found = CRF("ml", **given).fit(data).model
        assert found.weights == pytest.approx(other.weights, abs=1e-4)
        assert found.base_weight == pytest.approx(other.base_weight, abs=1e-4)
        assert np.abs(found.weights).max() > 0.02


def test_pieces_and_threads_leave_the_solution_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists(1, base=True)
    whole = CRF("kl", **SET, epochs=1).fit(data)
    monkeypatch.setattr(crf_run, "_PIECE", 3)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(bits(CRF("kl", **SET, epochs=1).fit(data)))
    assert found[0] == found[1] == found[2]
    assert np.frombuffer(found[0]) == pytest.approx(np.frombuffer(bits(whole)), abs=1e-4)


def test_the_prior_holds_back_features_but_not_the_first_round() -> None:
    data = lists(2, base=True)
    strong = CRF("ml", l2=1e6, epochs=1).fit(data).model
    assert strong.weights == pytest.approx(np.zeros(5), abs=1e-5)
    assert strong.base_weight > 0.1
    alone = NBest.from_arrays(np.zeros((data.n_candidates, 1)), data.quality, sizes=data.sizes, base=data.base)
    assert strong.base_weight == pytest.approx(CRF("ml", l2=1e6, epochs=1).fit(alone).model.base_weight, rel=1e-4)


def test_losses_are_measured_by_what_the_worst_choice_costs() -> None:
    data = data_of("dense", 12)
    made = CRF("el", **SET, epochs=1).fit(data).model.made
    worst = [np.ptp(data.quality[rows]) for rows in teaching(data)]
    assert made["loss_unit"] == pytest.approx(np.mean(worst))
    assert losses_of(data).max() == pytest.approx(max(worst) / np.mean(worst))
    # So the unit of the quality is of no importance.
    for factor in (1e-250, 1e-3, 1e4, 1e250):
        moved = data.replace(quality=data.quality * factor)
        for name in ("el", "kl", "la", "ls"):
            first, again = (CRF(name, **SET, epochs=1).fit(each).model for each in (data, moved))
            assert again.weights == pytest.approx(first.weights, abs=1e-3)


# ---------------------------------------------------------------- the same bits

MANY_WAYS = [
    STEPS,
    {**STEPS, "method": "adam", "average": False},
    RANKS,
    {**RANKS, "objective": "ls", "documents": 8, "samples": 20},
    {**RANKS, "objective": "el", "orders": "enumerate", "method": "adam"},
]


@pytest.mark.parametrize("way", MANY_WAYS, ids=str)
def test_the_same_seed_gives_the_same_bits_and_another_others(way: dict[str, Any]) -> None:
    data = lists(3, groups=20, most=12)
    assert bits(CRF(**way).fit(data)) == bits(CRF(**way).fit(data))
    assert bits(CRF(**way, seed=1).fit(data)) != bits(CRF(**way).fit(data))


def test_without_shuffling_only_what_is_drawn_depends_on_the_seed() -> None:
    data = lists(3, groups=20, most=12)
    for way, drawn in ((STEPS, False), ({**RANKS, "documents": 12}, False), (RANKS, True)):
        found = [bits(CRF(**way, shuffle=False, seed=seed).fit(data)) for seed in (0, 1)]
        assert (found[0] != found[1]) == drawn
    assert bits(CRF(**STEPS, shuffle=False).fit(data)) != bits(CRF(**STEPS).fit(data))


def test_the_same_bits_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(4), lists(5)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        learners = [
            CRF("kl").fit(train, dev),
            CRF("la", "permutations", max_epochs=3).fit(train, dev),
            CRF("kl", temperature=1.0, method="adam", max_epochs=3).fit(train),
        ]
        found.append([(bits(each), each.model.made) for each in learners])
    assert found[0] == found[1] == found[2]


def test_exact_and_enumerated_orders_teach_the_same() -> None:
    data = lists(6)
    for objective in ("ml", "la", "el", "kl"):
        for discount in ("log", "letor"):
            given = {**RANKS, "objective": objective, "discount": discount, "gain": "2^r-1"}
            exact, enumerated = (CRF(**given, orders=how).fit(data).model for how in ("exact", "enumerate"))
            assert exact.weights == pytest.approx(enumerated.weights, abs=1e-9)
            assert np.abs(exact.weights).max() > 1e-3


# ---------------------------------------------------------------- choices


def test_the_epoch_that_is_best_on_dev_is_taken() -> None:
    train, dev = lists(7, noise=2.0), lists(8, noise=2.0)
    given = {**RANKS, "max_epochs": 15, "patience": 15, "rate": 0.2}
    learner = CRF(**{**given, "epochs": "auto"}).fit(train, dev)
    scores, made = [entry["dev"] for entry in learner.history], learner.model.made
    assert min(scores) < max(scores)
    assert made["epochs"] == scores.index(max(scores)) + 1
    assert made["dev"]["metric"].startswith("ndcg")  # whole rankings are judged as such
    assert made["dev"]["score"] == pytest.approx(max(scores)) == pytest.approx(learner.score(dev))
    assert bits(CRF(**{**given, "epochs": made["epochs"]}).fit(train)) == bits(learner)


def test_what_is_not_given_is_chosen_on_dev() -> None:
    train, dev = lists(9, noise=2.0), lists(10, noise=2.0)
    learner = CRF("la", "permutations", max_epochs=4, documents=4).fit(train, dev)
    made = learner.model.made
    assert set(made["chosen_on_dev"]) == {
        f"la, loss weight {weight}, rate {rate}, l2 0, 4 documents"
        for weight in ("1", "10")
        for rate in ("0.1", "0.01", "0.001")
    }
    scores = [each["score"] for each in made["chosen_on_dev"].values()]
    assert min(scores) < max(scores) == made["chosen_on_dev"][made["setting"]]["score"] == made["dev"]["score"]
    alone = {"loss_weight": made["loss_weight"], "rate": made["rate"], "l2": made["l2"], "epochs": made["epochs"]}
    assert bits(CRF("la", "permutations", documents=4, **alone).fit(train)) == bits(learner)
    batch = CRF("kl").fit(train, dev).model.made
    assert len(batch["chosen_on_dev"]) == 12
    assert batch["dev"]["metric"].startswith("quality")


def test_without_dev_the_choice_is_by_folds() -> None:
    data = lists(30, groups=25, noise=2.0)
    learner = CRF("ml", scale="none").fit(data)
    made = learner.model.made
    fold_of = np.random.default_rng(0).permutation(25) % 5
    for l2 in (1e-4, 1e-3, 1e-2, 1e-1):
        chosen = []
        for fold in range(5):
            each, held_out = CRF("ml", l2=l2, scale="none", epochs=1).fit(data[fold_of != fold]), data[fold_of == fold]
            chosen += held_out.quality[held_out.offsets[:-1] + each.predict(held_out)].tolist()
        assert made["chosen_by_folds"][f"ml, l2 {l2:g}"]["score"] == pytest.approx(np.mean(chosen))
    scores = {name: each["score"] for name, each in made["chosen_by_folds"].items()}
    assert len(scores) == 4
    assert max(scores.values()) > scores["ml, l2 0.0001"]  # not the first, whichever it is
    assert scores[made["setting"]] == max(scores.values())
    assert bits(CRF("ml", scale="none", l2=made["l2"], epochs=1).fit(data)) == bits(learner)


def test_one_group_is_learned_from_with_stated_defaults() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1], [1, 1]], quality=[1, 0, 0.5], sizes=[3])
    for given in ({}, {"space": "permutations"}, {"method": "adam"}):
        learner = CRF(**given).fit(data)
        assert "too few groups" in learner.model.made["chosen_by_folds"]
        assert learner.predict(data).tolist() == [0]


def test_it_learns_to_rank() -> None:
    train, test = lists(12, groups=150), lists(13, groups=150)
    judge, nothing = get("ndcg"), LinearModel(np.zeros(5), test.features.column_names(), 0.0)
    chance = judge.score(judge.rows(test, nothing.ranking(test)).sum(axis=0))  # the order of the data
    for objective in OBJECTIVES:
        for given in ({**RANKS, "documents": 6}, {**RANKS, "documents": 8, "samples": 50}, {**SET, "epochs": 1}):
            learner = CRF(**{**given, "objective": objective}, metric="ndcg").fit(train)
            assert learner.score(test) > chance + 0.1


# ---------------------------------------------------------------- units, first-round scores, scikit-learn


def test_the_unit_of_a_feature_or_of_the_first_round_does_not_matter() -> None:
    data = lists(14, base=True)
    X = np.asarray(data.features.values).reshape(-1, 5)
    units = np.array([1e-3, 1.0, 32.0, 1e4, 0.5])
    moved = NBest.from_arrays(X * units, data.quality, sizes=data.sizes, base=1e3 * data.base - 7.0)
    for given in (STEPS, RANKS, {**SET, "epochs": 1}):
        first, again = CRF(**given).fit(data).model, CRF(**given).fit(moved).model
        assert again.weights * units == pytest.approx(first.weights, abs=1e-4)
        assert again.base_weight * 1e3 == pytest.approx(first.base_weight, abs=1e-4)
    plain, as_it_is = (CRF(**STEPS, scale="none").fit(each).model for each in (data, moved))
    assert as_it_is.weights * units != pytest.approx(plain.weights, abs=1e-2)


@pytest.mark.parametrize("given", [STEPS, RANKS, {**SET, "epochs": 1}], ids=["sgd", "orders", "lbfgs"])
def test_base_scores_can_be_left_aside(given: dict[str, Any]) -> None:
    data = lists(15, base=True)
    without = CRF(**given, base=False).fit(data)
    assert without.model.base_weight == 0.0
    assert bits(without) == bits(CRF(**given).fit(data.replace(base=None)))
    assert CRF(**given).fit(data).model.base_weight > 0


def test_rare_features_are_left_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[:, 2] = 0
    X[[0, 4, 8], 2] = 1.0  # in three groups of four
    data = NBest.from_arrays(X, rng.normal(size=40) + X[:, 2], sizes=[4] * 10)
    assert CRF(**STEPS, min_groups=3).fit(data).model.weights[2] != 0
    model = CRF(**STEPS, min_groups=4).fit(data).model
    assert model.weights[2] == 0
    fewer = NBest.from_arrays(X[:, :2], data.quality, sizes=[4] * 10)
    assert model.weights[:2] == pytest.approx(CRF(**STEPS).fit(fewer).model.weights, abs=1e-6)


def test_scikit_learn_copies_and_searches_and_files_keep_it(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    learner = CRF("la", "permutations", loss_weight=3.0, documents=5)
    assert clone(learner).get_params() == learner.get_params()
    assert repr(learner) == "CRF(objective='la', space='permutations', loss_weight=3.0, documents=5)"
    data = lists(16)
    search = GridSearchCV(CRF(**RANKS), {"objective": ["ml", "kl"], "rate": [1e-9, 0.1]}, cv=3).fit(data)
    assert search.best_params_["rate"] == 0.1
    model = search.best_estimator_.model
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(data).tobytes() == model.scores(data).tobytes()
    assert again.made == json.loads(json.dumps(model.made))


# ---------------------------------------------------------------- checkpoints


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
        monkeypatch.setattr(running, "_CHUNK_SECONDS", seconds)
        learner = CRF(**{**RANKS, "epochs": 30}).fit(data)
        found.append((bits(learner), learner.history, facts(learner)))
    assert found[0] == found[1]


def test_a_training_that_dies_in_its_folds_goes_on_there(tmp_path: Path) -> None:
    given = {"objective": "ml", "space": "permutations", "documents": 4, "max_epochs": 3}
    whole = CRF(**given).fit(lists(19))
    found = resumed(given, (lists(19),), tmp_path / "kept", 40, 3)
    assert bits(found) == bits(whole)
    assert found.model.made["chosen_by_folds"] == whole.model.made["chosen_by_folds"]


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
import sys
sys.path.insert(0, {tests!r})
import runoff.learners.running as run
run._CHECKPOINT_SECONDS, run._CHUNK_SECONDS = 0.02, 0.01
import importlib.util
spec = importlib.util.spec_from_file_location("here", {here!r})
here = importlib.util.module_from_spec(spec)
spec.loader.exec_module(here)
learner = here.CRF(**{given!r}, checkpoint={file!r}).fit(here.lists(22))
learner.model.save({model!r})
print(learner.model.made["finished"], learner.model.made["epochs"])
"""


def visits_in(file: Path) -> int:
    """Visits that the only run of a checkpoint has made."""
    with zipfile.ZipFile(file) as archive:
        return sum(done for _, done, _ in json.loads(archive.read("checkpoint.json"))["runs"])


def start(tmp_path: Path, given: dict[str, Any]) -> tuple[subprocess.Popen[str], Path, Path]:
    """An endless training in a process of its own, once its checkpoint has a few epochs."""
    file, model = tmp_path / "kept", tmp_path / "m.runoff"
    given = {**given, "epochs": 100_000_000}
    tests = str(Path(__file__).parent)
    code = LONG.format(tests=tests, here=__file__, given=given, file=str(file), model=str(model))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(3000):
        if file.exists() and visits_in(file) > 100:
            return process, file, model
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"{file} was not written")


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


# ---------------------------------------------------------------- mistakes and hard data


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"objective": "svm"}, "objective of CRF must be one of ml, la, ls, el, kl; found 'svm'."),
        ({"space": "trees"}, "space of CRF must be one of candidates, permutations"),
        ({"method": "newton"}, "method of CRF must be one of auto, lbfgs, sgd, adam"),
        ({"temperature": 0}, 'temperature of CRF must be a positive finite number, or "auto"; found 0.'),
        ({"temperature": float("inf")}, "temperature of CRF must be a positive finite number"),
        ({"loss_weight": -1}, "loss_weight of CRF must be a finite number of at least 0"),
        ({"rate": 0.0}, "rate of CRF must be a positive finite number"),
        ({"l2": float("nan")}, "l2 of CRF must be a finite number of at least 0"),
        ({"documents": 1}, "documents of CRF must be a whole number of at least 2"),
        ({"documents": 6.0}, "documents of CRF must be a whole number of at least 2"),
        ({"orders": "some"}, "orders of CRF must be one of exact, enumerate"),
        ({"samples": 0}, "samples of CRF must be a whole number of at least 1"),
        ({"gain": "r^2"}, "gain of CRF must be one of r, 2^r-1"),
        ({"discount": "linear"}, "discount of CRF must be one of log, letor"),
        ({"average": 1}, "average of CRF must be true or false"),
        ({"epochs": 0}, 'epochs of CRF must be a whole number of at least 1, or "auto"'),
        ({"scale": "unit"}, "scale of CRF must be one of auto, spread, none"),
        ({"base": "yes"}, "base of CRF must be true or false"),
        ({"min_groups": 0}, "min_groups of CRF must be a whole number of at least 1"),
        ({"shuffle": None}, "shuffle of CRF must be true or false"),
        ({"max_epochs": 0}, "max_epochs of CRF must be a whole number of at least 1"),
        ({"patience": -1}, "patience of CRF must be a whole number of at least 1"),
        ({"max_iter": 0}, "max_iter of CRF must be a whole number of at least 1"),
        ({"tolerance": -1.0}, "tolerance of CRF must be a finite number of at least 0"),
        ({"checkpoint": 3}, "checkpoint of CRF must be a text"),
        ({"space": "permutations", "documents": 17}, 'orders="exact" can take up to 16 documents; found documents=17.'),
        (
            {"space": "permutations", "orders": "enumerate", "documents": 8},
            'orders="enumerate" can take up to 7 documents; found documents=8.',
        ),
        ({"space": "permutations", "method": "lbfgs"}, 'step by step: use method="sgd" or "adam".'),
    ],
    ids=str,
)
def test_wrong_parameters_are_answered_in_a_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as found:
        CRF(**wrong).fit(lists(0))
    assert words in str(found.value)


def test_limits_on_documents_do_not_concern_candidates() -> None:
    assert np.isfinite(CRF(**STEPS, documents=40, orders="enumerate").fit(lists(0)).model.weights).all()


def test_sixteen_documents_are_not_too_many() -> None:
    data = lists(23, groups=6, most=40)
    assert data.sizes.max() > 16
    model = CRF(**{**RANKS, "documents": 16, "epochs": 1, "average": False}).fit(data).model
    assert np.isfinite(model.weights).all()
    assert np.abs(model.weights).max() > 1e-3


@pytest.mark.parametrize("given", [{**SET, "epochs": 1}, STEPS, RANKS], ids=["lbfgs", "sgd", "orders"])
def test_texts_alone_teach_by_their_place_and_length(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(["word"] * count) for count in rng.integers(1, 9, 120)]
    quality = [9.0 - len(text.split()) for text in texts]
    data = NBest.from_arrays(None, quality, sizes=[6] * 20, texts=texts)
    model = CRF(**given).fit(data[:15]).model
    assert model.preparation == ({"step": "list-features"},)
    held_out = data[15:]
    chosen = held_out.quality[held_out.offsets[:-1] + model.pick(held_out).indices]
    assert chosen.mean() > held_out.quality.mean() + 1


def test_groups_that_teach_nothing_change_nothing() -> None:
    rng = np.random.default_rng(0)
    X, quality = rng.normal(size=(40, 3)), rng.integers(0, 3, 40).astype(float)
    quality[::4], quality[1::4] = 0, 2
    plain = NBest.from_arrays(X, quality, sizes=[4] * 10)
    # Empty ones, single ones and ties, before, between and after.
    more = np.concatenate([rng.normal(size=(1, 3)), X[:20], rng.normal(size=(3, 3)), X[20:]])
    padded = NBest.from_arrays(
        more, [0.5, *quality[:20], 1, 1, 1, *quality[20:]], sizes=[0, 1, *[4] * 5, 0, 3, *[4] * 5, 0]
    )
    for given in ({**SET, "epochs": 1}, STEPS, RANKS, {**RANKS, "documents": 3}):
        found = CRF(**given, scale="none").fit(padded)
        assert bits(found) == bits(CRF(**given, scale="none").fit(plain))
        assert found.model.made["dropped_groups"] == 5


def test_data_that_cannot_teach_is_refused() -> None:
    for tied in (NBest.from_arrays([[1.0], [0.0]], [1, 1], sizes=[2]), NBest.from_arrays([[1.0]], [1], sizes=[1])):
        for space in ("candidates", "permutations"):
            with pytest.raises(DataError, match="better and a worse candidate"):
                CRF(space=space).fit(tied)
    with pytest.raises(DataError, match="no quality"):
        CRF().fit(NBest.from_arrays([[1.0], [0.0]], sizes=[2]))


def test_quality_that_is_too_large_is_refused_in_a_sentence() -> None:
    data = lists(24)
    with pytest.raises(DataError, match="divide the quality by a constant"), np.errstate(over="ignore"):
        CRF(**STEPS).fit(data.replace(quality=np.where(data.quality > 0, 1.7e308, -1.7e308)))
    with pytest.raises(DataError, match=r'the gain 2\^r - 1 is too large for the grade 2000; use gain="r"'):
        CRF(**RANKS, gain="2^r-1").fit(data.replace(quality=data.quality * 1000))
    grades = CRF(**RANKS).fit(data.replace(quality=data.quality * 1000)).model.weights
    assert grades == pytest.approx(CRF(**RANKS).fit(data).model.weights, abs=1e-9)


@pytest.mark.parametrize(
    "factor",
    [
        1e-300,
        1e3,
        1e300,
        8e307,
    ],
)
def test_the_unit_of_the_grades_does_not_matter(factor: float) -> None:
    data = lists(29)
    first, again = (CRF(**RANKS).fit(each).model for each in (data, data.replace(quality=data.quality * factor)))
    assert again.weights == pytest.approx(first.weights, abs=1e-9)


def test_candidates_may_have_negative_quality() -> None:
    data = lists(25)
    for given in (STEPS, {**SET, "epochs": 1}):
        assert bits(CRF(**given).fit(data.replace(quality=data.quality - 8))) == bits(CRF(**given).fit(data))


@pytest.mark.parametrize("gain", ["r", "2^r-1"])
def test_grades_without_any_gain_are_refused(gain: Any) -> None:
    data = lists(25)
    with pytest.raises(DataError):
        CRF(**RANKS, gain=gain).fit(data.replace(quality=data.quality - 8))


def test_groups_without_any_gain_are_counted() -> None:
    data = lists(25)
    below = np.where(data.group_of % 2 == 0, data.quality, data.quality - 8)
    made = CRF(**RANKS).fit(data.replace(quality=below)).model.made
    kept = [rows for rows in teaching(data) if data.group_of[rows[0]] % 2 == 0]
    assert made["dropped_groups"] == len(data) - len(kept)


@pytest.mark.parametrize("objective", ["ml", "kl", "el"])
@pytest.mark.parametrize("space", ["candidates", "permutations"])
def test_steps_that_run_away_are_told_in_a_sentence(objective: Any, space: Any) -> None:
    given = {**STEPS, "rate": 1e3, "l2": 1e3, "epochs": 100, "documents": 4}
    with pytest.raises(DataError, match="ran away to infinity: take a smaller rate"):
        CRF(objective, space, **given).fit(lists(26))


@pytest.mark.parametrize(
    "given", [{"objective": "kl", "temperature": 1e-310}, {"objective": "la", "loss_weight": 1e308}]
)
def test_strengths_beyond_all_numbers_are_no_silent_success(given: dict[str, Any]) -> None:
    try:
        made = CRF(**given, l2=0.1, epochs=1).fit(lists(27)).model.made
    except (DataError, UsageError):
        return
    assert np.isfinite(made["loss"])


def test_one_setting_that_runs_away_does_not_spoil_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crf_problem, "RATES", {"sgd": (1e3, 1e-4), "adam": (0.01,)})
    given = {"method": "sgd", "objective": "ml", "max_epochs": 5, "l2": 1e3}  # each step multiplies by 1e6
    huge = lists(26).replace(base=None)
    for dev in (None, lists(27)):
        made = CRF(**given).fit(huge, dev).model.made
        assert made["rate"] == 1e-4
        assert len(made["chosen_by_folds" if dev is None else "chosen_on_dev"]) == 1
    monkeypatch.setattr(crf_problem, "RATES", {"sgd": (1e3,), "adam": (0.01,)})
    for dev in (None, lists(27)):
        with pytest.raises(DataError, match="ran away to infinity"):
            CRF(**given).fit(huge, dev)
