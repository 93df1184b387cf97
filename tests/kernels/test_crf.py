"""Objectives of the conditional random field over candidates, against plain sums over every answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helpers.naive_crf import every_kind, plain, slopes_by_differences
from runoff.kernels.crf_objectives import EL, KL, LA, LS, ML, objective


def answers(seed: int, n: int, right: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    losses = rng.uniform(0.1, 2.0, n)
    losses[rng.permutation(n)[:right]] = 0.0
    return 2 * rng.normal(size=n), losses


@every_kind
@pytest.mark.parametrize(("n", "right"), [(1, 1), (2, 1), (5, 1), (6, 3), (9, 8)])
@pytest.mark.parametrize("strength", [0.3, 1.0, 4.0])
def test_value_and_slopes_over_a_list(kind: int, n: int, right: int, strength: float) -> None:
    scores, losses = answers(n, n, right)
    slopes = np.full(n, np.nan)
    value = objective(kind, strength, scores, losses, slopes)
    assert value == pytest.approx(plain(kind, strength, scores, losses), rel=1e-12, abs=1e-13)
    expected = slopes_by_differences(lambda point: plain(kind, strength, point, losses), scores)
    assert slopes == pytest.approx(expected, abs=1e-9)
    assert slopes.sum() == pytest.approx(0, abs=1e-12)  # one constant more for all changes nothing


def test_values_by_hand() -> None:
    # Two answers, the right one a point ahead: p = 1 / (1 + e^-1) for it.
    e = math.e
    scores, losses, slopes = np.array([1.0, 0.0]), np.array([0.0, 2.0]), np.zeros(2)
    expected = {
        ML: math.log(1 + 1 / e),
        LA: math.log(1 + e**3 / e),  # the loss of 2 counts one and a half times
        LS: math.log(1 + math.exp(-2 + 2)),
        EL: 2 / (1 + e),
        KL: 0.0,  # what is wanted, exp(0) against exp(-2 / 2), are the model's own odds
    }
    for kind, value in expected.items():
        strength = 2.0 if kind == KL else 1.5
        assert objective(kind, strength, scores, losses, slopes) == pytest.approx(value, abs=1e-15)


def test_kl_has_all_its_digits_near_nothing() -> None:
    # Of two answers: a score of s against a loss of 2 s T is wanted at odds of e^(2 s). By the series, for small gaps:
    # KL(q, p) = variance / 2 + ..., the variance of the gap under even odds being s² / 4 + O(s³).
    for size in (1e-3, 1e-5, 1e-8):
        scores, losses, slopes = np.array([size, 0.0]), np.array([0.0, 2 * size]), np.zeros(2)
        value = objective(KL, 1.0, scores, losses, slopes)
        assert value == pytest.approx(size**2 / 8, rel=2 * size + 1e-7)


def test_several_right_answers_count_as_their_mean() -> None:
    scores, slopes = np.array([0.0, 0.0, 0.0]), np.zeros(3)
    value = objective(ML, 1.0, scores, np.array([0.0, 0.0, 1.0]), slopes)
    assert value == pytest.approx(math.log(3), abs=1e-15)  # eq. 10 as it stands would be twice that
    assert slopes == pytest.approx([1 / 3 - 1 / 2, 1 / 3 - 1 / 2, 1 / 3], abs=1e-15)


@every_kind
def test_heavy_scores_of_a_list_do_not_overflow(kind: int) -> None:
    losses = np.array([0.0, 0.5, 1.0, 0.0])
    for size in (1e3, 1e5, 1e150):
        scores, slopes = size * np.array([-1.0, 1.0, 0.25, 0.5]), np.zeros(4)
        assert objective(kind, 0.7, scores, losses, slopes) == pytest.approx(plain(kind, 0.7, scores, losses))
        assert np.isfinite(slopes).all()
        assert np.abs(slopes).sum() < 10
