"""Bootstrap of 10,000 groups by 10,000 resamples, beside numpy; paired BLEU beside sacrebleu's own test.

Prints one JSON object as the last line. `ratio` is the other's time over Runoff's, per resampled group.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from runoff import metrics
from runoff.nbest import NBest
from runoff.parallel import cores
from runoff.ranking import by_score
from shared import finish

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Floats

GROUPS = RESAMPLES = 10_000
NUMPY_RESAMPLES = 1_000  # numpy is slow enough to be measured on a tenth
SENTENCES, SACREBLEU_RESAMPLES = 1_000, 1_000


def seconds(work: Callable[[], Any]) -> float:
    """Best of three runs."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def by_numpy(rows: Floats, score: Callable[[Floats], Floats]) -> Floats:
    """Draw, take and add up in chunks: what one would write without a kernel."""
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(NUMPY_RESAMPLES // 10):
        drawn = rng.integers(len(rows), size=(10, len(rows)))
        scores.append(score(rows[drawn].sum(axis=1)))
    return np.quantile(np.concatenate(scores), [0.025, 0.975])


def timed(width: int, metric: metrics.Metric) -> dict[str, float]:
    """Measure interval, paired bootstrap and randomisation for statistics of one width."""
    rng = np.random.default_rng(width)
    rows_a, rows_b = (np.sort(rng.integers(1, 30, (GROUPS, width)), axis=1).astype(np.float64) for _ in range(2))
    plain = seconds(lambda: by_numpy(rows_a, metric.score)) * RESAMPLES / NUMPY_RESAMPLES
    ours = seconds(lambda: metrics.interval(rows_a, metric.score, resamples=RESAMPLES))
    return {
        "interval_s": round(ours, 3),
        "paired_s": round(
            seconds(lambda: metrics.paired_bootstrap(rows_a, rows_b, metric.score, resamples=RESAMPLES)), 3
        ),
        "randomisation_s": round(
            seconds(lambda: metrics.randomisation(rows_a, rows_b, metric.score, trials=RESAMPLES)), 3
        ),
        "numpy_interval_s": round(plain, 2),
        "ratio": round(plain / ours, 1),
    }


def beside_sacrebleu() -> dict[str, float]:
    """Measure a whole paired test from texts to p-value, tokenising included on both sides."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    references = [" ".join(words[rng.zipf(1.5, 25) % 300]) for _ in range(SENTENCES)]
    systems = [
        [" ".join(np.where(rng.random(25) < kept, text.split(), rng.choice(words, 25))) for text in references]
        for kept in (0.70, 0.72)
    ]
    data = NBest.from_arrays(
        texts=[text for pair in zip(*systems, strict=True) for text in pair],
        sizes=[2] * SENTENCES,
        references=references,
    )
    bleu, second = metrics.get("bleu"), np.tile([0.0, 1.0], SENTENCES)

    def ours() -> metrics.Difference:
        known = metrics.with_statistics(data, bleu)
        rows_a, rows_b = bleu.rows(known, by_score(known, -second)), bleu.rows(known, by_score(known, second))
        return metrics.paired_bootstrap(rows_a, rows_b, bleu.score, resamples=SACREBLEU_RESAMPLES)

    def theirs() -> Any:
        named: list[tuple[str, Sequence[str]]] = [("a", systems[0]), ("b", systems[1])]
        return PairedTest(named, {"BLEU": BLEU()}, [references], test_type="bs", n_samples=SACREBLEU_RESAMPLES)()

    delta = (
        sacrebleu.corpus_bleu(systems[0], [references]).score - sacrebleu.corpus_bleu(systems[1], [references]).score
    )
    if abs(ours().delta - delta) > 1e-9:
        raise SystemExit(f"the difference is {ours().delta} here and {delta} by sacrebleu")
    runoff_s, sacrebleu_s = seconds(ours), seconds(theirs)
    return {
        "runoff_s": round(runoff_s, 3),
        "sacrebleu_s": round(sacrebleu_s, 3),
        "ratio": round(sacrebleu_s / runoff_s, 1),
    }


def main() -> None:
    """Measure and print."""
    finish(
        {
            "benchmark": "bootstrap",
            "groups": GROUPS,
            "resamples": RESAMPLES,
            "cores": cores(),
            "width_2": timed(2, metrics.get("quality")),
            "width_10_bleu": timed(10, metrics.get("bleu")),
            f"paired_bleu_{SENTENCES}x{SACREBLEU_RESAMPLES}": beside_sacrebleu(),
        }
    )


if __name__ == "__main__":
    main()
