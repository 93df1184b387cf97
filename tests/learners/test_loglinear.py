"""`LogLinear` against slow oracles, finite differences and what must not change."""

import dataclasses
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import check_grad

from runoff import DataError, LogLinear, NBest, UsageError
from runoff.learners.loglinear_problem import LogLinearProblem


def random_data(seed: int, *, base: bool = True, groups: int = 12, ones: bool = False, levels: int = 4) -> NBest:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, groups)
    rows = max(int(sizes.sum()), 1)
    sizes[0] += rows - sizes.sum()
    X = rng.normal(size=(rows, 5)) * (rng.random((rows, 5)) < 0.6)
    if ones:
        X = (X != 0).astype(float)
    return NBest.from_arrays(
        sparse.csr_array(X),
        quality=rng.integers(0, levels, rows),
        sizes=sizes,
        base=rng.normal(size=rows) if base else None,
    )


def slow_loss(data: NBest, weights: np.ndarray, base_weight: float, tied: bool) -> float:
    """Σ -log p(right), straight from the definition (Collins & Koo 2005, section 3.2)."""
    total = 0.0
    for group in data:
        if group.n_candidates == 0 or group.quality.min() == group.quality.max():
            continue
        score = group.features.to_scipy().toarray() @ weights
        base = group.base if group.base is not None else np.zeros(group.n_candidates)
        score = score + base_weight * base
        top = np.flatnonzero(group.quality == group.quality.max())
        best = max(top, key=lambda at: (base[at], -at))
        right = list(top) if tied else [best]
        taking_part = [at for at in range(group.n_candidates) if tied or at == best or at not in top]
        total -= math.log(sum(math.exp(score[at]) for at in right) / sum(math.exp(score[at]) for at in taking_part))
    return total


@settings(deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.booleans())
def test_loss_is_the_definition_and_the_gradient_its_slope(seed: int, tied: bool, base: bool, ones: bool) -> None:
    data = random_data(seed, base=base, ones=ones)
    learner = LogLinear(right="tied" if tied else "best", scale="spread")
    try:
        problem = LogLinearProblem.of(data, learner)
    except DataError:
        return  # no group with a better and a worse candidate
    point = np.random.default_rng(seed).normal(size=6)
    weights, base_weight = problem.in_data_units(point)
    loss, _ = problem.loss(point, 2.0)
    prior = point[:5] @ point[:5] / 4
    if base:  # a tenth of the first decile of the distances from the first choice
        parts = [data.base[a:b] for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True) if b > a]
        gaps = np.sort(np.concatenate([part.max() - part for part in parts]))
        gaps = gaps[gaps > 0]
        prior += (base_weight * gaps[int(0.1 * (gaps.size - 1))] / 10) ** 2
    assert loss == pytest.approx(slow_loss(data, weights, base_weight, tied) + prior, rel=1e-9)
    slope = check_grad(lambda p: problem.loss(p, 2.0)[0], lambda p: problem.loss(p, 2.0)[1], point)
    assert slope < 1e-4


def test_one_feature_without_prior_has_the_closed_form() -> None:
    # Ten pairs that differ by one in a single feature; in 8 the one with the feature is better. The maximum of
    # the likelihood is where the model says 0.8, at w = log(0.8 / 0.2).
    quality = [1, 0] * 8 + [0, 1] * 2
    data = NBest.from_arrays([[1.0], [0.0]] * 10, quality, sizes=[2] * 10)
    model = LogLinear(sigma=1e6, tolerance=1e-10).fit(data).model
    assert model.weights[0] == pytest.approx(math.log(4), abs=1e-4)


def test_where_all_first_choices_are_right_the_base_weight_stays_moderate() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    data = NBest.from_arrays(rng.normal(size=(400, 2)), base.copy(), sizes=[4] * 100, base=base)
    model = LogLinear(sigma=0.1, max_iter=10_000, tolerance=1e-9).fit(data).model
    assert 1 < model.base_weight < 200  # without a prior of its own it grows with max_iter
    assert model.provenance["converged"]
    assert model.pick(data).indices.tolist() == base.reshape(-1, 4).argmax(axis=1).tolist()


