"""Boosted trees over lists, beside linear learners, LightGBM and XGBoost.

Parts: "letor" (MQ2008, five folds), "missing" (the same with a fifth of the cells blanked, mean of several blankings),
"synthetic" (features that act together and are missing, as in rank aggregation), "parses" (English Web Treebank).
Everything that is tuned is tuned on vali by MAP; the row that validation picks is the one with the highest mean of
NDCG@1-5 on vali, over the folds: the measure that is reported. Test scores choose nothing. Peers that are not installed
are left out. Usage: python benchmarks/tree_lists.py [part …]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.learners import CRF, Blend, ListNet, LogLinear, Perceptron, TreeBoost
from runoff.learners.feature_scaling import spread_within
from runoff.metrics import get
from runoff.nbest import Features, NBest
from runoff.ranking import by_score
from runoff.tables import text_table
from shared import data_folder, finish
from tree_parses import parses
from tree_peers import peers

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats
    from runoff.learners import Learner

    Scores = Callable[[NBest], Floats]

CUTS = [f"ndcg-letor@{k}" for k in range(1, 6)]
SEEDS, BLANKINGS, BLANKED = 5, 6, 0.2

_SAMPLED: dict[str, Any] = {"depth": 2, "rate": 0.05, "row_sample": 0.7, "column_sample": 0.3, "max_rounds": 300}
_CALM: dict[str, Any] = {**_SAMPLED, "depth": 3, "loss": "list", "least": 2.0, "ridge": 5.0}
_LINEAR: dict[str, Learner] = {
    "crf ls, ranks": CRF("ls", group_ranks=True),
    "crf la, ranks": CRF("la", group_ranks=True),
    "crf la over orders, ranks": CRF("la", "permutations", documents=10, group_ranks=True),
    "crf ml over orders, ranks": CRF("ml", "permutations", documents=10, group_ranks=True),
    "listnet, ranks": ListNet(group_ranks=True),
    "loglinear tied, ranks": LogLinear(right="tied", group_ranks=True),
}
_TREES: dict[str, Learner] = {
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
    test: NBest
    rows: dict[str, Scores] = field(default_factory=dict)

    def fit(self, name: str, learner: Learner, seed: int = 0) -> None:
        """Add a row for a learner."""
        self.rows[name] = fitted(learner, self.train, self.vali, seed)

    def mean(self, name: str, shares: dict[str, float]) -> None:
        """Add a row for the mean of others, whose scores are brought to the same spread on the training lists."""
        units = {each: share / spread_within(self.train, self.rows[each](self.train)) for each, share in shares.items()}
        scores = dict(self.rows)
        self.rows[name] = lambda data: np.sum([unit * scores[each](data) for each, unit in units.items()], axis=0)

    def grow_on(self, name: str, base: str, learner: Learner, seeds: int = SEEDS) -> None:
        """Add a row for trees that start from the scores of another row, the mean of several seeds."""
        below = self.rows[base]
        train, vali = (data.replace(base=below(data)) for data in (self.train, self.vali))
        grown = [fitted(learner, train, vali, seed) for seed in range(seeds)]
        self.rows[name] = lambda data: np.mean([each(data.replace(base=below(data))) for each in grown], axis=0)


def fitted(learner: Learner, train: NBest, vali: NBest, seed: int = 0) -> Scores:
    """Scores by what the learner makes of the lists."""
    return learner.clone().set_params(metric="map", calibration="none", seed=seed).fit(train, vali).model.scores


def tuned(train: NBest, vali: NBest) -> Scores:
    """Scores by trees with as many settings tried on vali as the peers have."""
    kinds: tuple[dict[str, Any], ...] = ({"loss": "list"}, {"pairs": "map"})
    tried = [
        TreeBoost(depth=depth, rate=rate, metric="map", calibration="none", **kind).fit(train, vali).model
        for depth in (3, 4)
        for rate in (0.05, 0.1)
        for kind in kinds
    ]
    return max(tried, key=lambda model: judged(model.scores, vali)[-1]).scores


def letor() -> dict[str, Any]:
    """MQ2008: means over five folds."""
    found: dict[str, list[list[float]]] = {}
    for train, vali, test in folds():
        fold = Fold(train, vali, test)
        for name, learner in {**_LINEAR, **_TREES, **_OTHERS}.items():
            fold.fit(name, learner)
        bagged = {}
        for kind in ("ndcg", "map"):
            for seed in range(SEEDS):
                bagged[f"{kind} {seed}"] = 1 / (2 * SEEDS)
                fold.fit(f"{kind} {seed}", TreeBoost(pairs=kind, **_SAMPLED, group_ranks=True), seed)
        fold.mean("trees, ndcg and map, sampled, ranks, mean of 10", bagged)
        fold.mean("linear learners with ranks, mean of 6", dict.fromkeys(_LINEAR, 1 / len(_LINEAR)))
        both = "linear learners with ranks, mean of 6", "trees, ndcg and map, sampled, ranks, mean of 10"
        for share in (0.25, 0.5):
            fold.mean(f"their mean with {share:.0%} of these trees", dict(zip(both, (1 - share, share), strict=True)))
        fold.grow_on("trees that start from their mean, 5 seeds", both[0], TreeBoost(**_CALM))
        fold.rows |= peers(train, vali)
        for name in bagged:
            del fold.rows[name]
        for name, scores in fold.rows.items():
            found.setdefault(name, []).append([*judged(scores, vali), *judged(scores, test)])
        print(f"a fold of {len(train)} training lists is done", file=sys.stderr, flush=True)
    table = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    picked = max(table, key=lambda name: float(table[name][5]))
    header = ["learner", "vali @1-5", "vali MAP", *(f"@{k}" for k in range(1, 6)), "mean @1-5", "MAP"]
    rows = [
        [f"{name} <- vali" if name == picked else name, *(f"{100 * each:.2f}" for each in (*values[5:7], *values[7:]))]
        for name, values in sorted(table.items(), key=lambda item: -float(item[1][5]))
    ]
    print(text_table(header, rows), flush=True)
    return {"picked": picked, **{name: values.tolist() for name, values in table.items()}}


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


# ---------------------------------------------------------------- missing values


def missing() -> dict[str, Any]:
    """MAP and mean NDCG@1-5 on test before and after a fifth of the cells is blanked, the same ones for all."""
    ours: dict[str, Learner] = {
        "trees, list, depth 3": _TREES["trees, list, depth 3"],
        "trees, ndcg, depth 2, sampled": _TREES["trees, ndcg, depth 2, sampled"],
        "loglinear tied": LogLinear(right="tied"),
        "crf la": CRF("la"),
    }
    found: dict[str, dict[str, list[list[float]]]] = {"whole": {}, "blanked": {}}
    for number, parts in enumerate(folds()):
        for blanking in range(-1, BLANKINGS):
            train, vali, test = parts
            if blanking >= 0:
                seed = 100 * blanking + 10 * number
                train, vali, test = (blanked(part, BLANKED, seed + at) for at, part in enumerate(parts))
            fits = {name: fitted(learner, train, vali) for name, learner in ours.items()}
            fits |= {"trees, tuned": tuned(train, vali), **peers(train, vali, ("lightgbm",))}
            kept = found["whole" if blanking < 0 else "blanked"]
            for name, scores in fits.items():
                kept.setdefault(name, []).append(judged(scores, test)[5:])
            print(f"fold {number + 1}, blanking {blanking + 1} is done", file=sys.stderr, flush=True)
    table = {
        name: [*np.mean(found["whole"][name], axis=0), *np.mean(found["blanked"][name], axis=0)]
        for name in found["whole"]
    }
    rows = [
        [name, *(f"{100 * each:.2f}" for each in (b, d, d - b, a, c, c - a))] for name, (a, b, c, d) in table.items()
    ]
    header = ["learner", "MAP", "blanked", "change", "mean NDCG@1-5", "blanked", "change"]
    print(text_table(header, rows), flush=True)
    return {name: [float(each) for each in values] for name, values in table.items()}


def blanked(data: NBest, share: float, seed: int) -> NBest:
    """The same lists with this share of the cells missing."""
    table = data.features.to_scipy().toarray().astype(np.float32)
    table[np.random.default_rng(seed).random(table.shape) < share] = np.nan
    return data.replace(features=Features.of(table, data.features.column_names()))


# ---------------------------------------------------------------- synthetic


def aggregated(lists: int, seed: int) -> NBest:
    """Items ranked by 20 judges, most of whom see half of them, and who are right on one kind of item only."""
    rng = np.random.default_rng(seed)
    size, judges = 20, 20
    n = lists * size
    truth, kind = rng.normal(size=n), rng.integers(0, 2, n)
    expert = np.arange(judges) % 2  # of the kind of item that a judge knows
    knows = kind[:, None] == expert
    noise = np.where(knows, 0.8, 2.5) * rng.normal(size=(n, judges))
    opinion = np.where(knows, truth[:, None], 0.0) + noise
    clue = kind + 0.4 * rng.normal(size=n)
    columns = np.column_stack([opinion, clue]).astype(np.float32)
    columns[:, :judges][rng.random((n, judges)) < 0.5] = np.nan
    grades = np.digitize(truth, [0.8, 1.6]).astype(float)
    return NBest.from_arrays(columns, quality=grades, sizes=[size] * lists)


def synthetic() -> dict[str, Any]:
    """MAP on test lists of a generator, mean of three draws."""
    ours: dict[str, Learner] = {
        "trees, list": TreeBoost(loss="list"),
        "trees, map": TreeBoost(pairs="map"),
        "trees, list, depth 3, rate 0.05": TreeBoost(loss="list", depth=3, rate=0.05),
        "loglinear tied": LogLinear(right="tied"),
        "loglinear tied, leaves of 40 trees": LogLinear(right="tied", leaves=40),
        "crf la": CRF("la"),
        "blend (the default)": Blend(),
    }
    found: dict[str, list[float]] = {}
    for draw in range(3):
        train, vali, test = (aggregated(lists, 10 * draw + at) for at, lists in enumerate((400, 150, 1_000)))
        rows = {name: fitted(learner, train, vali) for name, learner in ours.items()} | peers(train, vali)
        rows["trees, tuned"] = tuned(train, vali)
        for name, scores in rows.items():
            found.setdefault(name, []).append(judged(scores, test)[-1])
    table = {name: float(np.mean(values)) for name, values in found.items()}
    print(
        text_table(["learner", "MAP, test"], [[name, f"{100 * value:.2f}"] for name, value in table.items()]),
        flush=True,
    )
    return table


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "letor": letor,
    "missing": missing,
    "synthetic": synthetic,
    "parses": parses,
}


if __name__ == "__main__":
    finish({part: PARTS[part]() for part in sys.argv[1:] or PARTS})
