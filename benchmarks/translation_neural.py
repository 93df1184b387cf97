"""The second round over neural 50-best lists: by few scores and by many, and merged with phrase-based lists.

`scores`: learners of the lists' own four scores and the first round's, with quality by sentence BLEU and by what a
candidate adds to that of the corpus. `dense`: all dense families. `words`: words and bigrams too, from all training
lists; the others take a third. These are jackknifed, and settings are chosen on val. `stacked`: the four scores with
those of the models of `dense`, and of `words`, weighed by val, settings by its folds. `fresh`: the first of these
judged on training lists that nothing has learned from. `rescored`: two random fields of all dense families and the
scores of Transformers of other seeds and directions (translation_rescorers.py, whose files are in RUNOFF_WORK), one
with quality by sentence BLEU and one by the corpus; and their scores and the Transformers' weighed by val as before,
this recipe having been chosen by five folds of val, five times. `merged`: the lists of a phrase-based translator
(translation.py) joined with the neural ones; these too learn from val. Each row stands twice: as it was learned, and
with its weight of the length moved until, on val, choices are as long as the first round's. What is made is kept in the
folder RUNOFF_WORK; `stacked` and `merged` need the sections before.
Usage: python benchmarks/translation_neural.py [scores | dense | words | stacked | fresh | rescored | merged …]
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
from runoff.features.columns import concat_columns
from runoff.learners import CRF, LogLinear, Perceptron, Pro
from runoff.learners.corpus_quality import credited
from runoff.learners.expected_score import ExpectedScore
from runoff.learners.feature_scaling import spread_within
from runoff.metrics import get, oracle_rows, paired_bootstrap, randomisation
from runoff.model import LinearModel
from runoff.nbest import Features, NBest
from runoff.ranking import by_score
from runoff.tables import text_table
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.translation.featurizer import TranslationFeaturizer
from shared import data_folder, finish, skip
from translation import SOURCE, TARGET, note, texts, tuned, work
from translation_second_round import DENSE

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
OF_WORDS: dict[str, Learner] = {
    "pro, sentences, sigma 0.01": Pro(sigma=0.01, threshold=1.0),
    "pro, sentences, sigma 0.03": Pro(sigma=0.03, threshold=1.0),
    "pro, sentences, sigma 0.1": Pro(sigma=0.1, threshold=1.0),
    "pro, corpus, sigma 0.03": Pro(sigma=0.03, threshold=1.0, credit="corpus"),
}
OF_MERGED: dict[str, Learner] = {
    "pro, sentences": Pro(sigma=0.3),
    "pro, corpus": Pro(sigma=0.3, credit="corpus"),
    "crf, expected loss": CRF(objective="el", l2=1e-3),
}
OF_STACKED: dict[str, Learner] = {"crf, expected loss": CRF(objective="el")}
OF_RESCORED: dict[str, Learner] = {
    "crf, expected loss": CRF(objective="el", l2=[1e-5, 1e-4, 1e-3]),
    "crf, expected loss in the corpus": CRF(objective="el", l2=[1e-5, 1e-4, 1e-3]),
}
OF_RESCORED_STACKED: dict[str, Learner] = {"crf, expected loss": CRF(objective="el", l2=1e-4)}
UNSEEN = 2_500  # training lists that nothing learns from
FIRST, KEPT = "first round", ", length kept"
ENDS = "", KEPT
LENGTHS = "length:words", "pieces"  # the column of the length: of all families, of the scores alone


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / f"{NAME}.train.jsonl.gz").exists():
        skip(f"no neural lists translation/{NAME}.* in the data folder; set RUNOFF_DATA")
        return
    sections = {"scores": scores, "dense": dense, "words": words}
    sections |= {"stacked": stacked, "fresh": fresh, "rescored": rescored, "merged": merged}
    asked = sys.argv[1:] or [name for name in sections if name != "rescored" or (work() / "rescored-val.npz").exists()]
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- lists


@cache
def lists(part: str) -> NBest:
    """The neural lists of a part, with their four scores."""
    return runoff.grade(ungraded(part), "bleu")


def ungraded(part: str) -> NBest:
    """The same without quality."""
    folder = data_folder()
    assert folder is not None  # main has looked
    return runoff.read(folder / "translation" / f"{NAME}.{part}.jsonl.gz")


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


@cache
def with_words(part: str) -> NBest:
    """The neural lists of a part with all dense families, and with words and bigrams that differ in enough lists."""
    path = work() / f"words-{part}.arrow"
    if not path.exists():
        began, featurizer = time.perf_counter(), TextFeaturizer(families="words", min_lists=20)
        for each in ("train", "val", TEST):
            data = lists(each)
            made = featurizer.fit_transform(data, "bleu") if each == "train" else featurizer.transform(data)
            known = with_families(each)
            runoff.write(
                known.replace(features=concat_columns(known.features, made.features)), work() / f"words-{each}.arrow"
            )
            note(f"{each}: {made.features.n_columns:,} words and bigrams after {time.perf_counter() - began:.0f} s")
    return runoff.read(path)


def rescored_columns(part: str) -> tuple[list[str], Floats]:
    """What other Transformers say of the candidates of a part, the mean of those of a kind; of train, a third."""
    with np.load(work() / f"rescored-{part}.npz") as kept:
        models, found = kept["names"].tolist(), kept["scores"].astype(np.float64)
    kinds = sorted({name.rpartition(".")[0] for name in models})
    means = [found[:, [name.startswith(f"{kind}.") for name in models]].mean(axis=1) for kind in kinds]
    return [f"rescored:{kind}" for kind in kinds], np.column_stack(means)


@cache
def with_rescored(part: str) -> NBest:
    """The neural lists of a part with all dense families and the scores of other Transformers; of train, a third."""
    data = with_families(part)
    return with_columns(data[::EVERY] if part == "train" else data, *rescored_columns(part))


@cache
def twice_rescored(part: str) -> NBest:
    """The lists of val or test with the scores of other Transformers, and of both random fields that know these."""
    models = [runoff.load(work() / file_of("rescored", each)) for each in OF_RESCORED]
    table = np.column_stack([model.scores(with_rescored(part)) for model in models])
    names = [f"second:{each}" for each in OF_RESCORED]
    return with_columns(with_columns(lists(part), *rescored_columns(part)), names, table)


def featurizer_of() -> TranslationFeaturizer:
    """All dense families, which know the parallel text."""
    return TranslationFeaturizer(families=DENSE, source_text=texts("train", SOURCE), target_text=texts("train", TARGET))


@cache
def twice(part: str) -> NBest:
    """The neural lists with one score more: that of the second round of section `dense`, the mean of its learners."""
    return with_score(lists(part), "second", second("dense", tuple(OF_DENSE), with_families, part))


def with_second_rounds(part: str) -> NBest:
    """The same with that of section `words` too."""
    return with_score(twice(part), "words", second("words", tuple(OF_WORDS), with_words, part))


def second(section: str, learners: Sequence[str], of: Callable[[str], NBest], part: str) -> Floats:
    """Scores by the mean of the models of a section."""
    models = [runoff.load(work() / file_of(section, each)) for each in learners]
    return mean_of(models, of("val")).scores(of(part))


def with_score(data: NBest, name: str, found: Floats) -> NBest:
    """Lists with one column more."""
    return with_columns(data, [name], found)


def with_columns(data: NBest, names: Sequence[str], found: Floats) -> NBest:
    """Lists with some columns more."""
    table = np.column_stack([data.features.to_scipy().toarray(), found])
    named = [*data.features.column_names().to_pylist(), *names]
    return data.replace(features=Features.of(table.astype(np.float32), named))


@cache
def phrase_based(part: str) -> NBest:
    """The best of a phrase-based translator of the same sentences, with the terms of its score."""
    like = lists(part)
    assert like.inputs is not None  # they are translations with references
    assert like.references is not None
    inputs, references = like.inputs.to_pylist(), like.references.to_pylist()
    found = tuned()[0].nbest(inputs, BEST, references=references, ids=like.group_ids.to_pylist())
    return runoff.grade(found, "bleu")


def joined(part: str) -> NBest:
    """Neural and phrase-based candidates in one list; a score that a system has not given is missing."""
    systems = {"neural": twice(part), "phrases": phrase_based(part)}
    both = runoff.merge(systems, absent="nan", expected="bleu")
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


def words() -> dict[str, Any]:
    """All dense families, and what is said in the words of the training references."""
    return learned("words", with_words("train"), with_words("val"), with_words(TEST), OF_WORDS)


def merged() -> dict[str, Any]:
    """Neural lists, phrase-based lists and both, each learned from val: scores, lengths, and who has a candidate."""
    return from_val({"neural": twice, "phrases": phrase_based, "merged": joined}, OF_MERGED)


def stacked() -> dict[str, Any]:
    """Scores and lengths with the scores of the second rounds that learned from the training lists."""
    return from_val({"with-dense": twice, "with-words": with_second_rounds}, OF_STACKED)


def rescored() -> dict[str, Any]:
    """All dense families with the scores of other Transformers, and what val makes of these and of the models."""
    found: dict[str, Any] = {}
    for credit, (name, learner) in zip(("list", "corpus"), OF_RESCORED.items(), strict=True):
        train = credited(with_rescored("train"), get("bleu"), credit)
        found |= learned("rescored", train, with_rescored("val"), with_rescored(TEST), {name: learner})
    return {"dense": found, **from_val({"with-rescored": twice_rescored}, OF_RESCORED_STACKED)}


def fresh() -> dict[str, Any]:
    """The recipe of the first row of `stacked`, judged on training lists that nothing has learned from."""
    train = ungraded("train")
    numbers = np.array([at for at in range(len(train)) if at % EVERY == 0 or (at % EVERY == 1 and at < EVERY * UNSEEN)])
    is_unseen = numbers % EVERY == 1
    own, featurizer = {"train": runoff.grade(train[numbers], "bleu"), "val": lists("val")}, featurizer_of()
    made = {"train": featurizer.fit_transform(own["train"], "bleu"), "val": featurizer.transform(own["val"])}
    models = []
    for name, learner in OF_DENSE.items():
        learner.set_params(metric="bleu", calibration="none")
        models.append(learner.fit(made["train"][~is_unseen], made["val"]).model)
        note(f"{name}: {bleu_of(models[-1], made['val'])} on val")
    mean, texts_of = mean_of(models, made["val"]), TextFeaturizer(families="scores,length")
    stacked_lists = {part: with_score(own[part], "second", mean.scores(made[part])) for part in own}
    val = texts_of.fit_transform(stacked_lists["val"], "bleu")
    unseen = texts_of.transform(stacked_lists["train"][is_unseen])
    model = OF_STACKED["crf, expected loss"].set_params(metric="bleu", calibration="none").fit(val).model
    found: dict[str, Any] = {}
    for name, each in (("stacked", model), (f"stacked{KEPT}", length_kept(model, val))):
        duel = runoff.compare(each, LinearModel.of({}, base_weight=1.0), unseen, "bleu").duels[0]
        found[name] = [duel.b.score, *bleu_of(each, unseen), duel.lead.delta, duel.lead.low, duel.lead.high, duel.p]
        print(f"{len(unseen):,} unseen lists, {name}: {found[name]}", flush=True)
    return found


def from_val(systems: Mapping[str, Callable[[str], NBest]], learners: Mapping[str, Learner]) -> dict[str, Any]:
    """What is learned from val, and its lead over what the same learner makes of the first system."""
    found: dict[str, Any] = {}
    one_by: dict[str, Floats] = {}  # statistics of the first system's choices, by learner
    for name, of in systems.items():
        featurizer = TextFeaturizer(families="scores,length")
        train = featurizer.fit_transform(of("val"), "bleu")
        test = featurizer.transform(of(TEST))
        metric = get("bleu")
        oracle = float(metric.score(oracle_rows(metric, test).sum(axis=0)))
        print(f"\n{name}: oracle {oracle:.2f}", flush=True)
        found[name] = {"oracle": oracle, **learned(name, train, None, test, learners)}
        for learner in learners:
            model = runoff.load(work() / file_of(name, learner))
            for each, end in ((model, ""), (length_kept(model, train), KEPT)):
                rows = metric.rows(test, by_score(test, each.scores(test)))
                one = one_by.setdefault(f"{learner}{end}", rows)
                if rows is not one:
                    lead = paired_bootstrap(rows, one, metric.score)
                    p = randomisation(rows, one, metric.score)
                    found[name][f"{learner}{end}, over {next(iter(systems))}"] = [lead.delta, lead.low, lead.high, p]
                    told = f"{lead.delta:+.2f} ({lead.low:+.2f} to {lead.high:+.2f}), p {p:.4f}"
                    print(f"{name}, {learner}{end}, over {next(iter(systems))}: {told}", flush=True)
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
            "val": None if val is None else on_val,
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
