"""Words of n-best lists combined: confusion networks with a vote or a learned filter, beside reranking the same lists.

Two sets of five hypotheses of a recogniser, without scores, by five folds; and the ten best of a neural translator,
trained on jackknifed lists. "careful" keeps the first round's choice unless the combination leads by a threshold that
is chosen on folds of the training lists, or on dev lists of translations. `quick` leaves the reranker of speech out.
Usage: python benchmarks/combine_words.py [quick] [words of a list's name]
"""

from __future__ import annotations

import itertools
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.combine import train_combiner
from runoff.combine.training import as_single
from runoff.learners import Blend, TreeBoost
from runoff.learners.switching import choose_threshold, lifted
from runoff.metrics import Resampling, get, reference_choices, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score, first_round
from runoff.report.scored import Scored
from runoff.tables import text_table
from runoff.tasks.text import TextReranker
from runoff.tasks.text.baseline_choices import baseline_scores
from runoff.tasks.text.text_parts import TextParts
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.combine import Combiner
    from runoff.metrics import Metric

FOLDS, INNER, RESAMPLING = 5, 3, Resampling()
SPEECH = ("commonvoice-5best.json.gz", "librispeech-other-5best.json.gz")
NOTHING_COUNTS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)  # of a vote for no word, against one for a word
BY_RANK = (0.0, 0.5, 1.0, 1.5, 2.0)  # powers of the reciprocal rank
TRAIN_LISTS, BEST = 2_000, 10  # of the translations


def main() -> None:
    """Measure what was asked for, or everything."""
    folder = data_folder()
    if folder is None:
        skip("no data folder; set RUNOFF_DATA")
        return
    wanted, results = [word for word in sys.argv[1:] if word != "quick"], {}
    for name in SPEECH:
        path = folder / "speech" / name
        if path.exists() and all(word in name for word in wanted):
            results[name] = speech(name, runoff.read(path), quick="quick" in sys.argv)
    nmt = folder / "translation"
    if (nmt / "multi30k-nmt50.train.jsonl.gz").exists() and all(word in "multi30k-nmt50" for word in wanted):
        parts = (runoff.read(nmt / f"multi30k-nmt50.{part}.jsonl.gz") for part in ("train", "val", "test_2016"))
        results["multi30k-nmt50"] = translations(*parts)
    finish(results)


# -------------------------------------------------------------------- recognisers


def speech(name: str, data: runoff.NBest, *, quick: bool = False) -> dict[str, Any]:
    """Every choice by five folds."""
    metric = get("wer")
    data = with_statistics(runoff.grade(data, metric), metric)
    fold_of = blocks(data).folds(FOLDS, RESAMPLING.seed)
    networks = _networks(data)
    made: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}

    def fill(choice: str, test: Bools, texts: Sequence[str]) -> None:
        own = made.setdefault(choice, [""] * len(data))
        for at, text in zip(np.flatnonzero(test).tolist(), texts, strict=True):
            own[at] = text

    votes = {(power, nothing): _voted(networks, power, nothing) for power in BY_RANK for nothing in NOTHING_COUNTS}
    errors = {each: as_single_rows(data, texts, metric)[:, :3].sum(axis=1) for each, texts in votes.items()}
    chosen = []
    for fold in range(FOLDS):
        test = fold_of == fold
        train = data[~test]
        if not quick:
            started = time.process_time()
            model = TextReranker(metric="wer").fit(train).model
            fill("reranker", test, _texts(data[test], model.scores(data[test])))
            seconds["reranker"] = seconds.get("reranker", 0.0) + time.process_time() - started
        for choice, powers in (("ROVER", (0.0,)), ("ROVER by rank", BY_RANK)):
            best = min((each for each in votes if each[0] in powers), key=lambda each: errors[each][~test].sum())
            fill(choice, test, [votes[best][at] for at in np.flatnonzero(test).tolist()])
        started = time.process_time()
        combiner = train_combiner(train, task="text")
        seconds["combination"] = seconds.get("combination", 0.0) + time.process_time() - started
        fill("combination", test, _combined(combiner, data[test]))
        trees = train_combiner(train, task="text", learner=_trees(), folds=2)
        fill("combination, trees", test, _combined(trees, data[test]))
        threshold = _cross_fitted_threshold(train, metric)
        chosen.append(threshold)
        fill("combination, careful", test, _lifted(combiner, data[test], metric, threshold))
        print(f"{name}: fold {fold + 1} of {FOLDS}", file=sys.stderr, flush=True)
    simple = baseline_scores(data, metric, names=("vote", "bayes-risk"))
    rows = {choice: metric.rows(data, by_score(data, found)) for choice, found in simple.items()}
    rows |= {choice: as_single_rows(data, texts, metric) for choice, texts in made.items()}
    rows |= {"first round": metric.rows(data, first_round(data))}
    rows["oracle of the list"] = reference_choices.oracle_rows(metric, data)
    rows["oracle of the network"] = _oracle(data, networks, rows["first round"])
    return report(name, data, rows, metric, {"thresholds": chosen, "seconds": seconds})


