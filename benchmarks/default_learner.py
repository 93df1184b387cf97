"""Every learner with its own defaults on every set that has or gets features, beside the one taken without a name.

A set is read as `runoff train` reads it: with dev data where it has some, else every learner chooses by folds of the
training lists. Sets without a split of their own are judged by five folds. For every learner: the score on the test
lists, and the p-value of the paired randomisation test against the best of them; the best of many is optimistically
biased, so that a p-value of a few percent is weak evidence. Retrieval runs are also fused without training.
Usage: python benchmarks/default_learner.py [words of a set's name] [only:learner,learner]
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
import runoff.learners
import runoff.metrics
from default_learner_sets import Set, sets
from runoff.metrics import Metric, Resampling, first_rows, get, with_statistics
from runoff.ranking import by_score
from runoff.tables import text_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners import Learner

RESAMPLING = Resampling()
ROUNDS = 500  # boosting's default of 10,000 would take most of the time
WIDE = 20_000  # columns above which regression would


def learners() -> dict[str, Learner]:
    """What is compared; all tune themselves. The first is taken where no learner is named."""
    return {
        "blend": runoff.Blend(),
        "loglinear": runoff.LogLinear(),
        "loglinear, tied": runoff.LogLinear(right="tied"),
        "boost": runoff.Boost(max_rounds=ROUNDS),
        "perceptron": runoff.Perceptron(),
        "crf kl": runoff.CRF(),
        "crf el": runoff.CRF(objective="el"),
        "crf ml": runoff.CRF(objective="ml"),
        "regression": runoff.learners.Regression(),
        "listnet": runoff.learners.ListNet(),
        "adarank": runoff.learners.AdaRank(),
    }


def main() -> None:
    """Measure every set that is found."""
    folder = data_folder()
    if folder is None:
        skip("no data folder; set RUNOFF_DATA")
        return
    only = [word.removeprefix("only:").split(",") for word in sys.argv[1:] if word.startswith("only:")]
    words = [word for word in sys.argv[1:] if not word.startswith("only:")]
    chosen = {name: each for name, each in learners().items() if not only or name in only[0]}
    finish({each.name: measured(each, chosen) for each in sets(folder, words)})


def measured(given: Set, chosen: dict[str, Learner]) -> dict[str, Any]:
    """Test scores of all learners, seconds of training, and the p-value of each against the best."""
    metric = get(given.metric)
    rows, seconds = {}, {}
    for name, learner in {**given.own, **chosen}.items():
        if name == "adarank" and not isinstance(metric, runoff.metrics.RankingMetric):
            continue
        if name == "regression" and given.parts[0][0].features.n_columns > WIDE:
            continue
        started = time.perf_counter()
        learner.set_params(metric=given.metric)
        models = [learner.clone().fit(train, dev).model for train, dev, _ in given.parts]
        seconds[name] = time.perf_counter() - started
        rows[name] = np.concatenate(
            [_rows(metric, test, model.scores(test)) for model, (_, _, test) in zip(models, given.parts, strict=True)]
        )
    trained = list(rows)
    for name, fuse in given.untrained.items():
        rows[name] = np.concatenate([_rows(metric, test, fuse(test)) for _, _, test in given.parts])
    rows["first round"] = np.concatenate(
        [first_rows(metric, with_statistics(test, metric)) for _, _, test in given.parts]
    )
    score = {name: float(metric.score(each.sum(axis=0))) for name, each in rows.items()}
    best = max(trained, key=lambda name: float(metric.signed(rows[name].sum(axis=0))))
    p = {name: RESAMPLING.p_value(each, rows[best], metric) for name, each in rows.items()}
    train, where = given.parts[0][0], "" if len(given.parts) == 1 else " in the first of five folds"
    print(
        f"\n{given.name}: {len(train):,} training lists{where}, {train.n_candidates:,} candidates, "
        f"{train.features.n_columns:,} features; {len(rows[best]):,} test lists"
    )
    table = [
        [
            name,
            f"{score[name]:.{metric.digits}f}",
            "" if name == best else f"{p[name]:.4f}",
            _seconds(seconds.get(name)),
        ]
        for name in sorted(rows, key=lambda name: -float(metric.signed(rows[name].sum(axis=0))))
    ]
    print(text_table(["learner", metric.label, "p against the best", "seconds"], table))
    sys.stdout.flush()
    return {"metric": metric.signature, "score": score, "p": p, "best": best, "seconds": seconds}


def _rows(metric: Metric, test: runoff.NBest, scores: Floats) -> Floats:
    return metric.in_expectation.rows(with_statistics(test, metric), by_score(test, scores))


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
