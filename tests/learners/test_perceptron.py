"""`Perceptron`: choices on dev and by folds, checkpoints, votes, and what must not change."""

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
from scipy import sparse

from runoff import DataError, ModelError, NBest, Perceptron, UsageError, load
from runoff.learners.perceptron_run import PerceptronRun
from runoff.metrics import get

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from test_perceptron_theorems import dense, groups_of

TRAINING = sys.modules[Perceptron._run.__module__]  # where `run_all` is called
ONE = {"tau": 0.7, "epochs": 6}  # a training in which nothing is chosen


def lists(seed: int, groups: int = 40, *, base: bool = True, noise: float = 1.5) -> NBest:
    """Groups of up to 7 candidates; the features tell the quality, in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, groups)
    X = rng.normal(size=(int(sizes.sum()), 5))
    quality = np.round(X @ np.linspace(1, -1, 5) + noise * rng.normal(size=len(X)), 1)
    scores = quality + 2 * rng.normal(size=len(X)) if base else None
    return NBest.from_arrays(X, quality, sizes=sizes, base=scores)


def spoken(seed: int, groups: int = 40) -> NBest:
    """Lists of texts with references, judged by word error rate, for which lower is better."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, groups)
    edits = rng.integers(0, 6, int(sizes.sum()))
    X = np.column_stack([edits + 2.0 * rng.normal(size=edits.size), rng.normal(size=(edits.size, 4))])
    texts = [" ".join(["x"] * count + ["a"] * (8 - count)) for count in edits]
    return NBest.from_arrays(X, sizes=sizes, texts=texts, references=[["a " * 8]] * groups, metric="wer")


def bits(learner: Perceptron) -> bytes:
    model = learner.model
    votes = b"" if model.votes is None else model.votes.deltas.tobytes() + model.votes.counts.tobytes()
    return model.weights.tobytes() + np.float64(model.base_weight).tobytes() + votes


def facts(learner: Perceptron) -> dict[str, Any]:
    """The record of the model, without the name of the checkpoint."""
    made = learner.model.made
    return {**made, "parameters": {**made["parameters"], "checkpoint": None}}


# ---------------------------------------------------------------- the same bits


def test_the_same_seed_gives_the_same_bits_and_another_another_order() -> None:
    data = lists(0)
    assert bits(Perceptron(**ONE).fit(data)) == bits(Perceptron(**ONE).fit(data))
    assert bits(Perceptron(**ONE, seed=1).fit(data)) != bits(Perceptron(**ONE).fit(data))
    still = [bits(Perceptron(**ONE, shuffle=False, seed=seed).fit(data)) for seed in (0, 1)]
    assert still[0] == still[1]


