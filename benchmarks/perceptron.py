"""The perceptron at the sizes of Shen & Joshi: parses (36,000 groups of 27) and translations (993 groups of 1,000).

Parses have 500,000 binary features, about 100 on a candidate; translations 20 dense ones. All data is made with a seed.
Every part runs in a process of its own, on one thread, and is timed by that thread's CPU time, the rivals in turns;
the least of several times counts. Prints tables, and one JSON object last.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from scipy import sparse

from boosting import Shape, planted, say
from boosting_peers import Task, picked, qualities
from runoff import Perceptron
from runoff.arrays import frozen
from runoff.kernels.inversions import inversions, room
from runoff.kernels.perceptron import (
    ALL_PAIRS,
    FASTEST,
    INVERSIONS,
    LOGGED,
    MANY,
    MISTAKES,
    TABLE,
    TIME,
    Log,
    Order,
    PerceptronLists,
    PerceptronState,
    _all_pairs,
    _by_table,
    group_pass,
    settle,
)
from runoff.learners.perceptron_lists import ScaledLists
from runoff.learners.perceptron_orders import CompiledOrder, OrderRule, compile_order
from runoff.learners.perceptron_votes import NO_LOG
from runoff.nbest import Features, NBest
from runoff.ranking import best, first_round, winners
from runoff.tables import text_table
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints, Singles

    Result = dict[str, Any]

TRANSLATIONS, CANDIDATES, DENSE = 993, 1_000, 20
SIZES = (27, 100, 300, 1_000, 3_000)
WAYS = {"table": TABLE, "all_pairs": ALL_PAIRS, "inversions": INVERSIONS, "used": FASTEST}
MARGINS = {"uneven": "orum", "even": "ordinal"}  # and the order that has it
REPEATS, LATER, EPOCHS = 5, 10, 10  # LATER: an epoch with fewer violations than the first
CONTESTANTS = {
    "Runoff best-vs-rest": ("runoff", "best-vs-rest"),
    "Runoff ORUM": ("runoff", "orum"),
    "SGDClassifier perceptron": ("scikit-learn", "perceptron"),
    "SGDClassifier hinge": ("scikit-learn", "hinge"),
}


def translations(groups: int, seed: int) -> NBest:
    """Quality has three parts of equal variance within groups: linear, products of two features, and noise.

    The first round knows quality under three times as much noise.
    """
    rng = np.random.default_rng(seed)
    n = groups * CANDIDATES
    values = rng.normal(size=(n, DENSE)).astype(np.float32)
    truth, joint = rng.normal(size=DENSE), rng.normal(size=DENSE // 2)
    products = (values[:, ::2] * values[:, 1::2]) @ joint
    quality = sum((part / part.std() for part in (values @ truth, products, rng.normal(size=n))), np.zeros(n))
    columns = np.tile(np.arange(DENSE, dtype=np.int32), n)
    return NBest.from_arrays(
        Features.from_csr(np.arange(0, n * DENSE + 1, DENSE), columns, values.ravel(), DENSE),
        quality=quality,
        base=quality + 3 * quality.std() * rng.normal(size=n),
        sizes=np.full(groups, CANDIDATES),
    )


def least(*works: Callable[[], Any], repeats: int = REPEATS) -> list[float]:
    """Seconds of CPU time of each work, in turns; the least of several times."""
    found = np.full((repeats, len(works)), np.inf)
    for repeat in range(repeats):
        for at, work in enumerate(works):
            started = time.thread_time()
            work()
            found[repeat, at] = time.thread_time() - started
    return [float(each) for each in found.min(axis=0)]


def forget_peak() -> None:
    """Let the peak of memory begin anew, so that making the data does not count; Linux only."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_memory() -> int:
    """Most memory of this process, data and all, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


class Training:
    """Passes of the learner over its own arrays, without the bookkeeping of epochs around them."""

    def __init__(self, data: NBest, scaled: ScaledLists, order: str, *, average: bool, tau: float = 1.0) -> None:
        self.scaled = scaled
        self.compiled: CompiledOrder = compile_order(data, OrderRule(order))
        self.tau = tau * float(data.sizes.mean()) * scaled.unit  # in units of the change by one visit
        columns = self.scaled.scale.size
        self.state = PerceptronState(
            weights=np.zeros(columns),
            sums=np.zeros(columns if average else 0),
            later=np.zeros(data.n_candidates if average else 0),
            base=np.zeros(2),
            dual=np.zeros(0),
            counters=np.zeros(4, np.int64),
        )
        self.space = room(int(data.sizes.max())) if self.compiled.inverted else None
        self.epochs = 0

    def visits(self) -> Ints:
        """Groups in the order of the next epoch."""
        return np.random.default_rng([0, self.epochs]).permutation(self.compiled.groups)

    def epoch(self, visits: Ints, log: Log = NO_LOG) -> None:
        """One pass, and what the average needs at its end."""
        lists, order = self.scaled.lists, self.compiled.order
        made = group_pass(visits, lists, order, self.tau, 0.0, FASTEST, self.state, log, self.space)
        if made != visits.size:
            raise SystemExit("a pass ended early")
        if self.state.sums.size:
            settle(self.scaled.lists, self.state)
        self.epochs += 1

    def next_epoch(self) -> None:
        """A pass in an order of its own."""
        self.epoch(self.visits())

    def again(self, kept: PerceptronState, visits: Ints) -> None:
        """The pass that began at `kept` once more."""
        for array, old in zip(self.state, kept, strict=True):
            array[:] = old
        self.epochs -= 1
        self.epoch(visits)


# ---------------------------------------------------------------- seconds per epoch


def epochs(data: NBest, orders: tuple[str, ...]) -> Result:
    """Seconds per epoch of every order, averaged and not, and a whole `fit` with its memory.

    Of the epochs of an order, the second to fourth are timed.
    """
    Perceptron(tau=1.0, epochs=1).fit(data[:5])  # compile
    forget_peak()
    started = time.perf_counter()
    Perceptron(tau=1.0, epochs=EPOCHS).fit(data)
    fit_seconds, peak = time.perf_counter() - started, peak_memory()
    found: Result = {}
    scaled = ScaledLists.of(data, Perceptron())
    for order in orders:
        for average in (True, False):
            run = Training(data, scaled, order, average=average)
            run.next_epoch()
            (seconds,) = least(run.next_epoch, repeats=3)
            found[f"{order}, {'averaged' if average else 'last weights'}"] = {
                "seconds_per_epoch": round(seconds, 3),
                "candidates_per_s": round(data.n_candidates / seconds),
            }
    return {
        "epochs": found,
        f"fit_{EPOCHS}_epochs_wall_s": round(fit_seconds, 2),
        "lists_mb": round(sum(each.nbytes for each in scaled.lists if each is not None) / 2**20),
        "peak_memory_mb": peak,
    }


# ---------------------------------------------------------------- finding violated pairs


@njit(nogil=True)
def find(way: int, offsets: Ints, order: Order, tau: float, scores: Floats, u: Ints) -> int:
    """Violated pairs of every group, and nothing else of a pass; scores and `u` by place."""
    mistakes, most = 0, np.diff(offsets).max()
    space, z, unit = room(most), np.empty(most), 1.0 / order.scale
    gap = tau * (order.shift * unit)
    for group in range(offsets.size - 1):
        start, stop = offsets[group], offsets[group + 1]
        n = stop - start
        prefix, phi, moved = order.prefix[start:stop], order.phi[start:stop], u[start:stop]
        for place in range(n):
            z[place] = scores[start + place]
            if way != TABLE:
                z[place] -= tau * (phi[place] * unit)
            moved[place] = 0
        if way == TABLE:
            ranks = order.ranks[start:stop]
            mistakes += _by_table(prefix, ranks, order.table, order.scale, tau, z[:n], moved)
        elif way == INVERSIONS or (way == FASTEST and prefix.sum() > MANY * n):
            mistakes += inversions(prefix, phi, order.shift, gap, order.bits, z[:n], moved, space)
        else:
            mistakes += _all_pairs(prefix, phi, order.shift, gap, z[:n], moved)
    return mistakes


def ways(size: int, margin: str) -> Result:
    """Microseconds for a list by each way; no list is seen twice in a pass, or branches would be known by heart."""
    groups = max(6, min(4_000, 40_000_000 // size**2))
    rng = np.random.default_rng(size)
    place = np.tile(np.arange(size), groups)
    data = NBest.from_arrays(quality=-place.astype(float), sizes=np.full(groups, size))
    scores = rng.normal(size=place.size) - 2 * place / size
    order = compile_order(data, OrderRule(MARGINS[margin])).order
    table, phi = np.zeros((size + 1, size + 1), np.int64), order.phi[:size]
    table[1:, 1:] = np.triu(phi[:, None] + order.shift - phi, 1)
    order = order._replace(table=frozen(np.ascontiguousarray(table.T)))
    found = {name: np.empty(place.size, np.int64) for name in WAYS}
    works = [partial(find, way, data.offsets, order, 1.0, scores, found[name]) for name, way in WAYS.items()]
    mistakes = {work() for work in works}
    if len(mistakes) > 1 or any(not np.array_equal(u, found["used"]) for u in found.values()):
        raise SystemExit("the ways to find violated pairs do not agree")
    seconds = dict(zip(WAYS, least(*works), strict=True))
    violated = mistakes.pop() / (groups * size * (size - 1) / 2)
    return {name: round(1e6 * each / groups, 3) for name, each in seconds.items()} | {"violated": round(violated, 3)}


def kernels() -> Result:
    """All sizes and margins, and the ratios."""
    found = {margin: {size: ways(size, margin) for size in SIZES} for margin in MARGINS}
    ratios: Result = {}
    for size in SIZES:
        for name, way in ((f"ratio_{size}", "table"), (f"ratio_{size}_vectorised", "all_pairs")):
            ratios[name] = {
                margin: round(found[margin][size][way] / found[margin][size]["used"], 2) for margin in MARGINS
            }
    return {"us_per_list": found, **ratios}


# ---------------------------------------------------------------- beside the floor


@njit(nogil=True)
def read_and_add(
    visits: Ints,
    lists: PerceptronLists,
    values: Singles | None,
    starts: Ints,
    log: Log,
    weights: Floats,
    scores: Floats,
) -> None:
    """The reading and adding of a pass when it is known what to add: `log[starts[i] : starts[i + 1]]` at visit i."""
    indptr, indices = lists.indptr, lists.indices
    for visit in range(visits.size):
        for row in range(lists.offsets[visits[visit]], lists.offsets[visits[visit] + 1]):
            total = 0.0
            for at in range(indptr[row], indptr[row + 1]):
                column = np.uint32(indices[at])  # a signed one would be asked whether it counts from the end
                total += weights[column] if values is None else weights[column] * values[at]
            scores[row] = total
        for change in range(starts[visit], starts[visit + 1]):
            row, amount = log.row[change], log.amount[change]
            for at in range(indptr[row], indptr[row + 1]):
                column = np.uint32(indices[at])
                weights[column] += amount if values is None else amount * values[at]


def beside_floor(data: NBest) -> Result:
    """Averaged epochs of uneven ordinal regression, with and without a margin, over their reads and additions alone."""
    scaled, rows, found = ScaledLists.of(data, Perceptron()), data.n_candidates, {}
    log = Log(np.empty(rows, np.int64), np.empty(rows), np.empty(rows, np.int64))
    for tau in (1.0, 0.0):
        run = Training(data, scaled, "orum", average=True, tau=tau)
        for number in (1, LATER):
            while run.epochs < number - 1:
                run.next_epoch()
            visits, before = run.visits(), PerceptronState._make(each.copy() for each in run.state)
            run.state.counters[LOGGED] = 0
            run.epoch(visits, log)
            changes, mistakes = (int(run.state.counters[at]) for at in (LOGGED, MISTAKES))
            starts = np.searchsorted(log.time[:changes], before.counters[TIME] + np.arange(visits.size + 1))
            weights, scores = before.weights.copy(), np.empty(rows)
            floor = partial(read_and_add, visits, scaled.lists, scaled.lists.values, starts, log, weights, scores)
            floor()
            if not np.allclose(weights, run.state.weights, rtol=1e-9, atol=1e-9 * np.abs(weights).max()):
                raise SystemExit("the floor did not add what the epoch added")
            ours, least_possible = least(partial(run.again, before, visits), floor)  # further weights cost the same
            found[f"tau {tau:g}, epoch {number}"] = {
                "epoch_s": round(ours, 3),
                "floor_s": round(least_possible, 3),
                "ratio": round(ours / least_possible, 2),
                "candidates_moved": round(changes / rows, 3),
                "pairs_violated": round((mistakes - before.counters[MISTAKES]) / run.compiled.pairs, 3),
            }
    return found


# ---------------------------------------------------------------- beside others


def held_out(shape: str) -> tuple[NBest, NBest]:
    """Training groups and others of the same kind; nothing is tuned, so that there is no dev data."""
    if shape == "translations":
        data = translations(TRANSLATIONS + 250, 1)
        return data[:TRANSLATIONS], data[TRANSLATIONS:]
    task = Task.make()
    return task.train, task.test


def scaled_rows(data: NBest, scaled: ScaledLists) -> Any:
    """Features and, as the last column, the first round's score, in the units that the perceptron takes."""
    columns = data.features.to_scipy() @ sparse.diags_array(scaled.scale.astype(np.float32))
    base = sparse.csr_array((np.asarray(data.base) * scaled.base_scale).astype(np.float32)[:, None])
    table = sparse.csr_array(sparse.hstack([columns, base]))
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    return table if data.features.values is None else table.toarray()


