"""Whether the gain that training reports holds on new lists, and whether choices are ever worse than untrained ones.

Every collection is split at random many times into a few hundred training lists and the rest, lists that belong
together on one side. The recipes are cross-fitted and one is selected as `TextReranker` does it; the gain that it
reports, with its 90% interval, is compared with what the selected recipe then gains on the rest, whether it is kept or
not. What is kept is compared with the untrained choice that is best on the rest. Of translations with human scores
the systems are shuffled anew in every split, so that the first round is a blind choice. Everything (features, language
model, recipe, threshold) is learned from the training lists alone.

The rest is finite too. An interval therefore counts as holding if reported and realised gain differ by no more than
the root of the summed squares of the sides of both their intervals (Zou & Donner 2008).
Usage: python benchmarks/interval_coverage.py [splits] [words of a collection's name]
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm, t

import runoff
from runoff.learners.recipes import FixedRecipe
from runoff.learners.switching import lifted
from runoff.metrics import Resampling, get, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score, first_round
from runoff.tables import text_table
from runoff.tasks.text import RECIPES, TextFeaturizer, TextReranker
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.selection import select
from shared import data_folder, finish, skip
from text import mqm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.metrics import Difference, Metric

SPLITS = 50
LEARNER = TextReranker()  # whose defaults are measured
RESAMPLING = Resampling(confidence=LEARNER.confidence)
SIDE = (1 + LEARNER.confidence) / 2
WIDER = float(t.ppf(SIDE, LEARNER.folds - 1) / norm.ppf(SIDE))  # what the interval would lack without the correction


def main() -> None:
    """Measure the collections that were asked for, or all."""
    folder = data_folder()
    if folder is None:
        skip("no data folder; set RUNOFF_DATA")
        return
    splits = next((int(word) for word in sys.argv[1:] if word.isdigit()), SPLITS)
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    results = {}
    for name, data, label, training_lists in collections(folder):
        if all(word in name for word in words):
            results[name] = measured(name, data, label, training_lists, splits)
    finish(results)


def collections(folder: Path) -> Iterator[tuple[str, runoff.NBest, str, int]]:
    """Lists of texts in the data folder, what they are judged by, and how many are for training."""
    for path in sorted(folder.glob("speech/*best.json.gz")):
        yield path.name, runoff.read(path, metric="wer"), "wer", 400
    for path in sorted(folder.glob("generation/*.jsonl.gz")):
        yield path.name, runoff.read(path, metric="bleu"), "bleu", 300
    for path in sorted(folder.glob("translation/*mqm.tsv.gz")):
        yield path.name, mqm(path, path.with_name(path.name.replace(".tsv", ".scores.tsv"))), "quality", 250


def measured(name: str, data: runoff.NBest, label: str, training_lists: int, splits: int) -> dict[str, Any]:
    """Claimed and realised gains over all splits, how often intervals hold, and the lead over untrained choices."""
    metric, started = get(label), time.perf_counter()
    data = runoff.grade(data, metric)
    found = []
    for seed in range(splits):
        lists = shuffled(data, seed) if label == "quality" else data
        part_of = blocks(lists).parts([training_lists / len(lists)], seed)
        found.append(one_split(lists[part_of == 0], lists[part_of == 1], metric))
    switching = [each for each in found if each["half_width"] > 0]  # else nothing is claimed
    kept = [each for each in found if each["fallback"] is None]
    out = {
        "splits": splits,
        "training_lists": training_lists,
        "test_lists": len(data) - training_lists,
        **{key: float(np.mean([each[key] for each in found])) for key in ("claimed", "half_width", "realised")},
        "splits_with_a_claim": len(switching),
        "holds": _share(switching, "holds"),
        "would_hold_without_correction": _share(switching, "would_hold"),
        "kept": {
            "splits": len(kept),
            "claimed": float(np.mean([each["claimed"] for each in kept])) if kept else None,
            "realised": float(np.mean([each["realised"] for each in kept])) if kept else None,
            "holds": _share(kept, "holds"),
        },
        "chosen_by": dict(Counter(each["fallback"] or "trained or with a threshold" for each in found)),
        **{key: float(np.mean([each[key] for each in found])) for key in ("chosen", "lead")},
        "worst_lead": min(each["lead"] for each in found),
        "below_untrained_beyond_chance": sum(each["is_below"] for each in found),
        "seconds": round(time.perf_counter() - started),
    }
    details = [[each[key] for key in ("claimed", "half_width", "realised", "realised_half_width")] for each in found]
    print(f"\n{name}: {splits} splits, {training_lists} training lists, {metric.label}, {out['seconds']} s")
    print(text_table(["", ""], [[key, _cell(value)] for key, value in out.items()]), flush=True)
    return {**out, "claimed and realised in every split, with half widths": details}


def one_split(train: runoff.NBest, test: runoff.NBest, metric: Metric) -> dict[str, Any]:
    """What selecting on the training lists reports, and what the selected recipe and the kept choice gain on others."""
    featurizer = TextFeaturizer()
    ready = featurizer.fit_transform(train, metric)
    fitter = CrossFitter(ready, featurizer, metric, LEARNER.seed)
    recipes = {name: recipe for name, recipe in RECIPES.items() if fitter.applies(recipe)}
    untrained = [name for name, recipe in recipes.items() if isinstance(recipe, FixedRecipe)]
    folds = blocks(ready).folds(LEARNER.folds, LEARNER.seed)
    found = select(
        ready,
        fitter.held_out_scores(recipes, folds=folds),
        metric,
        untrained=untrained,
        confidence=LEARNER.confidence,
        folds=LEARNER.folds,
        seed=LEARNER.seed,
    )
    test = with_statistics(featurizer.transform(test), metric)
    models, first = fitter.training_set(), metric.rows(test, first_round(test))

    def rows(name: str, threshold: float) -> Floats:
        if math.isinf(threshold):
            return first
        model = recipes[name].model(models)
        scores = model.scores(fitter.with_columns(test).data(recipes[name].columns))
        return metric.rows(test, by_score(test, lifted(scores, first_round(test), threshold)))

    selected, resampling, gain = found.by_recipe[found.surest], RESAMPLING.over(test), found.gain
    realised = resampling.difference(rows(found.surest, selected.threshold), first, metric)
    chosen, beside = rows(found.recipe, found.threshold.threshold), [first, *(rows(name, 0.0) for name in untrained)]
    best = max(beside, key=lambda each: float(metric.signed(each.sum(axis=0))))
    lead = resampling.difference(chosen, best, metric)
    return {
        "claimed": gain.delta,
        "half_width": (gain.high - gain.low) / 2,
        "realised": realised.delta,
        "realised_half_width": (realised.high - realised.low) / 2,
        "holds": holds(gain.delta, gain.low, gain.high, realised),
        "would_hold": holds(
            gain.delta,
            gain.delta + (gain.low - gain.delta) / WIDER,
            gain.delta + (gain.high - gain.delta) / WIDER,
            realised,
        ),
        "fallback": found.fallback,
        "chosen": resampling.difference(chosen, first, metric).delta,
        "lead": lead.delta,
        "is_below": lead.high < 0,
    }


def holds(delta: float, low: float, high: float, realised: Difference) -> bool:
    """Whether reported and realised gain agree, up to the errors of both."""
    down = math.hypot(delta - low, realised.high - realised.delta)
    up = math.hypot(high - delta, realised.delta - realised.low)
    return delta - down <= realised.delta <= delta + up


def shuffled(data: runoff.NBest, seed: int) -> runoff.NBest:
    """The same lists, the candidates of each in another order."""
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(data.n_candidates), data.group_of))
    return runoff.NBest.from_arrays(
        texts=None if data.texts is None else data.texts.take(order),
        quality=None if data.quality is None else data.quality[order],
        sizes=data.sizes,
        inputs=data.inputs,
        metric="quality",
    )


def _share(found: list[dict[str, Any]], key: str) -> float | None:
    return float(np.mean([each[key] for each in found])) if found else None


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_cell(each)}" for key, each in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