def _trees() -> TreeBoost:
    return TreeBoost(rounds=100, depth=3, rate=0.1, calibration="none")


def _networks(data: runoff.NBest) -> list[Any]:
    texts, offsets = _column(data.texts), data.offsets.tolist()
    reader = TextParts()
    return [reader.network(texts[start:stop]) for start, stop in itertools.pairwise(offsets)]


def _voted(networks: Sequence[Any], power: float, nothing: float) -> list[str]:
    """The word of most votes in every slot; ties go to the text of the best rank."""
    out = []
    for network in networks:
        said = []
        for column in zip(*network.rows(), strict=True):
            votes: dict[str, float] = {}
            for rank, word in enumerate(column):
                votes[word] = votes.get(word, 0.0) + (rank + 1) ** -power * (1.0 if word else nothing)
            said.append(max(votes, key=votes.__getitem__))
        out.append(" ".join(filter(None, said)))
    return out


def _oracle(data: runoff.NBest, networks: Sequence[Any], first: Floats) -> Floats:
    """Rows of the nearest paths; all of their edits stand in the first column."""
    rows = np.zeros_like(first)
    rows[:, 3] = first[:, 3]
    references = _column(data.references)
    rows[:, 0] = [network.fewest_edits(own[0].split()) for network, own in zip(networks, references, strict=True)]
    return rows


# -------------------------------------------------------------------- translations


def translations(train: runoff.NBest, dev: runoff.NBest, test: runoff.NBest) -> dict[str, Any]:
    """The ten best of each list; the filter learns from some of the training lists."""
    train, dev, test = (_best_of(each) for each in (train[:TRAIN_LISTS], dev, test))
    results: dict[str, Any] = {}
    combiner = train_combiner(train, task="text", metric="bleu")
    texts = {"combination": _combined(combiner, test)}
    for label in ("bleu", "ter"):
        metric = get(label)
        graded = [with_statistics(runoff.grade(each, metric), metric) for each in (train, dev, test)]
        threshold = _threshold(graded[1], [combiner], [np.arange(len(dev))], metric)
        texts[f"combination, careful for {label}"] = _lifted(combiner, graded[2], metric, threshold.threshold)
        rows = {choice: as_single_rows(graded[2], found, metric) for choice, found in texts.items()}
        reranker = Blend(metric=label).fit(graded[0]).model
        rows["reranker"] = metric.rows(graded[2], by_score(graded[2], reranker.scores(graded[2])))
        risk = baseline_scores(graded[2], metric, names=("bayes-risk",))["bayes-risk"]
        rows["bayes-risk"] = metric.rows(graded[2], by_score(graded[2], risk))
        rows["first round"] = metric.rows(graded[2], first_round(graded[2]))
        rows["oracle of the list"] = reference_choices.oracle_rows(metric, graded[2])
        results[label] = report("multi30k-nmt50", graded[2], rows, metric, {"threshold": threshold.threshold})
    return results


def _best_of(data: runoff.NBest) -> runoff.NBest:
    """The first candidates of every list with any."""
    data = data[data.sizes > 0]
    rank = np.arange(data.n_candidates) - np.repeat(data.offsets[:-1], data.sizes)
    kept, texts = np.flatnonzero(rank < BEST), _column(data.texts)
    return runoff.NBest.from_arrays(
        data.features.to_scipy()[kept],
        texts=[texts[row] for row in kept.tolist()],
        base=None if data.base is None else data.base[kept],
        sizes=np.minimum(data.sizes, BEST),
        references=_column(data.references),
        inputs=_column(data.inputs),
        feature_names=data.features.column_names().to_pylist(),
        metric=data.metric,
    )


