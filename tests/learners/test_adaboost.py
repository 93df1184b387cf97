"""AdaBoost over trees: equal to a slow version written from the paper, its theorems, scikit-learn's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.slow_trees import slow_adaboost, slow_tree
from runoff.errors import DataError, UsageError
from runoff.learners.adaboost import AdaBoost, ExpObjective
from runoff.learners.binned_data import BinnedData
from runoff.learners.tree_growth import RowStatistics, grow_tree

if TYPE_CHECKING:
    from pathlib import Path


def mixed(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Sparse binary, counted, negative and real columns, some with missing values; labels with interactions."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.random((n, 3)) < 0.15,
            rng.poisson(0.3, (n, 2)),
            rng.normal(size=(n, 2)) * (rng.random((n, 2)) < 0.2),
            rng.normal(size=(n, 2)).round(1),
            rng.integers(-2, 3, (n, 1)),
        ]
    ).astype(np.float32)
    X[:, 4:8][rng.random((n, 4)) < 0.1] = np.nan
    score = X[:, 0] + (np.nan_to_num(X[:, 7]) > 0) * (X[:, 9] > 0) + 0.5 * rng.normal(size=n)
    return X, score > np.median(score)


def nodes_of(run: Any, at: int) -> list[Any]:
    trees = run.trees()
    return [
        None if column < 0 else (int(column), float(cut), bool(right))
        for column, cut, right in zip(trees.column[at], trees.cut[at], trees.missing_right[at], strict=True)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_trees_leaves_and_weights_are_the_papers(seed: int) -> None:
    X, y = mixed(seed)
    learner = AdaBoost(rounds=4, depth=3, trim=0.0).fit(sparse.csr_array(X), y)
    run = learner.runs_[0]
    order = run.data.source.tolist()
    trees, leaves, weights, factors = slow_adaboost(X, y, 4, 3, order, 0.25 / len(X))
    objective, scores = ExpObjective(y.astype(np.uint8), 0.25 / len(X)), np.zeros(len(X))
    for at in range(4):
        assert nodes_of(run, at) == trees[at]
        assert run.trees().leaves[at] == pytest.approx(leaves[at], abs=1e-9)
        statistics, _ = objective.statistics(scores)
        assert statistics.a + statistics.b == pytest.approx(weights[at], abs=1e-12)
        scores += run.trees().prefix(at + 1).leaves[at][_leaf(run, at)]
    # The loss falls by the factor Z of every round (Schapire & Singer 1999, theorem 1).
    losses = np.array([*run.losses, objective.statistics(run.scores)[1]])
    assert losses[1:] / losses[:-1] == pytest.approx(factors, rel=1e-10)


def _leaf(run: Any, at: int) -> Any:
    from runoff.learners.tree_growth import leaves_of

    column, cut, right, _ = run._trees[at]
    return leaves_of(run.data, column, cut, right)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 3))
def test_a_tree_is_the_slow_one(seed: int, newton: bool, depth: int) -> None:
    X, y = mixed(seed, n=25)
    rng = np.random.default_rng(seed)
    weight = rng.random(len(X)) / len(X)
    data = BinnedData.of(sparse.csr_array(X))
    if newton:
        a, b, statistics = rng.normal(size=len(X)), weight, None
        statistics = RowStatistics.of_derivatives(a, b)
    else:
        a, b = weight * y, weight * ~y
        statistics = RowStatistics.of_weights(weight, y.astype(np.uint8))
    rows = np.arange(len(X), dtype=np.int32)
    tree = grow_tree(data, statistics, rows, depth, columns=np.arange(data.n_columns), ridge=0.1)
    expected, leaf = slow_tree(X, a, b, depth, data.source.tolist(), newton=newton, ridge=0.1)
    found = [
        None if c < 0 else (int(data.source[c]), float(data.cuts(c)[k - 1]), bool(r))
        for c, k, r in zip(tree.column, tree.cut, tree.missing_right, strict=True)
    ]
    assert found == expected
    assert tree.leaf_of.tolist() == leaf.tolist()
    for at in range(2**depth):
        assert tree.sums[at] == pytest.approx([a[leaf == at].sum(), b[leaf == at].sum()], abs=1e-12)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40))
def test_columns_without_rows_and_those_that_cannot_win_change_no_tree(seed: int, empty: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((60, 40)) < 0.1, np.nan_to_num(mixed(seed)[0])]).astype(np.float32)
    left_out = (X[:, :empty] > 0).any(axis=1) if empty else rng.random(60) < 0.3
    weight = np.where(left_out, 0.0, rng.random(60) ** 4)
    y = rng.random(60) < 0.3
    data = BinnedData.of(sparse.csr_array(X))
    statistics, rows = RowStatistics.of_weights(weight, y.astype(np.uint8)), np.flatnonzero(~left_out).astype(np.int32)
    tree = grow_tree(data, statistics, rows, 3, columns=np.arange(data.n_columns))
    expected, leaf = slow_tree(X, weight * y, weight * ~y, 3, data.source.tolist())
    found = [
        None if c < 0 else (int(data.source[c]), float(data.cuts(c)[k - 1]), bool(r))
        for c, k, r in zip(tree.column, tree.cut, tree.missing_right, strict=True)
    ]
    assert found == expected
    assert tree.leaf_of.tolist() == leaf.tolist()


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_the_training_error_is_below_the_product_of_the_factors(seed: int) -> None:
    X, y = mixed(seed)
    run = AdaBoost(rounds=5, depth=2).fit(X, y).runs_[0]
    error = np.mean((run.scores > 0) != y)
    losses = np.array([*run.losses, run.objective.statistics(run.scores)[1]])
    assert np.all(np.diff(losses) < 0)
    assert error <= losses[-1] + 1e-12


def test_predictions_are_the_scores_of_training() -> None:
    X, y = mixed(5, 200)
    learner = AdaBoost(rounds=20, depth=4).fit(X, y)
    assert learner.decision_function(X) == pytest.approx(learner.runs_[0].scores, abs=1e-12)
    three = np.where(y, "b", np.where(X[:, 9] > 0, "a", "c"))
    learner = AdaBoost(rounds=10, depth=3).fit(X, three)
    for at, run in enumerate(learner.runs_):
        assert learner.decision_function(X)[:, at] == pytest.approx(run.scores, abs=1e-12)
    assert learner.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert learner.classes_[learner.predict_proba(X).argmax(axis=1)].tolist() == learner.predict(X).tolist()
    assert learner.score(X, three) > 0.9


def test_logistic_loss_falls_and_its_leaves_are_newton_steps() -> None:
    X, y = mixed(12, 200)
    run = AdaBoost(rounds=20, depth=3, loss="log", trim=0.0, rate=0.5).fit(X, y).runs_[0]
    assert np.all(np.diff(run.losses) < 0)
    assert run.losses[0] == pytest.approx(np.log(2))
    leaf, sign = _leaf(run, 0), np.where(y, 1.0, -1.0)
    for at in np.unique(leaf):  # at the start every p is one half
        step = 0.5 * (sign[leaf == at] * 0.5).sum() / (0.25 * (leaf == at).sum() + 1.0)
        assert run.trees().leaves[0, at] == pytest.approx(0.5 * step)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from runoff.learners import tree_growth

    monkeypatch.setattr(tree_growth, "_STORED_PER_PIECE", 50)
    X, y = mixed(6, 300)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(
            AdaBoost(rounds=8, depth=3, row_sample=0.7, column_sample=0.6).fit(X, y).decision_function(X).tobytes()
        )
    assert found[0] == found[1]


def test_samples_depend_on_the_seed_and_trimming_drops_light_rows() -> None:
    X, y = mixed(7, 300)
    one, other = (AdaBoost(rounds=5, row_sample=0.5, seed=seed).fit(X, y).decision_function(X) for seed in (1, 2))
    assert not np.array_equal(one, other)
    learner = AdaBoost(rounds=30, depth=3, trim=0.05).fit(X, y)
    assert learner.runs_[0].used[0] == 300  # all weigh the same at first
    assert learner.runs_[0].used[-1] < 200


def test_dev_data_ends_a_label_and_calibrates_it() -> None:
    X, y = mixed(8, 1_000)
    y = y ^ (np.random.default_rng(0).random(1_000) < 0.1)
    learner = AdaBoost(rounds=150, depth=3).fit(X[:500], y[:500], dev=(X[500:], y[500:]))
    assert learner.rounds_[0] < learner.runs_[0].done < 150
    bare = AdaBoost(rounds=150, depth=3, calibration="none").fit(X[:500], y[:500], dev=(X[500:], y[500:]))
    test, labels = mixed(9, 2_000)

    def loss(model: AdaBoost) -> float:
        p = model.predict_proba(test)[:, 1]
        noisy = labels ^ (np.random.default_rng(1).random(2_000) < 0.1)
        return float(-np.mean(np.log(np.where(noisy, p, 1 - p))))

    assert loss(learner) < loss(bare)
    full = AdaBoost(rounds=150, depth=3, patience=None).fit(X[:500], y[:500], dev=(X[500:], y[500:]))
    assert full.runs_[0].done == 150


def test_a_checkpoint_resumes_to_the_same_bits(tmp_path: Path) -> None:
    X, y = mixed(10, 150)
    how: dict[str, Any] = {"depth": 3, "row_sample": 0.8, "checkpoint": str(tmp_path / "c")}
    AdaBoost(rounds=4, **how).fit(X, y)
    resumed = AdaBoost(rounds=9, **how).fit(X, y)
    whole = AdaBoost(rounds=9, depth=3, row_sample=0.8).fit(X, y)
    assert resumed.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    with pytest.raises(UsageError, match="other data or other parameters"):
        AdaBoost(rounds=9, **how).fit(X, ~y)


@pytest.mark.filterwarnings("ignore")  # of checks that are skipped
def test_scikit_learns_own_checks() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    done = check_estimator(AdaBoost(rounds=5), on_skip=None)
    assert len([each for each in done if each["status"] == "passed"]) > 40


def test_labels_of_dev_data_are_checked_too() -> None:
    X, y = mixed(11, 120)
    with pytest.raises(DataError, match="120 rows and labels of the shape"):
        AdaBoost(rounds=2).fit(X, y, dev=(X, y[:50]))


def test_scikit_learns_rules() -> None:
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import cross_val_score

    X, y = mixed(11, 120)
    learner = AdaBoost(rounds=5, depth=2)
    assert is_classifier(learner)
    assert clone(learner).get_params() == learner.get_params()
    assert cross_val_score(learner, sparse.csr_array(X), y, cv=3).mean() > 0.55


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[1.0]], [1], "all rows are of one class, 1"),
        ([[1.0], [2.0]], [1], "labels of the shape"),
        ([[1.0], [2.0]], None, "requires y"),
        ([[1.0], [2.0]], [0.5, 1.0], "continuous, such as 0.5"),
        ([[1j], [2.0]], [0, 1], "Complex data not supported"),
        (np.zeros((2, 0)), [0, 1], "minimum of 1 is required"),
        (np.zeros((0, 2)), [], "minimum of 1 is required"),
        ([1.0, 2.0], [0, 1], "two dimensions"),
        ([[np.inf], [0.0]], [0, 1], "infinite"),
    ],
)
def test_what_cannot_be_learned_is_said(X: Any, y: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        AdaBoost().fit(X, y)


def test_wrong_settings_and_use_before_fit_are_said() -> None:
    with pytest.raises(UsageError, match="depth of AdaBoost must be a whole number from 1 to 6"):
        AdaBoost(depth=7).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(UsageError, match="not learned anything"):
        AdaBoost().predict([[1.0]])
    with pytest.raises(UsageError, match="X has 2 features, but AdaBoost is expecting 1"):
        AdaBoost(rounds=1).fit([[0.0], [1.0]], [0, 1]).predict([[1.0, 2.0]])


def test_columns_that_tell_nothing_apart_leave_no_tree() -> None:
    learner = AdaBoost(rounds=5).fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert len(learner.trees_) == 0
    assert learner.predict([[1.0]]).tolist() == [0]
    assert learner.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]


def test_many_values_are_cut_at_quantiles_and_zero_keeps_its_bin() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5_000, 1)) * (rng.random((5_000, 1)) < 0.2)
    data = BinnedData.of(sparse.csr_array(values))
    assert 200 <= data.cuts(0).size <= 254
    near = np.sort(np.abs(data.cuts(0)))[:2]
    smallest = np.abs(values[values != 0]).min()
    assert near[0] <= smallest
    assert data.rows.zero[0] > 0
