"""Means over bootstrap samples, against samples and means that are written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from runoff import NBest, UsageError, load
from runoff.cli import main
from runoff.learners import (
    CRF,
    LEARNERS,
    SVM,
    Blend,
    Boost,
    FeaturizedLearner,
    Learner,
    LogLinear,
    Perceptron,
    TreeBoost,
)
from runoff.learners.bagging import samples
from runoff.learners.feature_scaling import spread_within
from runoff.model import TreeModel

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 5
QUICK: dict[str, dict[str, Any]] = {
    "trees": {"rounds": 5},
    "boost": {"rounds": 5, "smoothing": 0.01},
    "crf": {"l2": 0.1, "temperature": 1.0},
    "listnet": {"epochs": 2, "rate": 0.1},
    "loglinear": {"sigma": 1.0},
    "perceptron": {"epochs": 2, "tau": 1.0},
    "svm": {"C": 0.01},
    "mert": {"restarts": 0, "directions": 0, "max_rounds": 1},
    "pro": {"sigma": 1.0},
}


def lists(seed: int, n: int = 30, inputs: list[str] | None = None) -> NBest:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * SIZE, 3))
    quality = np.digitize(X @ [1.0, 0.5, 0.0] + rng.normal(size=len(X)), [0.0, 1.5]).astype(float)
    return NBest.from_arrays(
        X, quality=quality, sizes=[SIZE] * n, base=X[:, 2], feature_names=["lm", "bm25", "age"], inputs=inputs
    )


def test_the_model_is_the_mean_of_those_of_samples_written_out() -> None:
    inputs = [f"input {at // 2}" for at in range(30)]  # two lists of each
    train, settings = lists(0, inputs=inputs), {"sigma": 0.7, "calibration": "none"}
    model = LogLinear(bags=4, seed=3, **settings).fit(train).model
    X, starts = train.features.to_scipy().toarray(), train.offsets[:-1]
    total, unit = np.zeros(train.n_candidates), 0.0
    for bag in range(4):
        drawn = np.random.default_rng([3, bag]).choice(np.arange(15), 15)
        rows = [
            row
            for block in sorted(drawn)
            for start in (starts[2 * block], starts[2 * block + 1])
            for row in range(start, start + SIZE)
        ]
        sample = NBest.from_arrays(
            X[rows],
            quality=train.quality[rows],
            base=train.base[rows],
            sizes=[SIZE] * 30,
            feature_names=["lm", "bm25", "age"],
        )
        scores = LogLinear(**settings).fit(sample).model.scores(train)
        unit = unit or spread_within(train, scores)
        total += unit * scores / spread_within(train, scores) / 4
    np.testing.assert_allclose(model.scores(train), total, rtol=1e-6, atol=1e-8)


def test_lists_that_belong_together_are_drawn_together_and_each_about_once() -> None:
    data = lists(0, 200, [f"input {at % 50}" for at in range(200)])
    drawn = [np.bincount(each, minlength=200) for each in samples(data, 60, 0)]
    for times in drawn:
        np.testing.assert_array_equal(times.reshape(4, 50), np.tile(times[:50], (4, 1)))
        assert times.sum() == 200
    left_out = np.mean([times == 0 for times in drawn])
    assert left_out == pytest.approx((1 - 1 / 50) ** 50, abs=0.02)  # of a bootstrap sample of 50 blocks
    assert any(np.ptp(each.reshape(4, 50), axis=0).any() for each in map(np.bincount, samples(data, 3, 0, "none")))


def test_lists_without_anything_to_learn_from_are_not_drawn() -> None:
    data = NBest.from_arrays(quality=[0, 1, 1, 1, 2, 0], sizes=[2, 2, 2])
    assert all(set(each) <= {0, 2} and each.size == 2 for each in samples(data, 20, 0))


@pytest.mark.parametrize("name", [name for name in LEARNERS if not LEARNERS[name].makes_features])
def test_every_learner_takes_them_and_its_model_is_one_model(name: str, tmp_path: Path) -> None:
    train, test = lists(0), lists(1)
    learner: Learner = LEARNERS[name](**QUICK.get(name, {}), bags=3, group_ranks=True, seed=2, metric="map")
    model = learner.fit(train, lists(2)).model
    assert isinstance(model, TreeModel) == (name == "trees")
    assert model.preparation[0]["step"] == "group-ranks"
    np.testing.assert_array_equal(learner.clone().fit(train, lists(2)).model.scores(test), model.scores(test))
    assert not np.array_equal(
        learner.clone().set_params(seed=7).fit(train, lists(2)).model.scores(test), model.scores(test)
    )
    assert not np.array_equal(
        learner.clone().set_params(bags=0).fit(train, lists(2)).model.scores(test), model.scores(test)
    )
    assert model.provenance["bags"] == 3
    if "dev" in model.provenance:
        assert model.provenance["dev"]["score"] == pytest.approx(learner.score(lists(2)))
    model.save(tmp_path / "m.runoff")
    np.testing.assert_array_equal(load(tmp_path / "m.runoff").scores(test), model.scores(test))
    found = model.explain(test, 0)
    lead = found.winner.score - found.rival.score
    assert sum(each.amount for each in found.contributions) == pytest.approx(lead, abs=1e-6)


def test_settings_are_chosen_once_on_all_lists() -> None:
    once, averaged = (CRF("la", bags=bags).fit(lists(0)) for bags in (0, 2))
    assert averaged.model.provenance["chosen_by_folds"] == once.model.provenance["chosen_by_folds"]
    assert averaged.settled().l2 == once.model.provenance["l2"]
    assert averaged.model.calibration is not None
    assert "loss" not in averaged.model.provenance


def test_trees_of_all_samples_are_in_the_model() -> None:
    one, four = (TreeBoost(rounds=6, bags=bags, calibration="none").fit(lists(0)) for bags in (0, 4))
    assert (len(one.trees), len(four.trees)) == (6, 24)


def test_learners_that_vary_much_gain_by_it() -> None:
    """Means over samples vary less (Breiman 1996): of trees that overfit 40 noisy lists, in eight draws."""
    overfitting = TreeBoost(
        rounds=10, depth=6, rate=1.0, loss="list", least=0.0, ridge=0.1, calibration="none", metric="map"
    )
    gains = []
    for seed in range(8):
        train, test = lists(10 + seed, 40), lists(50 + seed, 400)
        one, mean = (overfitting.clone().set_params(bags=bags).fit(train).score(test) for bags in (0, 10))
        gains.append(mean - one)
    assert np.mean(gains) > 5 * np.std(gains) / np.sqrt(len(gains)) > 0


@pytest.mark.parametrize("learner", [Perceptron(average="voted", bags=2), SVM(degree=2, bags=2)])
def test_models_without_a_mean_are_said(learner: Learner) -> None:
    with pytest.raises(UsageError, match=f"{learner.name} makes features or votes of its own .*; leave out bags"):
        learner.fit(lists(0))


def test_a_reranker_of_texts_has_recipes_of_its_own() -> None:
    from runoff.tasks.text import TextReranker

    with pytest.raises(UsageError, match="bags has no effect with recipes of its own"):
        TextReranker(bags=2).fit(NBest.from_arrays(texts=["a", "b"], sizes=[2], references=["a"], metric="wer"))


def test_a_featurizer_comes_before_the_samples() -> None:
    from runoff import tasks

    texts = ["so it is is", "so it is"] * 40
    train = NBest.from_arrays(texts=texts, sizes=[2] * 40, references=["so it is"] * 39 + ["so"], metric="wer")
    featurizer = tasks.get("text").featurizer(families="repetition,length")
    model = FeaturizedLearner(featurizer, LogLinear(sigma=1.0, metric="wer", bags=2, group_by="none")).fit(train).model
    assert model.pick([["so so it is", "so it is"]])[0].text == "so it is"


def test_ctrl_c_leaves_the_model_of_all_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, train, calls = LogLinear(sigma=1.0).fit(lists(0)).model, lists(0), []
    learn = LogLinear._learn

    def interrupted(self: LogLinear, *given: Any) -> Any:
        calls.append(self.bags)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return learn(self, *given)

    monkeypatch.setattr(LogLinear, "_learn", interrupted)
    model = LogLinear(sigma=1.0, bags=5).fit(train).model
    assert calls == [5, 0, 0]
    np.testing.assert_array_equal(model.weights, whole.weights)
    assert model.provenance["finished"] is False
    assert model.provenance["interrupted_in"] == ["bags"]


def test_the_shell_takes_them(tmp_path: Path) -> None:
    runoff.write(lists(0), tmp_path / "lists.jsonl")
    given = ["train", str(tmp_path / "lists.jsonl"), "-o", str(tmp_path / "m"), "--metric", "map"]
    done = CliRunner().invoke(main, [*given, "--learner", "boost", "--set", "rounds=5", "--set", "bags=4"])
    assert done.exit_code == 0, done.output
    assert "bootstrap samples that are averaged: 4" in done.output + done.stderr
    wanted = Boost(rounds=5, bags=4, metric="map").fit(runoff.read(tmp_path / "lists.jsonl")).model
    assert load(tmp_path / "m").weights.tobytes() == wanted.weights.tobytes()


def test_a_blend_settles_its_members_and_its_share_of_trees() -> None:
    model = Blend(bags=2, calibration="none").fit(lists(0, 60), lists(2)).model
    assert model.provenance["bags"] == 2
    assert set(model.provenance["members"]) >= {"loglinear", "crf-ml", "crf-el", "perceptron"}
