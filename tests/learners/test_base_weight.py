"""The weight of the first round's score against scipy's minimiser and the paper's grid."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from runoff.learners.base_weight import fit_base_weight, largest_weight, prior_scale


def loss(at: float, d: np.ndarray, s: np.ndarray, contests: np.ndarray, kind: str) -> float:
    if kind == "exp":
        return float(np.log(np.sum(s * np.exp(-at * d))))
    return float(sum(np.log1p(np.exp(-at * d[a:b]).sum()) for a, b in pairwise(contests)))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["exp", "log"]), st.sampled_from([0.01, 1.0, 30.0]))
def test_it_is_the_minimum_that_scipy_finds(seed: int, kind: str, scale: float) -> None:
    rng = np.random.default_rng(seed)
    d = (rng.normal(size=20) + 0.5) * scale
    s = rng.random(20) + 0.1
    contests = np.array([0, 5, 6, 20])
    found = fit_base_weight(d, s, contests, kind)
    best = minimize_scalar(
        lambda at: loss(at, d, s, contests, kind),
        bounds=(0, min(largest_weight(d), 700 / np.abs(d).max())),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert loss(found, d, s, contests, kind) <= best.fun + 1e-9


def test_the_papers_grid_agrees() -> None:
    # Collins & Koo (2005) scan 0.001, 0.002, … 10.
    rng = np.random.default_rng(0)
    d, s = rng.normal(size=50) + 0.4, rng.random(50)
    grid = np.arange(0.001, 10.001, 0.001)
    best = grid[np.argmin([loss(at, d, s, np.array([0, 50]), "exp") for at in grid])]
    assert fit_base_weight(d, s, np.array([0, 50]), "exp") == pytest.approx(best, abs=0.001)


@pytest.mark.parametrize("kind", ["exp", "log"])
def test_the_ends_of_the_range(kind: str) -> None:
    ends = np.array([0, 3])
    assert fit_base_weight(np.array([-1.0, -2.0, 0.0]), np.ones(3), ends, kind) == 0.0  # the first round is wrong
    assert fit_base_weight(np.zeros(3), np.ones(3), ends, kind) == 0.0  # it says nothing
    always_right = np.array([1e-9, 1e-9, 1e-9])
    # Margins of 1,000 are the most, in any unit: a weight of 1e12 for differences of 1e-9.
    assert fit_base_weight(always_right, np.ones(3), ends, kind) == largest_weight(always_right) == pytest.approx(1e12)
    assert np.isfinite(fit_base_weight(np.array([1e6, -1e6, 3.0]), np.ones(3), ends, kind))


def stable_loss(at: float, d: np.ndarray, s: np.ndarray, contests: np.ndarray, kind: str) -> float:
    """The same losses by scipy's own sums of exponentials, which know no overflow."""
    if kind == "exp":
        return float(logsumexp(-at * d, b=s))
    return float(sum(logsumexp(np.append(-at * d[a:b], 0.0)) for a, b in pairwise(contests)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["exp", "log"])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("floor", [1e4, 1e6, 1e9, 1e300])
def test_scores_far_below_all_others_do_not_move_it(kind: str, share: float, floor: float) -> None:
    # Tools write a floor (-1e6, say) as the score of what they hold for impossible; the worse candidate has it.
    rng = np.random.default_rng(5)
    d, s = rng.normal(size=400) + 0.8, rng.random(400) + 0.1
    d[rng.permutation(400)[: int(400 * share)]] += floor
    contests = np.arange(0, 401, 4)
    scale = np.abs(d).max()
    found = fit_base_weight(d / scale, s, contests, kind) / scale
    best = minimize_scalar(
        lambda at: stable_loss(at, d, s, contests, kind), bounds=(0, 50), method="bounded", options={"xatol": 1e-10}
    )
    assert 0.1 < best.x < 20
    assert found == pytest.approx(best.x, rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["exp", "log"])
@pytest.mark.parametrize("floor", [1e4, 1e300])
def test_a_floor_under_the_best_candidate_leaves_the_scores_almost_no_weight(kind: str, floor: float) -> None:
    d, s = np.append(np.ones(99), -floor), np.ones(100)
    found = fit_base_weight(d / floor, s, np.array([0, 100]), kind) / floor
    assert 0 <= found * floor < 100  # exp(100) would be more than all others can win


def test_a_few_tiny_differences_do_not_lift_the_bound_to_where_nothing_is_left() -> None:
    d = np.append(np.full(999, 2.0), 1e-12)
    assert largest_weight(d) == 500.0
    assert largest_weight(np.full(3, 1e-300), most=1e20) == 1e20


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["exp", "log"]), st.booleans())
def test_with_a_prior_it_is_the_minimum_of_the_sum(seed: int, kind: str, always_right: bool) -> None:
    rng = np.random.default_rng(seed)
    d, s, contests = rng.normal(size=20) + 0.5, rng.random(20) + 0.1, np.array([0, 5, 6, 20])
    d = np.abs(d) if always_right else d
    d /= np.abs(d).max()
    unit = prior_scale(d)

    def whole(at: float) -> float:
        plain = 3 * np.sum(s * np.exp(-at * d)) / s.sum() if kind == "exp" else loss(at, d, s, contests, kind)
        return float(plain + (unit * at) ** 2)

    found = fit_base_weight(d, s, contests, kind, prior=unit)
    best = minimize_scalar(whole, bounds=(0, 690), method="bounded", options={"xatol": 1e-10})
    assert whole(found) <= best.fun + 1e-9
    assert found < largest_weight(d)