@pytest.mark.parametrize("average", [True, "voted"])
def test_the_same_bits_whatever_the_threads(average: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(1), lists(2)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        learners = [
            Perceptron(order="auto", max_epochs=8, average=average).fit(train, dev),
            Perceptron(max_epochs=6, average=average).fit(train),
        ]
        found.append([(bits(each), each.model.made) for each in learners])
    assert found[0] == found[1] == found[2]


# ---------------------------------------------------------------- choices


def test_the_epoch_that_is_best_on_dev_is_taken() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    learner = Perceptron(tau=0.5, max_epochs=25, patience=25).fit(train, dev)
    scores = [entry["dev"] for entry in learner.history]
    made = learner.model.made
    assert min(scores) < max(scores)
    assert made["epochs"] == scores.index(max(scores)) + 1
    assert made["dev"]["score"] == pytest.approx(max(scores))
    assert learner.score(dev) == pytest.approx(max(scores))
    again = Perceptron(tau=0.5, epochs=made["epochs"]).fit(train)
    assert bits(again) == bits(learner)


@pytest.mark.parametrize("average", [True, "voted"])
def test_where_lower_is_better_the_lowest_is_taken(average: Any) -> None:
    train, dev = spoken(0), spoken(1)
    learner = Perceptron(order="auto", metric="wer", max_epochs=12, patience=12, average=average).fit(train, dev)
    scores = [entry["dev"] for entry in learner.history]
    made = learner.model.made
    choices = [each["score"] for each in made["chosen_on_dev"].values()]
    assert len(choices) == 16
    assert min(choices) < max(choices)
    assert min(scores) < max(scores)
    assert made["dev"]["score"] == pytest.approx(min(choices))
    assert made["dev"]["score"] == pytest.approx(min(scores))
    assert made["epochs"] == scores.index(min(scores)) + 1
    assert made["chosen_on_dev"][f"{made['order']}, tau {made['tau']:g}"]["score"] == min(choices)
    assert learner.score(dev) == pytest.approx(-min(scores))


def test_patience_ends_the_search() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    learner = Perceptron(tau=0.5, max_epochs=60, patience=4).fit(train, dev)
    made = learner.model.made
    assert made["epochs_tried"] == len(learner.history) == made["epochs"] + 4
    assert not made["converged"]


def test_epochs_that_are_given_are_all_made() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    best = Perceptron(tau=0.5, max_epochs=25, patience=25).fit(train, dev).model.made["epochs"]
    learner = Perceptron(tau=0.5, epochs=best + 3).fit(train, dev)
    assert learner.model.made["epochs"] == len(learner.history) == best + 3
    assert bits(learner) == bits(Perceptron(tau=0.5, epochs=best + 3).fit(train))


def test_every_order_gets_the_same_number_of_epochs() -> None:
    # "splitting" with a top of 4 asks only groups of 5 and more.
    train, dev = lists(5), lists(6)
    learner = Perceptron(order="auto", top=4, tau=1.0, epochs=3).fit(train, dev)
    assert {each["epochs"] for each in learner.model.made["chosen_on_dev"].values()} <= {1, 2, 3}
    for order, top in (("splitting", 4), ("ordinal", None)):
        alone = Perceptron(order, top=top, tau=1.0, epochs=3).fit(train, dev)
        found = learner.model.made["chosen_on_dev"][f"{order}, even, tau 1"]
        assert found["score"] == pytest.approx(alone.model.made["dev"]["score"])


def folds_by_hand(data: NBest, metric: str, taus: dict[str, float], epochs: int) -> dict[str, np.ndarray]:
    """Metric after every epoch, where every fold is chosen by a model of the others."""
    judge = get(metric)
    fold_of = np.random.default_rng(0).permutation(len(data)) % 5
    found = {}
    for name, tau in taus.items():
        sums = np.zeros((epochs, judge.rows(data, Perceptron(**ONE).fit(data).model.ranking(data)).shape[1]))
        for fold in range(5):
            outside = data[fold_of == fold]
            for epoch in range(epochs):
                each = Perceptron(tau=tau, epochs=epoch + 1, scale="none", base=False).fit(data[fold_of != fold])
                sums[epoch] += judge.rows(outside, each.model.ranking(outside)).sum(axis=0)
        found[name] = judge.score(sums)
    return found


@pytest.mark.parametrize("metric", ["quality", "wer"])
def test_without_dev_the_choice_is_by_folds(metric: str) -> None:
    data = lists(7, groups=30) if metric == "quality" else spoken(2, groups=30)
    learner = Perceptron(metric=metric, max_epochs=6, patience=6, scale="none", base=False).fit(data)
    made = learner.model.made
    assert len(made["chosen_by_folds"]) == 4
    if metric == "wer":
        data = data.replace(quality=-np.array([text.split().count("x") for text in data.texts.to_pylist()], float))
    taus = {name: float(name.split()[-1]) for name in made["chosen_by_folds"]}
    curves = folds_by_hand(data, metric, taus, 6)
    sign = -1 if metric == "wer" else 1
    for name, curve in curves.items():
        rounded = np.round(sign * curve, 9)
        assert made["chosen_by_folds"][name]["epochs"] == int(np.argmax(rounded)) + 1
        assert made["chosen_by_folds"][name]["score"] == pytest.approx(sign * rounded.max())
    best = max(curves, key=lambda name: np.round(sign * curves[name], 9).max())
    assert made["tau"] == taus[best]
    assert made["epochs"] == made["chosen_by_folds"][best]["epochs"]
    assert len({each["score"] for each in made["chosen_by_folds"].values()}) > 1


def test_it_stops_by_itself_when_nothing_is_violated() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    data = NBest.from_arrays(X, X[:, 0], sizes=[4] * 15)
    learner = Perceptron(tau=0.01, epochs=10_000, update="pair").fit(data)
    made = learner.model.made
    assert made["converged"]
    assert made["mistakes"] == learner.history[-1]["updates"] == 0
    assert made["epochs"] == made["epochs_tried"] == len(learner.history) < 10_000
    assert learner.history[-2]["updates"] > 0


# ---------------------------------------------------------------- averages and votes


def test_votes_are_those_of_every_vector_there_was() -> None:
    # Whole numbers, so that ties are those of exact arithmetic.
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (60, 3)).astype(float)
    data = NBest.from_arrays(X, rng.integers(0, 4, 60).astype(float), sizes=[4] * 15)
    learner = Perceptron(
        "ordinal", "even", 2.0, average="voted", epochs=3, scale="none", base=False, shuffle=False
    ).fit(data)
    votes, weights, vectors = np.zeros(60), np.zeros(3), []
    for _ in range(3):
        for rows, ranks in groups_of(data):
            if len(set(ranks)) == 1:
                continue
            scores, u = X[rows] @ weights, np.zeros(rows.size)
            for j, p in enumerate(ranks):
                for l, q in enumerate(ranks):  # noqa: E741 - as in the paper
                    if p < q and not scores[j] - scores[l] > 2.0:
                        u[j] += 1
                        u[l] -= 1
            weights = weights + u @ X[rows]
            vectors.append(weights)
            for start in range(0, 60, 4):
                votes[start + int(np.argmax(X[start : start + 4] @ weights))] += 1
    model = learner.model
    assert model.votes.total == len(vectors)
    assert model.scores(data) == pytest.approx(votes / len(vectors), abs=1e-12)
    assert model.weights == pytest.approx(np.mean(vectors, axis=0), abs=1e-9)
    assert model.pick(data).indices.tolist() == votes.reshape(15, 4).argmax(axis=1).tolist()


