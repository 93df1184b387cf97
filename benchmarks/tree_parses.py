"""Trees over lists of parses: over frequent features alone, and on top of what a perceptron over all features says."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse

import runoff
from parsing import only_columns, split_data, statistics
from runoff.learners import TreeBoost
from runoff.metrics import get
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.tables import text_table
from shared import data_folder

if TYPE_CHECKING:
    from runoff.nbest import NBest

ORUM: dict[str, Any] = {"order": "orum", "tau": 0.0, "epochs": 9}  # what dev chose in parsing.py
FREQUENT = 0.05  # share of the candidates
METRIC = "parseval[tags=0.0]"  # quality counts brackets alone
TREES: dict[str, Any] = {"loss": "list", "depth": 4, "rate": 0.1, "max_rounds": 200, "metric": METRIC}


def parses() -> dict[str, Any]:
    """F on dev and test of a perceptron over all features, of trees, and of trees that start from its scores.

    The perceptron's scores of training lists are cross-fitted: each half is scored by what the other taught.
    RUNOFF_WORK is a folder in which the features are kept.
    """
    folder = data_folder()
    trains = [] if folder is None else sorted((folder / "parses").glob("*.train.*"))
    if not trains:
        return {"skipped": "no lists of parses; set RUNOFF_DATA"}
    files = {part: Path(str(trains[0]).replace(".train.", f".{part}.")) for part in ("train", "dev", "test")}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(os.environ.get("RUNOFF_WORK") or temporary)
        work.mkdir(parents=True, exist_ok=True)
        paths = split_data(trains[0].name.split(".")[0], files, "counts", work)
        train, dev, test = (runoff.grade(runoff.read(path), get(METRIC)) for path in paths)
        return _measured(train, dev, test)


def _measured(train: NBest, dev: NBest, test: NBest) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def told(name: str, started: float, scores: dict[str, Any]) -> None:
        both = [
            float(get("parseval").score(statistics(data, scores[part])["parseval"].sum(axis=0)))
            for part, data in (("dev", dev), ("test", test))
        ]
        found[name] = [*both, time.perf_counter() - started]
        print(name, found[name], file=sys.stderr, flush=True)

    started = time.perf_counter()
    orum = runoff.Perceptron(**ORUM, metric=METRIC)
    whole = orum.clone().fit(train).model
    told("perceptron (ORUM), all features", started, {"dev": whole.scores(dev), "test": whole.scores(test)})
    started = time.perf_counter()
    fold_of = blocks(train).folds(2, 0)
    halves = [orum.clone().fit(train[fold_of != half]).model for half in range(2)]
    of_train = np.zeros(train.n_candidates)
    for half, model in enumerate(halves):
        inside = np.repeat(fold_of == half, train.sizes)
        of_train[inside] = model.scores(train[fold_of == half])
    of = [of_train, *(np.mean([model.scores(data) for model in halves], axis=0) for data in (dev, test))]
    told("mean of two, each of a half", started, {"dev": of[1], "test": of[2]})
    counts = np.bincount(train.features.indices, minlength=train.features.n_columns)
    keep = counts >= FREQUENT * train.n_candidates
    few = [only_columns(data, keep) for data in (train, dev, test)]
    started = time.perf_counter()
    alone = TreeBoost(**TREES).fit(few[0], few[1]).model
    told(
        f"trees, {int(keep.sum()):,} frequent features",
        started,
        {"dev": alone.scores(few[1]), "test": alone.scores(few[2])},
    )
    started = time.perf_counter()
    ready = [_on_top(data, scores) for data, scores in zip(few, of, strict=True)]
    above = TreeBoost(**TREES).fit(ready[0], ready[1]).model
    told(
        "trees that start from the mean of two",
        started,
        {"dev": above.scores(ready[1]), "test": above.scores(ready[2])},
    )
    rows = [[name, *(f"{each:.2f}" for each in values[:2]), f"{values[2]:.0f}"] for name, values in found.items()]
    print(text_table(["learner", "F, dev", "F, test", "seconds"], rows), flush=True)
    return found


def _on_top(data: NBest, scores: Any) -> NBest:
    """Lists whose first round are these scores; the first round's own score becomes a feature."""
    first = np.zeros(data.n_candidates) if data.base is None else data.base
    lead = first - np.maximum.reduceat(first, data.offsets[:-1])[data.group_of]
    table = np.column_stack([lead, scores - np.maximum.reduceat(scores, data.offsets[:-1])[data.group_of]])
    own = data.features
    names = pa.concat_arrays([own.column_names(), pa.array(["behind first", "behind perceptron"], pa.large_string())])
    both = sparse.hstack([own.to_scipy(), sparse.csr_array(table)], format="csr")
    return data.replace(base=scores, features=Features.of(both, names))
