"""Lists of plain texts: what voting, minimum Bayes risk and a trained reranker win, and how long the features take.

Every list that is found is cut into five folds of groups. In each fold, `TextReranker` chooses by what it learned from
the other four: it tries its recipes and finds its threshold inside those. Scores that the candidates of Moses carry are
used; of translations with human scores (MQM) the systems' names are hidden and their order is shuffled in every list,
so that the first round is a blind choice. `families` says what is lost without each family of features, and what each
wins alone, by one recipe; `metrics` times the metrics. Usage: python benchmarks/text.py [folds | families | speed |
metrics] [words of a list's name]
"""

from __future__ import annotations

import csv
import gzip
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
import runoff.tasks.text
from runoff.metrics import Resampling, get, reference_choices, with_statistics
from runoff.metrics.registry import kinds
from runoff.metrics.text_metric import TextMetric
from runoff.nbest.blocks import blocks
from runoff.parallel import cores
from runoff.ranking import by_score, chosen, first_round
from runoff.report.scored import Scored
from runoff.tables import text_table
from runoff.tasks.text.baseline_choices import baseline_scores
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.distinct_texts import DistinctTexts
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Floats
    from runoff.metrics import Metric

FOLDS, RESAMPLING = 5, Resampling()
LISTS, SIZE, WORDS = 5_000, 100, 20


def main() -> None:
    """Measure what was asked for, or everything."""
    words = sys.argv[1:]
    results: dict[str, Any] = {}
    if "speed" in words or not words:
        results["speed"] = speed()
    if "metrics" in words or not words:
        results["metrics"] = of_metrics()
    wanted = [word for word in words if word not in ("speed", "metrics", "folds", "families")]
    if wanted or not words or {"folds", "families"} & set(words):
        folder = data_folder()
        if folder is None:
            skip("no data folder; set RUNOFF_DATA")
            return
        for name, data, metric in collections(folder):
            if not all(word in name for word in wanted):
                continue
            if "families" not in words:
                results[name] = by_folds(name, data, metric)
            if "families" in words or not words:
                results[f"{name}, families"] = by_families(name, data, metric)
    finish(results)


# -------------------------------------------------------------------- lists


def collections(folder: Path) -> Iterator[tuple[str, runoff.NBest, str]]:
    """Lists of texts in the data folder, each with what it is judged by."""
    for path in sorted(folder.glob("speech/*best.json.gz")):
        yield path.name, runoff.read(path), "wer"
    for path in sorted(folder.glob("translation/*.nbest.gz")):
        references = Path(str(path).replace(".nbest", ".ref"))
        yield path.name, runoff.read(path, references=references), "bleu"
    for path in sorted(folder.glob("translation/*mqm.tsv.gz")):
        yield path.name, mqm(path, Path(str(path).replace(".tsv", ".scores.tsv"))), "quality"
    for path in sorted(folder.glob("generation/*.jsonl.gz")):
        yield path.name, runoff.read(path, metric="bleu"), "bleu"


def mqm(translations: Path, scores: Path) -> runoff.NBest:
    """Translations with the mean of their human scores; systems are hidden, their order in a list is by chance."""
    quality = {}
    with gzip.open(scores, "rt") as stream:
        next(stream)
        for line in stream:
            system, score, segment = line.split()
            if score != "None":
                quality[_system(system), segment] = float(score)
    lists: dict[str, dict[str, tuple[str, float]]] = {}
    inputs: dict[str, str] = {}
    with gzip.open(translations, "rt") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            segment, system = row["seg_id"], _system(row["system"])
            text = row["target"].replace("<v>", "").replace("</v>", "")
            inputs[segment] = row["source"].replace("<v>", "").replace("</v>", "")
            lists.setdefault(segment, {})[system] = text, quality[system, segment]
    rng = np.random.default_rng(0)
    shuffled = [[list(found.values())[at] for at in rng.permutation(len(found))] for found in lists.values()]
    return runoff.NBest.from_arrays(
        texts=[text for found in shuffled for text, _ in found],
        quality=[score for found in shuffled for _, score in found],
        sizes=[len(found) for found in shuffled],
        inputs=[inputs[segment] for segment in lists],
        group_ids=list(lists),
        metric="quality",
    )


