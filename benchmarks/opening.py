"""One million candidates with a hundred features each: how long it takes to save, open, score and train.

Opening and scoring happen in new processes, so that their times and peak memory are their own. The last line
printed is one JSON object. Memory of a mapped file counts as resident while its pages are in use.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from shared import finish

CANDIDATES, FEATURES, GROUP_SIZE = 1_000_000, 100, 50


def make(path: str) -> dict[str, float]:
    """Build the data and save it."""
    from runoff.nbest import Features, NBest

    rng = np.random.default_rng(0)
    stored = CANDIDATES * FEATURES
    indptr = np.arange(0, stored + 1, FEATURES)
    indices = np.tile(np.arange(FEATURES, dtype=np.int32), CANDIDATES)
    features = Features.from_csr(indptr, indices, rng.random(stored, np.float32), FEATURES)
    quality = features.to_scipy() @ rng.normal(size=FEATURES) + rng.normal(size=CANDIDATES)
    data = NBest.from_arrays(features, quality, sizes=[GROUP_SIZE] * (CANDIDATES // GROUP_SIZE))
    started = time.perf_counter()
    data.save(path)
    return {
        "save_seconds": round(time.perf_counter() - started, 3),
        "megabytes": round(Path(path).stat().st_size / 1e6),
    }


def open_only(path: str) -> dict[str, float]:
    """Open the file and look at its size."""
    from runoff.formats import read

    started = time.perf_counter()
    data = read(path)
    taken = time.perf_counter() - started
    return {"open_seconds": round(taken, 3), "open_peak_megabytes": peak(), "candidates": data.n_candidates}


def open_and_score(path: str) -> dict[str, float]:
    """Open the file, check it and score every candidate once."""
    from runoff.arrays import frozen
    from runoff.formats import read
    from runoff.kernels.sparse_rows import row_products

    data = read(path)
    started = time.perf_counter()
    features = data.features.check()
    checked = time.perf_counter()
    weights, out = frozen(np.ones(features.n_columns)), np.empty(data.n_candidates)
    row_products(features.indptr, features.indices, features.values, weights, 0, out)
    scored = time.perf_counter()
    row_products(features.indptr, features.indices, features.values, weights, 0, out)
    return {
        "check_seconds": round(checked - started, 3),
        "first_score_seconds": round(scored - checked, 3),
        "score_seconds": round(time.perf_counter() - scored, 3),
        "score_peak_megabytes": peak(),
    }


def open_and_train(path: str) -> dict[str, float]:
    """Open the file, take ten steps of the log-linear learner, and see how much memory is the process's own."""
    from runoff import LogLinear
    from runoff.formats import read

    data = read(path)
    started = time.perf_counter()
    learner = LogLinear(sigma=1.0, max_iter=10, tolerance=0.0).fit(data)
    return {
        "train_steps": len(learner.history),
        "train_seconds": round(time.perf_counter() - started, 2),
        "train_peak_megabytes": peak(),
        "train_own_megabytes": own(),
    }


def own() -> float:
    """Memory of this process that is not a mapped file, in megabytes; -1 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return -1.0
    (kilobytes,) = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("RssAnon")]
    return round(int(kilobytes) * 1024 / 1e6)


def peak() -> float:
    """Largest resident memory of this process so far, in megabytes."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)


STEPS = {"make": make, "open_only": open_only, "open_and_score": open_and_score, "open_and_train": open_and_train}


def main() -> None:
    """Run every step in a process of its own and print all numbers."""
    if len(sys.argv) == 3:
        print(json.dumps(STEPS[sys.argv[1]](sys.argv[2])))
        return
    report: dict[str, float] = {"features": FEATURES}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "data.arrow")
        for step in STEPS:
            child = subprocess.run([sys.executable, __file__, step, path], check=True, capture_output=True, text=True)
            report |= json.loads(child.stdout)
            print(f"{step}: {child.stdout.strip()}")
    finish(report)


if __name__ == "__main__":
    main()
