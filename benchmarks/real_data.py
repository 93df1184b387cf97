"""Log-linear reranking of every real list that is found: first round, chosen, oracle, intervals, p-values.

Lists with their own split (LETOR folds) are learned on train, tuned on vali and judged on test, the five test
sets together. The others are judged by five folds of groups. Usage: python benchmarks/real_data.py
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

import runoff
from runoff.ranking import Ranking
from runoff.report.evaluation import Evaluation, evaluate_ranking
from runoff.report.scored import Settings
from shared import data_folder, finish, skip

Row = dict[str, Any]


def main() -> None:
    """Measure everything that the data folder holds."""
    folder = data_folder()
    if folder is None:
        skip("no data folder; set RUNOFF_DATA")
        return
    results: dict[str, Row] = {}
    for collection in sorted(folder.glob("letor/*")):
        for right in ("best", "tied"):
            results[f"{collection.name} ({right})"] = letor(collection, right)
    for path in sorted([*folder.glob("speech/*.json*"), *folder.glob("translation/*.nbest*")]):
        reference = Path(str(path).replace(".nbest", ".ref"))
        references = reference if reference != path and reference.exists() else None
        results[path.name] = by_folds(runoff.read(path, references=references))
    finish(results)


def letor(collection: Path, right: str) -> Row:
    """Five folds with their own train, vali and test."""
    started = time.perf_counter()
    tests = []
    for fold in sorted(collection.glob("Fold*")):
        train, vali, test = (runoff.read(next(fold.glob(f"{part}.txt*"))) for part in ("train", "vali", "test"))
        learner = runoff.LogLinear(right=right, metric="map").fit(train, dev=vali)  # type: ignore[arg-type]
        tests.append((test, learner.model.ranking(test)))
    seconds = time.perf_counter() - started
    metric = "ndcg-letor@1-10,map"
    per_fold = [evaluate_ranking(ranking, test, metric, Settings(200, trials=200)) for test, ranking in tests]
    # LETOR averages the folds' means; queries of all folds together give the intervals.
    whole = pooled(tests, metric)
    means = {
        result.metric: float(np.mean([each[result.metric].chosen.score for each in per_fold]))
        for result in whole.results
    }
    print(f"\n{collection.name}, right={right}\n{whole}", flush=True)
    return {**summary(whole), "seconds": seconds, "mean_of_folds": means}


def pooled(tests: list[tuple[runoff.NBest, Ranking]], metric: str) -> Evaluation:
    """Judge the test sets of all folds as one."""
    quality = np.concatenate([test.quality for test, _ in tests if test.quality is not None])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([test.sizes for test, _ in tests]))])
    starts = np.cumsum([0, *(test.n_candidates for test, _ in tests)])
    order = np.concatenate([ranking.rows + start for (_, ranking), start in zip(tests, starts[:-1], strict=True)])
    whole = runoff.NBest.from_arrays(quality=quality, offsets=offsets)
    return evaluate_ranking(Ranking(whole.offsets, order), whole, metric, Settings())


def by_folds(data: runoff.NBest) -> Row:
    """Five folds of groups of one file."""
    metric = data.metric or "quality"
    started = time.perf_counter()
    found = runoff.cross_validate(runoff.LogLinear(metric=metric), data, metric)
    seconds = time.perf_counter() - started
    print(f"\n{data!r}\n{found}", flush=True)
    return {**summary(found), "seconds": seconds}


def summary(found: Evaluation) -> Row:
    """Numbers of every metric."""
    return {
        "groups": found.groups,
        "changed": found.changed,
        "metrics": {
            each.metric: {
                "first": each.first.score,
                "chosen": each.chosen.score,
                "interval": [each.chosen.low, each.chosen.high],
                "oracle": each.oracle.score,
                "random": each.random.score,
                "gain": each.gain.delta,
                "gain_interval": [each.gain.low, each.gain.high],
                "p": each.p,
            }
            for each in found.results
        },
    }


if __name__ == "__main__":
    main()