@pytest.mark.parametrize("update", ["group", "pair"])
def test_the_mean_of_the_voters_is_the_averaged_perceptron(update: str) -> None:
    train, dev = lists(8), lists(9)
    for given in ((train,), (train, dev)):
        voted, averaged, last = (
            Perceptron(tau=0.7, epochs=5, update=update, average=average).fit(*given).model
            for average in ("voted", True, False)
        )
        weights, base = voted.votes.mean(5)
        assert weights == pytest.approx(averaged.weights, abs=1e-9)
        assert base == pytest.approx(averaged.base_weight, abs=1e-9)
        assert voted.weights.tobytes() == averaged.weights.tobytes()
        assert averaged.votes is None
        final = np.zeros(5)
        np.add.at(final, voted.votes.columns, voted.votes.deltas)
        assert last.weights == pytest.approx(final, abs=1e-9)
        assert last.weights != pytest.approx(averaged.weights, abs=1e-3)


def test_votes_end_with_the_epoch_that_was_best_on_dev() -> None:
    train, dev = lists(3, noise=3.0), lists(4, noise=3.0)
    chosen = Perceptron(tau=0.5, average="voted", max_epochs=20, patience=20).fit(train, dev)
    scores = [entry["dev"] for entry in chosen.history]
    best = scores.index(max(scores)) + 1
    assert chosen.model.made["epochs"] == best < len(scores)
    assert bits(chosen) == bits(Perceptron(tau=0.5, average="voted", epochs=best).fit(train))
    assert chosen.score(dev) == pytest.approx(max(scores))


def test_truth_values_of_numpy_are_truth_values() -> None:
    data = lists(0)
    for flag in (True, False):
        expected = bits(Perceptron(**ONE, average=flag, base=flag, shuffle=flag).fit(data))
        assert (
            bits(Perceptron(**ONE, average=np.bool_(flag), base=np.bool_(flag), shuffle=np.bool_(flag)).fit(data))
            == expected
        )


