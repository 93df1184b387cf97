"""The weight of the first round's score against scipy's minimiser and the paper's grid."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from runoff.learners.base_weight import LARGEST, fit_base_weight


def loss(at: float, d: np.ndarray, s: np.ndarray, contests: np.ndarray, kind: str) -> float:
    if kind == "exp":
        return float(np.log(np.sum(s * np.exp(-at * d))))
    return float(sum(np.log1p(np.exp(-at * d[a:b]).sum()) for a, b in pairwise(contests)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["exp", "log"]), st.sampled_from([0.01, 1.0, 30.0]))
def test_it_is_the_minimum_that_scipy_finds(seed: int, kind: str, scale: float) -> None:
    rng = np.random.default_rng(seed)
    d = (rng.normal(size=20) + 0.5) * scale
    s = rng.random(20) + 0.1
    contests = np.array([0, 5, 6, 20])
    found = fit_base_weight(d, s, contests, kind)
    best = minimize_scalar(
        lambda at: loss(at, d, s, contests, kind),
        bounds=(0, min(LARGEST, 700 / np.abs(d).max())),
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
    assert fit_base_weight(np.array([1e-9, 1e-9, 1e-9]), np.ones(3), ends, "exp") == LARGEST  # always right
    assert np.isfinite(fit_base_weight(np.array([1e6, -1e6, 3.0]), np.ones(3), ends, kind))
