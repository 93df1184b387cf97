"""The second round over neural 50-best lists: by few scores and by many, and merged with phrase-based lists.

`scores`: learners of the lists' own four scores and the first round's, with quality by sentence BLEU and by what a
candidate adds to that of the corpus. `dense`: all dense families. `merged`: the lists of a phrase-based translator (the
featured lists that translation_second_round.py has left in the folder RUNOFF_WORK, else they are made) joined with the
neural ones; here all learn from val, and choose settings by its folds. Else a third of the training lists is learned
from, which are jackknifed, and settings are chosen on val. Each row stands twice: as it was learned, and with its
weight of the length moved until, on val, choices are as long as the first round's. What is made is kept in RUNOFF_WORK.
Usage: python benchmarks/translation_neural.py [scores | dense | merged …]
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.arrays import frozen
from runoff.learners import CRF, LogLinear, Perceptron, Pro
from runoff.learners.expected_score import ExpectedScore
from runoff.learners.feature_scaling import spread_within
from runoff.metrics import get, oracle_rows
from runoff.model import LinearModel
from runoff.nbest import Features, NBest
from runoff.ranking import by_score
from runoff.tables import text_table
from runoff.tasks.translation.featurizer import TranslationFeaturizer
from shared import data_folder, finish, skip
from translation import SOURCE, TARGET, note, texts, tuned, work
from translation_second_round import DENSE, featured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.learners import Learner

NAME, TEST = "multi30k-nmt50", "test_2016"
EVERY = 3  # of the training lists
BEST = 100  # of the phrase-based lists, merged
OF_SCORES: dict[str, Learner] = {
    "loglinear": LogLinear(),
    "crf, expected loss": CRF(objective="el"),
    "perceptron, sentences": Perceptron(credit="list"),
    "perceptron": Perceptron(),
    "perceptron, best of four orders": Perceptron(order="auto"),
    "pro, sentences": Pro(),
    "pro, corpus": Pro(credit="corpus"),
    "expected score": ExpectedScore(),
}
OF_DENSE: dict[str, Learner] = {
    "perceptron": Perceptron(),
    "perceptron, ordinal": Perceptron("ordinal"),
    "pro, sentences": Pro(sigma=0.3),
    "pro, corpus": Pro(sigma=0.3, credit="corpus"),
    "pro, corpus, threshold 1": Pro(sigma=0.3, credit="corpus", threshold=1.0),
    "pro, corpus, threshold 1.5": Pro(sigma=0.3, credit="corpus", threshold=1.5),
    "crf, expected loss": CRF(objective="el", l2=[1e-5, 1e-4, 1e-3]),
    "expected score": ExpectedScore(sigma=[0.1, 0.3, 1.0]),
}
OF_MERGED: dict[str, Learner] = {
    "pro, corpus": Pro(sigma=[0.03, 0.1, 0.3], credit="corpus", threshold=1.5),
    "expected score": ExpectedScore(sigma=[0.03, 0.1, 0.3]),
}
FIRST, KEPT = "first round", ", length kept"
ENDS = "", KEPT
LENGTHS = "length:words", "pieces"  # the column of the length: of all families, of the scores alone


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / f"{NAME}.train.jsonl.gz").exists():
        skip(f"no neural lists translation/{NAME}.* in the data folder; set RUNOFF_DATA")
        return
    sections = {"scores": scores, "dense": dense, "merged": merged}
    asked = sys.argv[1:] or list(sections)
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- lists


@cache
def lists(part: str) -> NBest:
    """The neural lists of a part, with their four scores."""
    folder = data_folder()
    assert folder is not None  # main has looked
    return runoff.grade(runoff.read(folder / "translation" / f"{NAME}.{part}.jsonl.gz"), "bleu")


@cache
def with_families(part: str) -> NBest:
    """The neural lists of a part with all dense families, which have not seen what they measure."""
    path = work() / f"neural-{part}.arrow"
    if not path.exists():
        began, featurizer = time.perf_counter(), featurizer_of()
        for each in ("train", "val", TEST):
            made = (
                featurizer.fit_transform(lists(each), "bleu") if each == "train" else featurizer.transform(lists(each))
            )
            runoff.write(made, work() / f"neural-{each}.arrow")
            note(f"{each}: {made.n_candidates:,} candidates after {time.perf_counter() - began:.0f} s")
    return runoff.read(path)


def featurizer_of() -> TranslationFeaturizer:
    """All dense families, which know the parallel text."""
    return TranslationFeaturizer(families=DENSE, source_text=texts("train", SOURCE), target_text=texts("train", TARGET))


@cache
def twice(part: str) -> NBest:
    """The neural lists with one score more: that of the second round of section `dense`, the mean of its learners."""
    models = [runoff.load(work() / file_of("dense", name)) for name in OF_DENSE]
    found = mean_of(models, with_families("val")).scores(with_families(part))
    names = [*lists(part).features.column_names().to_pylist(), "second"]
    table = np.column_stack([lists(part).features.to_scipy().toarray(), found])
    return lists(part).replace(features=Features.of(table.astype(np.float32), names))


def phrase_based(part: str) -> NBest:
    """The best of a phrase-based translator of the same sentences, with the terms of its score."""
    data, like = featured("test" if part == TEST else part), lists(part)
    terms = set(tuned()[0].weights)
    names = data.features.column_names().to_pylist()
    kept = [at for at, name in enumerate(names) if name in terms]
    rows = np.concatenate([np.arange(data.offsets[at], data.offsets[at] + n) for at, n in enumerate(_sizes(data))])
    table = data.features.take(rows).to_scipy().tocsc()[:, kept].tocsr()
    assert data.texts is not None  # they are translations with scores
    assert data.base is not None
    found = NBest.from_arrays(
        Features.of(table, [names[at] for at in kept]),
        texts=data.texts.take(rows),
        base=data.base[rows],
        sizes=_sizes(data),
        references=like.references,
        inputs=like.inputs,
        group_ids=like.group_ids,
    )
    return runoff.grade(found, "bleu")


def _sizes(data: NBest) -> Any:
    return np.minimum(data.sizes, BEST)


def joined(part: str) -> NBest:
    """Neural and phrase-based candidates in one list; a score that a system has not given is missing."""
    systems = {"neural": twice(part), "phrases": phrase_based(part)}
    both = runoff.merge(systems, absent="nan")
    names = both.features.column_names().to_pylist()
    table = both.features.to_scipy().toarray()
    for system, data in systems.items():
        absent = table[:, names.index(f"{system}:found")] == 0
        own = set(data.features.column_names().to_pylist())
        for at, name in enumerate(names):
            if name in own or name.removeprefix(f"{system}:") in own:
                table[absent, at] = np.nan
    return runoff.grade(both.replace(features=Features.of(table, names)), "bleu")


# ---------------------------------------------------------------- sections


def scores() -> dict[str, Any]:
    """Five numbers of every candidate, of scales of their own."""
    return learned("scores", lists("train")[::EVERY], lists("val"), lists(TEST), OF_SCORES)


def dense() -> dict[str, Any]:
    """All dense families."""
    return learned("dense", with_families("train")[::EVERY], with_families("val"), with_families(TEST), OF_DENSE)


def merged() -> dict[str, Any]:
    """Neural lists, phrase-based lists and both, each learned from val with all dense families."""
    found: dict[str, Any] = {}
    systems: dict[str, Callable[[str], NBest]] = {"neural": twice, "phrases": phrase_based, "merged": joined}
    for name, of in systems.items():
        paths = {part: work() / f"{name}-all-{part}.arrow" for part in ("val", TEST)}
        if not paths[TEST].exists():
            began, featurizer = time.perf_counter(), featurizer_of()
            runoff.write(featurizer.fit_transform(of("val"), "bleu"), paths["val"])
            runoff.write(featurizer.transform(of(TEST)), paths[TEST])
            note(f"{name}: features in {time.perf_counter() - began:.0f} s")
        train, test = (runoff.read(path) for path in paths.values())
        metric = get("bleu")
        oracle = float(metric.score(oracle_rows(metric, test).sum(axis=0)))
        print(f"\n{name}: oracle {oracle:.2f}", flush=True)
        found[name] = {"oracle": oracle, **learned(name, train, None, test, OF_MERGED)}
    return found


def file_of(section: str, learner: str) -> str:
    """Name of the file of a model."""
    return f"{section}-{learner.replace(' ', '-')}.runoff"


def learned(
    section: str, train: NBest, val: NBest | None, test: NBest, learners: Mapping[str, Learner]
) -> dict[str, Any]:
    """BLEU of val and test, the lead over the first round with interval and p, and the length of what is chosen."""
    models: dict[str, LinearModel] = {FIRST: LinearModel.of({}, base_weight=1.0)}
    for name, learner in learners.items():
        path = work() / file_of(section, name)
        if not path.exists():
            began = time.perf_counter()
            learner.set_params(metric="bleu", calibration="none").fit(train, val).model.save(path)
            note(f"{name}: {time.perf_counter() - began:.0f} s")
        models[name] = runoff.load(path)
    like = train if val is None else val
    models["mean of all"] = mean_of(list(models.values())[1:], like)
    models |= {f"{name}{KEPT}": length_kept(models[name], like) for name in (*learners, "mean of all")}
    rows, numbers = [], {}
    for name, model in models.items():
        on_val = (float("nan"), float("nan")) if val is None else bleu_of(model, val)
        on_test = bleu_of(model, test)
        duel = runoff.compare(model, models[FIRST], test, "bleu").duels[0]
        told = ("order", "tau", "credit", "epochs", "sigma", "setting")
        numbers[name] = {
            "val": on_val,
            "test": on_test,
            "over first round": [duel.lead.delta, duel.lead.low, duel.lead.high, duel.p],
            **{key: model.provenance[key] for key in told if key in model.provenance},
        }
        lead = f"{duel.lead.delta:+.2f} ({duel.lead.low:+.2f} to {duel.lead.high:+.2f})"
        both = [f"{at:.{digits}f}" for found in (on_val, on_test) for at, digits in zip(found, (2, 3), strict=True)]
        rows.append([name, *both, lead, f"{duel.p:.4f}"])
    columns = ["learner", "val", "length", "test", "length", "over the first round", "p"]
    print(f"\n{train!r}\n{text_table(columns, rows)}", flush=True)
    if val is None:
        return numbers
    by_val = {name: each["val"][0] for name, each in numbers.items()}
    chosen = {end: max((name for name in by_val if name.endswith(end)), key=lambda name: by_val[name]) for end in ENDS}
    print(f"chosen on val: {chosen['']}; with the length kept: {chosen[KEPT]}", flush=True)
    return {**numbers, "chosen on val": chosen}


def mean_of(models: Sequence[LinearModel], data: NBest) -> LinearModel:
    """The sum of models, each in units of the spread of its scores in the lists."""
    spreads = [spread_within(data, model.scores(data)) for model in models]
    weights = sum((model.weights / spread for model, spread in zip(models, spreads, strict=True)), np.zeros(1))
    base = sum(model.base_weight / spread for model, spread in zip(models, spreads, strict=True))
    return replace(models[0], weights=frozen(weights), base_weight=base, provenance={})


def length_kept(model: LinearModel, data: NBest) -> LinearModel:
    """The model with another weight of the length, by which its choices are as long as those of the first round."""
    names = model.names.to_pylist()
    at = names.index(next(name for name in LENGTHS if name in names))
    metric, low, high = get("bleu"), -1.0, 1.0
    unit = spread_within(data, model.scores(data)) / spread_within(
        data, data.features.to_scipy().toarray()[:, data.features.column_names().to_pylist().index(names[at])]
    )
    wanted = metric.rows(data, by_score(data, np.asarray(data.base))).sum(axis=0)[0]
    moved = model
    for _ in range(20):
        middle, weights = (low + high) / 2, model.weights.copy()
        weights[at] += middle * unit
        moved = replace(model, weights=frozen(weights), provenance={})
        is_long = metric.rows(data, by_score(data, moved.scores(data))).sum(axis=0)[0] > wanted
        low, high = (low, middle) if is_long else (middle, high)
    return moved


def bleu_of(model: LinearModel, data: NBest) -> tuple[float, float]:
    """BLEU of a model's choices, and their length relative to that of the references."""
    metric = get("bleu")
    values: Floats = model.scores(data)
    sums = metric.rows(data, by_score(data, values)).sum(axis=0)
    return float(metric.score(sums)), float(sums[0] / sums[1])


if __name__ == "__main__":
    main()
