"""Boosting at the size of Collins & Koo (2005): 36,000 groups of 27 candidates, 500,000 binary features.

Prints one JSON object as the last line. `ratio` is the engine's additions per second over those of a plain
scatter-add to random places of an array of the same size, measured in between on the same thread.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from runoff.learners.base_weight import fit_base_weight
from runoff.learners.boosting_engine import ExpEngine, LogEngine, PairIndex
from runoff.nbest import Features, NBest
from runoff.pairs import make_pairs
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Floats

GROUPS, SIZE, FEATURES, ROUNDS, LOG_ROUNDS = 36_000, 27, 500_000, 100_000, 2_000
SMOOTHING = 0.0025  # the paper's best
# Savings of the efficient over the naive algorithm between rounds, from section 5.4.3 of the paper.
PAPER_SAVINGS = {
    (1, 10): 48.6,
    (11, 100): 83.5,
    (101, 1_000): 280.0,
    (1_001, 10_000): 1_264.0,
    (10_001, 50_000): 2_920.0,
    (50_001, 100_000): 4_230.0,
    (1, 100_000): 2_692.0,
}
PAPER_WORK = 37.1


@dataclass(frozen=True)
class Shape:
    """How large the data is, and how its candidates are alike."""

    groups: int
    columns: int
    size: int = SIZE
    shared: int = 75  # features that all candidates of a group have
    own: int = 32  # features that each one has for itself: two candidates differ on about 50

    @classmethod
    def at(cls, scale: float) -> Shape:
        """The paper's shape, larger or smaller."""
        return cls(max(2, int(GROUPS * scale)), max(100, int(FEATURES * scale)))


def say(text: str) -> None:
    """Progress, kept apart from the result."""
    print(text, file=sys.stderr, flush=True)


