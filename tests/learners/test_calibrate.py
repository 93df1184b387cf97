"""Confidence: equal to a plain computation, calibrated on new lists, and there for every learner."""

from __future__ import annotations

import dataclasses
import signal
from typing import Any

import numpy as np
import pytest

import runoff
from runoff import metrics
from runoff.errors import UsageError
from runoff.learners import LEARNERS, LogLinear, Perceptron
from runoff.learners.calibrate import fit_calibration, good_choices
from runoff.model import LinearModel
from runoff.model.calibration import Calibration
from runoff.nbest import NBest


def lists(seed: int, n: int, k: int = 4, *, noise: float = 1.0) -> NBest:
    """Lists whose right candidate is drawn by the softmax of a known score, so that its probability is known."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * k, 2))
    p = np.exp(X[:, 0].reshape(n, k) * 2 / noise)
    right = (rng.random(n)[:, None] < np.cumsum(p / p.sum(axis=1, keepdims=True), axis=1)).argmax(axis=1)
    quality = (np.arange(k) == right[:, None]).astype(float).ravel()
    return NBest.from_arrays(X, quality=quality, sizes=[k] * n, feature_names=["a", "b"])


def test_the_share_of_an_answer_is_summed_over_copies_and_equal_answers() -> None:
    data = NBest.from_arrays(
        texts=["so 4", "the answer is 4.0", "5", "so 4", "7"], quality=[1, 1, 0, 1, 0], sizes=[4, 1], metric="numeric"
    )
    scores = np.array([1.0, 0.0, 0.5, -1.0, 3.0])
    found = Calibration("right", sharpness=2.0, intercept=0.3, slope=0.7, alone=0.4, metric="numeric")
    shares = np.exp(2.0 * scores[:4]) / np.exp(2.0 * scores[:4]).sum()
    p = shares[0] + shares[1] + shares[3]  # all three say 4
    expected = 1 / (1 + np.exp(-(0.3 + 0.7 * np.log(p / (1 - p)))))
    assert found.confidences(data, scores).tolist() == pytest.approx([expected, 0.4])
    by_text = dataclasses.replace(found, metric=None).confidences(data, scores)
    q = shares[0] + shares[3]
    assert by_text[0] == pytest.approx(1 / (1 + np.exp(-(0.3 + 0.7 * np.log(q / (1 - q))))))


def test_known_probabilities_are_found() -> None:
    # Scores are log-probabilities up to a factor of 5: the softmax of 0.2 times them is the truth.
    data = lists(0, 4_000)
    scores = 10.0 * data.features.to_scipy().toarray()[:, 0]
    found = fit_calibration(data, scores, metrics.get("quality"), "these")
    truth = Calibration("right", sharpness=0.2).confidences(data, scores)
    assert np.abs(found.confidences(data, scores) - truth).mean() < 0.03
    assert (found.means, found.lists) == ("right", 4_000)


def test_the_fit_is_the_maximum_of_the_penalised_likelihood() -> None:
    # Against scipy's general minimiser, at the sharpness that was found.
    from scipy.optimize import minimize

    from runoff.model.calibration import AnswerShares

    data = lists(1, 300)
    scores = data.features.to_scipy().toarray()[:, 0]
    found = fit_calibration(data, scores, metrics.get("quality"), "these")
    shares = AnswerShares(data, scores, None)
    x = shares.log_odds(found.sharpness)
    _, y = good_choices(data, metrics.get("quality"), shares.top)

    def loss(at: Any) -> float:
        z = at[0] + at[1] * x
        return float(np.sum(np.logaddexp(0, z) - y * z) + at[0] ** 2 / 18 + (at[1] - 1) ** 2 / 18)

    best = minimize(loss, [0.0, 1.0], tol=1e-12)
    assert [found.intercept, found.slope] == pytest.approx(best.x.tolist(), abs=1e-4)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_a_confidence_that_holds_on_new_lists(name: str) -> None:
    train, dev, test = lists(2, 400), lists(3, 1_500), lists(4, 1_500)
    quick: dict[str, Any] = {
        "boost": {"rounds": 30, "smoothing": 0.01},
        "adarank": {"rounds": 5},
        "mert": {"restarts": 0, "directions": 0},
        "trees": {"rounds": 10, "depth": 3},
    }
    metric = {"metric": "ndcg"} if name == "adarank" else {}
    settings = {"calibration": "folds", **quick.get(name, {}), **metric}
    fast = {"max_epochs": 3} if "max_epochs" in LEARNERS[name].parameters() else {}
    for given in (dev, None):
        model = LEARNERS[name](**settings, **fast).fit(train, given).model
        found = runoff.evaluate(model, test, "quality").reliability
        assert found is not None
        assert model.calibration is not None
        assert model.calibration.lists == (1_500 if given is not None else 400)
        assert abs(found.confidence - found.accuracy) < 0.06
        assert found.error < 0.09
        assert found.above[-1].accuracy > found.accuracy + 0.1


def test_a_learner_with_nothing_to_choose_is_calibrated_when_asked() -> None:
    train = lists(5, 60)
    bare = LogLinear(sigma=1.0).fit(train).model
    assert bare.calibration is None
    assert bare.pick(train)[0].confidence is None
    with pytest.raises(UsageError, match="no calibrated confidence"):
        bare.pick(train, min_confidence=0.5)
    asked = LogLinear(sigma=1.0, calibration="folds").fit(train)
    assert asked.model.calibration is not None
    assert asked.model.calibration.fitted_on == "5 folds of the training lists"
    assert np.array_equal(asked.model.weights, bare.weights)
    assert asked.settled().get_params()["calibration"] == "none"
    chosen = LogLinear(sigma=(0.1, 1.0)).fit(train)
    assert chosen.model.calibration is not None
    assert chosen.settled().sigma == chosen.model.provenance["sigma"]
    assert LogLinear(sigma="auto", calibration="none").fit(train).model.calibration is None


def test_few_lists_give_no_confidence() -> None:
    assert LogLinear(sigma=1.0, calibration="folds").fit(lists(6, 19)).model.calibration is None
    model = LogLinear(sigma=1.0).fit(lists(6, 40), lists(7, 19)).model
    assert model.calibration is None


def test_where_all_choices_are_right_or_wrong_the_confidence_is_finite() -> None:
    for right in (0.0, 1.0):
        data = NBest.from_arrays([[1.0], [0.0]] * 50, quality=[right, 0.5 - right / 2] * 50, sizes=[2] * 50)
        model = runoff.calibrate(LinearModel.of({"0": 1e200}), data)
        confidences = model.pick(data).confidences
        assert np.all(np.isfinite(confidences))
        assert (confidences > 0.9).all() if right else (confidences < 0.1).all()


def test_scores_of_any_size() -> None:
    data = lists(8, 50)
    for size in (1e-300, 1e-5, 1e5, 1e300):
        scores = size * data.features.to_scipy().toarray()[:, 0].astype(np.float64)
        found = fit_calibration(data, scores, metrics.get("quality"), "these")
        confidences = found.confidences(data, scores)
        assert np.all((confidences > 0) & (confidences < 1))


def test_an_empty_list_has_no_confidence_and_is_no_abstention() -> None:
    data = NBest.from_arrays([[1.0], [0.0]] * 30, quality=[1, 0] * 30, sizes=[2] * 30 + [0])
    choices = runoff.calibrate(LinearModel.of({"0": 1.0}), data).pick(data, min_confidence=1.0)
    assert choices.abstained == 30
    assert (choices[30].index, choices[30].confidence, choices[30].abstained) == (-1, None, False)
    assert choices[0].abstained
    assert choices.changed == 0


@pytest.mark.parametrize("level", [-0.1, 1.1, float("nan")])
def test_a_confidence_is_a_probability(level: float) -> None:
    data = lists(9, 30)
    with pytest.raises(UsageError, match="from 0 to 1"):
        runoff.calibrate(LinearModel.of({"a": 1.0}), data).pick(data, min_confidence=level)


def test_it_does_not_depend_on_threads_or_on_the_unit_of_the_scores() -> None:
    data = lists(10, 200)
    one, other = (runoff.calibrate(LinearModel.of({"a": weight}), data).pick(data) for weight in (1.0, 1024.0))
    assert one.confidences.tolist() == pytest.approx(other.confidences.tolist(), abs=1e-6)


def test_ctrl_c_during_the_folds_leaves_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    train, real, fits = lists(11, 60), Perceptron.fit, []

    def fit(self: Perceptron, *args: Any) -> Perceptron:
        fits.append(self)
        if len(fits) == 3:
            signal.raise_signal(signal.SIGINT)
        return real(self, *args)

    monkeypatch.setattr(Perceptron, "fit", fit)
    model = Perceptron(tau=1.0, epochs=2, calibration="folds").fit(train).model
    assert model.calibration is None
    assert "the calibration was interrupted" in model.provenance["warnings"][-1]
    assert len(fits) == 3
