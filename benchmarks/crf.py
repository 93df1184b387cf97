"""Conditional random fields over orders: steps per second, a fold's seconds beside LightGBM's, and the paper's table.

Without options: (a) steps by dynamic programming and by enumeration of all orders, in CPU time of one thread, the
rivals in turns, the least of several times. A step draws documents from a list of 20, scores them, finds the objective
and its gradient, and moves the weights; the objective with its gradient is timed alone too. (b) Training with all
tuning by validation on the first fold of every LETOR collection, beside LightGBM's lambdarank with a grid as large.

With --table: all folds of every collection, test NDCG@1-5 and MAP by LETOR's rules, mean of the folds; where something
is drawn, mean and standard deviation over three seeds. Everybody chooses all that it tunes by validation NDCG (LETOR's
mean NDCG) on each fold. "The paper's way" is section 6 of Volkovs, Larochelle & Zemel (2011): six documents, all orders
enumerated, features as they are, the last weights of stochastic gradient descent, no L2, and its grids (its list of
rates names 0.01 twice; the first is taken for 0.1). Prints tables, and one JSON object last.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

import runoff
from runoff import CRF
from runoff.features import align
from runoff.kernels.crf_order_objectives import ranking_objective
from runoff.learners import AdaRank, ListNet, Regression, crf_problem
from runoff.metrics import parse
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.ranking import Ranking, by_score
from runoff.tables import text_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.learners import Learner

    Result = dict[str, Any]

EXACT_OBJECTIVES: tuple[Any, ...] = ("ml", "la", "el", "kl")  # LS has no exact form
SIZES, REPEATS, STEPS, LENGTH = (6, 8, 10, 12, 14), 5, 200, 20
SEEDS = (0, 1, 2)
CHOSEN_BY, JUDGED_BY = "ndcg-letor", "ndcg-letor@1-5,map"
PAPERS_CHOICES: Result = {
    "rate": [0.5, 0.1, 0.01, 0.001],
    "loss_weight": [1.0, 10.0, 20.0, 50.0],
    "temperature": [1.0, 10.0, 20.0, 50.0],
    "l2": 0.0,
}
PAPERS_ROWS = {  # Volkovs, Larochelle & Zemel (2011), table 1, MQ2008; all but KL are LETOR's own baselines
    "Regression": (36.67, 40.62, 42.89, 45.60, 47.73),
    "SVM-Struct": (36.26, 39.84, 42.85, 45.08, 46.95),
    "ListNet": (37.54, 41.12, 43.24, 45.68, 47.47),
    "AdaRank": (38.26, 42.11, 44.20, 46.53, 48.21),
    "KL": (39.47, 41.80, 43.74, 46.18, 47.84),
}
TREES, PATIENCE = 500, 50
LEAVES, DEPTHS, TREE_RATES = (5, 15, 31), (2, 4, 6), (0.02, 0.05, 0.1)


# ---------------------------------------------------------------- (a) steps


def made_lists(groups: int = 50, columns: int = 46) -> NBest:
    """Lists about as long as those of MQ2008, with dense features and grades 0 to 2, all of which every group has."""
    rng = np.random.default_rng(0)
    grades = np.stack([made_grades(rng, LENGTH) for _ in range(groups)])
    table = rng.random((grades.size, columns)) + 0.1 * grades.reshape(-1, 1)
    return NBest.from_arrays(table, quality=grades.ravel(), sizes=[LENGTH] * groups)


def made_grades(rng: np.random.Generator, documents: int) -> Floats:
    """Grades 0 to 2, each at least once."""
    return rng.permutation(np.append([0, 1, 2], rng.integers(0, 3, documents - 3))).astype(np.float64)


@njit(nogil=True)
def objectives(aim: Any, table: Floats, gains: Floats, space: Any, random: Any, slopes: Floats) -> float:
    """Sum of the objective over rows of scores, each with its gradient."""
    total = 0.0
    for scores in table:
        total += ranking_objective(
            aim.kind, aim.strength, aim.way, scores, gains, aim.ideal, space, aim.samples, random, slopes
        )
    return total


class Steps:
    """One objective over all orders of so many documents, ready to be timed; the scores are new at every step."""

    def __init__(self, objective: Any, documents: int, orders: Any) -> None:
        learner = CRF(objective, "permutations", temperature=1.0, loss_weight=1.0, rate=0.01)
        problem = crf_problem.CRFProblem(made_lists(), learner.set_params(documents=documents, orders=orders))
        (setting,) = problem.settings()
        self._run = problem.runs([setting], 1, "steps", None)[0]
        self._aim, self._space = problem.orders_aim(setting), problem.space(setting)
        self._gains, self._slopes = made_grades(np.random.default_rng(0), documents), np.empty(documents)
        self.whole(1)  # compile
        self.alone(1)

    def whole(self, many: int) -> float:
        """Microseconds of CPU time for a whole step."""
        visits = np.resize(self._run.groups, many)
        started = time.thread_time()
        self._run.visit(visits)
        return (time.thread_time() - started) / many * 1e6

    def alone(self, many: int) -> float:
        """Microseconds of CPU time for an objective and its gradient."""
        table = np.random.default_rng(1).normal(size=(many, self._gains.size))
        random = np.ones(1, np.uint64)
        started = time.thread_time()
        objectives(self._aim, table, self._gains, self._space, random, self._slopes)
        return (time.thread_time() - started) / many * 1e6


def steps_per_second() -> Result:
    """Dynamic programming beside enumeration, then dynamic programming for more documents."""
    few: dict[tuple[str, str, str], list[float]] = {}
    several = {(name, "enumerate"): Steps(name, SIZES[0], "enumerate") for name in crf_problem.OBJECTIVES}
    several |= {(name, "exact"): Steps(name, SIZES[0], "exact") for name in EXACT_OBJECTIVES}
    for _ in range(REPEATS):
        for (name, way), steps in several.items():
            few.setdefault((name, way, "step"), []).append(steps.whole(10 * STEPS))
            few.setdefault((name, way, "objective"), []).append(steps.alone(10 * STEPS))
    found: Result = {}
    for name in crf_problem.OBJECTIVES:
        found[name] = {
            f"{part}_{way}_us": round(min(few[key]), 2) for key in few for n, way, part in [key] if n == name
        }
        if name not in EXACT_OBJECTIVES:
            continue
        for part in ("step", "objective"):
            ratio = min(few[name, "enumerate", part]) / min(few[name, "exact", part])
            found[name][f"{part}_ratio"] = round(ratio, 1)
        larger = {n: Steps(name, n, "exact") for n in SIZES}
        least = {n: min(each.whole(max(STEPS * 64 >> n - 6, 20)) for _ in range(REPEATS)) for n, each in larger.items()}
        found[name]["steps_per_second"] = {str(n): round(1e6 / each) for n, each in least.items()}
    columns = [f"{part}_{what}" for part in ("step", "objective") for what in ("enumerate_us", "exact_us", "ratio")]
    rows = [
        [name, *(str(each.get(column, "")) for column in columns)]
        + [f"{each['steps_per_second'][str(n)]:,}" if "steps_per_second" in each else "" for n in SIZES]
        for name, each in found.items()
    ]
    header = [column.replace("_", " ") for column in columns]
    print(text_table(["n = 6", *header, *(f"steps/s, n = {n}" for n in SIZES)], rows), flush=True)
    return found


# ---------------------------------------------------------------- folds, and peers that grow trees


@dataclass(frozen=True, eq=False)
class Fold:
    """A fold as LETOR has it."""

    train: NBest
    vali: NBest
    test: NBest

    @classmethod
    def read(cls, folder: Path) -> Fold:
        """Read the three parts."""
        return cls(*(runoff.read(next(folder.glob(f"{part}.txt*"))) for part in ("train", "vali", "test")))

    def table(self, data: NBest) -> Floats:
        """Dense features of some data, in the columns of the training data."""
        table = np.zeros((data.n_candidates, self.train.features.n_columns))
        columns = align(data.features, self.train.features.column_names())
        table[:, columns[columns >= 0]] = data.features.to_scipy().toarray()[:, columns >= 0]
        return table


def value(metrics: str, data: NBest, ranking: Ranking) -> list[float]:
    """Scores of a ranking under every metric."""
    return [float(metric.score(metric.rows(data, ranking).sum(axis=0))) for metric in parse(metrics)]


def reached(fold: Fold, predicted: Any) -> float:
    """Validation NDCG of predictions."""
    return value(CHOSEN_BY, fold.vali, by_score(fold.vali, np.asarray(predicted, np.float64)))[0]


def lightgbm(fold: Fold, threads: int = 1) -> Callable[[NBest], Ranking]:
    """LambdaMART by LightGBM: trees, leaves and rate by validation."""
    import lightgbm as package

    def judge(predicted: Any, _: Any) -> tuple[str, float, bool]:
        return CHOSEN_BY, reached(fold, predicted), True

    found = []
    for leaves, rate in itertools.product(LEAVES, TREE_RATES):
        options = {"objective": "lambdarank", "metric": "None", "num_leaves": leaves, "learning_rate": rate, "seed": 0}
        options |= {"num_threads": threads, "verbose": -1, "deterministic": True}
        train, vali = (
            package.Dataset(fold.table(data), np.asarray(data.quality), group=data.sizes)
            for data in (fold.train, fold.vali)
        )
        stop = package.early_stopping(PATIENCE, verbose=False)
        trees = package.train(options, train, TREES, valid_sets=[vali], feval=judge, callbacks=[stop])
        found.append((reached(fold, trees.predict(fold.table(fold.vali))), trees))
    best = max(found, key=lambda each: each[0])[1]
    return lambda data: by_score(data, np.asarray(best.predict(fold.table(data)), np.float64))


def xgboost(fold: Fold) -> Callable[[NBest], Ranking]:
    """LambdaMART by XGBoost: trees, depth and rate by validation."""
    import xgboost as package

    def matrix(data: NBest) -> Any:
        return package.DMatrix(fold.table(data), np.asarray(data.quality), group=data.sizes)

    def judge(predicted: Any, _: Any) -> tuple[str, float]:
        return CHOSEN_BY, reached(fold, predicted)

    train, vali, found = matrix(fold.train), matrix(fold.vali), []
    for depth, rate in itertools.product(DEPTHS, TREE_RATES):
        options = {"objective": "rank:ndcg", "max_depth": depth, "eta": rate, "seed": 0, "nthread": 1}
        options["disable_default_eval_metric"] = 1
        stop = package.callback.EarlyStopping(rounds=PATIENCE, maximize=True, save_best=True)
        trees = package.train(
            options,
            train,
            num_boost_round=TREES,
            evals=[(vali, "vali")],
            custom_metric=judge,
            callbacks=[stop],
            verbose_eval=False,
        )
        found.append((reached(fold, trees.predict(vali)), trees))
    best = max(found, key=lambda each: each[0])[1]
    return lambda data: by_score(data, best.predict(matrix(data)).astype(np.float64))


def learned(learner: Learner, fold: Fold) -> Callable[[NBest], Ranking]:
    """One of Runoff's learners."""
    return learner.fit(fold.train, fold.vali).model.ranking


