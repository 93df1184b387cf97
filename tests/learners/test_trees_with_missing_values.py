"""Where trees send values that training rows did not miss: to the heavier side, on dev data as in the model."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from runoff import NBest
from runoff.learners import TreeBoost
from runoff.learners.adaboost import AdaBoost
from runoff.learners.binned_data import BinnedData
from runoff.metrics import get
from runoff.ranking import by_score


def lists(seed: int, n: int = 80, *, missing: float = 0.0, stored: float = 1.0) -> NBest:
    """Candidates with values of both signs, so that zero goes left at some nodes and right at others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * 6, 4))
    quality = (X[:, 0] * X[:, 1] > 0.3).astype(float) + (X[:, 2] > 0.8)
    X[rng.random(X.shape) >= stored] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return NBest.from_arrays(X, quality=quality, sizes=[6] * n, feature_names=list("abcd"))


@pytest.mark.parametrize("stored", [1.0, 0.15])  # dense and sparse columns
@pytest.mark.parametrize("in_training", [0.0, 0.01, 0.2])
def test_the_score_on_dev_data_is_the_models(stored: float, in_training: float) -> None:
    train, dev = lists(0, missing=in_training, stored=stored), lists(1, missing=0.3, stored=stored)
    learner = TreeBoost(rounds=20, depth=3, metric="map").fit(train, dev)
    metric = get("map").in_expectation
    expected = metric.score(metric.rows(dev, by_score(dev, learner.model.scores(dev))).sum(axis=0))
    assert learner.model.provenance["dev"]["score"] == pytest.approx(expected, abs=1e-12)


def test_other_rows_may_miss_what_training_rows_have() -> None:
    data = BinnedData.of(sparse.csr_array(np.array([[-2.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 5.0], [3.0, 0.0]])))
    assert not data.bins.missing.any()
    other = data.like(sparse.csr_array(np.array([[np.nan, 0.0], [0.5, np.nan]])))
    assert other.bins.missing.tolist() == [True, True]
    assert [other.cuts(at).tolist() for at in range(2)] == [data.cuts(at).tolist() for at in range(2)]


@pytest.mark.parametrize("above", [2, 8])
def test_a_value_that_was_never_missing_goes_to_the_heavier_side(above: int) -> None:
    X = np.array([[-1.0]] * (10 - above) + [[1.0]] * above)
    learner = AdaBoost(rounds=1, depth=1).fit(X, X[:, 0] > 0)
    assert learner.predict([[np.nan]]).tolist() == [above > 5]