def _system(name: str) -> str:
    return name.removesuffix("-A")  # one file calls the human translation ref, the other ref-A


# -------------------------------------------------------------------- choices


def by_folds(name: str, data: runoff.NBest, label: str) -> dict[str, Any]:
    """First round, random, simple choices, the model and the oracle."""
    metric = get(label)
    data = with_statistics(runoff.grade(data, metric), metric)
    fold_of = blocks(data).folds(FOLDS, RESAMPLING.seed)
    row_fold = np.repeat(fold_of, data.sizes)
    scores = np.empty(data.n_candidates)
    seconds = {"features": 0.0, "training": 0.0, "choosing": 0.0}
    kept = []
    for fold in range(FOLDS):
        learner = runoff.tasks.text.TextReranker(metric=label).fit(data[fold_of != fold])
        started = time.perf_counter()
        scores[row_fold == fold] = learner.model.scores(data[fold_of == fold])
        seconds["choosing"] += time.perf_counter() - started
        for part, took in learner.seconds.items():
            seconds[part] += took
        provenance = learner.model.provenance
        kept.append("first round" if provenance["threshold"]["keeps_first_choice"] else provenance["recipe"])
    rows = {"random": metric.random_rows(data, 0)}
    started = time.perf_counter()
    simple = baseline_scores(data, metric)
    seconds["simple choices"] = time.perf_counter() - started
    rows |= {choice: metric.rows(data, by_score(data, found)) for choice, found in simple.items()}
    rows |= {"first round": metric.rows(data, first_round(data)), "model": metric.rows(data, by_score(data, scores))}
    rows["oracle"] = reference_choices.oracle_rows(metric, data)
    changed = int((chosen(data, scores).indices != first_round(data).indices).sum())
    resampling = RESAMPLING.over(data)
    shown = {choice: judged(found, rows["first round"], metric, resampling) for choice, found in rows.items()}
    over_risk = resampling.difference(rows["model"], rows["bayes-risk"], metric)
    p = resampling.p_value(rows["model"], rows["bayes-risk"], metric)
    digits = metric.digits
    print(f"\n{name}: {len(data):,} lists, {data.n_candidates:,} candidates, {metric.label}")
    header = ["choice", metric.label, "95% interval", "gain over first round", "p"]
    print(text_table(header, [[choice, *_cells(found, digits)] for choice, found in shown.items()]))
    print(
        f"model over bayes-risk: {over_risk.delta:+.{digits}f} ({over_risk.low:+.{digits}f} to "
        f"{over_risk.high:+.{digits}f}), p {p:.4f}; recipes: {', '.join(kept)}; {changed:,} first choices changed."
    )
    print("seconds: " + ", ".join(f"{part} {took:.1f}" for part, took in seconds.items()), flush=True)
    return {
        "choices": shown,
        "model_over_bayes_risk": {"delta": over_risk.delta, "low": over_risk.low, "high": over_risk.high, "p": p},
        "recipes": kept,
        "changed": changed,
        "groups": len(data),
        "seconds": {part: round(took, 2) for part, took in seconds.items()},
        "signature": metric.signature,
    }


def by_families(name: str, data: runoff.NBest, label: str) -> dict[str, dict[str, float]]:
    """Gain over the first round, in five folds without any threshold, of a blend with and without each family."""
    metric = get(label)
    data = with_statistics(runoff.grade(data, metric), metric)
    first = float(metric.signed(reference_choices.first_rows(metric, data).sum(axis=0)))
    fold_of = blocks(data).folds(FOLDS, 0)

    def gain(families: str) -> float:
        featurizer = runoff.tasks.text.TextFeaturizer(families=families)
        fitter = CrossFitter(featurizer.fit_transform(data, metric), featurizer, label, 0)
        which = next((way for way in ("blend-words", "blend") if fitter.applies(runoff.tasks.text.RECIPES[way])), None)
        if which is None:
            return 0.0
        scores = fitter.held_out_scores({which: runoff.tasks.text.RECIPES[which]}, folds=fold_of)[which]
        return float(metric.signed(metric.rows(data, by_score(data, scores)).sum(axis=0))) - first

    usual = runoff.tasks.text.TextSettings().names
    found = {"all": {"gain": gain("usual")}}
    found |= {family: {"without": gain(f"usual,-{family}"), "alone": gain(family)} for family in usual}
    whole = f"{found['all']['gain']:+.{metric.digits}f}"
    print(f"\n{name}: gain in {metric.label} of a blend; with all usual families {whole}")
    rows = [
        [family, *(f"{found[family][part]:+.{metric.digits}f}" for part in ("without", "alone"))] for family in usual
    ]
    print(text_table(["family", "without it", "alone"], rows), flush=True)
    return found


