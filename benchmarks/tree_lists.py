"""Boosted trees over lists, beside linear learners, LightGBM and XGBoost.

Parts: "letor" (MQ2008, five folds, see tree_letor.py), "means" (those of its rows that are linear learners, means of
them, or grow from one), "missing" (the same with a fifth of the cells blanked, mean of several blankings), "synthetic"
(features that act together and are missing, as in rank aggregation), "parses" (English Web Treebank).
Everything that is tuned is tuned on vali by MAP. Test scores choose nothing. Peers that are not installed are left out.
RUNOFF_WORK is a folder in which runs of "letor" and "means" are kept, so that an interrupted one can go on.
Usage: python benchmarks/tree_lists.py [part …]
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners import CRF, Blend, LogLinear, TreeBoost
from runoff.nbest import Features, NBest
from runoff.tables import text_table
from shared import finish
from tree_letor import TREES, fitted, folds, judged, letor, means
from tree_parses import parses
from tree_peers import peers

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.learners import Learner
    from tree_letor import Scores

BLANKINGS, BLANKED = 6, 0.2


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


# ---------------------------------------------------------------- missing values


def missing() -> dict[str, Any]:
    """MAP and mean NDCG@1-5 on test: whole, with a fifth of the cells blanked everywhere, and blanked in test alone.

    Each learner with means of lists in place of missing values (trees keep them), and with estimates; LightGBM with its
    own way.
    """
    learners: dict[str, Learner] = {
        "trees, list, depth 3": TREES["trees, list, depth 3"],
        "trees, ndcg, depth 2, sampled": TREES["trees, ndcg, depth 2, sampled"],
        "loglinear tied": LogLinear(right="tied"),
        "crf la": CRF("la"),
    }
    ours = {
        f"{name}, {how}": learner.clone().set_params(missing=how)
        for name, learner in learners.items()
        for how in ("mean", "regress")
    }
    found: dict[str, dict[str, list[list[float]]]] = {"whole": {}, "blanked": {}, "in test alone": {}}

    def fits(train: NBest, vali: NBest) -> dict[str, Scores]:
        rows = {name: fitted(learner, train, vali) for name, learner in ours.items()}
        return {**rows, **peers(train, vali, ("lightgbm",))}

    def judge(kind: str, rows: dict[str, Scores], test: NBest) -> None:
        for name, scores in rows.items():
            found[kind].setdefault(name, []).append(judged(scores, test)[5:])

    for number, parts in enumerate(folds()):
        whole = fits(*parts[:2])
        judge("whole", whole, parts[2])
        for blanking in range(BLANKINGS):
            seed = 100 * blanking + 10 * number
            train, vali, test = (blanked(part, BLANKED, seed + at) for at, part in enumerate(parts))
            judge("blanked", fits(train, vali), test)
            judge("in test alone", whole, test)
            print(f"fold {number + 1}, blanking {blanking + 1} is done", file=sys.stderr, flush=True)
    table = {name: [np.mean(each[name], axis=0) for each in found.values()] for name in found["whole"]}
    rows = []
    for name, ((a, b), (c, d), (e, f)) in table.items():
        numbers = (b, d, d - b, f, f - b, a, c, c - a, e, e - a)
        rows.append([name, *(f"{100 * each:.2f}" for each in numbers)])
    each = ["blanked", "change", "in test alone", "change"]
    print(text_table(["learner", "MAP", *each, "mean NDCG@1-5", *each], rows), flush=True)
    return {name: np.concatenate(values).tolist() for name, values in table.items()}


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
    "means": partial(letor, means),
    "missing": missing,
    "synthetic": synthetic,
    "parses": parses,
}


if __name__ == "__main__":
    finish({part: PARTS[part]() for part in sys.argv[1:] or PARTS})
