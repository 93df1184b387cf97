"""Watching a dev set while learning."""

import numpy as np
import pytest

from runoff import CRF, Boost, LogLinear, NBest, Perceptron
from runoff.errors import DataError
from runoff.learners import AdaRank, Learner, ListNet, Regression
from runoff.learners.early_stopping import DevScorer, EarlyStopping
from runoff.metrics import get


def test_weights_are_judged_by_name_and_wer_is_turned_round() -> None:
    dev = NBest.from_arrays(
        np.array([[1, 0], [0, 1]]), texts=["a b", "a c"], references=["a c"], sizes=[2], feature_names=["x", "y"]
    )
    scorer = DevScorer(
        dev, get("wer"), NBest.from_arrays(np.eye(2), sizes=[2], feature_names=["y", "x"]).features.names
    )
    wrong, right = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    assert (scorer.score(wrong, 0.0), scorer.score(right, 0.0)) == (50.0, 0.0)  # one word of two, and none
    assert scorer.metric.signed(scorer.sums(right, 0.0)) > scorer.metric.signed(scorer.sums(wrong, 0.0))


def test_the_best_step_is_kept_and_the_search_ends_after_the_patience() -> None:
    stop = EarlyStopping(patience=2)
    for at, score in enumerate([-50.0, -25.0, -25.0]):
        stop.see(score, at)
    with pytest.raises(StopIteration):
        stop.see(-30.0, 3)
    assert (stop.best, stop.best_score) == (1, -25.0)  # the earlier of two that are as good


def lists(*names: str) -> NBest:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, len(names)))
    return NBest.from_arrays(X, X[:, 0] + rng.normal(size=40), sizes=[4] * 10, feature_names=names)


EVERY = [
    LogLinear(1.0),
    Perceptron(tau=1.0, epochs=2),
    CRF(temperature=1.0, l2=0.1),
    CRF(temperature=1.0, l2=0.1, method="sgd", rate=0.1, epochs=2),
    ListNet(rate=0.1, epochs=2),
    Boost(rounds=3),
    AdaRank(rounds=3),
    Regression(l2=0.1),
]


@pytest.mark.parametrize("learner", EVERY, ids=lambda each: each.name)
def test_dev_data_that_shares_no_feature_is_refused(learner: Learner) -> None:
    train = lists("x", "y")
    with pytest.raises(DataError, match=r"none of the features of the training data \(such as x, not u\)"):
        learner.fit(train, lists("u", "v"))
    for dev in (lists("y", "u"), train, None):
        assert not learner.fit(train, dev).model.provenance["warnings"]


@pytest.mark.parametrize("learner", EVERY[:5], ids=lambda each: each.name)
def test_features_that_are_the_same_in_every_group_are_warned_of(learner: Learner) -> None:
    same = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 4, axis=0)
    data = lists("x", "y")
    (warned,) = learner.fit(NBest.from_arrays(same, data.quality, sizes=data.sizes)).model.provenance["warnings"]
    assert warned.startswith("none of the 2 features differs between the candidates of a group")
    assert not np.any(learner.model.weights)
