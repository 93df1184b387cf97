"""Pairwise ranking optimisation: its pairs by a slow version, its weights by scikit-learn's logistic regression."""

from __future__ import annotations

from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad
from sklearn.linear_model import LogisticRegression

from runoff import DataError, NBest, UsageError
from runoff.kernels.pro import sampled_pairs
from runoff.learners import Pro
from runoff.learners.feature_scaling import spread_within
from runoff.learners.pro import ProProblem

EXACT: dict[str, Any] = {"tolerance": 1e-9, "max_iter": 5000, "calibration": "none"}


def lists(seed: int, sizes: Any, m: int = 3) -> NBest:
    rng = np.random.default_rng(seed)
    n = int(np.sum(sizes))
    X = rng.normal(size=(n, m)).astype(np.float32)
    quality = np.round(X[:, 0] - X[:, 1] + rng.normal(size=n), 1)
    return NBest.from_arrays(X, quality=quality, base=rng.normal(size=n), sizes=sizes)


def pairs_of(data: NBest, draws: int, kept: int, least: float, seed: int = 0) -> list[list[tuple[int, int]]]:
    seeds = np.random.default_rng([seed, 2]).integers(1, 2**63, len(data)).astype(np.uint64)
    ends, better, worse = sampled_pairs(data.offsets, np.asarray(data.quality), draws, kept, least, seeds)
    pairs = list(zip(better.tolist(), worse.tolist(), strict=True))
    return [pairs[start:stop] for start, stop in pairwise(ends)]


def test_short_lists_give_the_pairs_that_differ_most() -> None:
    data = lists(0, [1, 7, 0, 2, 5])
    quality = np.asarray(data.quality)
    found = pairs_of(data, 100, 6, 0.35)
    for group, pairs in enumerate(found):
        rows = range(data.offsets[group], data.offsets[group + 1])
        gaps = sorted((abs(quality[i] - quality[j]) for i, j in combinations(rows, 2)), reverse=True)
        expected = [gap for gap in gaps if gap > 0.35][:6]
        np.testing.assert_allclose([quality[i] - quality[j] for i, j in pairs], expected)
        assert len(set(pairs)) == len(pairs)
        assert all(i in rows and j in rows for i, j in pairs)


def test_long_lists_are_sampled_evenly() -> None:
    k, draws = 40, 500
    quality = np.arange(k, dtype=float)
    data = NBest.from_arrays(np.zeros((k * 200, 0)), quality=np.tile(quality, 200), sizes=[k] * 200)
    found = pairs_of(data, draws, draws, 0.0)
    assert all(len(pairs) == draws for pairs in found)
    counts = np.zeros((k, k))
    for group, pairs in enumerate(found):
        for one, other in pairs:
            counts[one - group * k, other - group * k] += 1
    assert not np.triu(counts).any()  # the better one, of the higher number, comes first
    drawn = counts[np.tril_indices(k, -1)]
    expected = draws * 200 / drawn.size
    # Pearson's statistic has the mean and half the variance of the number of cells; five standard deviations.
    statistic = ((drawn - expected) ** 2 / expected).sum()
    assert abs(statistic - drawn.size) < 5 * np.sqrt(2 * drawn.size)
    for pairs in found[:5]:
        gaps = [one - other for one, other in pairs]
        assert gaps == sorted(gaps, reverse=True)
    assert pairs_of(data, draws, draws, 0.0) == found
    assert pairs_of(data, draws, draws, 0.0, seed=1) != found


def test_of_equal_differences_chance_decides() -> None:
    data = NBest.from_arrays(np.zeros((4000, 0)), quality=np.tile([1.0, 0, 0, 0], 1000), sizes=[4] * 1000)
    worse = [pairs[0][1] % 4 for pairs in pairs_of(data, 100, 1, 0.0)]
    assert np.bincount(worse)[1:].min() > 333 - 5 * np.sqrt(1000 * 2 / 9)