# ---------------------------------------------------------------- (b) seconds


def seconds(fold: Fold) -> Result:
    """Training with all tuning, on all cores that there are."""
    kl = partial(CRF, "kl", "permutations", metric=CHOSEN_BY)
    contestants: dict[str, Callable[[Fold], Any]] = {
        "CRF kl, n = 6": partial(learned, kl(documents=6, l2=0.0)),
        "CRF kl, n = 12": partial(learned, kl(documents=12, l2=0.0)),
        "CRF kl, l2 and n chosen too": partial(learned, kl()),
    }
    if importlib.util.find_spec("lightgbm") is not None:
        contestants["LightGBM lambdarank, one thread"] = lightgbm
        contestants["LightGBM lambdarank, all cores"] = partial(lightgbm, threads=cores())
    learned(kl(epochs=1, rate=0.01, temperature=1.0, l2=0.0, documents=6), fold)  # compile
    found: Result = {"settings": len(LEAVES) * len(TREE_RATES), "cores": cores()}
    for name, contestant in contestants.items():
        wall, used = time.perf_counter(), time.process_time()
        contestant(fold)
        found[name] = {
            "wall_s": round(time.perf_counter() - wall, 2),
            "cpu_s": round(time.process_time() - used, 2),
        }
        print(f"one fold, {name}: {found[name]}", flush=True)
    return found