def differences(table: Any, train: NBest) -> tuple[Any, Floats]:
    """Best candidate minus each other one of its group, or the reverse by the toss of a coin, and which it is."""
    top = best(train)
    other = np.setdiff1d(np.arange(train.n_candidates), top)
    side = np.where(np.random.default_rng(0).random(other.size) < 0.5, 1.0, -1.0)
    found = table[np.repeat(top, train.sizes)[other]] - table[other]
    if isinstance(found, np.ndarray):
        found *= side[:, None]
    else:
        found.data *= np.repeat(side, np.diff(found.indptr))
    return found, side


def contest(shape: str, name: str) -> Result:
    """One learner at one shape: CPU seconds, memory, and quality of its picks in held-out groups.

    `won` is the share of the way from the first round to the oracle; `paired_error` the standard error of the gain.
    Margins are 0 (1 for hinge) and nothing is tuned. Seconds are for all of `fit` and scoring, by the number of epochs,
    without the making of difference vectors, which has a column of its own.
    """
    train, test = held_out(shape)
    kind, how = CONTESTANTS[name]
    forget_peak()
    prepared, started = 0.0, time.process_time()
    if kind == "runoff":
        Perceptron(order=how, tau=0.0, epochs=1).fit(train[:5])  # compile
        started = time.process_time()
        scores = Perceptron(order=how, tau=0.0, epochs=EPOCHS).fit(train).model.scores(test)
    else:
        from sklearn.linear_model import SGDClassifier

        scaled = ScaledLists.of(train, Perceptron())
        X, side = differences(scaled_rows(train, scaled), train)
        prepared, started = time.process_time() - started, time.process_time()
        sgd = SGDClassifier(
            loss=how,
            penalty=None,
            fit_intercept=False,
            max_iter=EPOCHS,
            tol=None,
            learning_rate="constant",
            eta0=1.0,
            average=True,
            random_state=0,
        )
        weights = sgd.fit(X, side).coef_.ravel()
        scores = scaled_rows(test, scaled) @ weights
    seconds = time.process_time() - started
    peak = peak_memory()
    places, firsts = winners(test, scores), first_round(test).indices
    first, oracle = picked(test, firsts), picked(test, best(test) - test.offsets[:-1])
    gained = qualities(test, places) - qualities(test, firsts)
    return {
        "seconds_per_epoch": round(seconds / EPOCHS, 3),
        "differences_s": round(prepared, 2),
        "peak_memory_mb": peak,
        "quality": round(picked(test, places), 3),
        "paired_error": round(float(gained.std() / np.sqrt(gained.size)), 3),
        "won": round(float(gained.mean()) / (oracle - first), 3),
    }