def judged(rows: Floats, first: Floats, metric: Metric, resampling: Resampling) -> dict[str, float]:
    """Score with interval, and the gain over the first round with interval and p-value."""
    scored, gain = Scored.of(rows, metric, resampling), resampling.difference(rows, first, metric)
    return {
        "score": scored.score,
        "low": scored.low,
        "high": scored.high,
        "gain": gain.delta,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "p": resampling.p_value(rows, first, metric),
    }


def _cells(found: dict[str, float], digits: int) -> list[str]:
    gain = f"{found['gain']:+.{digits}f} ({found['gain_low']:+.{digits}f} to {found['gain_high']:+.{digits}f})"
    interval = f"{found['low']:.{digits}f}–{found['high']:.{digits}f}"
    return [f"{found['score']:.{digits}f}", interval, gain, f"{found['p']:.4f}"]


# -------------------------------------------------------------------- speed


def speed() -> dict[str, Any]:
    """Seconds for the features of 5,000 lists of 100 different texts of 20 words, by family and all together."""
    data = synthetic(LISTS, SIZE, WORDS)
    runoff.tasks.text.featurize(data[:50])  # compiles
    seconds = {}
    for family in runoff.tasks.text.TextSettings().names:
        if family == "scores":
            continue
        started = time.perf_counter()
        runoff.tasks.text.featurize(data, families=family)
        seconds[family] = round(time.perf_counter() - started, 2)
    started = time.perf_counter()
    made = runoff.tasks.text.featurize(data)
    whole = time.perf_counter() - started
    for family, took in seconds.items():
        print(f"{family:<12} {took:6.1f} s alone, with the cutting of words")
    print(f"{made!r}: {whole:.1f} s in all on {cores()} cores, {made.features.n_stored:,} stored values", flush=True)
    return {"alone": seconds, "all": round(whole, 2), "cores": cores(), "stored": made.features.n_stored}


def of_metrics() -> dict[str, Any]:
    """For every metric of texts but TER: microseconds to judge a candidate, seconds to compare all of 5,000 lists."""
    few, many = synthetic(LISTS // 5, SIZE, WORDS), DistinctTexts.of(synthetic(LISTS, SIZE, WORDS))
    found = {}
    for name, kind in kinds().items():
        if not (issubclass(kind, TextMetric) and kind.compares_quickly):
            continue
        metric, small = kind(), DistinctTexts.of(few[:20])
        for lists in (small, many):  # the first compiles
            metric.quality(few[: len(lists)])
            started = time.perf_counter()
            metric.expected(lists.texts.to_pylist(), lists.offsets, lists.copies[:, None])
            compared = time.perf_counter() - started
        started = time.perf_counter()
        metric.quality(few)
        judging = 1e6 * (time.perf_counter() - started) / few.n_candidates
        found[name] = {"judging_us": round(judging, 1), "comparing_s": round(compared, 1)}
        print(f"{name:<9} {judging:6.1f} us a candidate, {compared:5.1f} s to compare all", flush=True)
    return found


def synthetic(lists: int, size: int, words: int) -> runoff.NBest:
    """Sentences of a Zipfian vocabulary, each candidate with about a fifth of its words changed."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlu"))
    lengths = rng.integers(1, 10, 20_000)
    spelled = np.array(["".join(rng.choice(letters, length)) for length in lengths])
    texts: list[str] = []
    references = []
    for _ in range(lists):
        right = rng.zipf(1.3, words) % spelled.size
        said = np.where(rng.random((size, words)) < 0.2, rng.zipf(1.3, (size, words)) % spelled.size, right)
        references.append(" ".join(spelled[right]))
        texts.extend(" ".join(row) for row in spelled[said])
    return runoff.NBest.from_arrays(texts=texts, sizes=[size] * lists, references=references, metric="wer")


if __name__ == "__main__":
    main()
