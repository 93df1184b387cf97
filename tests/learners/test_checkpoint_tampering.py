"""Checkpoints whose arrays were changed: a training refuses them or ends with a model, and never with a traceback."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest

from helpers import crf_data, perceptron_data
from helpers.boosting_data import binary
from helpers.checkpoints import HEADER, arrays_in, entries, rewrite
from runoff import CRF, Boost, Perceptron, RunoffError, UsageError, load
from runoff.learners import boost, epoch_learner
from runoff.learners.listnet import ListNet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAMAGED = re.compile(r"kept is not a checkpoint of Runoff, or it is damaged; give another name, or remove it")
STEPS = {"max_epochs": 3, "tau": 0.7}
FEW = {"max_epochs": 3, "rate": 0.05, "l2": 0.01}


def perceptron(**more: Any) -> tuple[Any, ...]:
    return Perceptron, {**STEPS, **more}, perceptron_data.lists(1, 12), perceptron_data.lists(2, 8)


def crf(kind: Any = CRF, **more: Any) -> tuple[Any, ...]:
    return kind, {**FEW, **more}, crf_data.lists(1, 12, base=True), crf_data.lists(2, 8, base=True)


def boosting(**more: Any) -> tuple[Any, ...]:
    return Boost, {"smoothing": 0.01, "max_rounds": 12, **more}, binary(1), binary(2)


# A learner, its settings, training data, dev data; and the steps after which it dies.
QUICK: dict[str, tuple[tuple[Any, ...], int]] = {
    "boost": (boosting(), 5),
    "perceptron": (perceptron(), 17),
    "voted perceptron": (perceptron(average="voted", update="pair", slack=0.5), 17),
    "crf, adam": (crf(method="adam", objective="ml"), 17),
}
MORE: dict[str, tuple[tuple[Any, ...], int]] = {
    **QUICK,
    "boost, logloss": (boosting(loss="log"), 5),
    "perceptron at the end of an epoch": (perceptron(average=False, epochs=3), 12),
    "perceptron, pairs": (perceptron(update="pair"), 1),
    "voted perceptron, groups": (perceptron(average="voted"), 17),
    "crf, averaged steps": (crf(method="sgd", objective="kl", average=True, temperature=0.5), 17),
    "crf, lbfgs": (crf(method="lbfgs", objective="ml"), 1),
    "crf, sampled orders": (crf(objective="ls", space="permutations", documents=8, samples=20), 17),
    "listnet": (crf(ListNet), 5),
}

SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "shortened": lambda a: a[:-1],
    "lengthened": lambda a: np.concatenate([a, a[-1:] if len(a) else np.zeros((1, *a.shape[1:]), a.dtype)]),
    "empty": lambda a: a[:0],
    "other dtype": lambda a: a.astype(np.complex128),
    "bytes": lambda a: a.astype("S8"),
    "another axis": lambda a: a[None],
}
VALUES: dict[str, float] = {
    "nan": np.nan,
    "infinite": -np.inf,
    "huge": 2.0**62,
    "large": 2.0**30,
    "negative": -(2.0**30),
    "minus one": -1.0,
    "zero": 0.0,
}


def with_value(array: np.ndarray, value: float, *, everywhere: bool) -> np.ndarray:
    """A copy with another value at the end, or everywhere; of the same type where that can hold it."""
    changed = array.astype(np.float64) if array.dtype.kind != "f" and not np.isfinite(value) else array.copy()
    fits = changed.dtype.kind in "fb" or np.iinfo(changed.dtype).min <= value <= np.iinfo(changed.dtype).max
    if not fits:
        changed = changed.astype(np.int64)
    changed.reshape(-1)[slice(None) if everywhere else slice(-1, None)] = value
    return changed


def variants(array: np.ndarray) -> dict[str, np.ndarray]:
    found = {name: change(array) for name, change in SHAPES.items()}
    for name, value in VALUES.items():
        for everywhere in (False, True):
            found[f"{name}{' everywhere' if everywhere else ''}"] = with_value(array, value, everywhere=everywhere)
    return found


def checkpoint_of(case: tuple[Any, ...], steps: int, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a training leaves that dies after so many steps."""
    kind, settings, train, dev = case

    def run_all(runs: list, most: int, *, checkpoint: Any, **_: Any) -> bool:
        for run in runs:
            run.advance(min(steps, run.limit(most)))
        checkpoint.save(runs)
        raise MemoryError

    with monkeypatch.context() as patch:
        for module in (boost, epoch_learner):
            patch.setattr(module, "run_all", run_all)
        with pytest.raises(MemoryError):
            kind(**settings, checkpoint=str(file)).fit(train, dev)


def resume(case: tuple[Any, ...], file: Path) -> str:
    """What came of it: "model", or what was said."""
    kind, settings, train, dev = case
    try:
        learner = kind(**settings, checkpoint=str(file)).fit(train, dev)
    except RunoffError as error:
        return str(error)
    assert np.isfinite(learner.model.weights).all()
    assert learner.predict(dev).shape == (len(dev),)
    learner.model.save(file.with_suffix(".runoff"))
    load(file.with_suffix(".runoff"))
    return "model"


