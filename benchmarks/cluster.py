"""Ray beside plain processes on this machine: time, and whether the results are the same bits.

Features of texts and jackknifing of a parser are done in turn by this process, by local processes and by Ray, several
times, with the engines started and warmed up before; the overhead is of the medians, by the clock and by the seconds of
all processors. Boosting runs on one, two and four workers, log-linear training on two; models are compared bit by bit.
The simulator's prediction for one, two and four workers stands beside what Ray took, given the cores that the machine
had for them just before and after.

Command: python benchmarks/cluster.py [repetitions, default 5] [features] [jackknifing] [simulator] [training]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from processors import others_seconds, own_seconds
from runoff.cluster import engine as engine_of
from runoff.cluster.simulator import ClusterOf, StageCosts, plan
from runoff.engines import using
from runoff.learners import Boost, LogLinear
from runoff.parallel import cores
from runoff.tasks.parsing.grammar import Settings
from runoff.tasks.parsing.jackknifing import jackknife
from runoff.tasks.parsing.treebank import Treebank
from runoff.tasks.text.featurizer import TextFeaturizer
from scale import lists, sentences, size_of
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.engines import Engine
    from runoff.nbest import NBest

CANDIDATES = 400_000
STORIES = 60


def timed(engine: Engine, work: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, and seconds by the clock and of the processors."""
    clock, cpu = time.perf_counter(), own_seconds() + others_seconds()
    with using(engine):
        made = work()
    return made, time.perf_counter() - clock, own_seconds() + others_seconds() - cpu


def in_turn(engines: dict[str, Engine], work: Callable[[], Any], same: Callable[[Any], bytes], times: int) -> Any:
    """Medians for every engine; the order is turned around every time, so that none is always the first."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
    results = set()
    for engine in engines.values():
        timed(engine, work)  # workers load what they need
    for turn in range(times):
        for name in list(engines)[:: 1 if turn % 2 else -1]:
            made, clock, cpu = timed(engines[name], work)
            found[name].append((clock, cpu))
            results.add(same(made))
            print(f"{name}: {clock:.2f} s, {cpu:.2f} s of processors", file=sys.stderr)
    medians: dict[str, dict[str, Any]] = {
        name: {"seconds": _median(each, 0), "cpu": _median(each, 1), "all": [round(one, 2) for one, _ in each]}
        for name, each in found.items()
    }
    ray, plain = medians["ray"], medians["processes"]
    return {
        **medians,
        "same bits": len(results) == 1,
        "overhead of Ray, clock": round(ray["seconds"] / plain["seconds"] - 1, 3),
        "overhead of Ray, processors": round(ray["cpu"] / plain["cpu"] - 1, 3),
        "overhead of Ray, best": round(min(ray["all"]) / min(plain["all"]) - 1, 3),
    }


def _median(values: list[tuple[float, float]], which: int) -> float:
    return round(statistics.median(each[which] for each in values), 3)


def features(data: NBest) -> Callable[[], NBest]:
    """Features of texts by a featurizer that is fitted before."""
    featurizer = TextFeaturizer()
    featurizer.fit_transform(data[:500], "wer")
    return lambda: featurizer.transform(data)


def bits_of(data: NBest) -> bytes:
    """The features."""
    table = data.features
    values = np.ones(0) if table.values is None else table.values
    return b"".join(each.tobytes() for each in (table.indptr, table.indices, values))


def jackknifed(bank: Treebank) -> bytes:
    """The lists of a jackknife with four folds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.jsonl"
        jackknife(bank, path, Settings(), k=20, folds=4, threads=cores())
        return path.read_bytes()


