"""Minimum error rate training and pairwise ranking beside other learners, on lists with few dense features.

Moses' lists are judged by five folds of groups, each chosen by a model of the other four; the neural lists of Multi30k
are learned on the validation lists and judged on the test lists. BLEU with 95% bootstrap intervals of the gain over the
first round; MERT also with several seeds, as what it finds differs from start to start. Then the speed of one line
search, beside numpy's sort of as many numbers.

    python benchmarks/mert.py            # all of it
    python benchmarks/mert.py speed      # the line search alone, which needs no data
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.kernels.ordering import best_first
from runoff.learners import Mert, Pro
from runoff.learners.mert_search import LineSearch
from runoff.metrics import Resampling, get, grade_for
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score
from runoff.report.evaluation import evaluate_ranking
from runoff.tables import text_table
from shared import data_folder, finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.learners import Learner
    from runoff.report.evaluation import Evaluation

FOLDS, RESAMPLING, SEEDS, REPEATS = 5, Resampling(), 5, 20


def learners() -> dict[str, Learner]:
    """What is compared; all but MERT tune themselves, by folds of the training lists."""
    settings: dict[str, Any] = {"metric": "bleu", "calibration": "none"}
    return {
        **{f"MERT, seed {seed}": Mert(seed=seed, **settings) for seed in range(SEEDS)},
        "MERT, 1 search": Mert(restarts=0, **settings),
        "MERT, smooth=10": Mert(smooth=10, **settings),
        "PRO": Pro(**settings),
        "PRO, 500 pairs": Pro(pairs=500, **settings),
        "LogLinear": runoff.LogLinear(**settings),
        "CRF kl": runoff.CRF(**settings),
        "CRF el": runoff.CRF(objective="el", **settings),
        "Perceptron": runoff.Perceptron(**settings),
        "Blend": runoff.Blend(**settings),
    }


def main() -> None:
    """Quality where there is data, then speed."""
    folder, found = data_folder(), {}
    if folder is None:
        print("no data folder; set RUNOFF_DATA", file=sys.stderr)
    elif "speed" not in sys.argv[1:]:
        lists = folder / "translation"
        moses = runoff.read(lists / "moses-100best.nbest.gz", references=lists / "moses-100best.ref.gz")
        found["moses, five folds"] = compared("moses, five folds", lambda learner: by_folds(learner, moses))
        val, test = (runoff.read(lists / f"multi30k-nmt50.{part}.jsonl.gz") for part in ("val", "test_2016"))
        found["multi30k, val to test"] = compared(
            "multi30k, val to test",
            lambda learner: runoff.evaluate(learner.fit(val).model, test, "bleu", resampling=RESAMPLING),
        )
    finish({**found, "speed": speed()})


def by_folds(learner: Learner, data: runoff.NBest) -> Evaluation:
    """The choices of models of the other folds, as in real_data.py."""
    data = grade_for(data, [get("bleu")])
    fold_of = blocks(data).folds(FOLDS, RESAMPLING.seed)
    row_fold, scores = np.repeat(fold_of, data.sizes), np.empty(data.n_candidates)
    for fold in range(FOLDS):
        scores[row_fold == fold] = learner.fit(data[fold_of != fold]).model.scores(data[fold_of == fold])
    return evaluate_ranking(by_score(data, scores), data, "bleu", RESAMPLING)


def compared(title: str, judge: Callable[[Learner], Evaluation]) -> dict[str, Any]:
    """A table of one line per learner, and the numbers."""
    rows: list[list[str]] = []
    numbers: dict[str, Any] = {}
    for name, learner in learners().items():
        started = time.perf_counter()
        result = judge(learner).results[0]
        seconds = time.perf_counter() - started
        gain = f"{result.gain.delta:+.2f} ({result.gain.low:+.2f} to {result.gain.high:+.2f})"
        if not rows:
            rows.append(["first round", f"{result.first.score:.2f}", "", "", ""])
            rows.append(["oracle", f"{result.oracle.score:.2f}", "", "", ""])
        rows.append([name, f"{result.chosen.score:.2f}", gain, f"{result.p:.4f}", f"{seconds:.1f}"])
        print(f"{title}: {' | '.join(rows[-1])}", file=sys.stderr, flush=True)
        numbers[name] = {"bleu": result.chosen.score, "gain": result.gain.delta, "p": result.p, "seconds": seconds}
    print(f"\n{title}\n{text_table(['choice', 'BLEU', 'gain', 'p', 'seconds'], rows)}", flush=True)
    return numbers


def speed() -> dict[str, Any]:
    """The best of some repetitions, in one thread, for lists of 100 and of 1,000 synthetic candidates."""
    rows: list[list[str]] = []
    numbers: dict[str, Any] = {}
    for groups, k in ((1_000, 100), (1_000, 1_000)):
        changes, seconds = speed_of(groups, k)
        rows += [
            [f"{groups:,} x {k:,}", what, f"{1000 * each:.2f}", f"{groups * k / each / 1e6:,.1f}"]
            for what, each in seconds.items()
        ]
        numbers[f"{groups} x {k}"] = {"changes": changes, "seconds": seconds}
        print(f"{groups:,} lists of {k:,}: {changes:,} changes of a leader", file=sys.stderr)
    print(f"\n{text_table(['lists', 'what', 'milliseconds', 'million candidates a second'], rows)}", flush=True)
    return numbers


def speed_of(groups: int, k: int) -> tuple[int, dict[str, float]]:
    """Changes of a leader along a line, and seconds of a search on it and of what it can be measured by."""
    rng = np.random.default_rng(0)
    n = groups * k
    intercept, slope = rng.normal(size=(2, n))
    lengths = rng.integers(10, 30, (n, 1)).astype(float)
    totals = np.maximum(lengths - np.arange(4), 0)
    matches = np.floor(totals * np.array([0.7, 0.5, 0.35, 0.25]) * rng.random((n, 1)))
    statistics = np.hstack([lengths, np.full((n, 1), 20.0), matches, totals])
    data = runoff.NBest.from_arrays(np.zeros((n, 0)), sizes=[k] * groups, stats={"bleu": statistics})
    search = LineSearch(data, get("bleu"))
    rows_by_slope = best_first(data.offsets, -slope, np.zeros(n))
    changes = search.judge.along(intercept, slope, rows_by_slope).where.size
    return changes, {
        "line search": best_of(lambda: search.best(intercept, slope)),
        "with the order by slope at hand": best_of(lambda: search.best(intercept, slope, rows_by_slope)),
        "np.sort of every list": best_of(lambda: np.sort(slope.reshape(groups, k), axis=1)),
        "np.argsort of every list": best_of(lambda: np.argsort(slope.reshape(groups, k), axis=1)),
        "np.argsort, stable": best_of(lambda: np.argsort(slope.reshape(groups, k), axis=1, kind="stable")),
        "reading the scores once": best_of(lambda: intercept + 0.5 * slope),
    }


def best_of(function: Callable[[], Any]) -> float:
    """Seconds of the fastest of some calls."""
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return min(taken)


if __name__ == "__main__":
    main()