@pytest.mark.parametrize("sigma", [0.3, 3.0])
def test_weights_are_those_of_a_logistic_regression_on_differences(sigma: float) -> None:
    data = lists(1, [9] * 20)
    learner = Pro(pairs=100, kept=10, threshold=0.2, sigma=sigma, scale="none", base=False, **EXACT).fit(data)
    least = 0.2 * spread_within(data, np.asarray(data.quality))
    X = data.features.to_scipy().toarray().astype(float)
    pairs = [pair for group in pairs_of(data, 100, 10, least) for pair in group]
    # As in the paper, with both signs; each counts half, so that the prior weighs as much. C is sigma² / 2.
    apart = np.array([X[i] - X[j] for i, j in pairs])
    both, labels = np.vstack([apart, -apart]), np.repeat([1, 0], len(pairs))
    machine = LogisticRegression(C=sigma**2 / 2, fit_intercept=False, tol=1e-12, max_iter=10_000)
    machine.fit(both, labels, sample_weight=np.full(labels.size, 0.5))
    assert learner.model.provenance["pairs"] == len(pairs)
    np.testing.assert_allclose(learner.model.weights, machine.coef_[0], rtol=1e-4, atol=1e-6)


def test_the_gradient_is_that_of_the_loss() -> None:
    data = lists(2, [6] * 8)
    problem = ProProblem.of(data, Pro())
    part = problem.within(problem.groups[:3])
    rng = np.random.default_rng(0)
    for each in (problem, part):
        point = rng.normal(size=4)
        loss = partial(each.loss, sigma=0.7)
        wrong = check_grad(lambda at, loss=loss: loss(at)[0], lambda at, loss=loss: loss(at)[1], point)
        assert wrong < 1e-4 * np.linalg.norm(loss(point)[1])
    whole = [problem.within(np.array([group])).loss(np.ones(4), 1e9)[0] for group in problem.groups]
    prior = (problem.base_prior) ** 2
    total = problem.loss(np.ones(4), 1e9)[0] - prior
    assert sum(each - prior for each in whole) == pytest.approx(total)


def test_sigma_is_chosen_on_dev_or_by_folds_and_seeds_matter() -> None:
    train, dev = lists(3, [8] * 40), lists(4, [8] * 40)
    model = Pro(sigma=[0.001, 1.0]).fit(train, dev).model
    assert model.provenance["chosen_on"] == "40 lists of dev data"
    assert set(model.provenance["sigma_scores"]) == {"0.001", "1.0"}
    assert model.calibration is not None
    by_folds = Pro(sigma=[0.001, 1.0], calibration="none").fit(train).model
    assert by_folds.provenance["chosen_on"] == "5 folds of 40 training lists"
    one, same, other = (Pro(sigma=1.0, pairs=10, seed=seed).fit(train).model.weights for seed in (0, 0, 1))
    assert one.tobytes() == same.tobytes() != other.tobytes()
    assert np.corrcoef(one, other)[0, 1] > 0.9


def test_it_finds_what_quality_depends_on() -> None:
    data = lists(5, [12] * 60)
    model = Pro(sigma=1.0).fit(data).model
    assert model.weights[0] > 0 > model.weights[1]
    assert abs(model.weights[2]) < 0.2 * model.weights[0]


def test_units_do_not_matter() -> None:
    data = lists(6, [8] * 20)
    scaled = data.replace(quality=np.asarray(data.quality) * 1000 - 5, base=np.asarray(data.base) * 1e6)
    one, other = (Pro(sigma=1.0, **EXACT).fit(each).model for each in (data, scaled))
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-3, atol=1e-5)
    assert other.base_weight * 1e6 == pytest.approx(one.base_weight, rel=1e-3, abs=1e-5)


def test_what_cannot_be_learned_is_said() -> None:
    data = lists(7, [4] * 5)
    with pytest.raises(DataError, match="nothing to learn"):
        Pro().fit(NBest.from_arrays([[1.0], [2.0]], quality=[1, 1], sizes=[2]))
    with pytest.raises(
        DataError, match=r"no two candidates of a list differ by more than the threshold, .* set a lower"
    ):
        Pro(threshold=100.0).fit(data)
    with pytest.raises(UsageError, match="kept of Pro must be a whole number of at least 1; found 0"):
        Pro(kept=0).fit(data)
    with pytest.raises(DataError, match="has no quality"):
        Pro().fit(NBest.from_arrays([[1.0], [2.0]], sizes=[2]))