@pytest.mark.parametrize("average", [True, False, "voted"])
def test_models_are_kept_in_files(average: Any, tmp_path: Path) -> None:
    train, test = lists(10), lists(11)
    model = Perceptron(**ONE, average=average).fit(train).model
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(test).tobytes() == model.scores(test).tobytes()
    assert again.made == json.loads(json.dumps(model.made))
    assert (again.votes is not None) == (average == "voted")


# ---------------------------------------------------------------- scikit-learn


def test_scikit_learn_copies_and_searches() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    learner = Perceptron("gap", top=3, bottom=0.5, tau=2.0, average="voted")
    assert clone(learner).get_params() == learner.get_params()
    assert repr(learner) == "Perceptron(order='gap', tau=2.0, average='voted', top=3, bottom=0.5)"
    data = lists(12, noise=0.1)
    # Margins that no weights of a few visits can reach make it a sum over all pairs; none at all is a plain perceptron.
    search = GridSearchCV(Perceptron(epochs=5), {"tau": [0.0, 1.0], "order": ["ordinal", "orum"]}, cv=3).fit(data)
    assert search.best_estimator_.model.made["tau"] == search.best_params_["tau"]
    assert search.best_score_ > data.quality.mean() + 0.5
    assert search.predict(data).tolist() == search.best_estimator_.model.pick(data).indices.tolist()


# ---------------------------------------------------------------- checkpoints

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
    assert visits_in(Path(file)) == 8 * (len(data) - found.model.made["dropped_groups"])


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
import sys
sys.path.insert(0, {tests!r})
import runoff.learners.running as run
run._CHECKPOINT_SECONDS, run._CHUNK_SECONDS = 0.02, 0.01
from test_perceptron import lists
from runoff import Perceptron
learner = Perceptron(**{given!r}, checkpoint={file!r}).fit(lists(18, noise=4.0))
learner.model.save({model!r})
print(learner.model.made["finished"], learner.model.made["epochs"])
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
    code = LONG.format(tests=str(Path(__file__).parent), given=given, file=str(file), model=str(model))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(2000):
        if file.exists() and visits_in(file) > 100:
            return process, file, model
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"{file} was not written")


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
    made = learner.model.made
    assert made["finished"] is False
    assert made["epochs"] == (1 if visits == 60 else 0)
    assert learner.model.weights.any()
    assert learner.predict(dev).shape == (40,)


def test_ctrl_c_in_the_folds_chooses_by_what_there_is_or_says_that_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = lists(19)
    monkeypatch.setattr(TRAINING, "run_all", interrupted(60))
    made = Perceptron().fit(data).model.made
    assert made["finished"] is False
    assert len(made["chosen_by_folds"]) == 4
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
    made = Perceptron().fit(lists(19)).model.made
    assert len(made["chosen_by_folds"]) == 2
    assert made["interrupted_in"] == ["folds"]
    assert made["epochs_tried"] == 1


def test_a_fold_that_has_ended_keeps_nothing_but_its_curve(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    Perceptron(average="voted", max_epochs=3, checkpoint=str(file)).fit(lists(19))
    with zipfile.ZipFile(file) as archive:
        runs = json.loads(archive.read("checkpoint.json"))["runs"]
    kept = {name.split(",")[0]: set(keys) for name, _, keys in runs}
    assert kept["fold 1 of 5"] == {"done", "history", "curve"}
    assert {"state.weights", "votes.deltas"} <= kept["all groups"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"order": "ordinal", "top": 3}, "top says nothing to ordinal; it belongs to splitting and gap"),
        ({"order": "splitting", "epsilon": 2.0}, "epsilon says nothing to splitting"),
        ({"order": "gap", "top": 8, "bottom": 3}, "bottom must lie below top; found top=8 and bottom=3"),
        (
            {"order": "ordinal", "margin": lambda p, q: 10.0 ** (-3 * p * q)},
            "the smallest margin, .* is too small beside",
        ),
    ],
    ids=["top", "epsilon", "bottom", "margin"],
)
def test_what_would_be_ignored_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Perceptron(**given).fit(lists(19))


