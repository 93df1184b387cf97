"""The boosting engine beside LightGBM, XGBoost and liblinear: time, memory and quality on held-out groups.

A tenth of the size of Collins & Koo (2005): 3,600 groups of 27 candidates over 50,000 binary features. Quality
is made of four parts of equal variance: a linear function of the 2,000 commonest features, 100 pairs of the 100
commonest that count only together, 20 sets of ten of these that count only above a number, and noise. So
neither linear models nor trees have it all their way. Everyone learns on three fifths of the groups, chooses
its size or its regularisation on one fifth, and uses one thread and a process of its own; nothing else is
tuned. `paired_error` is the standard error of the difference to the first round. Prints one JSON object last.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from boosting import SMOOTHING, Shape, planted, problem, say, tables
from runoff.learners.boosting_engine import ExpEngine
from runoff.nbest import Features, NBest
from runoff.ranking import best, first_round, winners
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints

    Scorer = Callable[[NBest], Floats]

COMMON, OFTEN, JOINT, SETS = 2_000, 100, 100, 20  # features that count at all; the commonest; pairs and sets of these
ROUNDS, STEP, TREES, PATIENCE = 20_000, 250, 500, 30


@dataclass(frozen=True)
class Task:
    """Groups to learn from, to choose on and to be judged on."""

    train: NBest
    dev: NBest
    test: NBest

    @classmethod
    def make(cls, seed: int = 0) -> Task:
        """Draw features, then quality from its four parts; the first round is quality and noise."""
        shape, rng = Shape.at(0.1), np.random.default_rng(seed)
        made = list(tables(shape, rng))
        indptr = np.append(0, np.cumsum(np.concatenate([first.sum(axis=1) for _, first in made])))
        indices = np.concatenate([rows[first] for rows, first in made])
        table = sparse.csr_array((np.ones(indices.size, np.float32), indices, indptr), (indptr.size - 1, shape.columns))
        common = np.argsort(-np.bincount(indices, minlength=shape.columns), kind="stable")[:COMMON]
        has = table[:, common[:OFTEN]].toarray() > 0
        truth = np.zeros(shape.columns)
        truth[common] = rng.normal(size=COMMON)
        linear = table @ truth
        joint, crowded = np.zeros(linear.size), np.zeros(linear.size)
        for weight in rng.normal(size=JOINT):
            left, right = rng.choice(OFTEN, 2, replace=False)
            joint += weight * (has[:, left] & has[:, right])
        for weight in rng.normal(size=SETS):
            count = has[:, rng.choice(OFTEN, 10, replace=False)].sum(axis=1)
            crowded += weight * (count > np.median(count))
        parts = [_within_groups(part, shape.size) for part in (linear, joint, crowded, rng.normal(size=linear.size))]
        quality = sum(parts, np.zeros(linear.size))
        base = quality + 3 * rng.normal(size=quality.size)
        features = Features.from_csr(indptr, indices, None, shape.columns)
        data = NBest.from_arrays(features, quality=quality, base=base, sizes=np.full(shape.groups, shape.size))
        fifth = shape.groups // 5
        return cls(data[: 3 * fifth], data[3 * fifth : 4 * fifth], data[4 * fifth :])


def _within_groups(part: Floats, size: int) -> Floats:
    """The part less its mean in the group, with a standard deviation of one."""
    centred = part.reshape(-1, size) - part.reshape(-1, size).mean(axis=1, keepdims=True)
    scaled: Floats = (centred / centred.std()).ravel()
    return scaled


def qualities(data: NBest, places: Ints) -> Floats:
    """Quality of the candidates at these places of their groups."""
    if data.quality is None:
        raise SystemExit("the data has no quality")
    found: Floats = data.quality[data.offsets[:-1] + places]
    return found


def picked(data: NBest, places: Ints) -> float:
    """Mean quality of the candidates at these places of their groups."""
    return float(qualities(data, places).mean())


def with_base(data: NBest) -> sparse.csr_array:
    """Features, and the first round's score as the last column; scikit-learn wants indices of 32 bits."""
    base = sparse.csr_array(np.asarray(data.base, np.float32)[:, None])
    table = sparse.csr_array(sparse.hstack([data.features.to_scipy(), base]))
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return table


def grades(data: NBest) -> Ints:
    """Grades for learners that want a few: best 4, next two 3, next four 2, next eight 1, rest 0."""
    order = np.argsort(-np.asarray(data.quality).reshape(len(data), -1), axis=1, kind="stable")
    grade = np.zeros(order.shape, np.int64)
    for level, stop in ((1, 15), (2, 7), (3, 3), (4, 1)):
        np.put_along_axis(grade, order[:, :stop], level, axis=1)
    return grade.ravel()


def runoff_engine(task: Task) -> tuple[Scorer, str]:
    """ExpLoss boosting, the prefix that is best on dev."""
    index, margins, _ = problem(task.train)
    run = ExpEngine(index, margins, SMOOTHING)
    differences = np.asarray(task.train.base)[index.pairs.better] - np.asarray(task.train.base)[index.pairs.worse]
    base_weight = float(margins @ differences / (differences @ differences))
    weights, top = np.zeros(task.train.features.n_columns), (-np.inf, 0, np.zeros(0))
    table = task.dev.features.to_scipy()
    while run.deltas.size < ROUNDS and run.run(STEP):
        np.add.at(weights, run.features[-STEP:], run.deltas[-STEP:])
        scores = table @ weights + base_weight * np.asarray(task.dev.base)
        top = max(
            top, (picked(task.dev, winners(task.dev, scores)), run.deltas.size, weights.copy()), key=lambda x: x[0]
        )
    chosen = top[2]
    return lambda data: data.features.to_scipy() @ chosen + base_weight * np.asarray(data.base), f"{top[1]} rounds"


