"""The score of expected statistics: its value by a slow version, its slopes by differences, its choices by a grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from runoff import NBest, UsageError
from runoff.learners import CRF
from runoff.learners.expected_score import ExpectedScore
from runoff.learners.expected_score_problem import ExpectedScoreProblem
from runoff.metrics import BLEU, get, grade

WORDS = [f"w{at}" for at in range(30)]


def translations(seed: int, groups: int = 40) -> NBest:
    """Sentences with wrong words and with words left out; one feature knows of each, and the base score of both."""
    rng = np.random.default_rng(seed)
    texts, references, table, base = [], [], [], []
    sizes = rng.integers(0, 7, groups)
    for size in sizes:
        reference = [WORDS[at] for at in rng.integers(0, 30, rng.integers(6, 15))]
        references.append([" ".join(reference)])
        for _ in range(size):
            wrong, gone = rng.uniform(0, 0.3, 2)
            drawn = rng.uniform(size=len(reference))
            words = [
                WORDS[at % 30] if fate < wrong else word
                for at, (word, fate) in enumerate(zip(reference, drawn, strict=True))
            ]
            texts.append(" ".join(word for word, fate in zip(words, drawn, strict=True) if fate < 1 - gone) or "none")
            table.append([wrong + 0.1 * rng.normal(), 100 * gone + 10 * rng.normal()])
            base.append(-wrong + rng.normal())
    kept = np.asarray(table, np.float32)
    return grade(NBest.from_arrays(kept, texts=texts, sizes=sizes, base=base, references=references, metric="bleu"))


def test_the_loss_is_the_metric_of_expected_statistics() -> None:
    data, learner, metric = translations(0), ExpectedScore(), BLEU()
    problem = ExpectedScoreProblem.of(data, metric, learner)
    point = np.array([-0.7, 0.4, 1.3])
    score, _ = problem.score(point)
    # The slow version: softmax in every list, statistics summed, the metric of the sum.
    weights, base_weight = problem.in_data_units(point)
    values = data.features.to_scipy().toarray() @ weights + base_weight * np.asarray(data.base)
    statistics, sums = metric.statistics(data), np.zeros(10)
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        if stop > start:
            share = np.exp(values[start:stop] - values[start:stop].max())
            sums += share / share.sum() @ statistics[start:stop]
    assert score == pytest.approx(float(metric.score(sums)), rel=1e-6)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "wer"])
def test_slopes_are_those_of_the_loss(metric: str) -> None:
    data = grade(translations(1), metric)
    problem = ExpectedScoreProblem.of(data, get(metric), ExpectedScore(metric=metric))

    def loss(point: np.ndarray) -> float:
        return problem.loss(point, 1.0)[0]

    def slopes(point: np.ndarray) -> np.ndarray:
        return problem.loss(point, 1.0)[1]

    for point in (np.zeros(3), np.array([0.5, -1.0, 0.8])):
        error = check_grad(loss, slopes, point, epsilon=1e-6)
        assert error < 1e-3 * max(1.0, float(np.abs(slopes(point)).max()))


def test_the_choices_are_as_good_as_the_best_weights_on_a_grid() -> None:
    train, test = translations(2, 400), translations(3, 400)
    model = ExpectedScore(sigma=10.0, calibration="none").fit(train).model
    found = _bleu(test, model.scores(test))
    table = test.features.to_scipy().toarray() / [0.3, 30.0]
    best = max(  # chosen on the test lists themselves
        _bleu(test, table @ [wrong, gone] + weight * np.asarray(test.base))
        for wrong in np.linspace(-4, 0, 9)
        for gone in np.linspace(-4, 0, 9)
        for weight in (0.0, 0.3)
    )
    assert found > best - 1.0


def test_a_mean_over_lists_is_the_expected_loss_of_the_random_field() -> None:
    data = NBest.from_arrays(
        np.random.default_rng(4).normal(size=(90, 2)).astype(np.float32),
        quality=np.random.default_rng(5).uniform(size=90).round(2),
        sizes=[3] * 30,
    )
    # Without priors to speak of, both maximise expected quality.
    one = ExpectedScore(sigma=1e3, scale="none", max_iter=2000, tolerance=1e-10).fit(data).model
    other = CRF(objective="el", l2=1e-9, scale="none", max_iter=2000, tolerance=1e-10).fit(data).model
    picks = one.pick(data).indices, other.pick(data).indices
    assert np.mean(picks[0] == picks[1]) > 0.9


def test_metrics_of_rankings_are_refused() -> None:
    data = NBest.from_arrays([[1.0], [2.0]], quality=[0, 1], sizes=[2])
    with pytest.raises(UsageError, match="judges whole rankings"):
        ExpectedScore(metric="ndcg").fit(data)


def _bleu(data: NBest, values: np.ndarray) -> float:
    metric, sums = BLEU(), np.zeros(10)
    statistics = metric.statistics(data)
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        if stop > start:
            sums += statistics[start + int(np.argmax(values[start:stop]))]
    return float(metric.score(sums))