def test_votes_over_whole_rankings_are_warned_of() -> None:
    learner = Perceptron(average="voted", metric="ndcg", tau=1.0, epochs=1).fit(lists(19))
    assert "whole rankings are better served by average=true" in learner.model.made["notes"][0]
    assert Perceptron(average="voted", tau=1.0, epochs=1).fit(lists(19)).model.made["notes"] == []


# ---------------------------------------------------------------- first-round scores and hard data


def test_the_first_rounds_score_is_a_feature_with_a_unit_of_its_own() -> None:
    # Two candidates, one point apart from their mean: the spread is 1, and so the scores are a column of themselves.
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (40, 3)).astype(float)
    sign = np.tile([1.0, -1.0], 20) * np.repeat(rng.choice([1.0, -1.0], 20), 2)
    quality = X[:, 0] + sign + rng.normal(size=40)
    given = {"order": "ordinal", "tau": 1.5, "epochs": 5, "scale": "none"}
    for size in (1.0, 4.0):
        column = NBest.from_arrays(np.column_stack([X, size * sign]), quality, sizes=[2] * 20)
        scores = NBest.from_arrays(X, quality, sizes=[2] * 20, base=7.0 + 50.0 * sign)
        expected = Perceptron(**given).fit(column).model.weights
        found = Perceptron(**given, base_scale=size).fit(scores).model
        assert found.weights == pytest.approx(expected[:3], abs=1e-9)
        assert 50.0 * found.base_weight == pytest.approx(size * expected[3], abs=1e-9)
        assert found.base_weight > 0


@pytest.mark.parametrize("factor", [1e-200, 1e-3, 1e3, 1e200])
def test_the_unit_of_the_first_rounds_scores_does_not_matter(factor: float) -> None:
    data = lists(21)
    model = Perceptron(**ONE).fit(data).model
    moved = data.replace(base=data.base * factor)
    again = Perceptron(**ONE).fit(moved).model
    assert again.base_weight * factor == pytest.approx(model.base_weight, rel=1e-6)
    assert again.pick(moved).indices.tolist() == model.pick(data).indices.tolist()


def test_base_scores_can_be_left_aside() -> None:
    data = lists(21)
    without = Perceptron("ordinal", **ONE, base=False).fit(data).model
    assert without.base_weight == 0.0
    assert (
        without.weights.tobytes() == Perceptron("ordinal", **ONE).fit(data.replace(base=None)).model.weights.tobytes()
    )
    assert Perceptron("ordinal", **ONE).fit(data).model.base_weight > 0
    with pytest.raises(ModelError, match="has none"):
        Perceptron(**ONE).fit(data, lists(22, base=False))


def test_rare_features_are_left_out() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((60, 6)) < 0.4).astype(float)
    X[:, 5] = 0
    X[[0, 4, 8], 5] = 1  # in three groups of four
    data = NBest.from_arrays(sparse.csr_array(X), rng.normal(size=60) + X[:, 5], sizes=[4] * 15)
    assert Perceptron(**ONE, min_groups=3).fit(data).model.weights[5] != 0
    model = Perceptron(**ONE, min_groups=4).fit(data).model
    assert model.weights[5] == 0
    fewer = NBest.from_arrays(sparse.csr_array(X[:, :5]), data.quality, sizes=[4] * 15)
    assert model.weights[:5].tobytes() == Perceptron(**ONE).fit(fewer).model.weights.tobytes()


def test_texts_alone_teach_by_their_place_and_length() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(["word"] * count) for count in rng.integers(1, 9, 120)]
    quality = [-abs(len(text.split()) - 1.0) for text in texts]
    data = NBest.from_arrays(None, quality, sizes=[6] * 20, texts=texts)
    model = Perceptron(**ONE).fit(data[:15]).model
    assert model.preparation == ({"step": "list-features"},)
    held_out = data[15:]
    chosen = held_out.quality[held_out.offsets[:-1] + model.pick(held_out).indices]
    assert chosen.mean() > held_out.quality.mean() + 1


