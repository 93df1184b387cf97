"""Minimum error rate training: never worse than its start, the same for a seed, and what it refuses."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import runoff
from runoff import DataError, LogLinear, NBest, UsageError
from runoff.learners import Mert, learner, mert_run
from runoff.learners.mert_run import MertProblem, MertRun
from runoff.metrics import get

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"restarts": 2, "directions": 2, "calibration": "none"}
WORDS = np.array(["the", "a", "cat", "dog", "sat", "ran", "here", "there", "now"])


def texts(seed: int, lists: int = 30) -> NBest:
    """Texts whose features say, with noise, how like the reference they are."""
    rng = np.random.default_rng(seed)
    references = [" ".join(rng.choice(WORDS, rng.integers(4, 10))) for _ in range(lists)]
    texts, X = [], []
    for reference in references:
        for _ in range(8):
            words = np.array(reference.split())
            changed = rng.random(words.size) < rng.random()
            words[changed] = rng.choice(WORDS, changed.sum())
            words = words[rng.random(words.size) > 0.1 * rng.random()]
            texts.append(" ".join(words))
            like = np.mean([word in reference.split() for word in words]) if words.size else 0.0
            X.append([like + 0.3 * rng.normal(), words.size, 1000 * rng.normal(), 7.0])
    base = rng.normal(size=len(texts))
    names = ["like", "words", "noise", "constant"]
    data = NBest.from_arrays(X, base=base, sizes=[8] * lists, texts=texts, references=references, feature_names=names)
    return data.replace(metric="bleu[tokenize=none]")


def score(model: Any, data: NBest, metric: str = "bleu[tokenize=none,ties=expected]") -> float:
    return float(runoff.evaluate(model, data, metric).results[0].chosen.score)


@pytest.mark.parametrize("metric", ["bleu[tokenize=none]", "wer", "quality"])
def test_the_metric_is_that_of_evaluate_and_better_than_the_start_and_a_likelihood(metric: str) -> None:
    train = runoff.grade(texts(0))
    model = Mert(metric=metric, **QUICK).fit(train).model
    told = model.provenance["reached"]
    evaluation = runoff.evaluate(model, train, metric).results[0]
    assert told["score"] == pytest.approx(evaluation.chosen.score, abs=1e-9)
    assert told["start"] == pytest.approx(evaluation.first.score, abs=1e-9)  # it starts at the first round
    assert told["first_round"] == told["start"]
    sign = get(metric).higher_is_better * 2 - 1
    assert sign * told["score"] > sign * told["start"]
    # Trained under the metric itself, it is no worse on its own lists than what maximises a likelihood.
    likely = LogLinear(sigma=1.0, calibration="none", metric=metric).fit(train).model
    assert sign * told["score"] >= sign * runoff.evaluate(likely, train, metric).results[0].chosen.score
    assert sign * max(sign * each for each in told["searches"]) == pytest.approx(told["score"])
    assert dict(zip(model.names.to_pylist(), model.weights, strict=True))["constant"] == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_never_worse_than_the_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    train, dev = texts(seed, 12), texts(seed + 100, 12)
    start = {"like": float(rng.normal()), "words": float(rng.normal()), "constant": 3.0}
    first = runoff.LinearModel.of(start, float(rng.normal()))
    settings = {"start": start, "start_base": first.base_weight, "seed": seed, **QUICK}
    for given in (None, dev):
        model = Mert(**settings).fit(train, given).model
        assert model.provenance["reached"]["start"] == pytest.approx(score(first, train), abs=1e-9)
        assert score(model, train) >= score(first, train) - 1e-9
        # What differs in no list keeps its weight, and so does the length of the others, in units of their spread.
        weights = dict(zip(model.names.to_pylist(), model.weights, strict=True))
        assert weights["constant"] == 3.0
        problem = MertProblem.of(train, get("bleu[tokenize=none]"), base=True, min_groups=1, smooth=0)
        before = problem.point_of(np.array([start["like"], start["words"], 0.0, 0.0]), first.base_weight)
        after = problem.point_of(model.weights, model.base_weight)
        assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before))


def test_where_it_is_best_already_the_start_stays() -> None:
    data = NBest.from_arrays([[1.0], [0.0]] * 3, quality=[1, 0] * 3, sizes=[2] * 3, feature_names=["x"])
    model = Mert(start={"x": 0.25}, **QUICK).fit(data).model
    assert model.weights.tolist() == [0.25]
    assert model.provenance["rounds"] == 1  # it looked once
    assert Mert(start={"x": -0.25}, **QUICK).fit(data).predict(data).tolist() == [0, 0, 0]


def test_the_same_seed_gives_the_same_bits_for_any_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    data, found = texts(1), []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        model = Mert(restarts=4, directions=3, seed=3, calibration="none").fit(data).model
        found.append((model.weights.tobytes(), model.base_weight, model.provenance["reached"]))
    assert found[0] == found[1] == found[2]
    other = Mert(restarts=4, directions=3, seed=4, calibration="none").fit(data).model
    assert other.weights.tobytes() != found[0][0]


def test_dev_data_chooses_among_the_searches() -> None:
    train, dev = texts(2, 10), texts(3, 200)
    model = Mert(restarts=8, directions=0).fit(train, dev).model
    told = model.provenance
    assert told["chosen_on"] == "200 lists of dev data"
    assert told["dev"]["score"] == pytest.approx(score(model, dev), abs=1e-9)
    best = Mert(restarts=8, directions=0, calibration="none").fit(train).model
    assert best.provenance["chosen_on"] == "10 training lists"
    assert told["dev"]["score"] >= score(best, dev) - 1e-9
    assert told["reached"]["score"] == told["reached"]["searches"][told["search"]]
    assert model.calibration is not None


@pytest.mark.parametrize("metric", ["ndcg", "map", "ndcg-letor@3"])
def test_metrics_of_whole_rankings(metric: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20 * 9, 3))
    quality = np.digitize(X[:, 0] - X[:, 1] + rng.normal(size=180), [0.5, 2.0]).astype(float)
    data = NBest.from_arrays(X, quality=quality, sizes=[9] * 20)
    model = Mert(metric=metric, **QUICK).fit(data).model
    told = model.provenance["reached"]
    assert told["score"] == pytest.approx(score(model, data, metric), abs=1e-9)
    assert told["score"] > told["start"] + 0.05
    assert told["score"] > score(LogLinear(sigma=1.0, metric=metric).fit(data).model, data, metric) - 1e-9


def test_smoothing_and_single_searches_end_no_worse_than_they_started() -> None:
    data = texts(6)
    for more in ({"smooth": 3}, {"restarts": 0}, {"directions": 0}, {"base": False}, {"max_rounds": 1}):
        told = Mert(**{**QUICK, **more}).fit(data).model.provenance
        assert told["reached"]["score"] > told["reached"]["start"]
        assert told["finished"]


def test_lists_of_one_empty_lists_copies_and_missing_values() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 2))
    X[:, 0] += np.tile([1.0, 0, 0, 0], 10)
    X[3, 0] = np.nan
    X[5] = X[6]
    sizes = [4, 0, 1, 3, 0, *([4] * 8)]
    quality = np.tile([1.0, 0, 0, 0], 10)
    data = NBest.from_arrays(X, quality=quality, sizes=sizes, feature_names=["x", "y"])
    model = Mert(**QUICK).fit(data).model
    assert np.isfinite(model.weights).all()
    assert model.provenance["reached"]["score"] == pytest.approx(score(model, data, "quality[ties=expected]"))


def test_rounds_over_accumulated_lists_go_on_from_where_they_ended() -> None:
    rounds = [texts(8), texts(8).replace(base=-np.asarray(texts(8).base))]
    first = Mert(base=False, **QUICK).fit(rounds[0]).model
    order = np.argsort(np.concatenate([each.group_of for each in rounds]), kind="stable")
    tables = np.concatenate([each.features.to_scipy().toarray() for each in rounds])[order]
    together = np.concatenate([np.array(each.texts.to_pylist(), object) for each in rounds])[order].tolist()
    both = NBest.from_arrays(
        tables,
        sizes=[16] * 30,
        texts=together,
        references=rounds[0].references,
        feature_names=rounds[0].features.column_names(),
    ).replace(metric=rounds[0].metric)
    start = dict(zip(first.names.to_pylist(), first.weights.tolist(), strict=True))
    second = Mert(base=False, start=start, **QUICK).fit(both).model
    assert score(second, both) >= score(first, both) - 1e-9


def test_what_cannot_be_learned_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = texts(9, 4)
    with pytest.raises(UsageError, match="start names the feature 'lm', which the training data does not have"):
        Mert(start={"like": 1.0, "lm": 1.0}).fit(data)
    for wrong in ({"like": np.nan}, {"like": np.inf}, {"like": "1"}, [1.0], {3: 1.0}):
        with pytest.raises(UsageError, match="start of Mert must be finite weights by the names of features, or none"):
            Mert(start=wrong).fit(data)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="start_base of Mert must be a finite number; found inf"):
        Mert(start={}, start_base=np.inf).fit(data)
    with pytest.raises(UsageError, match="start_base has no effect with no start"):
        Mert(start_base=1.0).fit(data)
    with pytest.raises(UsageError, match="start_base has no effect with base=False"):
        Mert(start={}, base=False, start_base=1.0).fit(data)
    with pytest.raises(UsageError, match="restarts of Mert must be a whole number of at least 0"):
        Mert(restarts=-1).fit(data)
    with pytest.raises(DataError, match="nothing to learn"):
        Mert().fit(NBest.from_arrays([[1.0], [2.0]], quality=[1, 1], sizes=[2]))
    with pytest.raises(DataError, match="a weight to start from is too large"):
        Mert(start={"x": 1e308}).fit(NBest.from_arrays([[1e30], [2.0]], quality=[0, 1], sizes=[2], feature_names=["x"]))
    with pytest.raises(DataError, match="feature values must be finite"):
        Mert().fit(NBest.from_arrays([[np.inf], [2.0]], quality=[0, 1], sizes=[2]))
    many = np.random.default_rng(0).normal(size=(4, mert_run.MOST_COLUMNS + 1))
    with pytest.raises(UsageError, match=r"201 features that differ within lists are too many for it \(at most 200\)"):
        Mert().fit(NBest.from_arrays(many, quality=[0, 1, 0, 1], sizes=[2, 2]))
    monkeypatch.setattr(mert_run, "_MOST_CELLS", 10)
    with pytest.raises(UsageError, match="as a table, which is too large; train on fewer lists"):
        Mert().fit(data)


def test_features_that_differ_nowhere_teach_nothing() -> None:
    data = NBest.from_arrays([[1.0], [1.0]], quality=[0, 1], sizes=[2])
    model = Mert(**QUICK).fit(data).model
    assert model.weights.tolist() == [0.0]
    assert "the only feature differs in no group" in model.provenance["warnings"][0]


def test_orders_that_are_not_kept_are_sorted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    data = texts(10)
    kept = Mert(**QUICK).fit(data).model
    monkeypatch.setattr(mert_run, "_MOST_SORTED", 0)
    anew = Mert(**QUICK).fit(data).model
    assert kept.weights.tobytes() == anew.weights.tobytes()


def test_a_search_goes_on_from_what_was_kept() -> None:
    data = runoff.grade(texts(11))
    problem = MertProblem.of(data, get("bleu[tokenize=none]"), base=True, min_groups=1, smooth=0)

    def run() -> MertRun:
        return MertRun(problem, np.array([1.0, 0.0, 1.0, 0.0]), 5, 1, 3, threading.Event())

    whole, first, second = run(), run(), run()
    while whole.advance(1):
        pass
    first.advance(1)
    done, kept = first.kept()
    second.restore(done, {name: array.copy() for name, array in kept.items()}, 100)
    second.advance(100)
    assert second.point.tobytes() == whole.point.tobytes()
    assert second.history == whole.history
    with pytest.raises(ValueError, match="point is not as expected"):
        run().restore(done, {**kept, "point": np.zeros(7)}, 100)


def test_ctrl_c_keeps_the_rounds_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, real = [], MertRun._round

    def slow(self: MertRun) -> bool:
        rounds.append(1)
        if len(rounds) == 3:
            threading.Timer(0.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        if len(rounds) >= 3:
            time.sleep(0.3)
        return real(self)

    monkeypatch.setattr(MertRun, "_round", slow)
    model = Mert(restarts=30, directions=1).fit(texts(12)).model
    assert model.provenance["finished"] is False
    assert model.provenance["interrupted_in"] == ["rounds"]
    assert model.provenance["reached"]["score"] >= model.provenance["reached"]["start"]


def test_the_shell_takes_a_start(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from runoff.cli import main

    runoff.write(texts(13), tmp_path / "lists.jsonl")
    command = ["train", str(tmp_path / "lists.jsonl"), "-o", str(tmp_path / "m"), "--learner", "mert"]
    settings = ["restarts=1", "directions=0", 'start={"like": 1.0}', "calibration=none"]
    more = [part for each in settings for part in ("--set", each)]
    done = CliRunner().invoke(main, [*command, *more, "--picture", str(tmp_path / "m.png")])
    assert done.exit_code == 0, done.output
    assert "chosen by: bleu[tokenize=none] on 30 training lists" in done.output
    by_python = learner("mert")(start={"like": 1.0}, restarts=1, directions=0, calibration="none").fit(texts(13)).model
    np.testing.assert_array_equal(runoff.load(tmp_path / "m").weights, by_python.weights)
