"""The paper's baselines against scikit-learn, against slow programmes of their own papers, and against a theorem."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge

from runoff import DataError, NBest, UsageError
from runoff.learners import AdaRank, Learner, ListNet, Regression, learner, regression


def graded(seed: int, *, groups: int = 10, columns: int = 4, highest: int = 2, base: bool = False) -> NBest:
    """Groups of 2 to 7 documents; feature values are eighths, so that they are the same in 32 and in 64 bits."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, groups)
    rows = int(sizes.sum())
    quality = rng.integers(0, highest + 1, rows)
    X = np.round(8 * (rng.normal(size=(rows, columns)) + 0.5 * quality[:, None])) / 8
    return NBest.from_arrays(
        X, quality, sizes=sizes, base=np.round(rng.normal(size=rows) + quality, 3) if base else None
    )


def table(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray().astype(float)


def without_equals(data: NBest) -> NBest:
    return data[[at for at, group in enumerate(data) if group.quality.min() < group.quality.max()]]


# ---------------------------------------------------------------- all three


@pytest.mark.parametrize("kind", [Regression, ListNet, AdaRank])
def test_found_by_name_the_same_bits_again_and_saved_like_any_learner(kind: type[Learner], tmp_path) -> None:
    data, dev = graded(0, base=True), graded(1, base=True)
    assert learner(kind.name) is kind
    first = kind().fit(data, dev).model
    second = clone(kind()).fit(data, dev).model
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.base_weight == second.base_weight
    assert first.made["dev"]["score"] == pytest.approx(clone(kind()).fit(data, dev).score(dev))
    first.save(tmp_path / "model.runoff")


@pytest.mark.parametrize("kind", [Regression, ListNet, AdaRank])
def test_nothing_to_learn_is_said(kind: type[Learner]) -> None:
    same = NBest.from_arrays([[1.0], [2.0]], quality=[1, 1], sizes=[2])
    with pytest.raises(DataError, match="nothing to learn"):
        kind().fit(same)


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (Regression(l2=-1.0), 'l2 of Regression must be a finite number of at least 0, or "auto"; found -1.0.'),
        (ListNet(rate=0.0), 'rate of ListNet must be a positive finite number, or "auto"; found 0.0.'),
        (AdaRank(rounds=0), 'rounds of AdaRank must be a whole number of at least 1, or "auto"; found 0.'),
        (AdaRank(in_a_row=0), "in_a_row of AdaRank must be a whole number of at least 1; found 0."),
    ],
)
def test_parameters_are_checked(bad: Learner, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        bad.fit(graded(0))
    assert str(caught.value) == expected


# ---------------------------------------------------------------- regression


@pytest.mark.parametrize("few", [1_000, 0])  # by the decomposition, and by LSQR
@pytest.mark.parametrize("l2", [0.0, 0.03, 2.0])
def test_regression_is_scikit_learns(few: int, l2: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "_FEW", few)
    data = graded(3, groups=30)
    X = table(data)
    spread = X.std(axis=0)
    # scikit-learn has alpha * w² beside the sum of squares, we have l2 * w² beside their mean, in units of spread.
    other = Ridge(alpha=l2 * len(X), tol=1e-12) if l2 else LinearRegression()
    expected = other.fit((X - X.mean(axis=0)) / spread, data.quality).coef_ / spread
    found = Regression(l2=l2).fit(data).model.weights
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("few", [1_000, 0])
def test_regression_shares_out_what_columns_have_in_common(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "_FEW", few)
    once = graded(4, groups=30, columns=3)
    X = table(once)
    # The first column twice and one that never changes: the shortest of the equal solutions halves the weight.
    twice = NBest.from_arrays(np.column_stack([X, X[:, 0], np.full(len(X), 7.0)]), once.quality, sizes=once.sizes)
    weights = LinearRegression().fit(X, once.quality).coef_
    found = Regression(l2=0.0).fit(twice).model.weights
    np.testing.assert_allclose(found, [weights[0] / 2, *weights[1:], weights[0] / 2, 0.0], rtol=1e-5, atol=1e-8)


def test_regression_takes_the_first_rounds_score_for_a_column() -> None:
    data = graded(5, groups=30, base=True)
    expected = LinearRegression().fit(np.column_stack([table(data), data.base]), data.quality).coef_
    model = Regression(l2=0.0).fit(data).model
    np.testing.assert_allclose([*model.weights, model.base_weight], expected, rtol=1e-5)
    assert Regression(l2=0.0, base=False).fit(data).model.base_weight == 0.0


def test_regression_chooses_l2_by_dev_or_by_folds() -> None:
    data, dev = graded(6, groups=40, columns=12), graded(7, groups=40, columns=12)
    chosen = Regression(metric="ndcg").fit(data, dev)
    scores = {l2: Regression(l2=l2, metric="ndcg").fit(data).score(dev) for l2 in regression.L2S}
    assert chosen.model.made["l2"] == max(scores, key=scores.get)
    assert list(chosen.model.made["l2_scores"].values()) == pytest.approx(list(scores.values()))
    by_folds = Regression(metric="ndcg").fit(data).model.made
    assert by_folds["l2"] == float(max(by_folds["l2_scores"], key=by_folds["l2_scores"].get))


def test_regression_over_many_columns_is_the_dual_solution() -> None:
    rng = np.random.default_rng(8)
    rows, columns = 300, 100_000
    ones = sparse.random_array((rows, columns), density=5e-4, rng=rng, format="csr") != 0
    data = NBest.from_arrays(sparse.csr_array(ones.astype(float)), rng.integers(0, 3, rows), sizes=[4] * 75)
    assert data.features.values is None  # ones are taken as they are
    # Ridge in the space of the rows: w = X'(X X' + n l2)⁻¹ y, with X and y less their means; a table of 300 x 300.
    X = ones.astype(float)
    inner, outer = (X @ X.T).toarray(), np.full((rows, rows), 1 / rows)
    inner = inner - outer @ inner - inner @ outer + outer @ inner @ outer
    dual = np.linalg.solve(inner + rows * 0.01 * np.eye(rows), data.quality - data.quality.mean())
    expected = X.T @ (dual - dual.mean())
    np.testing.assert_allclose(
        Regression(l2=0.01).fit(data).model.weights, expected, atol=1e-5 * np.abs(expected).max()
    )


# ---------------------------------------------------------------- ListNet


def cross_entropy(data: NBest, weights: np.ndarray) -> float:
    """Sum over groups of `-Σ softmax(grades) log softmax(scores)`: Cao et al. (2007), section 4, with k = 1."""
    total = 0.0
    for group in data:
        wanted = [math.exp(grade) for grade in group.quality]
        scores = [math.exp(float(row @ weights)) for row in table(group)]
        total -= sum(a / sum(wanted) * math.log(b / sum(scores)) for a, b in zip(wanted, scores, strict=True))
    return total


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_listnet_steps_down_the_slope_of_the_cross_entropy(seed: int) -> None:
    data = without_equals(graded(seed, groups=5))
    assume(len(data) > 0)
    rate, weights = 0.05, np.zeros(4)
    for _ in range(3):
        for group in data:
            slope = np.empty(4)
            for at, step in enumerate(1e-5 * np.eye(4)):
                slope[at] = (cross_entropy(group, weights + step) - cross_entropy(group, weights - step)) / 2e-5
            weights -= rate * slope
    found = ListNet(rate=rate, epochs=3, shuffle=False, scale="none").fit(data)
    np.testing.assert_allclose(found.model.weights, weights, rtol=1e-5, atol=1e-7)


def test_listnet_reports_the_divergence_and_comes_to_its_minimum() -> None:
    data = without_equals(graded(9, groups=20))
    small = ListNet(rate=1e-9, epochs=1, scale="none").fit(data).model.made["loss"]  # all but no step
    shares = [np.exp(group.quality) / np.exp(group.quality).sum() for group in data]
    entropy = -sum(float(share @ np.log(share)) for share in shares)
    assert small == pytest.approx((cross_entropy(data, np.zeros(4)) - entropy) / len(data), rel=1e-6)
    weights = ListNet(rate=0.005, epochs=400, scale="none").fit(data).model.weights
    at_end = cross_entropy(data, weights)
    for step in 0.1 * np.vstack([np.eye(4), -np.eye(4)]):
        assert cross_entropy(data, weights + step) > at_end


def test_listnet_does_not_know_in_which_unit_the_worst_choice_is_measured() -> None:
    # Two groups, grades up to 2 and up to 4: the softmax is that of the grades, whatever the spread of the losses.
    data = NBest.from_arrays([[1.0], [0.0], [0.0], [1.0]], quality=[2, 0, 4, 0], sizes=[2, 2])
    pull = [1 / (1 + math.exp(-grade)) - 0.5 for grade in (2, 4)]
    found = ListNet(rate=1e-6, epochs=1, shuffle=False, scale="none").fit(data).model.weights[0]
    assert found == pytest.approx(1e-6 * (pull[0] - pull[1]), rel=1e-4)


# ---------------------------------------------------------------- AdaRank


def average_precision(scores: np.ndarray, relevant: np.ndarray) -> float:
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    hits, total = 0, 0.0
    for place, at in enumerate(order, 1):
        if relevant[at]:
            hits += 1
            total += hits / place
    return total / max(hits, 1)


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
        factors.append(math.exp(-min(reached - before - alpha * own)) * math.sqrt(max(1 - (shares @ own) ** 2, 0.0)))
        shares, before = np.exp(-reached) / np.exp(-reached).sum(), reached
        several.append(weights.copy())
        row = [*row, at] if row and row[-1] == at else [at]
        if round(reached.mean(), 12) > round(best, 12):
            best, out = reached.mean(), set()
        if len(row) >= in_a_row:
            out.add(at)
    return several, factors


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_adarank_is_the_papers_and_keeps_its_bound(seed: int, in_a_row: int) -> None:
    data = without_equals(graded(seed, highest=1))
    assume(len(data) > 0)
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
    assert both.model.made["rounds"] == 1  # nothing is better than all right, and the first such round is kept
    assert both.model.weights[0] > 0 == both.model.weights[1]
    assert both.score(data) == 1.0


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
    several = [AdaRank(rounds=t, metric="ndcg").fit(data).score(dev) for t in range(1, 31)]
    chosen = AdaRank(max_rounds=30, metric="ndcg").fit(data, dev)
    assert chosen.model.made["rounds"] == 1 + int(np.argmax(several))
    assert [entry["dev"] for entry in chosen.history] == pytest.approx(several)


def test_adarank_says_what_it_can_boost() -> None:
    with pytest.raises(UsageError, match=r"metric of whole rankings, such as ndcg or map; found quality"):
        AdaRank(metric="quality").fit(graded(0))
    with pytest.raises(DataError, match="nothing to rank by"):
        AdaRank().fit(NBest.from_arrays([[1.0], [1.0]], quality=[1, 0], sizes=[2]))
    with pytest.raises(DataError, match=r"has the ndcg 0: grades of good candidates must be above 0"):
        AdaRank().fit(NBest.from_arrays([[1.0], [2.0]], quality=[-1, -2], sizes=[2]))
