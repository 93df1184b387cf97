"""What a confidence is worth: accuracy, mean confidence and expected calibration error of all learners, on new lists.

Before: the softmax of the scores, as it is. After: the calibrated confidence, fitted on dev data and, in another
training, on folds of the training lists alone. Usage: python benchmarks/calibration.py [NAME ...]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff import metrics
from runoff.learners import LEARNERS
from runoff.learners.calibrate import good_choices
from runoff.report.reliability import Reliability
from runoff.tables import text_table
from runoff.tasks.text import TextFeaturizer, TextSettings
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Splits = Iterator[tuple[runoff.NBest, runoff.NBest, runoff.NBest]]

LETOR, SPEECH, SAMPLES = "letor/MQ2008", "speech/commonvoice-5best.json.gz", "generation/e2e-16samples.jsonl.gz"
QUICK: dict[str, dict[str, Any]] = {"boost": {"max_rounds": 1_000}}


def letor(folder: Path) -> Splits:
    """The five folds."""
    for fold in range(1, 6):
        train, dev, test = (
            runoff.read(folder / LETOR / f"Fold{fold}" / f"{part}.txt.gz") for part in ("train", "vali", "test")
        )
        yield train, dev, test


def texts(name: str, metric: str) -> Callable[[Path], Splits]:
    """Features of a set of texts, made by those of its training half; then dev data and the rest."""

    def splits(folder: Path) -> Splits:
        lists = runoff.read(folder / name, metric=metric)
        order = np.random.default_rng(0).permutation(len(lists))
        featurizer = TextFeaturizer(TextSettings(families="position,length,agreement,overlap"))
        train = featurizer.fit_transform(lists[order[:800]], metric)
        yield train, featurizer.transform(lists[order[800:1200]]), featurizer.transform(lists[order[1200:]])

    return splits


SETS: dict[str, tuple[Callable[[Path], Splits], str]] = {
    "MQ2008": (letor, "quality"),
    "Common Voice": (texts(SPEECH, "wer"), "wer"),
    "E2E": (texts(SAMPLES, "bleu"), "bleu"),
}


def main() -> None:
    """Print a table for every set."""
    folder = data_folder()
    if folder is None:
        skip("no data; set RUNOFF_DATA")
        return
    wanted = sys.argv[1:] or list(SETS)
    finish({name: measured(name, folder, *SETS[name]) for name in wanted})


def measured(name: str, folder: Path, splits: Callable[[Path], Splits], metric: str) -> dict[str, Any]:
    """All learners on one set."""
    found: dict[str, Any] = {}
    for train, dev, test in splits(folder):
        # AdaRank boosts metrics of grades above 0, which texts do not have.
        for learner in [name for name in LEARNERS if name != "adarank" or metric == "quality"]:
            for kind, pairs in confidences(learner, metric, train, dev, test).items():
                found.setdefault(learner, {}).setdefault(kind, []).append(pairs)
    table: dict[str, Any] = {}
    for learner, kinds in found.items():
        for kind, parts in kinds.items():
            values, good = (np.concatenate(each) for each in zip(*parts, strict=True))
            result = Reliability.of(values, good)
            table.setdefault(learner, {})[kind] = [result.accuracy, result.confidence, result.error]
    print(f"\n{name}: share of choices that are the best of their lists, mean confidence, expected calibration error")
    columns = ["learner"] + [
        f"{kind} {what}" for kind in ("softmax", "dev", "folds") for what in ("best", "mean", "ECE")
    ]
    rows = [
        [learner, *(f"{value:.3f}" for three in kinds.values() for value in three)] for learner, kinds in table.items()
    ]
    print(text_table(columns, rows), flush=True)
    return table


def confidences(name: str, metric: str, train: Any, dev: Any, test: Any) -> dict[str, tuple[Any, Any]]:
    """Confidences of the choices on test, and whether they are the best: softmax, by dev data, by folds."""
    judge = metrics.get(metric)
    own: dict[str, Any] = {} if name == "adarank" else {"metric": None if metric == "quality" else metric}
    learner = LEARNERS[name](**QUICK.get(name, {}), **own)
    test = metrics.grade_for(test, [judge])
    filled = test.sizes > 0
    out: dict[str, tuple[Any, Any]] = {}
    for kind, given in (("dev", dev), ("folds", None)):
        choices = learner.clone().set_params(calibration="folds").fit(train, given).model.pick(test)
        _, good = good_choices(test, judge, (test.offsets[:-1] + choices.indices)[filled], "best")
        if kind == "dev":
            out["softmax"] = choices.probabilities[filled], good
        out[kind] = choices.confidences[filled], good
    return out


if __name__ == "__main__":
    main()
