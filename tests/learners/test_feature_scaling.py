"""Units of features: spreads by hand, and what must not depend on the unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from runoff import CRF, DataError, LogLinear, NBest, Perceptron
from runoff.features import facts
from runoff.learners import feature_scaling
from runoff.learners.feature_scaling import (
    centred,
    column_scales,
    scaled_base,
    scaled_rows,
    spread_within,
    warn_of_unused_features,
)


def lists(seed: int = 0) -> NBest:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    return NBest.from_arrays(X, X @ [2, 1, -1, 0] + rng.normal(size=200), sizes=[5] * 40)


def stretched(data: NBest, factors: list[float]) -> NBest:
    features = data.features
    table = sparse.csr_array((features.values, features.indices, features.indptr)).toarray()
    return NBest.from_arrays(table * factors, data.quality, sizes=data.sizes)


def test_a_spread_is_the_root_mean_square_of_the_standard_deviations_in_the_groups_that_vary() -> None:
    # Column 0: deviations of 1 and 3 in two groups, sqrt((1 + 9) / 2); column 1 varies in one group alone, by 2;
    # column 2 varies in none.
    X = [[1, 5, 7], [3, 5, 7], [0, 1, 8], [6, 5, 8]]
    data = NBest.from_arrays(X, [1, 0, 1, 0], sizes=[2, 2])
    assert column_scales(data, "spread", 1) == pytest.approx([1 / np.sqrt(5), 1 / 2, 0])
    assert column_scales(data, "auto", 1) == pytest.approx([1 / np.sqrt(5), 1 / 2, 0])
    assert column_scales(data, "none", 1).tolist() == [1, 1, 0]


def test_only_real_values_are_measured_by_auto_and_rare_columns_are_left_out() -> None:
    X = sparse.csr_array(np.array([[1.0, 0, 1], [0, 1, 1], [1, 0, 1], [0, 0, 1]]))
    data = NBest.from_arrays(X, [1, 0, 1, 0], sizes=[2, 2])
    assert column_scales(data, "auto", 1).tolist() == [1, 1, 0]
    assert column_scales(data, "spread", 1).tolist() == [2, 2, 0]
    assert column_scales(data, "auto", 2).tolist() == [1, 0, 0]


def test_values_are_centred_within_their_group() -> None:
    data = NBest.from_arrays(np.zeros((5, 1)), np.zeros(5), sizes=[2, 0, 3])
    values = np.array([1.0, 3.0, 0.0, 3.0, 6.0])
    assert centred(data, values).tolist() == [-1, 1, -3, 0, 3]
    assert spread_within(data, values) == pytest.approx(np.sqrt(((1 + 1) / 2 + (9 + 0 + 9) / 3) / 2))
    assert spread_within(data, values + 1e6) == pytest.approx(np.sqrt(3.5))
    assert spread_within(NBest.from_arrays(np.zeros((0, 1)), [], sizes=[0]), np.empty(0)) == 0.0


@pytest.mark.parametrize(
    "learner", [Perceptron(tau=1.0, epochs=5), Perceptron(tau=1.0, epochs=5, average="voted"), LogLinear(1.0)]
)
@pytest.mark.parametrize("factor", [1024.0, 1000.0, 2.0**-30])
def test_the_unit_of_a_column_changes_no_choice(learner: Perceptron, factor: float) -> None:
    data = lists()
    other = stretched(data, [1, factor, 1, 1])
    picks = learner.set_params(scale="spread").fit(data).predict(data)
    weights = learner.model.weights
    assert learner.fit(other).predict(other).tolist() == picks.tolist()
    assert learner.model.weights[1] * factor == pytest.approx(weights[1], rel=1e-3)
    if factor == 1024.0 and isinstance(learner, Perceptron):  # a power of two is exact
        assert (learner.model.weights * [1, factor, 1, 1]).tobytes() == weights.tobytes()


def test_without_a_scale_the_unit_matters() -> None:
    data = lists()
    other = stretched(data, [1, 1, 1, 1000])  # a column of noise
    learner = Perceptron(tau=1.0, epochs=5, scale="none")
    before = learner.fit(data).predict(data)
    assert learner.fit(other).predict(other).tolist() != before.tolist()


@pytest.mark.parametrize("size", [1.4e-45, 1e-44, 1e-20, 1e20, 1e38])
def test_columns_of_any_size_are_measured_without_a_murmur(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    monkeypatch.setattr(feature_scaling, "_CHUNK", 7)
    whole = np.arange(24.0).reshape(12, 2) % 7 - 3
    data = NBest.from_arrays(whole * size, np.arange(12.0), sizes=[3] * 4)
    same = NBest.from_arrays(whole, np.arange(12.0), sizes=[3] * 4)
    with np.errstate(all="raise"):
        indptr, indices, values = scaled_rows(data.features, column_scales(data, "spread", 1))
    expected = scaled_rows(same.features, column_scales(same, "spread", 1))
    assert (indptr.tolist(), indices.tolist()) == (expected[0].tolist(), expected[1].tolist())
    assert values == pytest.approx(expected[2], rel=0.2 if size < 1e-40 else 1e-5)  # a few bits are left of 1e-44
    assert values.dtype == np.float32


@pytest.mark.parametrize("size", [1e-290, 1e-160, 1.0, 1e160, 1.7e308])
def test_first_rounds_of_any_size_are_measured_without_a_murmur(size: float) -> None:
    signs = np.array([1.0, -1, 0.5, 1, 1, -1])
    data = NBest.from_arrays(np.zeros((6, 1)), np.arange(6.0), sizes=[3, 3], base=signs * size)
    with np.errstate(all="raise", under="ignore"):
        base, unit = scaled_base(data, used=True)
    assert base == pytest.approx(scaled_base(data.replace(base=signs), used=True)[0], rel=1e-12)
    assert unit * spread_within(data, data.base) == pytest.approx(1)


@pytest.mark.parametrize("learner", [CRF(temperature=1.0, l2=0.1), Perceptron(tau=1.0, epochs=1)])
def test_first_rounds_that_cannot_be_weighed_are_refused_in_a_sentence(learner: CRF | Perceptron) -> None:
    data = lists()
    tiny = data.replace(base=np.where(np.arange(200) % 5 == 0, 5e-324, 0.0))
    with np.errstate(all="raise", under="ignore"), pytest.raises(DataError, match="too little to be weighed; multiply"):
        learner.fit(tiny)
    assert learner.set_params(base=False).fit(tiny).model.base_weight == 0.0


def test_what_is_said_where_nothing_has_a_scale() -> None:
    assert warn_of_unused_features(np.zeros(0), 1) == warn_of_unused_features(np.array([0, 2.0]), 1) == []
    assert warn_of_unused_features(np.zeros(1), 1) == [
        "the only feature differs in no group: nothing was learned from it."
    ]
    (rare,) = warn_of_unused_features(np.zeros(3), 5)
    assert ", but for those in fewer than min_groups=5 groups: nothing" in rare


@pytest.mark.parametrize("seed", range(5))
def test_spread_is_the_same_for_a_column_and_for_the_first_rounds_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, 12)
    values = np.repeat(rng.normal(size=12), sizes).astype(np.float32)
    values[::3] += rng.integers(0, 3, values[::3].size)  # some groups stay constant
    data = NBest.from_arrays(values[:, None], quality=np.zeros(values.size), sizes=sizes)
    parts = [values[a:b].astype(float) for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True) if b > a]
    slow = np.sqrt(np.mean([np.var(part) for part in parts if np.ptp(part) > 0]))  # numpy's variance
    assert spread_within(data, values.astype(float)) == pytest.approx(slow, rel=1e-12)
    assert facts(data).spread[0] == pytest.approx(slow, rel=1e-12)
