"""Choice of least Bayes risk among 16 samples, beside double loops over sacrebleu; then 5,000 lists of 100 texts.

Prints one JSON object as the last line. `ratio` is the time of the loop over Runoff's, both from texts to choices.
"""

from __future__ import annotations

import functools
import gzip
import json
import statistics
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from runoff import metrics
from runoff.metrics.expected_edits import expected_edits
from runoff.metrics.tokens import tokenised
from runoff.parallel import cores
from shared import data_folder, finish

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints
    from runoff.metrics.text_metric import TextMetric

    Weighed: TypeAlias = list[tuple[list[str], list[float]]]

LISTS, SAMPLES = 100, 16
MANY, LONG, WORDS = 5_000, 100, 20


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """Median seconds of some runs, and what came out."""
    seconds, result = [], None
    for _ in range(times):
        started = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), result


def synthetic(lists: int, texts: int, words: int) -> list[list[str]]:
    """Ways to say the same thing: a sentence with a fifth of its words replaced, each by one of four others."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlu"))
    vocabulary = np.array(["".join(rng.choice(letters, size)) for size in rng.integers(2, 9, 2_000)])
    out = []
    for _ in range(lists):
        usual, other = rng.choice(vocabulary, words), rng.choice(vocabulary, (4, words))
        replaced = rng.random((texts, words)) < 0.2
        said = np.where(replaced, other[rng.integers(0, 4, (texts, words)), np.arange(words)], usual)
        out.append([" ".join(text) + "." for text in said])
    return out


def samples() -> tuple[str, list[list[str]]]:
    """Lists of samples from the real data, or synthetic ones, and which they are."""
    folder = data_folder()
    for path in sorted((folder / "generation").glob("*.jsonl.gz")) if folder else ():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line, _ in zip(file, range(LISTS), strict=False)]
        return path.name.split(".")[0], [record["candidates"][:SAMPLES] for record in records]
    return "synthetic", synthetic(LISTS, SAMPLES, WORDS)


def loop(lists: Weighed, score: Callable[[str, str], float]) -> list[str]:
    """Choose by two loops: what one would write."""
    chosen = []
    for texts, weights in lists:
        sums = [
            sum(score(text, other) * weight for other, weight in zip(texts, weights, strict=True)) for text in texts
        ]
        chosen.append(texts[sums.index(max(sums))])
    return chosen


def ours(lists: Weighed, metric: TextMetric) -> list[str]:
    """Choose by `expected`."""
    flat = [text for texts, _ in lists for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(texts) for texts, _ in lists])])
    values = metric.expected(flat, offsets, np.concatenate([weights for _, weights in lists])[:, None])[:, 0]
    return [
        texts[int(values[start : start + len(texts)].argmax())]
        for (texts, _), start in zip(lists, offsets[:-1], strict=True)
    ]


def both(lists: Weighed, metric: TextMetric, score: Callable[[str, str], float]) -> dict[str, Any]:
    """Seconds of both, and in how many lists they choose the same text."""
    theirs_s, theirs = timed(lambda: loop(lists, score))
    ours_s, found = timed(lambda: ours(lists, metric), times=3)
    return {
        "loop_s": round(theirs_s, 3),
        "runoff_s": round(ours_s, 4),
        "ratio": round(theirs_s / ours_s, 1),
        "same_choice": sum(a == b for a, b in zip(theirs, found, strict=True)),
    }


def beside(lists: list[list[str]], metric: TextMetric, score: Callable[[str, str], float]) -> dict[str, Any]:
    """Measure with the texts as they are, and with every different text of a list once, weighed by its copies."""
    copies = [Counter(texts) for texts in lists]
    as_they_are = [(texts, [1.0] * len(texts)) for texts in lists]
    different = [(list(counted), [float(count) for count in counted.values()]) for counted in copies]
    ours(as_they_are[:2], metric)  # compiles
    result = {"as_they_are": both(as_they_are, metric, score), "different": both(different, metric, score)}
    return {**result, "all_the_same": all(part["same_choice"] == len(lists) for part in result.values())}


def edits(texts: list[str], offsets: Ints, weights: Floats) -> Floats:
    """Expected word edits, words cut at white space."""
    words = tokenised(texts, lambda piece: [piece])
    return expected_edits(words.ids, words.offsets, offsets, weights)


def large() -> dict[str, float]:
    """Seconds for long lists of different texts, from texts to expected values."""
    texts = [text for group in synthetic(MANY, LONG, WORDS) for text in group]
    offsets, weights = np.arange(0, len(texts) + 1, LONG), np.ones((len(texts), 1))
    result = {}
    for name, expected in (
        ("edits_s", edits),
        ("bleu_s", metrics.BLEU().expected),
        ("chrf_s", metrics.ChrF().expected),
    ):
        expected(texts[:LONG], offsets[:2], weights[:LONG])  # compiles
        result[name] = round(timed(functools.partial(expected, texts, offsets, weights))[0], 2)
    return result


def main() -> None:
    """Measure and print."""
    source, lists = samples()
    bleu, chrf = BLEU(effective_order=True), CHRF()
    finish(
        {
            "benchmark": "bayes_risk",
            "cores": cores(),
            "data": source,
            "lists": len(lists),
            "texts": sum(map(len, lists)),
            "bleu": beside(lists, metrics.BLEU(), lambda text, other: bleu.sentence_score(text, [other]).score),
            "chrf": beside(lists, metrics.ChrF(), lambda text, other: chrf.sentence_score(text, [other]).score),
            f"{MANY}x{LONG}x{WORDS}": large(),
        }
    )


if __name__ == "__main__":
    main()
