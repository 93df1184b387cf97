"""Every learner on every real list that is found: first round, chosen, oracle, intervals, p-values, seconds.

Lists with their own split (LETOR folds) are learned on train, tuned on vali and judged on test, the test sets of all
folds together. The others are judged by five folds of groups, each chosen by a model of the other four; what a learner
tunes, it tunes by folds inside those. For every list it is said whether the perceptrons come out in the order of Shen
& Joshi (2004, 2005). Usage: python benchmarks/real_data.py [words that the name of a list contains]
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.metrics import Resampling, grade_for, parse, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import Ranking, by_score
from runoff.report.evaluation import Evaluation, evaluate_ranking
from runoff.report.scored import metrics_for
from runoff.tables import text_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.metrics import Metric

Row = dict[str, Any]
FOLDS, RESAMPLING = 5, Resampling()
PAPERS_ORDER = ("Perceptron ordinal uneven (ORUM)", "Perceptron best-vs-rest", "Perceptron ordinal even")


@dataclass(frozen=True, eq=False)
class Chosen:
    """How good a learner's choices in held-out groups are, and the seconds that learning took."""

    metric: Metric  # the first of those asked for
    rows: Floats  # its statistics, one row per group
    evaluation: Evaluation
    seconds: float


def learners(metric: str) -> dict[str, Learner]:
    """What is compared; all tune themselves."""
    return {
        "LogLinear": runoff.LogLinear(metric=metric),
        "LogLinear, tied": runoff.LogLinear(metric=metric, right="tied"),
        "Boost exp": runoff.Boost(metric=metric, max_rounds=3000),
        "Boost log": runoff.Boost(metric=metric, max_rounds=3000, loss="log"),
        "Perceptron best-vs-rest": runoff.Perceptron(metric=metric, order="best-vs-rest"),
        "Perceptron splitting": runoff.Perceptron(metric=metric, order="splitting"),
        "Perceptron ordinal even": runoff.Perceptron(metric=metric, order="ordinal"),
        "Perceptron ordinal uneven (ORUM)": runoff.Perceptron(metric=metric, order="orum"),
        "Perceptron, order by dev": runoff.Perceptron(metric=metric, order="auto"),
        "CRF ml": runoff.CRF(metric=metric, objective="ml"),
        "CRF kl": runoff.CRF(metric=metric, objective="kl"),
        "CRF el": runoff.CRF(metric=metric, objective="el"),
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


def letor(collection: Path) -> dict[str, Chosen]:
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
        whole, ranking = pooled(tests)
        found[name] = judged(whole, ranking, "map,ndcg-letor@1-5", seconds)
    return found


def pooled(tests: list[tuple[runoff.NBest, Ranking]]) -> tuple[runoff.NBest, Ranking]:
    """The test sets of all folds as one."""
    quality = np.concatenate([test.quality for test, _ in tests if test.quality is not None])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([test.sizes for test, _ in tests]))])
    starts = np.cumsum([0, *(test.n_candidates for test, _ in tests)])
    order = np.concatenate([ranking.rows + start for (_, ranking), start in zip(tests, starts[:-1], strict=True)])
    whole = runoff.NBest.from_arrays(quality=quality, offsets=offsets)
    return whole, Ranking(whole.offsets, order)


def by_folds(data: runoff.NBest) -> dict[str, Chosen]:
    """Five folds of groups of one file: the choices of `runoff.cross_validate`, kept for the comparisons."""
    metric = data.metric or "quality"
    data = grade_for(data, metrics_for(data, metric))
    fold_of = blocks(data).folds(FOLDS, RESAMPLING.seed)
    row_fold = np.repeat(fold_of, data.sizes)
    found = {}
    for name, learner in learners(metric).items():
        started = time.perf_counter()
        scores = np.empty(data.n_candidates)
        for fold in range(FOLDS):
            scores[row_fold == fold] = learner.fit(data[fold_of != fold]).model.scores(data[fold_of == fold])
        seconds = time.perf_counter() - started
        found[name] = judged(data, by_score(data, scores), metric, seconds)
    return found


def judged(data: runoff.NBest, ranking: Ranking, metrics: str, seconds: float) -> Chosen:
    """The ranking beside the first round."""
    metric = parse(metrics)[0]
    rows = metric.rows(with_statistics(data, metric), ranking)
    return Chosen(metric, rows, evaluate_ranking(ranking, data, metrics, RESAMPLING), seconds)


def papers_order(found: dict[str, Chosen]) -> tuple[str, Row]:
    """Whether uneven ordinal is above best-versus-rest and that above ordinal even, with the p-value of each step.

    By the first metric; p by approximate randomisation over groups, two-sided, as `runoff.compare` has it.
    """
    holds, words, steps = True, [], []
    for better, worse in pairwise(PAPERS_ORDER):
        metric, a, b = found[better].metric, found[better].rows, found[worse].rows
        lead = float(metric.signed(a.sum(axis=0)) - metric.signed(b.sum(axis=0)))
        p = RESAMPLING.p_value(a, b, metric)
        holds = holds and lead > 0
        words.append(f"{better} over {worse}: {lead:+.{metric.digits}f} (p {p:.4f})")
        steps.append({"better": better, "worse": worse, "lead": lead, "p": p})
    return f"papers' order {'holds' if holds else 'does not hold'}; {'; '.join(words)}", {
        "holds": holds,
        "steps": steps,
    }


def show(title: str, found: dict[str, Chosen]) -> dict[str, Row]:
    """Print a table with one line per learner, and give the numbers for the JSON."""
    first = next(iter(found.values())).evaluation
    header = ["choice", *(result.metric for result in first.results), "gain, first metric", "p", "seconds"]
    rows = [
        ["first round", *(f"{each.first.score:.{each.digits}f}" for each in first.results), "", "", ""],
        ["oracle", *(f"{each.oracle.score:.{each.digits}f}" for each in first.results), "", "", ""],
        ["random", *(f"{each.random.score:.{each.digits}f}" for each in first.results), "", "", ""],
    ]
    numbers = {}
    for name, chosen in found.items():
        evaluation, main = chosen.evaluation, chosen.evaluation.results[0]
        gain, low, high = (f"{each:+.{main.digits}f}" for each in (main.gain.delta, main.gain.low, main.gain.high))
        scores = [f"{each.chosen.score:.{each.digits}f}" for each in evaluation.results]
        rows.append([name, *scores, f"{gain} ({low} to {high})", f"{main.p:.4f}", f"{chosen.seconds:.1f}"])
        numbers[name] = {"seconds": round(chosen.seconds, 2), **evaluation.to_dict()}
    print(f"\n{title}: {first.groups:,} groups\n{text_table(header, rows)}", flush=True)
    words, order = papers_order(found)
    print(words, flush=True)
    return numbers | {"papers_order": order}


if __name__ == "__main__":
    main()