def liblinear(task: Task) -> tuple[Scorer, str]:
    """Support vectors over differences of the best candidate and the others (RankSVM), C by dev."""
    from sklearn.svm import LinearSVC

    table, top = with_base(task.train), best(task.train)
    other = np.setdiff1d(np.arange(task.train.n_candidates), top)
    side = np.where(np.random.default_rng(0).random(other.size) < 0.5, 1.0, -1.0)
    of_group = np.repeat(top, task.train.sizes)[other]
    differences = table[of_group] - table[other]
    differences.data *= np.repeat(side, np.diff(differences.indptr))
    found = []
    for strength in (1e-4, 1e-3, 1e-2):
        weights = LinearSVC(C=strength, fit_intercept=False).fit(differences, side).coef_.ravel()
        found.append((picked(task.dev, winners(task.dev, with_base(task.dev) @ weights)), strength, weights))
    _, strength, chosen = max(found, key=lambda each: each[0])
    return lambda data: with_base(data) @ chosen, f"C={strength:g}"


def lightgbm(task: Task) -> tuple[Scorer, str]:
    """LambdaMART by LightGBM, as many trees as are best on dev."""
    import lightgbm as package

    options = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [1], "num_threads": 1, "verbose": -1, "seed": 0}
    train, dev = (package.Dataset(with_base(data), grades(data), group=data.sizes) for data in (task.train, task.dev))
    stop = package.early_stopping(PATIENCE, verbose=False)
    trees = package.train(options, train, TREES, valid_sets=[dev], callbacks=[stop])
    return lambda data: np.asarray(trees.predict(with_base(data))), f"{trees.best_iteration} trees"


def xgboost(task: Task) -> tuple[Scorer, str]:
    """LambdaMART by XGBoost, as many trees as are best on dev."""
    import xgboost as package

    def matrix(data: NBest) -> Any:
        return package.DMatrix(with_base(data), grades(data), group=data.sizes)

    options = {"objective": "rank:ndcg", "eval_metric": "ndcg@1", "eta": 0.1, "nthread": 1, "seed": 0}
    dev = matrix(task.dev)
    trees = package.train(
        options, matrix(task.train), TREES, [(dev, "dev")], early_stopping_rounds=PATIENCE, verbose_eval=False
    )
    last = trees.best_iteration + 1
    return lambda data: trees.predict(matrix(data), iteration_range=(0, last)).astype(np.float64), f"{last} trees"


def nothing(task: Task) -> tuple[Scorer, str]:  # noqa: ARG001 - one of the contestants
    """The first round as it is: what the data alone takes."""
    return lambda data: np.asarray(data.base), "first round"


CONTESTANTS: dict[str, Callable[[Task], tuple[Scorer, str]]] = {
    "first_round": nothing,
    "runoff": runoff_engine,
    "liblinear": liblinear,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
}
NEEDED = {"liblinear": "sklearn", "lightgbm": "lightgbm", "xgboost": "xgboost"}


def contest(name: str) -> dict[str, Any]:
    """One contestant in this process."""
    task = Task.make()
    if name == "runoff":
        small = problem(planted(Shape.at(0.001), 1))
        ExpEngine(*small[:2], SMOOTHING).run(5)  # compile
    started = time.perf_counter()
    scorer, size = CONTESTANTS[name](task)
    seconds = time.perf_counter() - started
    picks, firsts = winners(task.test, scorer(task.test)), first_round(task.test).indices
    found, first = picked(task.test, picks), picked(task.test, firsts)
    oracle = picked(task.test, best(task.test) - task.test.offsets[:-1])
    gained = qualities(task.test, picks) - qualities(task.test, firsts)
    return {
        "seconds": round(seconds, 1),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "quality": round(found, 3),
        "paired_error": round(float(gained.std() / np.sqrt(gained.size)), 3),
        "won": round((found - first) / (oracle - first), 3),  # of what lies between first round and oracle
        "size": size,
    }


def peers() -> dict[str, Any]:
    """All contestants, each in a process of its own; those that are not installed are named and left out."""
    results: dict[str, Any] = {"benchmark": "boosting peers"}
    for name in CONTESTANTS:
        if name in NEEDED and importlib.util.find_spec(NEEDED[name]) is None:
            results[name] = {"skipped": f'{NEEDED[name]} is not installed: pip install "runoff[bench]"'}
        else:
            done = subprocess.run(
                [sys.executable, __file__, "--one", name], capture_output=True, text=True, cwd=Path.cwd()
            )
            if done.returncode:
                raise SystemExit(f"{name} failed:\n{done.stderr}")
            results[name] = json.loads(done.stdout.splitlines()[-1])
        say(f"{name}: {results[name]}")
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", choices=CONTESTANTS, help="one contestant only, in this process")
    options = parser.parse_args()
    finish(contest(options.one) if options.one else peers())


if __name__ == "__main__":
    main()