def voting() -> Result:
    """Every weight vector votes, beside averaging: CPU seconds at a tenth of the parses."""
    train, test = held_out("parses")
    found = {}
    for name, learner in (
        ("averaged", Perceptron(tau=0.0, epochs=EPOCHS)),
        ("voted", Perceptron(tau=0.0, epochs=EPOCHS, average="voted")),
    ):
        Perceptron(**learner.get_params()).fit(train[:5]).model.ranking(test[:5])  # compile
        started = time.process_time()
        model = learner.fit(train).model
        trained = time.process_time()
        model.ranking(test)
        chosen = time.process_time()
        found[name] = {"train_s": round(trained - started, 2), "choose_s": round(chosen - trained, 3)}
        found[name]["vectors"] = 1 if model.votes is None else model.votes.n_voters
    return found


# ---------------------------------------------------------------- everything


def parts(scale: float) -> dict[str, Callable[[], Result]]:
    """What is measured, by name; those that share the part before the slash are shown together."""
    found: dict[str, Callable[[], Result]] = {
        "translations": lambda: epochs(translations(TRANSLATIONS, 0), ("orum", "ordinal", "best-vs-rest", "mt", "gap")),
        "parses": lambda: epochs(planted(Shape.at(scale), 0), ("orum", "ordinal", "best-vs-rest")),
        "pairs": kernels,
        "floor 1000": lambda: beside_floor(translations(TRANSLATIONS, 0)),
        "floor 27": lambda: beside_floor(planted(Shape.at(scale), 0)),
        "voting": voting,
    }
    for shape in ("translations", "parses"):
        for name, (kind, _) in CONTESTANTS.items():
            if kind == "runoff" or importlib.util.find_spec("sklearn"):
                found[f"{shape} beside others/{name}"] = partial(contest, shape, name)
            else:
                say(f'{name} is left out: scikit-learn is not installed; pip install "runoff[bench]"')
    return found


