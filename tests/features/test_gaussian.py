"""A Gaussian by EM: beside the textbook formulas, one row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from runoff.features.gaussian import RIDGE, Gaussian


def rows_with_gaps(seed: int, n: int = 300, d: int = 4, share: float = 0.3) -> Any:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    rows[rng.random(rows.shape) < share] = np.nan
    return rows


def conditional(row: Any, mean: Any, covariance: Any) -> tuple[Any, Any]:
    """Mean and covariance of what is missing given what is known: Little & Rubin (2002), (11.6), by inversion."""
    gone, known = np.isnan(row), ~np.isnan(row)
    weights = covariance[np.ix_(gone, known)] @ np.linalg.inv(covariance[np.ix_(known, known)])
    means = mean[gone] + weights @ (row[known] - mean[known])
    return means, covariance[np.ix_(gone, gone)] - weights @ covariance[np.ix_(known, gone)]


def slow_step(rows: Any, mean: Any, covariance: Any, ridge: float) -> tuple[float, Any, Any]:
    """The penalised log-likelihood of a row, and the next mean and covariance of EM."""
    n, d = rows.shape
    filled, spread, log_likelihood = rows.copy(), np.zeros((d, d)), 0.0
    for row in filled:
        gone, known = np.isnan(row), ~np.isnan(row)
        if known.any():
            law = multivariate_normal(mean[known], covariance[np.ix_(known, known)])
            log_likelihood += law.logpdf(row[known])
        means, uncertain = conditional(row, mean, covariance)
        spread[np.ix_(gone, gone)] += uncertain
        row[gone] = means
    objective = log_likelihood / n - ridge / 2 * np.trace(np.linalg.inv(covariance))
    after = filled.mean(axis=0)
    return objective, after, ((filled - after).T @ (filled - after) + spread) / n + ridge * np.eye(d)


@pytest.mark.parametrize("ridge", [RIDGE, 0.1])
def test_em_step_by_step_as_by_the_formulas(ridge: float) -> None:
    rows = rows_with_gaps(1)
    rows[7] = np.nan  # nothing is known of it
    found = Gaussian.fit(rows, ridge)
    mean, covariance = np.nanmean(rows, axis=0), np.diag(np.nanvar(rows, axis=0)) + ridge * np.eye(4)
    objectives = []
    for step in range(len(found.objectives)):
        objective, *after = slow_step(rows, mean, covariance, ridge)
        objectives.append(objective)
        if step < len(found.objectives) - 1:
            mean, covariance = after
    np.testing.assert_allclose(found.objectives, objectives, rtol=1e-9)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_the_objective_never_falls(seed: int) -> None:
    found = Gaussian.fit(rows_with_gaps(seed, n=40 + 20 * seed, d=2 + seed, share=0.1 * (seed % 6)))
    assert np.diff(found.objectives).min(initial=0.0) >= -1e-9


def test_filled_with_conditional_means_one_row_at_a_time() -> None:
    rows = rows_with_gaps(2)
    found = Gaussian.fit(rows)
    filled = found.filled(rows)
    for before, after in zip(rows, filled, strict=True):
        np.testing.assert_array_equal(after[~np.isnan(before)], before[~np.isnan(before)])
        np.testing.assert_allclose(after[np.isnan(before)], conditional(before, found.mean, found.covariance)[0])
    np.testing.assert_array_equal(found.filled(rows[5:9]), filled[5:9])  # each row by itself


def test_without_gaps_it_is_the_sample_covariance() -> None:
    rows = rows_with_gaps(3, share=0.0)
    found = Gaussian.fit(rows)
    np.testing.assert_allclose(found.mean, rows.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(rows.T, bias=True) + RIDGE * np.eye(4))
    # What the others leave open: one less the squared multiple correlation, 1 / (precision x variance).
    np.testing.assert_allclose(found.left, 1 / np.diag(np.linalg.inv(found.covariance)) / np.diag(found.covariance))
    assert found.filled(rows) is rows


def test_a_known_law_is_found() -> None:
    rng = np.random.default_rng(4)
    true = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.5], [0.3, 0.5, 1.0]])
    rows = rng.multivariate_normal([1.0, 2.0, 3.0], true, 20_000)
    rows[rng.random(rows.shape) < 0.3] = np.nan
    found = Gaussian.fit(rows)
    np.testing.assert_allclose(found.mean, [1, 2, 3], atol=0.03)
    np.testing.assert_allclose(found.covariance, true, atol=0.04)


def test_what_cannot_be_inverted_is_not_usable() -> None:
    good = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert Gaussian(np.zeros(2), good).is_usable
    for bad in (np.ones((2, 2)), -good, good + np.eye(2)[[1, 1]], good * np.nan, good[:1]):
        assert not Gaussian(np.zeros(2), bad).is_usable
