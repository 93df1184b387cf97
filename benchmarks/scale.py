"""Costs of every stage for a million candidates: seconds of one core, and bytes. Prints JSON for `runoff plan-cluster`.

Lists are synthetic: twenty texts of about fifteen words, ten supplied scores, references and a first-round score. Every
stage is run in one process with one thread, after a first run on a small part that compiles; seconds are those of the
processor, which other programs on the machine disturb least. Bytes are those of the arrays that stages exchange.

Command: RUNOFF_THREADS=1 python benchmarks/scale.py [candidates, default 100000] > costs.json
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.cluster import messages
from runoff.cluster.simulator import StageCosts
from runoff.learners import CRF, Boost, LogLinear, Perceptron
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.tasks.parsing.demo.treebank import documents
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.grammar import Settings, train_grammar
from runoff.tasks.parsing.parse_data import to_nbest
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.text.featurizer import TextFeaturizer

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 20  # candidates of a list
WORDS = 15
VOCABULARY = 20_000
ROUNDS, EPOCHS, STEPS = 1_000, 10, 50


def lists(candidates: int, seed: int = 0) -> NBest:
    """Lists of texts that differ from their reference in a few words, by frequencies after Zipf."""
    rng = np.random.default_rng(seed)
    groups = candidates // SIZE
    share = 1 / np.arange(1, VOCABULARY + 1)
    right = rng.choice(VOCABULARY, (groups, WORDS), p=share / share.sum())
    texts = np.repeat(right, SIZE, axis=0)
    wrong = rng.random(texts.shape) < rng.uniform(0, 0.4, (texts.shape[0], 1))
    texts = np.where(wrong, rng.choice(VOCABULARY, texts.shape, p=share / share.sum()), texts)
    errors = wrong.sum(axis=1)
    own = rng.normal(size=(texts.shape[0], 10)) - errors[:, None] * rng.uniform(0, 0.3, 10)
    return NBest.from_arrays(
        own,
        feature_names=[f"score {at}" for at in range(10)],
        texts=[" ".join(f"w{word}" for word in row) for row in texts.tolist()],
        references=[" ".join(f"w{word}" for word in row) for row in right.tolist()],
        base=rng.normal(size=texts.shape[0]) - 0.3 * errors,
        sizes=[SIZE] * groups,
    )


def size_of(value: object) -> int:
    """Bytes of a message with the value."""
    return sum(memoryview(part).nbytes for part in messages.packed(value))


class Bench:
    """Measures stages over so many candidates."""

    def __init__(self, candidates: int) -> None:
        self.millions = candidates / 1e6
        self.stages: list[dict[str, Any]] = []

    def measured(self, work: Callable[[], Any]) -> tuple[Any, float, float]:
        """The result, its seconds of the processor for a million candidates, and those of the clock."""
        clock, cpu = time.perf_counter(), time.process_time()
        made = work()
        cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
        return made, cpu / self.millions, clock / self.millions

    def keep(self, name: str, seconds: float, clock: float, **more: float) -> None:
        """Add a stage, with costs that are not per million as they are."""
        StageCosts(name, seconds, **more)
        self.stages.append({"name": name, "seconds": seconds, "clock": clock, **more})
        all_seconds = seconds + more.get("serial", 0.0)
        print(f"{name}: {all_seconds:.2f} s of a core for a million candidates", file=sys.stderr)


def main(candidates: int) -> None:
    """Measure and print."""
    few, data = lists(2_000, seed=1), lists(candidates)
    metric = "wer"
    everything(few, Bench(2_000), metric)  # compiles
    bench = Bench(candidates)
    everything(data, bench, metric)
    parsing(bench)
    print(
        json.dumps(
            {
                "candidates": candidates,
                "lists of": SIZE,
                "threads": cores(),
                "machine": platform.processor() or platform.machine(),
                "cores": os.cpu_count(),
                "runoff": runoff.__version__,
                "largest resident bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "stages": bench.stages,
            },
            indent=2,
        )
    )


def everything(data: NBest, bench: Bench, metric: str) -> None:
    """All stages over lists of texts."""
    million = bench.millions
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.jsonl"
        runoff.write(data, path)
        _, cpu, clock = bench.measured(lambda: runoff.read(path))
        bench.keep("reading JSON lines", 0.0, clock, serial=cpu, bytes_in=path.stat().st_size / million)
        bytes_of_texts = size_of(data) / million
    featurizer = TextFeaturizer()
    made, fit, _ = bench.measured(lambda: featurizer.fit_transform(data, metric))
    made, cpu, clock = bench.measured(lambda: featurizer.transform(data))
    table = size_of(made.features) / million
    # What fitting costs beyond transforming stays in one process: vocabularies, and a model of all references.
    bench.keep(
        "features of texts", cpu, clock, serial=max(fit - cpu, 0), bytes_in=bytes_of_texts, bytes_out=table, pieces=100
    )
    graded = runoff.grade(data, metric).replace(features=made.features)
    vector = 8.0 * graded.features.n_columns  # bytes of weights, or of a gradient
    by_steps = {"bytes_shared": table, "pieces": 50, "most_pieces": 16, "rounds": STEPS, "round_bytes": 2 * vector}
    line = LogLinear(sigma=1.0, max_iter=STEPS, tolerance=0.0, calibration="none")
    _, cpu, clock = bench.measured(lambda: line.fit(graded))
    bench.keep(f"log-linear, {STEPS} steps", cpu, clock, **by_steps)
    field = CRF("kl", method="lbfgs", temperature=1.0, l2=0.01, max_iter=STEPS, calibration="none")
    _, cpu, clock = bench.measured(lambda: field.fit(graded))
    bench.keep(f"random field, {STEPS} steps", cpu, clock, **by_steps)
    plain = Perceptron(tau=1.0, epochs=EPOCHS, calibration="none")
    _, cpu, clock = bench.measured(lambda: plain.fit(graded))
    bench.keep(f"perceptron, {EPOCHS} epochs", 0.0, clock, serial=cpu)
    mixed = Perceptron(tau=1.0, epochs=EPOCHS, calibration="none", mixing=16)
    _, cpu, clock = bench.measured(lambda: mixed.fit(graded))
    by_epochs = {"bytes_shared": table, "pieces": 1e6, "most_pieces": 16, "rounds": EPOCHS, "round_bytes": 3 * vector}
    bench.keep(f"perceptron, {EPOCHS} epochs of 16 parts", cpu, clock, **by_epochs)
    none = Boost(rounds=0, smoothing=2.5e-3, calibration="none", cuts=8)
    _, before, _ = bench.measured(lambda: none.fit(graded))
    many = none.clone().set_params(rounds=ROUNDS)
    model, cpu, clock = bench.measured(lambda: many.fit(graded).model)
    # At most what a round adds to, where all of it is with one worker; a sum that moved is told in twelve bytes.
    moved = float(np.minimum(many.work.curve[-1] * many.work.items / ROUNDS, 2 * graded.features.n_columns))
    bench.keep(
        f"boosting, {ROUNDS} rounds",
        max(cpu - before, 0),
        clock,
        serial=before,
        bytes_in=table,
        rounds=ROUNDS,
        round_bytes=12 * moved,
        pieces=1e5,
    )
    _, cpu, clock = bench.measured(lambda: model.scores(graded))
    bench.keep("scoring", 0.0, clock, serial=cpu)
    _, cpu, clock = bench.measured(lambda: runoff.evaluate(model, graded, metric))
    bench.keep("evaluation", 0.0, clock, serial=cpu)


def parsing(bench: Bench) -> None:
    """Jackknifing of a small parser, and features of its trees: for a million trees."""
    from runoff.tasks.parsing.brackets import parse_tree

    found = documents(12)
    trees = [parse_tree(tree) for document in found for tree in document.trees]
    settings, k = Settings(), 20
    train_grammar(trees[:40], settings).nbest(trees[0].words(), 2)  # compiles
    clock, cpu = time.perf_counter(), time.process_time()
    grammar = train_grammar(trees, settings)
    parsed = [grammar.nbest(tree.words(), k) for tree in trees]
    count = sum(len(each.trees) for each in parsed) / 1e6
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    made = [
        ParseList(str(at), str(tree), list(each.scores), list(each.trees))
        for at, (tree, each) in enumerate(zip(trees, parsed, strict=True))
    ]
    text = size_of(to_nbest(made)) / count
    bench.keep("jackknifing of a parser", cpu / count, clock / count, bytes_out=text, pieces=1e6 / k / 20)
    extract(made[:20], min_lists=1, processes=1)
    clock, cpu = time.perf_counter(), time.process_time()
    table = extract(made, min_lists=1, processes=1)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    bytes_out = size_of(table.features) / count
    bench.keep("features of parses", cpu / count, clock / count, bytes_in=text, bytes_out=bytes_out, pieces=50)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