def training(data: NBest) -> dict[str, Any]:
    """Boosting and log-linear training on several numbers of workers, beside this process."""
    here = Boost(rounds=2_000, smoothing=2.5e-3, calibration="none").fit(data).model
    line = LogLinear(sigma=1.0, calibration="none").fit(data).model
    found: dict[str, Any] = {"boosting": {}, "log-linear": {}}
    for name in ("processes:1", "processes:2", "processes:4", "local:1", "local:2", "local:4"):
        with engine_of(name) as engine, using(engine):
            started = time.perf_counter()
            there = Boost(rounds=2_000, smoothing=2.5e-3, calibration="none").fit(data).model
            seconds = time.perf_counter() - started
            is_same = there.weights.tobytes() == here.weights.tobytes()
            found["boosting"][name] = {"seconds": round(seconds, 2), "same bits": is_same}
            other = LogLinear(sigma=1.0, calibration="none").fit(data).model
            difference = float(np.abs(other.weights - line.weights).max())
            found["log-linear"][name] = {"largest difference of a weight": difference}
        print(name, found["boosting"][name], found["log-linear"][name], file=sys.stderr)
    return found


def spun(_: int) -> tuple[float, float]:
    """Keep a core busy for half a second: seconds of the processor and of the clock."""
    clock, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - clock < 0.5:
        pass
    return time.process_time() - cpu, time.perf_counter() - clock


def given(engine: Engine) -> float:
    """How many cores the machine has for the workers of an engine now, beside what else runs on it."""
    return sum(cpu / clock for cpu, clock in engine.map(spun, range(engine.workers)))


def simulated(data: NBest, times: int) -> dict[str, Any]:
    """Predicted and measured seconds of features of texts on one, two and four workers of Ray.

    Predicted from what one worker of Ray and this process took of a core, and from the cores that the machine gave
    before and after.
    """
    work, millions, found = features(data), data.n_candidates / 1e6, {}
    with engine_of("local:1") as engine:
        timed(engine, work)
        so_far = own_seconds(), others_seconds()
        one, _, _ = timed(engine, work)
        own, others = own_seconds() - so_far[0], others_seconds() - so_far[1]
    costs = StageCosts(
        "features of texts",
        others / millions,
        serial=own / millions,
        bytes_in=size_of(data) / millions,
        bytes_out=size_of(one.features) / millions,
        pieces=40,
    )
    print(costs, file=sys.stderr)
    for workers in (1, 2, 4):
        predicted, measured = [], []
        with engine_of(f"local:{workers}") as engine:
            timed(engine, work)
            for _ in range(times):
                before = given(engine)
                measured.append(timed(engine, work)[1])
                available = (before + given(engine)) / 2
                cluster = ClusterOf(workers, bandwidth=1e9, latency=0.002, start=0.0, cores=available)
                predicted.append(plan(costs, data.n_candidates, cluster).seconds)
        errors = [ours / theirs - 1 for ours, theirs in zip(predicted, measured, strict=True)]
        found[str(workers)] = {
            "predicted": [round(each, 2) for each in predicted],
            "measured": [round(each, 2) for each in measured],
            "median error": round(statistics.median(errors), 3),
        }
        print(workers, found[str(workers)], file=sys.stderr)
    return found


def main(times: int, parts: list[str]) -> None:
    """Measure and print."""
    import runoff

    result: dict[str, Any] = {"cores": cores(), "load": os.getloadavg()}
    with engine_of("processes:2") as plain, engine_of("local:2") as ray:
        engines = {"here": engine_of("here"), "processes": plain, "ray": ray}
        if "features" in parts:
            result["features of texts"] = in_turn(engines, features(lists(CANDIDATES)), bits_of, times)
        if "jackknifing" in parts:
            bank = Treebank(sentences(STORIES))
            result["jackknifing"] = in_turn(engines, lambda: jackknifed(bank), bytes, times)
    if "simulator" in parts:
        result["simulator"] = simulated(lists(CANDIDATES), times)
    if "training" in parts:
        graded = TextFeaturizer().fit_transform(lists(20_000), "wer")
        result["training"] = training(runoff.grade(graded, "wer"))
    finish(result)


PARTS = ["features", "jackknifing", "simulator", "training"]

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, sys.argv[2:] or PARTS)
