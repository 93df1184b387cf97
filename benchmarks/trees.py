"""Boosted trees for labels: speed and quality beside LightGBM and scikit-learn; for lists, see tree_lists.py.

Parts: "sparse" (labels over sparse binary columns, at a tenth of the size of Màrquez et al. 2005), "dense" (labels over
real columns), "whole" (one label at the paper's own size, in full), "apply" (rows a second under 80,000 trees).
Peers that are not installed are left out. Usage: python benchmarks/trees.py [part …]
"""

from __future__ import annotations

import importlib.util
import resource
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.learners import AdaBoost
from runoff.model import Trees
from runoff.nbest import Features
from runoff.tables import text_table
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, DEPTH, ACTIVE = 200, 4, 100
THREADS = 2


def sparse_rows(n: int, columns: int, seed: int) -> tuple[Any, Any]:
    """Rows with about 100 of many binary columns, frequent and rare ones, and a label that some pairs decide."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(10, columns + 10)
    drawn = rng.choice(columns, size=n * ACTIVE, p=shares / shares.sum()).astype(np.int32)
    table = sparse.csr_array(
        (np.ones(drawn.size, np.float32), drawn, np.arange(0, drawn.size + 1, ACTIVE)), shape=(n, columns)
    )
    table.sum_duplicates()
    table.data[:] = 1.0
    truth = np.random.default_rng(99)
    weights = truth.normal(size=columns) * (truth.random(columns) < 0.2)
    both = [table[:, [a]].multiply(table[:, [b]]).toarray()[:, 0] for a, b in truth.integers(0, 60, (12, 2))]
    score = table @ weights + np.array(both).T @ truth.normal(size=12) * 3 + rng.normal(size=n)
    return table, score > 7.0


def since(began: tuple[float, float]) -> tuple[float, float]:
    """Seconds of clock and of all threads."""
    return time.perf_counter() - began[0], time.process_time() - began[1]


def log_loss(p: Any, y: Any) -> float:
    """Mean negative log-likelihood."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-np.mean(np.where(y, np.log(p), np.log1p(-p))))


def labels(make: Callable[[int, int], tuple[Any, Any]], n: int) -> dict[str, Any]:
    """Seconds and held-out loss of all that can be had, with as many rounds of the same depth."""
    train, dev, test = make(n, 0), make(n // 4, 1), make(n // 2, 2)
    out: dict[str, Any] = {"rows": n, "stored": int(train[0].nnz), "positive": float(np.mean(train[1]))}
    AdaBoost(rounds=2).fit(*make(200, 3))  # compiles

    def ours(**how: Any) -> tuple[float, float, float | None]:
        began = time.perf_counter(), time.process_time()
        learner = AdaBoost(rounds=ROUNDS, depth=DEPTH, patience=None, **how).fit(*train, dev=dev)
        return *since(began), log_loss(learner.predict_proba(test[0])[:, 1], test[1])

    out["runoff, rate 1"] = ours()
    out["runoff, rate 0.3"] = ours(rate=0.3)
    out["runoff, logistic loss, rate 0.3"] = ours(rate=0.3, loss="log")
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        settings = {"objective": "binary", "max_depth": DEPTH, "num_leaves": 1 << DEPTH, "learning_rate": 0.3}
        # A row of numbers for every example is how LightGBM takes real columns best.
        table = _rows if train[0].nnz > 0.5 * np.prod(train[0].shape) else _csr
        for threads in (1, THREADS):
            began = time.perf_counter(), time.process_time()
            data = lightgbm.Dataset(table(train[0]), train[1].astype(int))
            booster = lightgbm.train({**settings, "num_threads": threads, "verbose": -1}, data, ROUNDS)
            taken = since(began)
            loss = log_loss(booster.predict(table(test[0])), test[1])
            out[f"lightgbm, rate 0.3, {threads} thread{'s' * (threads > 1)}"] = *taken, loss
    if importlib.util.find_spec("sklearn"):
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.tree import DecisionTreeClassifier

        few = 5
        began = time.perf_counter(), time.process_time()
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=DEPTH), n_estimators=few).fit(_csr(train[0]), train[1])
        wall, cpu = since(began)
        out[f"scikit-learn, {few} rounds times {ROUNDS // few}"] = wall * ROUNDS / few, cpu * ROUNDS / few, None
    rows = [
        [name, f"{each[0]:.1f}", f"{each[1]:.1f}", "" if each[2] is None else f"{each[2]:.4f}"]
        for name, each in out.items()
        if isinstance(each, tuple)
    ]
    print(f"\n{n:,} rows, {ROUNDS} rounds of depth {DEPTH}")
    print(text_table(["learner", "seconds", "CPU seconds", "held-out log loss"], rows), flush=True)
    return out


def _csr(table: Any) -> Any:
    found = sparse.csr_matrix(table)
    found.indices, found.indptr = found.indices.astype(np.int32), found.indptr.astype(np.int32)
    return found


def _rows(table: Any) -> Any:
    return table.toarray()


def dense_rows(n: int, seed: int) -> tuple[Any, Any]:
    """Fifty real columns, and a label by thresholds and products of some."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 50)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + (X[:, 2] > 0.5) + np.sin(2 * X[:, 3]) + 0.5 * rng.normal(size=n)
    return sparse.csr_array(X), score > 0.7


def whole() -> dict[str, Any]:
    """One label at the paper's size, in full."""
    table, y = sparse_rows(800_000, 80_000, 0)
    began = time.perf_counter(), time.process_time()
    learner = AdaBoost(rounds=2_000, depth=DEPTH, verbose=True).fit(table, y)
    seconds, cpu = since(began)
    used = learner.runs_[0].used
    found = {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "hours_of_35_labels_on_2_cores": 35 * cpu / 2 / 3600,  # labels are learned side by side
        "rows_used_first_and_last": [used[0], used[-1]],
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "training_error": 1 - learner.score(table, y),
    }
    print(found, flush=True)
    return found


def apply_all() -> dict[str, Any]:
    """Rows a second under 2,000 trees for each of 40 labels."""
    table, y = sparse_rows(20_000, 8_000, 0)
    few = AdaBoost(rounds=100, depth=DEPTH).fit(table, y).trees_
    times = 800
    trees = Trees(
        np.tile(few.column, (times, 1)),
        np.tile(few.cut, (times, 1)),
        np.tile(few.missing_right, (times, 1)),
        np.tile(few.leaves, (times, 1)),
        np.repeat(np.arange(40, dtype=np.int32), len(few) * times // 40),
    )
    rows = Features.from_csr(table.indptr, table.indices, None, table.shape[1])
    columns = np.arange(table.shape[1])
    trees.scores(Features.from_csr(table[:10].indptr, table[:10].indices, None, table.shape[1]), columns)
    began = time.perf_counter()
    trees.scores(rows, columns)
    found = {"trees": len(trees), "rows_per_second": table.shape[0] / (time.perf_counter() - began)}
    print(found, flush=True)
    return found


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "sparse": lambda: labels(lambda n, seed: sparse_rows(n, 8_000, seed), 80_000),
    "dense": lambda: labels(dense_rows, 40_000),
    "apply": apply_all,
    "whole": whole,
}


if __name__ == "__main__":
    finish({part: PARTS[part]() for part in sys.argv[1:] or PARTS})