def show(title: str, result: Result) -> None:
    """Print a table of the entries that are rows, and a line for each other one."""
    rows = {name: each for name, each in result.items() if isinstance(each, dict)}
    if any(isinstance(value, dict) for each in rows.values() for value in each.values()):
        for name, each in rows.items():
            show(f"{title}, {name}", each)
    elif rows:
        header = list(next(iter(rows.values())))
        table = text_table(["", *header], [[str(name), *map(str, each.values())] for name, each in rows.items()])
        print(f"\n{title}\n{table}")
    plain = [f"{name} {value}" for name, value in result.items() if name not in rows]
    if plain:
        print(f"{title}: {', '.join(plain)}", flush=True)


def main() -> None:
    """Measure every part, or those whose names contain the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts whose names contain all these words")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the parses, relative to the papers'")
    parser.add_argument("--one", help="one part only, in this process")
    options = parser.parse_args()
    every = parts(options.scale)
    if options.one:
        finish(every[options.one]())
        return
    results: Result = {"benchmark": "perceptron", "scale": options.scale}
    for name in every:
        if not all(word in name for word in options.words):
            continue
        say(f"measuring {name}")
        command = [sys.executable, __file__, "--one", name, "--scale", str(options.scale)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd())
        if done.returncode:
            raise SystemExit(f"{name} failed:\n{done.stderr}")
        part, _, row = name.partition("/")
        result = json.loads(done.stdout.splitlines()[-1])
        if row:
            results.setdefault(part, {})[row] = result
        else:
            results[part] = result
    for part, result in results.items():
        if isinstance(result, dict):
            show(part, result)
    finish(results)


if __name__ == "__main__":
    main()
