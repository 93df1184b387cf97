"""Every learner on every real list that is found: first round, chosen, oracle, intervals, p-values, seconds.

Lists with their own split (LETOR folds) are learned on train, tuned on vali and judged on test, the test sets of all
folds together. The others are judged by five folds of groups, each chosen by a model of the other four; what a learner
tunes, it tunes by folds inside those. Usage: python benchmarks/real_data.py [words that the name of a list contains]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.ranking import Ranking
from runoff.report.evaluation import Evaluation, evaluate_ranking
from runoff.report.scored import Settings
from runoff.tables import text_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.learners import Learner

Row = dict[str, Any]


def learners(metric: str) -> dict[str, Learner]:
    """What is compared; all tune themselves."""
    return {
        "LogLinear": runoff.LogLinear(metric=metric),
        "LogLinear, tied": runoff.LogLinear(metric=metric, right="tied"),
        "Boost exp": runoff.Boost(metric=metric, max_rounds=3000),
        "Boost log": runoff.Boost(metric=metric, max_rounds=3000, loss="log"),
    }


def ranking_learners(metric: str) -> dict[str, Learner]:
    """For whole rankings also boosting over all pairs."""
    return learners(metric) | {
        "Boost exp, all pairs": runoff.Boost(metric=metric, max_rounds=1000, pairs="all"),
        "Boost log, all pairs": runoff.Boost(metric=metric, max_rounds=1000, pairs="all", loss="log"),
    }


def main() -> None:
    """Measure everything that the data folder holds."""
    folder = data_folder()
    if folder is None:
        skip("no data folder; set RUNOFF_DATA")
        return
    words = sys.argv[1:]
    results: dict[str, dict[str, Row]] = {}
    for collection in sorted(folder.glob("letor/*")):
        if all(word in collection.name for word in words):
            results[collection.name] = show(collection.name, letor(collection))
    for path in sorted([*folder.glob("speech/*.json*"), *folder.glob("translation/*.nbest*")]):
        if all(word in path.name for word in words):
            reference = Path(str(path).replace(".nbest", ".ref"))
            references = reference if reference != path and reference.exists() else None
            results[path.name] = show(path.name, by_folds(runoff.read(path, references=references)))
    finish(results)


def letor(collection: Path) -> dict[str, tuple[Evaluation, float]]:
    """Folds with their own train, vali and test."""
    folds = [
        [runoff.read(next(fold.glob(f"{part}.txt*"))) for part in ("train", "vali", "test")]
        for fold in sorted(collection.glob("Fold*"))
    ]
    found = {}
    for name, learner in ranking_learners("map").items():
        started = time.perf_counter()
        tests = [(test, learner.fit(train, vali).model.ranking(test)) for train, vali, test in folds]
        seconds = time.perf_counter() - started
        found[name] = pooled(tests, "map,ndcg-letor@1-5"), seconds
    return found


def pooled(tests: list[tuple[runoff.NBest, Ranking]], metric: str) -> Evaluation:
    """Judge the test sets of all folds as one."""
    quality = np.concatenate([test.quality for test, _ in tests if test.quality is not None])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([test.sizes for test, _ in tests]))])
    starts = np.cumsum([0, *(test.n_candidates for test, _ in tests)])
    order = np.concatenate([ranking.rows + start for (_, ranking), start in zip(tests, starts[:-1], strict=True)])
    whole = runoff.NBest.from_arrays(quality=quality, offsets=offsets)
    return evaluate_ranking(Ranking(whole.offsets, order), whole, metric, Settings())


def by_folds(data: runoff.NBest) -> dict[str, tuple[Evaluation, float]]:
    """Five folds of groups of one file."""
    metric = data.metric or "quality"
    found = {}
    for name, learner in learners(metric).items():
        started = time.perf_counter()
        found[name] = runoff.cross_validate(learner, data, metric), time.perf_counter() - started
    return found


def show(title: str, found: dict[str, tuple[Evaluation, float]]) -> dict[str, Row]:
    """Print a table with one line per learner, and give the numbers for the JSON."""
    first = next(iter(found.values()))[0]
    header = ["choice", *(result.metric for result in first.results), "gain, first metric", "p", "seconds"]
    rows = [
        ["first round", *(f"{each.first.score:.{each.digits}f}" for each in first.results), "", "", ""],
        ["oracle", *(f"{each.oracle.score:.{each.digits}f}" for each in first.results), "", "", ""],
        ["random", *(f"{each.random.score:.{each.digits}f}" for each in first.results), "", "", ""],
    ]
    numbers = {}
    for name, (evaluation, seconds) in found.items():
        main = evaluation.results[0]
        gain, low, high = (f"{each:+.{main.digits}f}" for each in (main.gain.delta, main.gain.low, main.gain.high))
        scores = [f"{each.chosen.score:.{each.digits}f}" for each in evaluation.results]
        rows.append([name, *scores, f"{gain} ({low} to {high})", f"{main.p:.4f}", f"{seconds:.1f}"])
        numbers[name] = {"seconds": round(seconds, 2), **evaluation.to_dict()}
    print(f"\n{title}: {first.groups:,} groups\n{text_table(header, rows)}", flush=True)
    return numbers


if __name__ == "__main__":
    main()
