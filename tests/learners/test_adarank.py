"""AdaRank against a slow programme of its paper, its theorem, and by hand; ties; what it cannot boost."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.graded_lists import graded, table, without_equals
from runoff import DataError, NBest, UsageError
from runoff.learners import AdaRank, adarank
from runoff.learners.adarank import Ensemble
from runoff.metrics import get


def average_precision(scores: np.ndarray, relevant: np.ndarray) -> float:
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    hits, total = 0, 0.0
    for place, at in enumerate(order, 1):
        if relevant[at]:
            hits += 1
            total += hits / place
    return total / max(hits, 1)


def without_ties(data: NBest) -> NBest:
    """The same with a little added to every value, less than an eighth, so that no two are alike."""
    X = table(data)
    return NBest.from_arrays(
        X + np.random.default_rng(0).permuted(np.tile(np.arange(len(X)) / 2**10, (4, 1)), axis=1).T,
        data.quality,
        sizes=data.sizes,
    )


def slow_adarank(data: NBest, rounds: int, in_a_row: int) -> tuple[list[np.ndarray], list[float]]:
    """Weights after every round, and the factors of theorem 1: Xu & Li (2007), figure 1 and section 3.3, under MAP."""
    tables, grades = [table(group) for group in data], [group.quality >= 1 for group in data]
    columns = [at for at in range(4) if any(np.ptp(X[:, at]) > 0 for X in tables)]
    weights, several, factors = np.zeros(4), [], []
    shares, before = np.full(len(data), 1 / len(data)), np.zeros(len(data))
    row, best, out = [], -1.0, set()
    for _ in range(rounds):
        free = [at for at in columns if at not in out]
        if not free:
            break
        alone = {at: [average_precision(X[:, at], y) for X, y in zip(tables, grades, strict=True)] for at in free}
        at = max(free, key=lambda column: (round(float(shares @ alone[column]), 12), -column))
        own = np.array(alone[at])
        alpha = 0.5 * math.log((shares @ (1 + own)) / max(float(shares @ (1 - own)), 1e-9))
        weights[at] += alpha
        reached = np.array([average_precision(X @ weights, y) for X, y in zip(tables, grades, strict=True)])
        # The paper's sqrt(1 - φ²) for the paper's alpha; this form also holds where alpha is capped (φ = 1).
        phi = float(shares @ own)
        factor = (1 + phi) / 2 * math.exp(-alpha) + (1 - phi) / 2 * math.exp(alpha)
        factors.append(math.exp(-min(reached - before - alpha * own)) * factor)
        shares, before = np.exp(-reached) / np.exp(-reached).sum(), reached
        several.append(weights.copy())
        row = [*row, at] if row and row[-1] == at else [at]
        if round(reached.mean(), 12) > round(best, 12):
            best, out = reached.mean(), set()
        if len(row) >= in_a_row:
            out.add(at)
    return several, factors


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3))
@example(7710, 1)  # a column that is right in every list: φ = 1
def test_adarank_is_the_papers_and_keeps_its_bound(seed: int, in_a_row: int) -> None:
    data = without_equals(graded(seed, highest=1))
    assume(len(data) > 0)
    data = without_ties(data)
    weights, factors = slow_adarank(data, 12, in_a_row)
    found = AdaRank(rounds=12, in_a_row=in_a_row, scale="none", metric="map").fit(data)
    assert len(found.history) == len(weights)
    np.testing.assert_allclose(found.model.weights, weights[-1], rtol=1e-6, atol=1e-9)
    # Theorem 1: what is reached on the training data is at least 1 - Π exp(-δ) sqrt(1 - φ²), after every round.
    # It comes from mean exp(-E) <= the same product.
    for entry, product in zip(found.history, np.cumprod(factors), strict=True):
        assert 1 - entry["train"] <= entry["loss"] <= product + 1e-9


def test_adarank_by_hand() -> None:
    # Two groups of two. The first column is right in both (E = 1 and 1), the second in one (1 and 1/2).
    data = NBest.from_arrays([[2, 1], [0, 0], [1, 0], [0, 3]], quality=[1, 0, 1, 0], sizes=[2, 2])
    only = data.replace(features=NBest.from_arrays([[1], [0], [0], [3]], [1, 0, 1, 0], sizes=[2, 2]).features)
    model = AdaRank(rounds=1, scale="none", metric="map").fit(only).model
    assert model.weights[0] == pytest.approx(0.5 * math.log(1.75 / 0.25))  # P = 1/2 each, Σ P E = 0.75
    both = AdaRank(scale="none", metric="map").fit(data)
    assert both.model.provenance["rounds"] == 1  # nothing is better than all right, and the first such round is kept
    assert both.model.weights[0] > 0 == both.model.weights[1]
    assert both.score(data) == 1.0


def best_first(data: NBest) -> NBest:
    order = np.concatenate(
        [at + np.argsort(-g.quality, kind="stable") for at, g in zip(data.offsets, data, strict=False)]
    )
    return NBest.from_arrays(table(data)[order], data.quality[order], sizes=data.sizes)


def test_adarank_learns_nothing_from_the_order_of_the_data() -> None:
    # One column tells the grade, in part; the other is a 1 for one candidate of one group in fifty. Where the data
    # comes best first, an order that leaves all as it came looks perfect: it must not be the second column's.
    rng = np.random.default_rng(0)
    quality = rng.integers(0, 3, 1600)
    X = np.column_stack([quality + 0.7 * rng.normal(size=1600), np.arange(1600) % 400 == 0])
    data = best_first(NBest.from_arrays(X, quality, sizes=[8] * 200))
    for metric in ("ndcg", "map", "ndcg-letor"):
        assert AdaRank(rounds=1, metric=metric).fit(data).model.weights.tolist()[1] == 0
    # What ties entirely is worth what a random order is: the expectation is the metric's own, over all orders.
    judge = get("ndcg")
    expected = judge.score(judge.random_rows(data, 0).sum(axis=0))
    alone = [Ensemble(data, judge, AdaRank(seed=seed)).alone[:, 1].mean() for seed in range(20)]
    assert np.mean(alone) == pytest.approx(expected, abs=0.01)
    assert expected < 0.85


def test_adarank_lets_the_first_round_decide_where_a_feature_does_not() -> None:
    # The feature knows the second group only; in the first the score of the first round is right, against the order.
    data = NBest.from_arrays([[0], [0], [1], [0]], quality=[0, 1, 1, 0], sizes=[2, 2], base=[1.0, 2.0, 0.0, 0.0])
    for seed in range(5):
        ensemble = Ensemble(data, get("map"), AdaRank(scale="none", seed=seed))
        assert ensemble.alone[:, 0].tolist() == [1.0, 1.0]


def test_adarank_takes_the_first_of_equal_features() -> None:
    data = NBest.from_arrays([[1, 2, 2], [2, 1, 1]], quality=[1, 0], sizes=[2])
    assert (AdaRank(rounds=1, scale="none").fit(data).model.weights > 0).tolist() == [False, True, False]


def test_adarank_does_without_a_first_round_that_has_no_unit() -> None:
    data = graded(17, base=True)
    with np.errstate(all="raise", under="ignore"):
        tiny = AdaRank(rounds=30).fit(data.replace(base=np.sign(data.base) * 5e-324)).model
        huge = AdaRank(rounds=30).fit(data.replace(base=np.sign(data.base) * 1.7e308)).model
    assert tiny.base_weight == 0.0
    assert huge.base_weight * 1.7e308 == pytest.approx(
        AdaRank(rounds=30).fit(data.replace(base=np.sign(data.base))).model.base_weight
    )
    assert np.isfinite(tiny.weights).all()


@pytest.mark.parametrize("metric", ["map", "ndcg", "ndcg-letor@3"])
@pytest.mark.parametrize("at_once", [1, 30, 1 << 16])
def test_every_feature_alone_ranks_as_all_its_values_do(
    monkeypatch: pytest.MonkeyPatch, metric: str, at_once: int
) -> None:
    monkeypatch.setattr(adarank, "_AT_ONCE", at_once)
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (120, 9)) * (rng.random((120, 9)) < 0.2)
    quality, base = rng.integers(0, 3, 120).astype(float), rng.normal(size=120).round()
    quality[::6], quality[1::6] = 0, 2
    for first in (None, base):
        data = NBest.from_arrays(sparse.csr_array(X * 1.0), quality, sizes=[6] * 20, base=first)
        ensemble = Ensemble(data, get(metric), AdaRank())
        plain = [ensemble._reached(ensemble._values(column)) for column in ensemble._columns.tolist()]
        assert ensemble.alone.tobytes() == np.column_stack(plain).tobytes()
        assert len({each.tobytes() for each in plain}) > 5


def test_adarank_does_not_stand_still_where_one_feature_is_best_alone() -> None:
    # Two readings of the same grades, one more exact: alone it is best under any weights, yet both are better still.
    rng = np.random.default_rng(11)
    quality = np.tile([1, 0, 0, 0, 0], 60)
    noise = rng.normal(size=(quality.size, 2)) * [0.5, 0.8]
    data = NBest.from_arrays(quality[:, None] + noise, quality, sizes=[5] * 60)
    stuck = AdaRank(rounds=20, in_a_row=20, scale="none", metric="map").fit(data)
    free = AdaRank(rounds=20, in_a_row=5, scale="none", metric="map").fit(data)
    assert stuck.model.n_active == 1
    assert len({entry["train"] for entry in stuck.history}) == 1
    assert free.model.n_active == 2
    assert free.history[-1]["train"] > stuck.history[-1]["train"]


def test_adarank_keeps_the_round_that_is_best_on_dev() -> None:
    data, dev = graded(12, groups=40), graded(13, groups=40)
    several = [AdaRank(rounds=t, metric="ndcg[ties=expected]").fit(data).score(dev) for t in range(1, 31)]
    chosen = AdaRank(max_rounds=30, metric="ndcg").fit(data, dev)
    assert chosen.model.provenance["rounds"] == 1 + int(np.argmax(several))
    assert [entry["dev"] for entry in chosen.history] == pytest.approx(several)


def test_adarank_says_what_it_can_boost() -> None:
    with pytest.raises(UsageError, match=r"whole rankings, and quality looks at the picks alone; name another"):
        AdaRank(metric="quality").fit(graded(0))
    with pytest.raises(DataError, match="nothing to rank by"):
        AdaRank().fit(NBest.from_arrays([[1.0], [1.0]], quality=[1, 0], sizes=[2]))
    with pytest.raises(DataError, match=r"has the ndcg 0: grades of good candidates must be above 0"):
        AdaRank().fit(NBest.from_arrays([[1.0], [2.0]], quality=[-1, -2], sizes=[2]))
