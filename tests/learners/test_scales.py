"""Units of features: spreads by hand, and what must not depend on the unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from runoff import LogLinear, NBest, Perceptron
from runoff.learners.scales import centred, column_scales, spread_within


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
    assert spread_within(data, values) == pytest.approx(np.sqrt((1 + 1 + 9 + 0 + 9) / 5))
    assert spread_within(data, values + 1e6) == pytest.approx(np.sqrt(4))
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