def attack(
    case: tuple[Any, ...], steps: int, folder: Path, monkeypatch: pytest.MonkeyPatch, most: int | None = None
) -> int:
    """Change every array in every way, or in about `most` of them; how often the training refused to continue."""
    whole, file = folder / "whole", folder / "kept"
    checkpoint_of(case, steps, whole, monkeypatch)
    shutil.copy(whole, file)
    assert resume(case, file) == "model"
    changes = [
        (name, change, changed, changed.shape == array.shape and changed.dtype == array.dtype)
        for name, array in arrays_in(whole).items()
        for change, changed in variants(array).items()
        if changed.dtype != array.dtype or not np.array_equal(array, changed)
    ]
    refused = 0
    for name, change, changed, is_alike in changes[:: 1 if most is None else len(changes) // most]:
        shutil.copy(whole, file)
        rewrite(file, **{name: changed})
        said = resume(case, file)
        refused += bool(DAMAGED.search(said))
        can_be = is_alike and not change.startswith(("nan", "infinite"))
        harmless = can_be and (said == "model" or "diverged" in said or "overflowed" in said)
        assert DAMAGED.search(said) or harmless, (name, change, said)
    return refused


@pytest.mark.parametrize("name", QUICK)
def test_changed_arrays_are_refused_or_harmless(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert attack(*QUICK[name], tmp_path, monkeypatch, most=12) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_arrays_changed_in_every_way_are_refused_or_harmless(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert attack(*MORE[name], tmp_path, monkeypatch) > 10


@pytest.mark.parametrize("done", [-1, 4, 18, 2**62, 2**63, 1.5, True, "17", None])
def test_steps_that_do_not_go_with_the_arrays_are_refused(
    done: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case, steps), file = QUICK["voted perceptron"], tmp_path / "kept"
    checkpoint_of(case, steps, file, monkeypatch)
    [[name, _, keys]] = orjson.loads(entries(file)[HEADER])["runs"]
    rewrite(file, {"runs": [[name, done, keys]]})
    assert DAMAGED.search(resume(case, file))


@pytest.mark.parametrize("keys", [["weights"], [], ["state.weights", "state.weights"]])
def test_missing_and_unknown_arrays_are_refused(
    keys: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case, steps), file = QUICK["perceptron"], tmp_path / "kept"
    checkpoint_of(case, steps, file, monkeypatch)
    [[name, done, there]] = orjson.loads(entries(file)[HEADER])["runs"]
    for these in (keys, [*there, "weights"], there[:-1]):
        rewrite(file, {"runs": [[name, done, these]]}, weights=np.zeros(5))
        assert DAMAGED.search(resume(case, file))


@pytest.mark.parametrize(
    ("name", "array", "values"),
    [
        ("perceptron", "state.counters", [16, 1, 1, 0]),  # one visit too few
        ("perceptron", "state.counters", [17, 0, 0, 0]),  # fewer updates than in the history
        ("perceptron", "state.counters", [17, 9, 9, 1]),  # something in the log
        ("perceptron", "history", [[2.5, 3.0]]),
        ("perceptron", "converged", [True]),
        ("voted perceptron", "votes.base", None),  # votes of a first round that the data does not have
        ("crf, adam", "state.random", np.zeros(1, np.uint64)),  # random numbers that are all 0
        ("crf, adam", "state.factor", [0.0, 1.0]),  # by which steps are divided
        ("boost", "delta", [3.0] * 5),  # longer than a smoothing of 0.01 allows
    ],
)
def test_values_that_cannot_go_together_are_refused(
    name: str, array: str, values: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case, steps), file = QUICK[name], tmp_path / "kept"
    if values is None:
        case = (*case[:2], *(perceptron_data.lists(seed, 12, base=False) for seed in (1, 2)))
    checkpoint_of(case, steps, file, monkeypatch)
    before = arrays_in(file)[array]
    changed = np.ones_like(before) if values is None else np.asarray(values, before.dtype)
    rewrite(file, **{array: changed})
    kept = file.read_bytes()
    assert DAMAGED.search(resume(case, file))
    assert file.read_bytes() == kept


def test_a_fold_that_has_ended_is_made_anew_where_more_epochs_are_asked_for(tmp_path: Path) -> None:
    data, file = perceptron_data.lists(3, 30, noise=4.0), str(tmp_path / "kept")
    Perceptron(epochs=2, checkpoint=file).fit(data)
    found, whole = Perceptron(epochs=5, checkpoint=file).fit(data), Perceptron(epochs=5).fit(data)
    assert found.model.provenance["chosen_by_folds"] == whole.model.provenance["chosen_by_folds"]
    assert perceptron_data.bits(found) == perceptron_data.bits(whole)


def test_curves_of_a_fold_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    data, file = perceptron_data.lists(3, 30), tmp_path / "kept"
    Perceptron(max_epochs=2, checkpoint=str(file)).fit(data)
    curve = arrays_in(file)["curve"]
    for wrong in (curve[:-1], curve[:, :0], curve * np.nan, np.repeat(curve, 2, axis=1)):
        rewrite(file, curve=wrong)
        with pytest.raises(UsageError, match="is not a checkpoint of Runoff, or it is damaged"):
            Perceptron(max_epochs=2, checkpoint=str(file)).fit(data)