def test_the_base_weight_is_not_held_back_by_sigma() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=200)
    quality = base + rng.normal(size=200)
    data = NBest.from_arrays(rng.normal(size=(200, 2)), quality, sizes=[4] * 50, base=base)
    cautious, free = (LogLinear(sigma=sigma, tolerance=1e-8).fit(data).model for sigma in (1e-4, 1e4))
    assert np.abs(cautious.weights).max() < 1e-6
    assert cautious.base_weight > 0.5
    assert cautious.base_weight == pytest.approx(free.base_weight, rel=0.3)


def test_scale_makes_the_unit_of_a_feature_irrelevant() -> None:
    data = random_data(3, groups=40)
    table = data.features.to_scipy().toarray()
    other = data.replace(features=NBest.from_arrays(table * [1, 1000, 1, 0.001, 1], offsets=data.offsets).features)
    a, b = (LogLinear(sigma=1.0, scale="spread", tolerance=1e-9).fit(each).model for each in (data, other))
    assert a.scores(data) == pytest.approx(b.scores(other), abs=1e-3)


def test_features_in_too_few_groups_and_constant_features_get_no_weight() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), np.repeat(rng.normal(size=10), 4), np.eye(40)[:, 0]])
    data = NBest.from_arrays(X, rng.normal(size=40), sizes=[4] * 10)
    weights = LogLinear(sigma=10.0, min_groups=2).fit(data).model.weights
    assert weights[0] != 0
    assert weights[1] == 0  # the same for all candidates of a group: cannot tell them apart
    assert weights[2] == 0  # seen in one group only


def test_the_same_bits_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((60_000, 300), density=0.15, rng=rng, dtype=np.float32)
    data = NBest.from_arrays(X, rng.normal(size=60_000), sizes=[10] * 6_000)
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(LogLinear(sigma=1.0, max_iter=5).fit(data).model.weights.tobytes())
    assert len(LogLinearProblem.of(data, LogLinear()).pieces) > 1
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_the_same_bits_whatever_the_threads_of_blas() -> None:
    # Above some ten thousand columns BLAS cuts its sums by its own number of threads.
    script = (
        "import hashlib, numpy as np, runoff; from scipy import sparse\n"
        "rng = np.random.default_rng(0)\n"
        "X = sparse.random_array((2000, 40_000), density=0.01, rng=rng, dtype=np.float32)\n"
        "data = runoff.NBest.from_arrays(X, rng.normal(size=2000), sizes=[10] * 200)\n"
        "weights = runoff.LogLinear(sigma=1.0, max_iter=8).fit(data).model.weights\n"
        "print(hashlib.md5(weights.tobytes()).hexdigest())"
    )
    found = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "RUNOFF_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
        found.add(done.stdout)
    assert len(found) == 1


def test_folds_copy_nothing_and_leave_the_fold_out() -> None:
    data = random_data(1, groups=60)
    problem = LogLinearProblem.of(data, LogLinear())
    part = problem.within(problem.groups[::2])
    assert part.data is problem.data
    point = np.random.default_rng(0).normal(size=6)
    alone = LogLinearProblem.of(data[problem.groups[::2]], LogLinear(scale="none"))
    same = dataclasses.replace(part, scale=alone.scale, base_scale=alone.base_scale, base_prior=alone.base_prior)
    assert same.loss(point, 2.0)[0] == pytest.approx(alone.loss(point, 2.0)[0])


def test_steps_that_run_out_are_said() -> None:
    assert (
        LogLinear(sigma=1.0, max_iter=1, tolerance=0.0).fit(random_data(1, groups=60)).model.provenance["converged"]
        is False
    )
    assert LogLinear(sigma=1.0).fit(random_data(1, groups=60)).model.provenance["converged"] is True