# -------------------------------------------------------------------- caution


def _cross_fitted_threshold(train: runoff.NBest, metric: Metric) -> float:
    """The threshold whose gain on folds of the training lists is surest."""
    fold_of = blocks(train).folds(INNER, RESAMPLING.seed + 1)
    rows = [np.flatnonzero(fold_of == fold) for fold in range(INNER)]
    combiners = [train_combiner(train[fold_of != fold], task="text", folds=2) for fold in range(INNER)]
    return float(_threshold(train, combiners, rows, metric).threshold)


def _threshold(data: runoff.NBest, combiners: Sequence[Combiner], rows: Sequence[Ints], metric: Metric) -> Any:
    """The lead that pays, of combinations that stand beside the candidates of lists they did not learn from."""
    texts: list[str] = []
    sizes: list[int] = []
    scores, references = [], _column(data.references)
    for combiner, own in zip(combiners, rows, strict=True):
        lists, gains = _appended(combiner, data[own], metric)
        texts += _column(lists.texts)
        sizes += lists.sizes.tolist()
        scores.append(gains)
    said = [references[at] for own in rows for at in own.tolist()]
    lists = runoff.NBest.from_arrays(texts=texts, sizes=sizes, references=said, metric=data.metric)
    return choose_threshold(lists, np.concatenate(scores), metric)


def _appended(combiner: Combiner, data: runoff.NBest, metric: Metric) -> tuple[runoff.NBest, Floats]:
    """Lists with the combination and the gain that it expects of every candidate."""
    lists = combiner.append(data)
    names = lists.features.column_names().to_pylist()
    gains = lists.features.to_scipy()[:, [names.index("combined:gain")]].toarray()[:, 0]
    return with_statistics(runoff.grade(lists, metric), metric), gains.astype(np.float64)


def _combined(combiner: Combiner, data: runoff.NBest) -> list[str]:
    return [text or "" for text in combiner.texts(data)]


def _lifted(combiner: Combiner, data: runoff.NBest, metric: Metric, threshold: float) -> list[str]:
    """Texts of the combination where it leads by the threshold, else of the first round."""
    lists, gains = _appended(combiner, data, metric)
    return _texts(lists, lifted(gains, first_round(lists), threshold))


def _texts(data: runoff.NBest, scores: Floats) -> list[str]:
    texts = _column(data.texts)
    return [texts[row] for row in by_score(data, scores).top.tolist()]


# -------------------------------------------------------------------- tables


def _column(column: Any) -> list[Any]:
    """Values of a column that these lists have."""
    found: list[Any] = column.to_pylist()
    return found


def as_single_rows(data: runoff.NBest, texts: Sequence[str], metric: Metric) -> Floats:
    """Statistics of one text for every list."""
    single = as_single(data, texts)
    return metric.rows(single, first_round(single))


def report(
    name: str, data: runoff.NBest, rows: dict[str, Floats], metric: Metric, more: dict[str, Any]
) -> dict[str, Any]:
    """Scores, and gains over the first round and over the reranker, with intervals and p."""
    resampling, digits, shown, table = RESAMPLING.over(data), metric.digits, {}, []
    for choice, own in rows.items():
        scored = Scored.of(own, metric, resampling)
        cells = [choice, f"{scored.score:.{digits}f}"]
        found: dict[str, Any] = {"score": scored.score, "low": scored.low, "high": scored.high}
        for other in ("first round", "reranker"):
            if other not in rows:
                continue
            gain = resampling.difference(own, rows[other], metric)
            p = resampling.p_value(own, rows[other], metric)
            found[f"over {other}"] = {"gain": gain.delta, "low": gain.low, "high": gain.high, "p": p}
            cells.append(f"{gain.delta:+.{digits}f} ({gain.low:+.{digits}f} to {gain.high:+.{digits}f}; p {p:.4f})")
        table.append(cells)
        shown[choice] = found
    print(f"\n{name}: {len(data):,} lists, {data.n_candidates:,} candidates")
    header = ["choice", metric.label, "gain over first round", *(["gain over reranker"] * ("reranker" in rows))]
    print(text_table(header, table))
    print(more, flush=True)
    return {"choices": shown, "groups": len(data), "signature": metric.signature, **more}


if __name__ == "__main__":
    main()
