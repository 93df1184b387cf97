"""MQ2008 of LETOR 4.0: all rows on vali, on held-out parts of train, and on test.

Every row tunes itself on vali by MAP. Two rules choose the row that may be claimed, both by the mean of NDCG@1-5, the
number that is reported, and both fixed before their numbers were known:

- vali: the highest mean on vali over the five folds;
- inner: for each of the three parts of a fold's train, the row is trained on the other two, tunes itself on vali as
  ever, and is scored on that part, which tuned nothing; the highest mean over the 15 runs.

What is vali or train in one fold is test in another, so both rules see all lists, though never the test scores. So
both are also applied within each fold by itself, which sees no test list of that fold.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.learners import CRF, Blend, ListNet, LogLinear, Perceptron, TreeBoost
from runoff.learners.feature_scaling import spread_within
from runoff.metrics import get
from runoff.ranking import by_score
from runoff.tables import text_table
from shared import data_folder
from tree_peers import peers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.nbest import NBest

    Scores = Callable[[NBest], Floats]
    Judged = dict[str, list[float]]  # NDCG@1 to 5, their mean, and MAP, of every row

MEAN = 5  # its place among the numbers of a row
CUTS = [f"ndcg-letor@{k}" for k in range(1, 6)]
SEEDS = 5
BAGS = 25  # as many as in Breiman (1996)

_SAMPLED: dict[str, Any] = {"depth": 2, "rate": 0.05, "row_sample": 0.7, "column_sample": 0.3, "max_rounds": 300}
_CALM = TreeBoost(loss="list", least=2.0, ridge=5.0, **{**_SAMPLED, "depth": 3})
_LINEAR: dict[str, Learner] = {
    "crf ls, ranks": CRF("ls", group_ranks=True),
    "crf la, ranks": CRF("la", group_ranks=True),
    "crf la over orders, ranks": CRF("la", "permutations", documents=10, group_ranks=True),
    "crf ml over orders, ranks": CRF("ml", "permutations", documents=10, group_ranks=True),
    "listnet, ranks": ListNet(group_ranks=True),
    "loglinear tied, ranks": LogLinear(right="tied", group_ranks=True),
}
TREES: dict[str, Learner] = {
    "trees, list, depth 3": TreeBoost(loss="list", depth=3, rate=0.05),
    "trees, list, depth 3, ranks": TreeBoost(loss="list", depth=3, rate=0.05, group_ranks=True),
    "trees, ndcg, depth 2, sampled": TreeBoost(pairs="ndcg", **_SAMPLED),
    "trees, ndcg, depth 2, sampled, ranks": TreeBoost(pairs="ndcg", **_SAMPLED, group_ranks=True),
    "trees, map, depth 2, sampled, ranks": TreeBoost(pairs="map", **_SAMPLED, group_ranks=True),
}
_OTHERS: dict[str, Learner] = {
    "boost, one feature a round": runoff.Boost(max_rounds=1_000),
    "crf kl": CRF(),
    "perceptron": Perceptron(),
    "crf la, ranks, leaves of 20 trees": CRF("la", group_ranks=True, leaves=20),
    "loglinear tied, leaves of 20 trees": LogLinear(right="tied", leaves=20),
    "blend (the default)": Blend(),
    "blend, ranks": Blend(group_ranks=True),
}


@dataclass
class Fold:
    """Lists of a fold, and the rows that have been fitted on them."""

    train: NBest
    vali: NBest
    rows: dict[str, Scores] = field(default_factory=dict)

    def fit(self, name: str, learner: Learner, seed: int = 0) -> None:
        """Add a row for a learner."""
        self.rows[name] = fitted(learner, self.train, self.vali, seed)

    def mean(self, name: str, shares: dict[str, float]) -> None:
        """Add a row for the mean of others, whose scores are brought to the same spread on the training lists."""
        units = {each: share / spread_within(self.train, self.rows[each](self.train)) for each, share in shares.items()}
        scores = dict(self.rows)
        self.rows[name] = lambda data: np.sum([unit * scores[each](data) for each, unit in units.items()], axis=0)

    def grow_on(self, name: str, base: str, learner: Learner) -> None:
        """Add a row for trees that start from the scores of another row, the mean of several seeds."""
        below = self.rows[base]
        train, vali = (data.replace(base=below(data)) for data in (self.train, self.vali))
        grown = [fitted(learner, train, vali, seed) for seed in range(SEEDS)]
        self.rows[name] = lambda data: np.mean([each(data.replace(base=below(data))) for each in grown], axis=0)

    def drop(self, names: Iterable[str]) -> None:
        """Remove what is no row of the table."""
        for name in names:
            del self.rows[name]


def means(fold: Fold) -> None:
    """Add the linear learners, their mean, and trees that start from it; also with bootstrap samples for each."""
    for name, learner in _LINEAR.items():
        fold.fit(name, learner)
    fold.mean("linear learners with ranks, mean of 6", dict.fromkeys(_LINEAR, 1 / len(_LINEAR)))
    fold.grow_on("trees that start from their mean, 5 seeds", "linear learners with ranks, mean of 6", _CALM)
    parts = {f"{name}, bags": learner for name, learner in _LINEAR.items()}
    for name, learner in parts.items():
        fold.fit(name, learner.clone().set_params(bags=BAGS))
    fold.mean("linear learners with ranks, bags, mean of 6", dict.fromkeys(parts, 1 / len(parts)))
    fold.grow_on(
        "trees that start from the mean with bags, 5 seeds", "linear learners with ranks, bags, mean of 6", _CALM
    )
    fold.drop(parts)


def everything(fold: Fold) -> None:
    """Add every row of the table."""
    means(fold)
    for name, learner in {**TREES, **_OTHERS}.items():
        fold.fit(name, learner)
    parts = {}
    for kind in ("ndcg", "map"):
        for seed in range(SEEDS):
            parts[f"{kind} {seed}"] = 1 / (2 * SEEDS)
            fold.fit(f"{kind} {seed}", TreeBoost(pairs=kind, **_SAMPLED, group_ranks=True), seed)
    fold.mean("trees, ndcg and map, sampled, ranks, mean of 10", parts)
    both = "linear learners with ranks, mean of 6", "trees, ndcg and map, sampled, ranks, mean of 10"
    for share in (0.25, 0.5):
        fold.mean(f"their mean with {share:.0%} of these trees", dict(zip(both, (1 - share, share), strict=True)))
    fold.drop(parts)
    fold.rows |= peers(fold.train, fold.vali)


def letor(rows: Callable[[Fold], None] = everything) -> dict[str, Any]:
    """MQ2008: means over five folds."""
    data = folds()
    if not data:
        return {"skipped": "no folds of MQ2008; set RUNOFF_DATA"}
    inner = [_inner(number, data, rows) for number in range(len(data))]
    whole = [
        _kept(f"fold{number}", Fold(train, vali), rows, {"vali": vali, "test": test})
        for number, (train, vali, test) in enumerate(data)
    ]
    vali, test = ([each[part] for each in whole] for part in ("vali", "test"))
    rules = {"vali": vali, "inner": inner}
    picked = {rule: _best(_mean(found)) for rule, found in rules.items()}
    of_folds = {rule: [_best(each) for each in found] for rule, found in rules.items()}
    _print_table(_mean(vali), _mean(inner), _mean(test), picked)
    by_fold = {}
    for rule, names in of_folds.items():
        by_fold[rule] = np.mean([each[name] for each, name in zip(test, names, strict=True)], axis=0).tolist()
        print(f"each fold by its own {rule}: mean @1-5 {100 * by_fold[rule][MEAN]:.2f} on test by {names}", flush=True)
    tables = {"vali": _mean(vali), "inner": _mean(inner), "test": _mean(test)}
    return {"picked": picked, "picked in each fold": of_folds, "their mean on test": by_fold, **tables}


def _inner(number: int, data: list[tuple[NBest, NBest, NBest]], rows: Callable[[Fold], None]) -> Judged:
    """Every row of a fold on the parts of its train, each of them by what the other two teach; mean of the parts.

    Parts are LETOR's own: the queries that are vali together in some fold.
    """
    part_of = {query: at for at, (_, vali, _) in enumerate(data) for query in vali.group_ids.to_pylist()}
    train, vali, _ = data[number]
    part = np.array([part_of[query] for query in train.group_ids.to_pylist()])
    found = [
        _kept(f"fold{number}-part{at}", Fold(train[part != at], vali), rows, {"inner": train[part == at]})["inner"]
        for at in np.unique(part).tolist()
    ]
    return _mean(found)


def _kept(name: str, fold: Fold, rows: Callable[[Fold], None], sets: dict[str, NBest]) -> dict[str, Judged]:
    """Every row on some sets of lists; read from the folder RUNOFF_WORK where an earlier run has left it there."""
    folder = os.environ.get("RUNOFF_WORK")
    path = None if not folder else Path(folder) / f"{rows.__name__}-{name}.json"
    if path is not None and path.is_file():
        found: dict[str, Judged] = json.loads(path.read_text())
        return found
    rows(fold)
    made = {part: {each: judged(scores, data) for each, scores in fold.rows.items()} for part, data in sets.items()}
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made))
    print(f"{name} is done", file=sys.stderr, flush=True)
    return made


def _mean(found: list[Judged]) -> Judged:
    return {name: np.mean([each[name] for each in found], axis=0).tolist() for name in found[0]}


def _best(found: Judged) -> str:
    return max(found, key=lambda name: found[name][MEAN])


def _print_table(vali: Judged, inner: Judged, test: Judged, picked: dict[str, str]) -> None:
    header = ["learner", "vali @1-5", "vali MAP", "inner @1-5", *(f"@{k}" for k in range(1, 6)), "mean @1-5", "MAP"]
    rows = [
        [
            " <- ".join([name, *(rule for rule, pick in picked.items() if pick == name)]),
            *(f"{100 * each:.2f}" for each in (*vali[name][MEAN:], inner[name][MEAN], *test[name])),
        ]
        for name in sorted(vali, key=lambda name: -vali[name][MEAN])
    ]
    print(text_table(header, rows), flush=True)


def folds() -> list[tuple[NBest, NBest, NBest]]:
    """Train, vali and test of LETOR's five folds."""
    folder = data_folder()
    if folder is None:
        return []
    parts = ("train", "vali", "test")
    found = [
        [runoff.read(each / f"{part}.txt.gz") for part in parts] for each in sorted(folder.glob("letor/MQ2008/Fold*"))
    ]
    return [(train, vali, test) for train, vali, test in found]


def judged(scores: Scores, data: NBest) -> list[float]:
    """NDCG@1 to 5 by LETOR's rules, their mean, and MAP."""

    def score(name: str) -> float:
        metric = get(name)
        return float(metric.score(metric.rows(data, by_score(data, scores(data))).sum(axis=0)))

    cut = [score(name) for name in CUTS]
    return [*cut, float(np.mean(cut)), score("map")]


def fitted(learner: Learner, train: NBest, vali: NBest, seed: int = 0) -> Scores:
    """Scores by what the learner makes of the lists."""
    return learner.clone().set_params(metric="map", calibration="none", seed=seed).fit(train, vali).model.scores