@pytest.mark.slow
def test_sigma_by_dev_and_by_folds_beats_a_careless_one() -> None:
    careless, by_dev, by_folds = [], [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2500, 300))
        quality = X[:, 0] + rng.normal(size=2500)  # one feature of 300 tells something
        train, dev, test = (
            NBest.from_arrays(X[part], quality[part], sizes=[5] * (len(X[part]) // 5))
            for part in (slice(0, 500), slice(500, 1000), slice(1000, 2500))
        )
        careless.append(LogLinear(sigma=1e3).fit(train).score(test))
        by_dev.append(LogLinear().fit(train, dev=dev).score(test))
        by_folds.append(LogLinear().fit(train).score(test))
    assert np.mean(by_dev) > np.mean(careless) + 0.02
    assert np.mean(by_folds) > np.mean(careless) + 0.02


def test_early_stopping_keeps_the_best_step_on_dev() -> None:
    data, dev = random_data(1, groups=60), random_data(2, groups=60)
    learner = LogLinear(sigma=100.0, patience=3).fit(data, dev=dev)
    best = max(entry["dev"] for entry in learner.history)
    assert learner.score(dev) == pytest.approx(best)
    assert learner.model.provenance["steps"] <= len(learner.history)


def test_history_falls() -> None:
    learner = LogLinear(sigma=1.0).fit(random_data(1, groups=60))
    losses = [entry["loss"] for entry in learner.history]
    assert losses == sorted(losses, reverse=True)


def test_dev_data_may_have_other_columns_in_another_order() -> None:
    train = NBest.from_arrays([[1, 0], [0, 1]] * 20, [1, 0] * 20, sizes=[2] * 20, feature_names=["a", "b"])
    dev = NBest.from_arrays([[5, 0, 1], [7, 1, 0]], [0, 1], sizes=[2], feature_names=["c", "a", "b"])
    learner = LogLinear(sigma=1.0).fit(train, dev=dev)
    assert learner.history[-1]["dev"] == 1.0
    assert learner.score(dev) == 1.0


def test_plain_texts_are_learned_from_by_position_length_and_copies() -> None:
    records = [
        {
            "candidates": [
                {"text": "a b", "quality": 0},
                {"text": "a b c", "quality": 1},
                {"text": "a b c", "quality": 1},
            ]
        }
        for _ in range(20)
    ]
    data = NBest.from_records(records)
    model = LogLinear(sigma=1.0).fit(data).model
    assert model.preparation == ({"step": "list-features"},)
    assert model.pick(data)[0].text == "a b c"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (NBest.from_arrays([[1.0], [2.0]], sizes=[2]), "has no quality"),
        (NBest.from_arrays([[1.0], [2.0]], [1, 1], sizes=[2]), "better and a worse candidate"),
        (NBest.from_arrays([[1.0], [2.0]], [1, 0], sizes=[1, 1]), "better and a worse candidate"),
        (NBest.from_arrays(quality=[1, 0], sizes=[2]), "nothing to learn from"),
        (NBest.from_arrays([[1.0]], [1], sizes=[1])[:0], "is empty"),
    ],
)
def test_data_that_cannot_teach_is_refused_with_a_sentence(data: NBest, message: str) -> None:
    with pytest.raises(DataError, match=message):
        LogLinear(sigma=1.0).fit(data)


@pytest.mark.parametrize("wrong", [{"sigma": 0}, {"sigma": "wide"}, {"right": "all"}, {"scale": "std"}])
def test_parameters_that_do_not_exist_are_refused_with_a_sentence(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} of .* must be"):
        LogLinear(**wrong).fit(random_data(1))


def test_asking_before_learning() -> None:
    with pytest.raises(UsageError, match="call fit first"):
        LogLinear().predict(random_data(1))


def test_sigma_can_be_chosen_from_a_list() -> None:
    """Only the given ones are tried, and one of them is taken."""
    data = random_data(1)
    learner = LogLinear(sigma=[2.0, 0.5]).fit(data, dev=data)
    assert list(learner.model.provenance["sigma_scores"]) == ["0.5", "2.0"]
    assert learner.model.provenance["sigma"] in (0.5, 2.0)