def tables(shape: Shape, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Rows of sorted columns, a few hundred groups at a time, and which of them are no repeats.

    The n-th most frequent feature is drawn with a chance of about 1/n (Zipf); numbers of columns are shuffled.
    """
    names = rng.permutation(shape.columns).astype(np.int32)

    def drawn(*counts: int) -> Any:
        ranks = np.exp(rng.random(counts) * np.log(shape.columns + 1)).astype(np.int64) - 1
        return names[np.minimum(ranks, shape.columns - 1)]

    for start in range(0, shape.groups, 500):
        n = min(500, shape.groups - start)
        common = np.repeat(drawn(n, shape.shared), shape.size, axis=0)
        rows = np.sort(np.hstack([common, drawn(n * shape.size, shape.own)]), axis=1)
        first = np.ones(rows.shape, bool)
        first[:, 1:] = rows[:, 1:] != rows[:, :-1]
        yield rows, first


def planted(shape: Shape, seed: int) -> NBest:
    """Data whose quality is a linear function of the features and as much noise; the first round knows a third."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=shape.columns) * 0.3
    lengths, parts, scores = [np.zeros(1, np.int64)], [], []
    for rows, first in tables(shape, rng):
        lengths.append(first.sum(axis=1))
        parts.append(rows[first])
        scores.append((truth[rows] * first).sum(axis=1))
    score = np.concatenate(scores)
    return NBest.from_arrays(
        Features.from_csr(np.cumsum(np.concatenate(lengths)), np.concatenate(parts), None, shape.columns),
        quality=score + 3 * rng.normal(size=score.size),
        base=0.3 * score + rng.normal(size=score.size),
        sizes=np.full(shape.groups, shape.size),
    )


@njit(nogil=True)
def scatter(sums: Floats, places: Any) -> None:
    """Add one at random places: what additions cost when nothing else is done."""
    for at in range(places.size):
        sums[places[at]] += 1.0


def scatter_rate(columns: int) -> float:
    """Additions per second of a plain loop over random places among two sums for each feature."""
    places = np.random.default_rng(0).integers(2 * columns, size=10_000_000).astype(np.uint32)
    sums = np.zeros(2 * columns)
    started = time.perf_counter()
    scatter(sums, places)
    return places.size / (time.perf_counter() - started)


def problem(data: NBest) -> tuple[PairIndex, Floats, float]:
    """Index, start margins under the fitted weight of the first round, and the seconds that the index took."""
    pairs = make_pairs(data)
    if data.base is None:
        raise SystemExit("the data has no first round")
    differences = data.base[pairs.better] - data.base[pairs.worse]
    weight = fit_base_weight(differences, pairs.weight, pairs.contests, "exp")
    started = time.perf_counter()
    index = PairIndex.build(data, pairs, min_groups=5)
    return index, weight * differences, time.perf_counter() - started


def savings(engine: ExpEngine) -> dict[str, dict[str, float | None]]:
    """The paper's Savings(a, b) beside its own figures."""
    found: dict[str, dict[str, float | None]] = {}
    for (first, last), paper in PAPER_SAVINGS.items():
        made = engine.additions[first - 1 : last]
        complete = made.size == last - first + 1
        ours = round(made.size * engine.index.n_items / int(made.sum()), 1) if complete else None
        found[f"{first}-{last}"] = {"runoff": ours, "paper": paper}
    return found


def two_threads(index: PairIndex, margins: Floats, rounds: int) -> float:
    """Additions per second of two runs in two threads over those of one run alone."""
    rates = []
    for runs in (1, 2):
        engines = [ExpEngine(index, margins, SMOOTHING) for _ in range(runs)]
        started = time.perf_counter()
        with ThreadPoolExecutor(runs) as pool:
            list(pool.map(lambda engine: engine.run(rounds), engines))
        rates.append(sum(int(engine.additions.sum()) for engine in engines) / (time.perf_counter() - started))
    return rates[1] / rates[0]


def measure(scale: float, rounds: int) -> dict[str, Any]:
    """Build, run and replay at a scale of the paper's size."""
    small = problem(planted(Shape.at(0.001), 1))
    for engine in (ExpEngine, LogEngine):
        engine(*small[:2], SMOOTHING).run(5)  # compile
    scatter_rate(100)
    shape = Shape.at(scale)
    say(f"making {shape.groups:,} groups of {shape.size} over {shape.columns:,} features")
    index, margins, index_seconds = problem(planted(shape, 0))
    say(f"index of {len(index.pairs):,} pairs, {index.n_items:,} items: {index_seconds:.1f} s")
    run = ExpEngine(index, margins, SMOOTHING)
    seconds, rates = 0.0, []
    for part in range(10):
        rates.append(scatter_rate(shape.columns))
        started = time.perf_counter()
        run.run((part + 1) * rounds // 10 - part * rounds // 10)
        seconds += time.perf_counter() - started
        say(f"{run.deltas.size:,} rounds in {seconds:.1f} s; scatter-add {rates[-1] / 1e6:.0f} M/s")
    done, additions = run.deltas.size, int(run.additions.sum())
    again = ExpEngine(index, margins, SMOOTHING)
    started = time.perf_counter()
    again.replay(run.features, run.deltas)
    replay_seconds = time.perf_counter() - started
    log_run = LogEngine(index, margins, SMOOTHING)
    started = time.perf_counter()
    log_done = log_run.run(min(LOG_ROUNDS, rounds))
    log_seconds = time.perf_counter() - started
    scatter_median = statistics.median(rates)
    return {
        "benchmark": "boosting",
        "groups": shape.groups,
        "features": shape.columns,
        "pairs": len(index.pairs),
        "differing_features": round(index.n_items / len(index.pairs), 1),
        "index_s": round(index_seconds, 2),
        "rounds": done,
        "seconds": round(seconds, 2),
        "us_per_round": round(1e6 * seconds / max(done, 1), 1),
        "additions": additions,
        "additions_per_s": round(additions / seconds),
        "scatter_per_s": round(scatter_median),
        "scatter_range": [round(min(rates)), round(max(rates))],
        "ratio": round(additions / seconds / scatter_median, 3),
        "work": {"runoff": round(additions / index.n_items, 2), "paper": PAPER_WORK if rounds == ROUNDS else None},
        "savings": savings(run),
        "distinct_features": int(np.unique(run.features).size),
        "drift": run.drift(),
        "replay_s": round(replay_seconds, 3),
        "replay_is_the_run": bool(again.losses.tobytes() == run.losses.tobytes()),
        "log_us_per_round": round(1e6 * log_seconds / max(log_done, 1), 1),
        "log_rounds": log_done,
        "log_additions_per_s": round(int(log_run.additions.sum()) / log_seconds),
        "two_threads_speedup": round(two_threads(index, margins, rounds // 10), 2),
        "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="size relative to the paper's")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--peers", action="store_true", help="other learners beside the engine, at a tenth of the size")
    options = parser.parse_args()
    if options.peers:
        from boosting_peers import peers

        finish(peers())
    else:
        finish(measure(options.scale, options.rounds))


if __name__ == "__main__":
    main()
