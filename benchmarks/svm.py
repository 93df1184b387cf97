"""Support vector machines with a polynomial kernel of degree 2, written out as products, beside scikit-learn's.

Synthetic items with 45 features each, one of each of 45 fields, whose values are of very different frequency; a label
depends on features and on pairs of them, with noise. scikit-learn's `SVC` solves the kernel machine, `LinearSVC` the
linear one. Each training runs in a process of its own, for its peak memory; the arguments are numbers of items.

    python benchmarks/svm.py            # 5,000 and 20,000 items beside SVC, and 150,000 alone
    python benchmarks/svm.py 2000 --alone 10000
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff import NBest
from runoff.learners import SVM
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FIELDS, VALUES, TESTED = 45, 60, 5_000
TOLERANCE = 1e-3  # scikit-learn's usual one


def items(n: int) -> tuple[sparse.csr_array, NDArray[np.bool_]]:
    """Items to learn from, and after these `TESTED` others."""
    rng = np.random.default_rng(0)
    total = n + TESTED
    value = np.minimum(rng.pareto(0.7, (total, FIELDS)) * 2, VALUES - 1).astype(np.int64)
    single = rng.normal(size=(FIELDS, VALUES))
    signal = single[np.arange(FIELDS), value].sum(axis=1)
    for one, other in rng.integers(FIELDS, size=(12, 2)):
        signal += rng.normal(size=(VALUES, VALUES))[value[:, one], value[:, other]]
    noisy = signal + rng.normal(size=total) * 0.5 * signal.std()
    columns = (value + VALUES * np.arange(FIELDS)).astype(np.int32).ravel()
    starts = np.arange(total + 1, dtype=np.int32) * FIELDS
    table = sparse.csr_array((np.ones(columns.size, np.float32), columns, starts), shape=(total, FIELDS * VALUES))
    return table, noisy > np.median(noisy)


def lists(X: sparse.csr_array, y: NDArray[np.bool_]) -> NBest:
    """Each item as a list of two: take it, with its features and an intercept, or leave it."""
    with_bias = sparse.hstack([sparse.csr_array(np.ones((X.shape[0], 1), np.float32)), X], format="csr")
    indptr = np.repeat(with_bias.indptr, 2)[1:]  # the other candidate has no features
    table = sparse.csr_array((with_bias.data, with_bias.indices, indptr), shape=(2 * X.shape[0], with_bias.shape[1]))
    names = ["bias", *(f"{field}={value}" for field in range(FIELDS) for value in range(VALUES))]
    quality = np.column_stack([y, ~y]).astype(float).ravel()
    return NBest.from_arrays(table, quality=quality, sizes=[2] * X.shape[0], feature_names=names)


def ours(n: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Runoff's, with what it says of the items that it has not seen."""
    X, y = items(n)
    data = lists(X, y)
    learner = SVM(**settings, tolerance=TOLERANCE, calibration="none", max_iter=20_000)
    learner.clone().set_params(max_iter=1).fit(data[:50])  # compiled before the clock starts
    before = time.process_time()
    model = learner.fit(data[:n]).model
    seconds = time.process_time() - before
    told = {name: model.provenance[name] for name in ("steps", "converged", "support_vectors", "loss")}
    return {**_result(seconds, model.scores(data[n:])[::2], y[n:]), **told, "columns": model.weights.size}


def svc(n: int, settings: dict[str, Any]) -> dict[str, Any]:
    """scikit-learn's kernel machine."""
    from sklearn.svm import SVC

    X, y = items(n)
    machine = SVC(kernel="poly", degree=2, coef0=1, gamma=1, C=settings["C"], tol=TOLERANCE, cache_size=2000)
    before = time.process_time()
    machine.fit(sparse.csr_matrix(X[:n]), y[:n])
    seconds = time.process_time() - before
    told = {"support_vectors": int(machine.n_support_.sum())}
    return {**_result(seconds, machine.decision_function(sparse.csr_matrix(X[n:])), y[n:]), **told}


def liblinear(n: int, settings: dict[str, Any]) -> dict[str, Any]:
    """scikit-learn's linear machine, whose intercept is penalised."""
    from sklearn.svm import LinearSVC

    X, y = items(n)
    machine = LinearSVC(C=settings["C"], loss="hinge", tol=TOLERANCE, max_iter=20_000)
    before = time.process_time()
    machine.fit(X[:n], y[:n])
    seconds = time.process_time() - before
    return {**_result(seconds, machine.decision_function(X[n:]), y[n:]), "steps": int(machine.n_iter_)}


def _result(seconds: float, decisions: NDArray[np.float64], y: NDArray[np.bool_]) -> dict[str, Any]:
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    accuracy = float(np.mean((decisions > 0) == y))
    return {"seconds": seconds, "MB": memory, "accuracy": accuracy, "decisions": decisions}


def run(what: Callable[..., dict[str, Any]], n: int, **settings: Any) -> dict[str, Any]:
    """In a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(what, n, settings).result()
    told = ", ".join(f"{key} {value}" for key, value in found.items() if key != "decisions")
    print(f"{what.__name__} {n:,} {settings}: {told}", flush=True)
    return found


def beside(what: str, mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """How far two machines are from each other on new items."""
    one, other = mine.pop("decisions"), theirs.pop("decisions")
    found = {
        "largest_difference": float(np.abs(one - other).max()),
        "largest_decision": float(np.abs(other).max()),
        "decided_differently": int(np.sum((one > 0) != (other > 0))),
    }
    print(f"  {what}: {found}", flush=True)
    return {"runoff": mine, what: theirs, **found}


def main() -> None:
    """Train, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", type=int, nargs="*", default=[5_000, 20_000], help="items beside scikit-learn")
    parser.add_argument("--alone", type=int, default=150_000, help="items for Runoff alone")
    parser.add_argument("--C", type=float, default=0.01)
    given = parser.parse_args()
    result: dict[str, Any] = {}
    for n in given.sizes:
        mine = run(ours, n, C=given.C, degree=2, free="bias")
        result[f"degree 2, {n:,}"] = beside("SVC", mine, run(svc, n, C=given.C))
        mine = run(ours, n, C=given.C)
        result[f"linear, {n:,}"] = beside("LinearSVC", mine, run(liblinear, n, C=given.C))
    for settings in ({"degree": 1}, {"degree": 2, "min_groups": 3}):
        found = run(ours, given.alone, C=given.C / 10, free="bias", **settings)
        found.pop("decisions")
        result[f"alone, {given.alone:,}, degree {settings['degree']}"] = found
    finish(result)


if __name__ == "__main__":
    main()
