"""Costs of every stage for a million candidates: seconds of one core, and bytes. Prints JSON for `runoff plan-cluster`.

Lists are synthetic: twenty texts of about fifteen words, ten supplied scores, references and a first-round score. Every
stage is run with one worker process of one thread, or in this process where it is not shared out, after a first run on
a small part that compiles; seconds are those of the processor, which other programs on the machine disturb least: of
the worker, and of this process. Bytes are those of the arrays that are exchanged.

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
from processors import others_seconds, own_seconds
from runoff.cluster import messages, on
from runoff.cluster.simulator import StageCosts
from runoff.learners import CRF, Boost, LogLinear, Perceptron
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.demo.treebank import documents
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.jackknifing import jackknife
from runoff.tasks.parsing.treebank import Sentence, Treebank
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

    def measured(self, work: Callable[[], Any]) -> tuple[Any, float, float, float]:
        """The result, and seconds for a million candidates: of workers, of this process, and by the clock."""
        clock, own, others = time.perf_counter(), own_seconds(), others_seconds()
        made = work()
        times = others_seconds() - others, own_seconds() - own, time.perf_counter() - clock
        return made, *(each / self.millions for each in times)

    def keep(self, name: str, seconds: float, serial: float, clock: float, **more: float) -> None:
        """Add a stage, with costs that are not per million as they are."""
        StageCosts(name, seconds, serial, **more)
        self.stages.append({"name": name, "seconds": seconds, "serial": serial, "clock": clock, **more})
        print(f"{name}: {seconds:.2f} and {serial:.2f} s of a core for a million candidates", file=sys.stderr)


def main(candidates: int) -> None:
    """Measure and print."""
    bench, small = Bench(candidates), Bench(20_000)
    with on("processes:1"):
        everything(lists(20_000, seed=1), small, "wer")  # compiles, here and in the worker
        parsing(small, 2)
        everything(lists(candidates), bench, "wer")
        parsing(bench, 40)
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
        _, *times = bench.measured(lambda: runoff.read(path))
        bench.keep("reading JSON lines", *times, bytes_in=path.stat().st_size / million)
    featurizer, texts = TextFeaturizer(), size_of(data) / million
    made, *times = bench.measured(lambda: featurizer.fit_transform(data, metric))
    table = size_of(made.features) / million
    bench.keep("features of texts, fitted", *times, bytes_in=texts, bytes_out=table, pieces=40)
    made, *times = bench.measured(lambda: featurizer.transform(data))
    bench.keep("features of texts", *times, bytes_in=texts, bytes_out=table, pieces=40)
    graded = runoff.grade(data, metric).replace(features=made.features)
    vector = 8.0 * graded.features.n_columns  # bytes of weights, or of a gradient
    by_steps = {"bytes_shared": table, "pieces": 50, "most_pieces": 16, "rounds": STEPS, "round_bytes": 2 * vector}
    line = LogLinear(sigma=1.0, max_iter=STEPS, tolerance=0.0, calibration="none")
    bench.keep(f"log-linear, {STEPS} steps", *bench.measured(lambda: line.fit(graded))[1:], **by_steps)
    field = CRF("kl", method="lbfgs", temperature=1.0, l2=0.01, max_iter=STEPS, calibration="none")
    bench.keep(f"random field, {STEPS} steps", *bench.measured(lambda: field.fit(graded))[1:], **by_steps)
    plain = Perceptron(tau=1.0, epochs=EPOCHS, calibration="none")
    bench.keep(f"perceptron, {EPOCHS} epochs", *bench.measured(lambda: plain.fit(graded))[1:])
    mixed, by_epochs = plain.clone().set_params(mixing=16), {**by_steps, "rounds": EPOCHS, "round_bytes": 3 * vector}
    bench.keep(f"perceptron, {EPOCHS} epochs of 16 parts", *bench.measured(lambda: mixed.fit(graded))[1:], **by_epochs)
    short = Boost(rounds=1, smoothing=2.5e-3, calibration="none", cuts=8)
    _, start, *_ = bench.measured(lambda: short.fit(graded))  # of a worker of its own
    many = short.clone().set_params(rounds=ROUNDS)
    model, seconds, serial, clock = bench.measured(lambda: many.fit(graded).model)
    # At most what a round adds to, where all of it is with one worker; a sum that moved is told in twelve bytes.
    moved = min(many.work.curve[-1] * many.work.items / ROUNDS, 2.0 * graded.features.n_columns)
    how = {"bytes_in": table, "rounds": ROUNDS, "round_bytes": 12 * float(moved), "pieces": 1e5}
    bench.keep(f"boosting, {ROUNDS} rounds", max(seconds - start, 0), serial, clock, **how)
    bench.keep("scoring", *bench.measured(lambda: model.scores(graded))[1:])
    bench.keep("evaluation", *bench.measured(lambda: runoff.evaluate(model, graded, metric))[1:])


def parsing(bench: Bench, stories: int) -> None:
    """Jackknifing of a small parser, and features of its trees: for a million trees."""
    bank, k = Treebank(sentences(stories)), 20
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.jsonl"
        _, *times = bench.measured(lambda: jackknife(bank, path, k=k, folds=2))
        made = runoff.read(path)
        share = bench.millions / (made.n_candidates / 1e6)
        text = size_of(made) * share / bench.millions
        times = [each * share for each in times]
        bench.keep("jackknifing of a parser", *times, bytes_out=text, pieces=1e6 / k / 20)
    table, *times = bench.measured(lambda: extract(made, min_lists=1, processes=1))
    out, times = size_of(table.features) * share / bench.millions, [each * share for each in times]
    bench.keep("features of parses", *times, bytes_in=text, bytes_out=out, pieces=50)


def sentences(stories: int) -> list[Sentence]:
    """Those of so many made-up stories."""
    found = [(story.name, each) for story in documents(stories) for each in story.sentences]
    return [Sentence(each.id, name, parse_tree(each.tree)) for name, each in found]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
