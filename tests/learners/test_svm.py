"""Support vector machines: against scikit-learn's kernel and linear ones, and the conditions for an optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import SVC, LinearSVC

from runoff import NBest
from runoff.errors import DataError, UsageError
from runoff.learners import SVM

EXACT: dict[str, Any] = {"tolerance": 1e-7, "max_iter": 100_000, "calibration": "none"}


def items(seed: int, n: int = 150, m: int = 12, *, binary: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Items whose label depends on pairs of features."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, m)) < 0.3).astype(np.float32)
    if not binary:
        X = (X * rng.normal(size=X.shape)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] * X[:, 4] + 0.5 * rng.normal(size=n) > 0.2
    return X, y


def take_or_leave(X: np.ndarray, y: np.ndarray, *, bias: bool = True) -> NBest:
    """An item as a list of two candidates: it, with an intercept, and one without features."""
    table = np.zeros((2 * len(X), X.shape[1] + bias), np.float32)
    table[::2, bias:] = X
    if bias:
        table[::2, 0] = 1.0
    names = ["bias"] * bias + [f"f{at}" for at in range(X.shape[1])]
    quality = np.column_stack([y, ~y]).astype(float).ravel()
    return NBest.from_arrays(sparse.csr_array(table), quality=quality, sizes=[2] * len(X), feature_names=names)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("C", [0.02, 1.0])
@pytest.mark.parametrize("coef0", [0.5, 1.0])
def test_degree_two_decides_as_the_polynomial_kernel_does(C: float, coef0: float, binary: bool) -> None:
    (X, y), (new, other) = items(0, binary=binary), items(1, 400, binary=binary)
    machine = SVC(kernel="poly", degree=2, coef0=coef0, gamma=1, C=C, tol=1e-7).fit(X, y)
    learner = SVM(C=C, degree=2, coef0=coef0, free="bias", scale="none", **EXACT).fit(take_or_leave(X, y))
    expected = machine.decision_function(new)
    found = learner.model.scores(take_or_leave(new, other))[::2]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    sure = np.abs(expected) > 1e-4
    np.testing.assert_array_equal(learner.predict(take_or_leave(new, other))[sure], np.where(expected < 0, 1, 0)[sure])
    told = learner.model.provenance
    assert told["converged"]
    # What scikit-learn minimises, from its own solution.
    dual = machine.dual_coef_.ravel()
    kernel = (machine.support_vectors_ @ machine.support_vectors_.T + coef0) ** 2
    missed = np.maximum(1 - np.where(y, 1, -1) * machine.decision_function(X), 0).sum()
    assert told["loss"] == pytest.approx(0.5 * dual @ kernel @ dual + C * missed, rel=1e-5)
    assert told["dual"] == pytest.approx(told["loss"], rel=1e-5)


def test_several_columns_can_be_free() -> None:
    X, y = items(2)
    data = take_or_leave(X, y)
    model = SVM(C=0.1, free=["bias", "f2", "f0"], **EXACT).fit(data).model
    # The same by a general solver, with the hinge as constraints.
    n, table, sign = len(X), np.column_stack([np.ones(len(X)), X]), np.where(y, 1.0, -1.0)
    m = table.shape[1]
    penalised = np.ones(m)
    penalised[[0, 1, 3]] = 0.0

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        w, slack = point[:m], point[m:]
        return 0.5 * penalised @ w**2 + 0.1 * slack.sum(), np.concatenate([penalised * w, np.full(n, 0.1)])

    rows = np.column_stack([sign[:, None] * table, np.eye(n)])
    enough = {"type": "ineq", "fun": lambda point: rows @ point - 1, "jac": lambda _: rows}
    start = np.concatenate([np.zeros(m), np.ones(n)])
    bounds = [(None, None)] * m + [(0, None)] * n
    solved = minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=bounds,
        constraints=enough,
        options={"maxiter": 500, "ftol": 1e-11},
    )
    assert solved.success
    assert model.provenance["loss"] == pytest.approx(solved.fun, rel=1e-6)
    # Only penalised weights are the same in all optima.
    np.testing.assert_allclose(model.weights[penalised > 0], solved.x[:m][penalised > 0], atol=1e-3)


@pytest.mark.parametrize(("loss", "theirs"), [("hinge", "hinge"), ("squared", "squared_hinge")])
def test_linear_ones_are_those_of_liblinear(loss: Any, theirs: str) -> None:
    X, y = items(3)
    machine = LinearSVC(C=0.5, loss=theirs, dual=True, tol=1e-8, max_iter=200_000).fit(X, y)
    model = SVM(C=0.5, loss=loss, **EXACT).fit(take_or_leave(X, y)).model
    np.testing.assert_allclose(model.weights, [*machine.intercept_, *machine.coef_[0]], atol=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_longer_lists_are_the_pairs_of_the_best_and_the_rest(loss: Any) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    base, quality = rng.normal(size=60), rng.integers(0, 4, 60).astype(float)
    data = NBest.from_arrays(X, quality=quality, base=base, sizes=[6] * 10)
    model = SVM(C=0.3, loss=loss, scale="none", **EXACT).fit(data).model
    spread = float(np.sqrt(np.mean([np.var(each) for each in base.reshape(10, 6)])))
    table = np.column_stack([X, base / spread])
    apart = []
    for start in range(0, 60, 6):
        part = slice(start, start + 6)
        top = max(range(start, start + 6), key=lambda row: (quality[row], base[row]))
        apart += [table[top] - table[row] for row in range(60)[part] if quality[row] < quality[top]]
    # liblinear without an intercept, every pair once as it is and turned round, weighs each twice.
    both = np.array(apart + [-each for each in apart])
    labels = [1] * len(apart) + [0] * len(apart)
    machine = LinearSVC(
        C=0.15, loss={"hinge": "hinge", "squared": "squared_hinge"}[loss], fit_intercept=False, tol=1e-9, max_iter=10**6
    ).fit(both, labels)
    found = [*model.weights, model.base_weight * spread]
    np.testing.assert_allclose(found, machine.coef_[0], atol=1e-4)
    assert model.provenance["pairs"] == len(apart)


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_the_dual_never_falls_and_the_end_is_an_optimum(loss: Any) -> None:
    X, y = items(5)
    learner = SVM(C=1.0, degree=2, loss=loss, tolerance=1e-5, max_iter=10_000, calibration="none")
    learner.fit(take_or_leave(X, y))
    dual = np.array([entry["dual"] for entry in learner.history])
    assert (np.diff(dual) >= -1e-9 * np.abs(dual[1:])).all()
    told = learner.model.provenance
    assert told["converged"]
    assert dual[-1] == told["dual"] <= told["loss"] * (1 + 1e-12)
    assert told["loss"] - told["dual"] <= 1e-4 * told["loss"]
    assert min(entry["active"] for entry in learner.history) < len(X)  # some were left out in between


def test_the_same_seed_gives_the_same_bits_and_another_the_same_optimum() -> None:
    data = take_or_leave(*items(6))
    one, same, other = (SVM(C=0.1, degree=2, free="bias", seed=seed, **EXACT).fit(data).model for seed in (0, 0, 1))
    assert one.weights.tobytes() == same.weights.tobytes()
    assert one.weights.tobytes() != other.weights.tobytes()
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-4)


def test_the_best_c_is_chosen_on_dev_or_by_folds() -> None:
    train, dev = take_or_leave(*items(7)), take_or_leave(*items(8))
    scores = {C: SVM(C=C, degree=2, free="bias", calibration="none").fit(train).score(dev) for C in (1e-5, 0.1)}
    by_dev = SVM(C=[0.1, 1e-5], degree=2, free="bias").fit(train, dev).model
    assert by_dev.provenance["C"] == 0.1
    assert by_dev.provenance["C_scores"] == pytest.approx({str(C): score for C, score in scores.items()})
    assert by_dev.calibration is not None
    by_folds = SVM(C=[0.1, 1e-5], degree=2, free="bias").fit(train).model
    assert by_folds.provenance["C"] == 0.1
    assert by_folds.provenance["chosen_on"] == "5 folds of 150 training lists"


def test_what_cannot_be_learned_is_said() -> None:
    data = take_or_leave(*items(9, 20))
    with pytest.raises(UsageError, match="there is no feature 'intercept' that could be free"):
        SVM(free="intercept").fit(data)
    with pytest.raises(UsageError, match="free of SVM must be the name of a feature, or a list of names; found 3"):
        SVM(free=3).fit(data)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="coef0 has no effect with degree=1"):
        SVM(coef0=2.0).fit(data)
    with pytest.raises(UsageError, match="leave products out"):
        SVM(degree=2, products=2).fit(data)
    with pytest.raises(UsageError, match="a whole number from 1 to 2; found 3"):
        SVM(degree=3).fit(data)
    with pytest.raises(DataError, match="nothing to learn"):
        SVM(C=1.0).fit(NBest.from_arrays([[1.0], [2.0]], quality=[1, 1], sizes=[2]))
    with pytest.raises(DataError, match="too large"):
        SVM(C=1.0, degree=2, scale="none").fit(NBest.from_arrays([[1e30], [2.0]], quality=[0, 1], sizes=[2]))


def test_data_in_which_little_differs() -> None:
    same = NBest.from_arrays([[1.0], [1.0], [1.0]], quality=[0, 1, 0], sizes=[3])
    model = SVM(C=1.0).fit(same).model
    assert model.weights.tolist() == [0.0]
    assert "no feature" in model.provenance["warnings"][0] or "nothing was learned" in model.provenance["warnings"][0]
    always = take_or_leave(np.ones((5, 1), np.float32), np.ones(5, bool))  # the intercept alone tells all
    model = SVM(C=1.0, free="bias", tolerance=1e-6).fit(always).model
    np.testing.assert_allclose(model.weights, [1.0, 0.0], atol=1e-3)
    empty = NBest.from_arrays([[1.0], [0.0]], quality=[1, 0], sizes=[0, 2, 0])
    np.testing.assert_allclose(SVM(C=10.0, degree=2, coef0=0.0, **EXACT).fit(empty).model.weights, [1.0], atol=1e-6)


def test_too_few_passes_are_told() -> None:
    model = SVM(C=10.0, max_iter=1, calibration="none").fit(take_or_leave(*items(10))).model
    assert not model.provenance["converged"]
    assert "set max_iter above 1" in model.provenance["warnings"][0]