def test_groups_that_teach_nothing_change_nothing() -> None:
    rng = np.random.default_rng(0)
    X, quality = rng.normal(size=(40, 3)), rng.normal(size=40)
    plain = NBest.from_arrays(X, quality, sizes=[4] * 10)
    # Empty ones, single ones and ties, before, between and after.
    more = np.concatenate([rng.normal(size=(1, 3)), X[:20], rng.normal(size=(3, 3)), X[20:]])
    padded = NBest.from_arrays(
        more, [0.5, *quality[:20], 1, 1, 1, *quality[20:]], sizes=[0, 1, *[4] * 5, 0, 3, *[4] * 5, 0]
    )
    given = {**ONE, "scale": "none"}
    found = Perceptron(**given).fit(padded).model
    assert found.weights.tobytes() == Perceptron(**given).fit(plain).model.weights.tobytes()
    assert found.made["dropped_groups"] == 5
    assert found.pick(padded).indices[[0, 1, 7]].tolist() == [-1, 0, -1]


def test_one_group_is_learned_from_with_stated_defaults() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1], [1, 1]], quality=[1, 0, 0.5], sizes=[3])
    learner = Perceptron().fit(data)
    assert "too few groups" in learner.model.made["chosen_by_folds"]
    assert learner.predict(data).tolist() == [0]
    assert Perceptron(tau=10.0, epochs=25).fit(data).model.made["epochs"] <= 25


def test_data_that_cannot_teach_is_refused() -> None:
    for tied in (NBest.from_arrays([[1.0], [0.0]], [1, 1], sizes=[2]), NBest.from_arrays([[1.0]], [1], sizes=[1])):
        with pytest.raises(DataError, match="better and a worse candidate"):
            Perceptron().fit(tied)
    with pytest.raises(DataError, match="no quality"):
        Perceptron().fit(NBest.from_arrays([[1.0], [0.0]], sizes=[2]))


def test_numbers_that_overflow_are_refused_and_large_ones_are_not() -> None:
    data = lists(23)
    for update in ("group", "pair"):
        with pytest.raises(DataError, match="scores grew beyond all numbers"):
            Perceptron(**ONE, slack=1e200, update=update).fit(data)
    # Single precision ends at 3e38, and scores of a few thousand updates by such features do not leave the doubles.
    large = data.replace(features=NBest.from_arrays(dense(data) * 1e37, data.quality, sizes=data.sizes).features)
    chosen = Perceptron(**ONE, scale="none", base=False).fit(large).predict(large)
    assert (
        chosen.tolist()
        == Perceptron(**{**ONE, "tau": 0.7e-74}, scale="none", base=False).fit(data).predict(data).tolist()
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": "best"},
        {"order": 3},
        {"margin": "wide"},
        {"margin": None},
        {"tau": -1},
        {"tau": float("nan")},
        {"tau": "large"},
        {"tau": True},
        {"update": "all"},
        {"average": "mean"},
        {"average": 1},
        {"epochs": 0},
        {"epochs": 2.5},
        {"epochs": "many"},
        {"top": 0},
        {"top": 1.5},
        {"top": "best"},
        {"top": True},
        {"bottom": "tied"},
        {"bottom": 0.0},
        {"epsilon": -0.1},
        {"epsilon": float("inf")},
        {"scale": "unit"},
        {"scale": None},
        {"base": "yes"},
        {"base_scale": 0},
        {"slack": -1},
        {"slack": "some"},
        {"min_groups": 0},
        {"shuffle": 1},
        {"max_epochs": 0},
        {"patience": 0},
        {"checkpoint": 3},
        {"metric": 3},
        {"seed": -1},
        {"seed": 1.5},
        {"verbose": "no"},
    ],
    ids=str,
)
def test_parameters_that_do_not_exist_are_refused_with_a_sentence(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(UsageError) as error:
        Perceptron(**wrong).fit(lists(0))
    words = str(error.value)
    assert words.startswith(f"{name} of Perceptron must be ")
    assert words.endswith(f"; found {value!r}.")


def test_every_parameter_is_checked() -> None:
    from runoff.learners.base import _COMMON

    assert set(Perceptron.parameters()) == set(Perceptron.checks) | set(_COMMON)