# ---------------------------------------------------------------- (c) the table


def entrants() -> dict[str, tuple[tuple[int, ...], Callable[[int, Fold], Callable[[NBest], Ranking]]]]:
    """The seeds, and what learns, for every row."""

    def row(make: Callable[..., Learner], seeds: tuple[int, ...] = (0,), **given: Any) -> Any:
        return seeds, lambda seed, fold: learned(make(metric=CHOSEN_BY, seed=seed, **given), fold)

    rows = {
        "Regression": row(Regression, l2=0.0),
        "ListNet": row(ListNet, SEEDS, scale="none"),
        "AdaRank": row(AdaRank, SEEDS, scale="none"),
        "LogLinear": row(runoff.LogLinear),
        "LogLinear, tied": row(runoff.LogLinear, right="tied"),
        "Perceptron, ORUM": row(runoff.Perceptron, SEEDS, order="orum"),
        "Perceptron, order by vali": row(runoff.Perceptron, SEEDS, order="auto"),
    }
    for name, peer in {"lightgbm": lightgbm, "xgboost": xgboost}.items():
        if importlib.util.find_spec(name) is not None:
            rows[peer.__doc__.split(":")[0] if peer.__doc__ else name] = (0,), lambda _, fold, peer=peer: peer(fold)
    papers = {"orders": "enumerate", "average": False, "scale": "none", **PAPERS_CHOICES}
    every: tuple[Any, ...] = crf_problem.OBJECTIVES
    for name in every:
        make: Callable[..., Learner] = partial(CRF, objective=name, space="permutations", method="sgd")
        rows[f"CRF {name}, n = 6, the paper's way"] = row(make, SEEDS, documents=6, **papers)
    for documents, name in itertools.product((6, 12), EXACT_OBJECTIVES):
        rows[f"CRF {name}, n = {documents}, exact"] = row(
            partial(CRF, objective=name, space="permutations"), SEEDS, documents=documents
        )
    for name in EXACT_OBJECTIVES:
        rows[f"CRF {name}, n by vali, exact"] = row(partial(CRF, objective=name, space="permutations"), SEEDS)
    for name in every:
        rows[f"CRF {name}, candidates"] = row(partial(CRF, objective=name))
    for name in every:
        rows[f"CRF {name}, candidates, ranks"] = row(partial(CRF, objective=name), group_ranks=True)
    for name in EXACT_OBJECTIVES:
        rows[f"CRF {name}, n = 12, exact, ranks"] = row(
            partial(CRF, objective=name, space="permutations"), SEEDS, documents=12, group_ranks=True
        )
    for loss in ("exp", "log"):
        rows[f"Boost {loss}, all pairs"] = row(runoff.Boost, pairs="all", loss=loss, max_rounds=1_000)
    return rows


