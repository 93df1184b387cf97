"""Learned fusion beside fusion without training, on runs made of MQ2008's columns.

Each column is a run of the ten best documents of every query, written as a TREC run and read back; a document is a
candidate if any run has it, and relevant ones that none has count as missed. Two sets: the ten columns that are
scores of retrieval (BM25 and a language model of five fields), and all columns that differ within lists. What is
learned, by the learner that is taken where none is named, is learned on train with dev, or on 40 queries alone; all
five test folds are judged together. Intervals and p-values are of the difference between learned and untrained.
Usage: python benchmarks/fusion.py
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from default_learner_sets import FEW, RUNS, Part, as_runs, few, letor
from runoff.combine.fused_choices import FUSIONS, fused_choices
from runoff.metrics import Resampling, get, with_statistics
from runoff.ranking import by_score, first_round
from runoff.tables import text_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.metrics import Metric

METRICS = ("map", "ndcg@10")
RESAMPLING = Resampling()


def main() -> None:
    """Measure both sets, with all training queries and with few."""
    folder = data_folder()
    if folder is None or not (folder / "letor/MQ2008").is_dir():
        skip("no letor/MQ2008 in the data folder; set RUNOFF_DATA")
        return
    found = {}
    for name, columns in {"retrieval scores": RUNS, "all columns": _varying(folder)}.items():
        parts = _runs(folder, columns)
        for size, chosen in {"all": parts, f"{FEW} queries": few(parts)}.items():
            found[f"{name}, {size}"] = {metric: measured(name, size, columns, chosen, metric) for metric in METRICS}
    finish(found)


def measured(name: str, size: str, columns: tuple[int, ...], parts: list[Part], metric_name: str) -> dict[str, Any]:
    """Scores of every choice, and what is learned minus each of the others."""
    metric, started = get(metric_name), time.perf_counter()
    task = runoff.tasks.recognise(parts[0][0])
    models = [task.learner().set_params(metric=metric_name).fit(train, dev).model for train, dev, _ in parts]
    seconds = time.perf_counter() - started
    rows: dict[str, list[Floats]] = {}
    for model, (_, _, test) in zip(models, parts, strict=True):
        judged = with_statistics(test, metric)
        choices = {"learned": by_score(test, model.scores(test)), "first run": first_round(test), **fused_choices(test)}
        for each, ranking in choices.items():
            rows.setdefault(each, []).append(metric.rows(judged, ranking))
    pooled = {each: np.concatenate(several) for each, several in rows.items()}
    return _reported(f"{name} ({len(columns)} runs), {size}", metric, pooled, seconds)


def _reported(title: str, metric: Metric, rows: dict[str, Floats], seconds: float) -> dict[str, Any]:
    table, facts = [], {}
    for each, own in sorted(rows.items(), key=lambda item: -float(metric.score(item[1].sum(axis=0)))):
        score, places = float(metric.score(own.sum(axis=0))), metric.digits
        lead = RESAMPLING.difference(rows["learned"], own, metric)
        p = RESAMPLING.p_value(rows["learned"], own, metric)
        facts[each] = {"score": score, "lead": [lead.delta, lead.low, lead.high], "p": p}
        label = FUSIONS[each][0] if each in FUSIONS else each
        shown = [f"{lead.delta:+.{places}f} ({lead.low:+.{places}f} to {lead.high:+.{places}f})", f"{p:.4f}"]
        table.append([label, f"{score:.{places}f}", *(["", ""] if each == "learned" else shown)])
    print(f"\n{title}: {len(rows['learned']):,} test queries, {seconds:.0f} s of training")
    print(text_table(["choice", metric.label, "learned minus this", "p"], table))
    sys.stdout.flush()
    return {"choices": facts, "seconds": seconds}


def _runs(folder: Path, columns: tuple[int, ...]) -> list[Part]:
    return [
        (as_runs(train, columns), None if dev is None else as_runs(dev, columns), as_runs(test, columns))
        for train, dev, test in letor(folder)
    ]


def _varying(folder: Path) -> tuple[int, ...]:
    """Columns that differ between documents of some query."""
    train = letor(folder)[0][0]
    return tuple(np.flatnonzero(runoff.features.facts(train).spread > 0).tolist())


if __name__ == "__main__":
    main()
