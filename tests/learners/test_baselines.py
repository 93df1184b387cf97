"""The paper's baselines: what all three share, regression against scikit-learn, ListNet against differences."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge

from helpers.graded_lists import graded, table, without_equals
from runoff import DataError, NBest, UsageError
from runoff.learners import AdaRank, Learner, ListNet, Regression, learner, regression
from runoff.model import LinearModel

# ---------------------------------------------------------------- all three


@pytest.mark.parametrize("kind", [Regression, ListNet, AdaRank])
def test_found_by_name_the_same_bits_again_and_saved_like_any_learner(kind: type[Learner], tmp_path) -> None:
    data, dev = graded(0, base=True), graded(1, base=True)
    assert learner(kind.name) is kind
    first = kind().fit(data, dev).model
    second = clone(kind()).fit(data, dev).model
    assert first.weights.tobytes() == second.weights.tobytes()
    assert first.base_weight == second.base_weight
    assert first.provenance["dev"]["score"] == pytest.approx(clone(kind()).fit(data, dev).score(dev))
    judge, nothing = clone(kind()).metric_for(dev), LinearModel(np.zeros(4), dev.features.column_names(), 0.0)
    first_round = judge.score(judge.rows(dev, nothing.ranking(dev)).sum(axis=0))
    assert first.provenance["dev"]["first_round"] == pytest.approx(first_round)
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
    assert chosen.model.provenance["l2"] == max(scores, key=scores.get)
    # In the words by which every learner's choice is told.
    assert chosen.model.provenance["chosen_on_dev"] == pytest.approx(
        {f"l2 {l2:g}": each for l2, each in scores.items()}
    )
    by_folds = Regression(metric="ndcg").fit(data).model.provenance
    assert f"l2 {by_folds['l2']:g}" == max(by_folds["chosen_by_folds"], key=by_folds["chosen_by_folds"].get)
    alone = Regression().fit(data[:1]).model.provenance
    assert (alone["chosen_by_folds"], alone["l2"]) == ("too few groups to choose by; the strongest, l2 1, was taken", 1)


@pytest.mark.parametrize("few", [1_000, 0])
@pytest.mark.parametrize("far", [1e3, 2.0**20, 2.0**23])
def test_regression_sees_small_differences_of_large_numbers(
    few: int, far: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regression, "_FEW", few)
    data = graded(14, groups=30, base=True)
    X = np.round(table(data))  # whole numbers up to 2**24 are the same in 32 bits
    expected = LinearRegression().fit(np.column_stack([X, data.base]), data.quality).coef_
    away = NBest.from_arrays(X + far, data.quality + 2.0**50, sizes=data.sizes, base=data.base - far)
    model = Regression(l2=0.0).fit(away).model
    np.testing.assert_allclose([*model.weights, model.base_weight], expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("few", [1_000, 0])
@pytest.mark.parametrize(("of_quality", "of_base"), [(1023, 0), (-1000, 0), (0, 1022), (0, -1000), (1021, 1021)])
def test_regression_does_not_mind_units(
    few: int, of_quality: int, of_base: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regression, "_FEW", few)
    data = graded(15, groups=30, highest=1, base=True)
    data = data.replace(base=data.base / 8)
    usual = Regression(l2=0.01).fit(data).model
    moved = data.replace(quality=np.ldexp(data.quality, of_quality), base=np.ldexp(data.base, of_base))
    model = Regression(l2=0.01).fit(moved).model
    np.testing.assert_allclose(np.ldexp(model.weights, -of_quality), usual.weights, rtol=1e-6)
    assert np.ldexp(model.base_weight, of_base - of_quality) == pytest.approx(usual.base_weight, rel=1e-6)


def test_regression_warns_where_it_can_change_no_order() -> None:
    data = graded(18, base=True)
    same = NBest.from_arrays(np.repeat(np.arange(10.0), data.sizes)[:, None], data.quality, sizes=data.sizes)
    told = ["no feature differs between the candidates of a group: the model changes no order."]
    assert Regression(l2=0.1).fit(same).model.provenance["warnings"] == told
    assert Regression(l2=0.1, base=False).fit(same.replace(base=data.base)).model.provenance["warnings"] == told
    assert Regression(l2=0.1).fit(same.replace(base=data.base)).model.provenance["warnings"] == []
    assert Regression(l2=0.1).fit(data).model.provenance["warnings"] == []


def test_regression_says_when_no_number_can_be_the_weight() -> None:
    data = NBest.from_arrays([[1e-30], [2e-30]], quality=[0.0, 1e300], sizes=[2])
    with pytest.raises(DataError, match="too different for a weight"):
        Regression(l2=0.0).fit(data)


def test_regression_says_whether_lsqr_came_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "_FEW", 0)
    data, real = graded(16, groups=30), regression.lsqr
    assert Regression(l2=0.01).fit(data).model.provenance["converged"]
    monkeypatch.setattr(regression, "lsqr", lambda *given, **more: real(*given, **more, iter_lim=1))
    assert not Regression(l2=0.01).fit(data).model.provenance["converged"]


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


@settings(deadline=None)
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
    small = ListNet(rate=1e-9, epochs=1, scale="none").fit(data).model.provenance["loss"]  # all but no step
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


def test_listnet_tells_its_choices_in_its_own_words() -> None:
    provenance = ListNet(max_epochs=2).fit(graded(0), graded(1)).model.provenance
    assert list(provenance["chosen_on_dev"]) == ["rate 0.1, l2 0.0", "rate 0.01, l2 0.0", "rate 0.001, l2 0.0"]