def papers_table(folds: list[Fold], words: list[str]) -> Result:
    """Every entrant, or those whose names have all the words, on all folds."""
    labels = [metric.label for metric in parse(JUDGED_BY)]
    rows = [[f"paper: {name}", *map(str, each), "", "", ""] for name, each in PAPERS_ROWS.items()]
    found: Result = {"paper": PAPERS_ROWS, "folds": len(folds)}
    for name, (seeds, learn) in entrants().items():
        if not all(word in name for word in words):
            continue
        started, scores = time.perf_counter(), []
        for seed in seeds:
            models = [learn(seed, fold) for fold in folds]
            tests = [value(JUDGED_BY, fold.test, model(fold.test)) for fold, model in zip(folds, models, strict=True)]
            valis = [value(CHOSEN_BY, fold.vali, model(fold.vali)) for fold, model in zip(folds, models, strict=True)]
            scores.append(np.append(np.mean(tests, axis=0), np.mean(valis)) * 100)
        took = time.perf_counter() - started
        mean, spread = np.mean(scores, axis=0), np.std(scores, axis=0, ddof=1) if len(scores) > 1 else None
        told = [f"{each:.2f}" for each in mean]
        if spread is not None:
            told = [f"{each} ± {off:.2f}" for each, off in zip(told, spread, strict=True)]
        rows.append([name, *told, f"{took:.0f}"])
        print(*rows[-1], sep="  ", flush=True)
        found[name] = {
            "mean": dict(zip([*labels, "vali"], mean.round(3).tolist(), strict=True)),
            "seconds": round(took, 1),
        }
        found[name] |= {"seeds": [each.round(3).tolist() for each in scores]}
    print(f"\n{text_table(['', *labels, 'validation', 's'], rows)}", flush=True)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="the paper's table instead of the times")
    parser.add_argument("words", nargs="*", help="of the table only the rows whose names have all these words")
    options = parser.parse_args()
    wants_table = options.table
    folder = data_folder()
    collections = sorted(folder.glob("letor/*")) if folder else []
    if wants_table and not collections:
        skip("no LETOR collection in the data folder; set RUNOFF_DATA")
        return
    results: Result = {"benchmark": "crf"} if wants_table else {"benchmark": "crf", "steps": steps_per_second()}
    for collection in collections:
        folds = [Fold.read(each) for each in sorted(collection.glob("Fold*"))]
        print(f"\n{collection.name}, {len(folds)} folds", flush=True)
        results[collection.name] = papers_table(folds, options.words) if wants_table else seconds(folds[0])
    finish(results)


if __name__ == "__main__":
    main()
