"""The second round over lists of a thousand phrase-based translations, as in Shen & Joshi (2005), and past it.

The first round has weights by MERT. `paper`: learners of the 1,000-best lists of val choose among those of test, with
the decoder's terms and eight scores of a word lexicon, 22 features where the paper has 20; rows are MERT on these
lists, the paper's three perceptrons and our other learners, tested against the first round and against
best-versus-rest. `dense`: the same with all dense families. `jackknife`: sparse features too, learned from lists of the
training text, each fold of which was translated by a translator of the others. Settings are chosen by folds of what is
learned from: on val MERT's weights have had their way, and nothing else looks better there. What is made is kept in the
folder RUNOFF_WORK.
Usage: python benchmarks/translation_second_round.py [paper | dense | jackknife …]
"""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import runoff
from runoff.learners import CRF, Boost, LogLinear, Mert, Perceptron, Pro, TreeBoost
from runoff.model import LinearModel
from runoff.tables import text_table
from runoff.tasks.translation.featurizer import TranslationFeaturizer
from runoff.tasks.translation.parallel_parts import ParallelText
from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound
from shared import data_folder, finish, skip
from translation import FOLDER, SOURCE, TARGET, note, texts, thousand, tuned, work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.learners import Learner

# The paper's figures, NIST 2003 Chinese-English: BLEU of test.
PUBLISHED = {"mert": 32.9, "best-vs-rest": 30.9, "splitting": 32.6, "orum": 32.9}
LEARNERS: dict[str, Learner] = {
    "mert": Mert(restarts=20),
    "best-vs-rest": Perceptron(order="best-vs-rest"),
    "splitting": Perceptron(order="gap", top=300, bottom=700),
    "orum": Perceptron(order="mt"),
    "best-vs-rest, slack": Perceptron(order="best-vs-rest", slack=1.0),
    "splitting, slack": Perceptron(order="gap", top=300, bottom=700, slack=1.0),
    "orum, slack": Perceptron(order="mt", slack=1.0),
    "orum, all pairs": Perceptron(order="orum"),
    "ordinal": Perceptron(order="ordinal"),
    "pro": Pro(),
    "loglinear": LogLinear(),
    "crf, expected loss": CRF(objective="el"),
    "boost": Boost(),
    "tree boost": TreeBoost(),
}
FOR_DENSE = (
    "best-vs-rest",
    "splitting",
    "orum",
    "orum, all pairs",
    "pro",
    "loglinear",
    "crf, expected loss",
    "tree boost",
)
FOR_TRAIN = "best-vs-rest", "orum, all pairs", "pro", "loglinear", "crf, expected loss"
DENSE = "scores,position,length,agreement,posteriors,repetition,shape,overlap,lexicon,coverage,fluency"
SPARSE = "words,pairs"
JACKKNIFED, EVERY = 50, 3  # translations of a training sentence; lists of train that are learned from


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / FOLDER).is_dir():
        skip(f"no parallel text translation/{FOLDER} in the data folder; set RUNOFF_DATA")
        return
    sections = {"paper": paper, "dense": dense, "jackknife": jackknife}
    asked = sys.argv[1:] or list(sections)
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- lists


@cache
def featured(part: str) -> runoff.NBest:
    """The thousand best of val or test by the translator with MERT's weights, with all dense features."""
    path = work() / f"featured-{part}.arrow"
    if not path.exists():
        began = time.perf_counter()
        featurizer = TranslationFeaturizer(
            families=DENSE, source_text=texts("train", SOURCE), target_text=texts("train", TARGET)
        )
        translator, _ = tuned()
        for each in ("val", "test"):
            lists = runoff.grade(thousand(translator, each), "bleu")
            made = featurizer.fit_transform(lists, "bleu") if each == "val" else featurizer.transform(lists)
            runoff.write(made, work() / f"featured-{each}.arrow")
            note(f"{each}: {made.n_candidates:,} candidates after {time.perf_counter() - began:.0f} s")
    return runoff.read(path)


def few(data: runoff.NBest) -> runoff.NBest:
    """The decoder's terms and the scores of the lexicon alone."""
    terms = set(tuned()[0].weights)
    names = data.features.column_names().to_pylist()
    kept = [at for at, name in enumerate(names) if name in terms or name.startswith("lexicon:")]
    table = data.features.to_scipy().tocsc()[:, kept].tocsr()
    return data.replace(features=runoff.nbest.Features.of(table, [names[at] for at in kept]))


# ---------------------------------------------------------------- sections


def paper() -> dict[str, Any]:
    """The decoder's terms and a lexicon's scores."""
    return learned(few(featured("val")), few(featured("test")), LEARNERS)


def dense() -> dict[str, Any]:
    """All dense families; MERT's line searches over so many are left out."""
    return learned(featured("val"), featured("test"), {name: LEARNERS[name] for name in FOR_DENSE})


def jackknife() -> dict[str, Any]:
    """All dense families, and words and word pairs too, from lists of the training text."""
    path = work() / "jackknifed.arrow"
    translator, _ = tuned()
    if not path.exists():
        pairs = ParallelText(tuple(texts("train", SOURCE)), tuple(texts("train", TARGET)))
        settings = RoundSettings(weights=translator.weights, decoder=translator.settings, phrase_pairs=False)
        began = time.perf_counter()
        TranslatorRound(settings).jackknife(pairs, path, k=JACKKNIFED, folds=5, threads=None, verbose=False, say=note)
        note(f"jackknifed in {time.perf_counter() - began:.0f} s")
    lists = {"train": runoff.read(path)[::EVERY]}
    references = [[text] for text in texts("test", TARGET)]
    lists["test"] = translator.nbest(texts("test", SOURCE), 100, references=references)
    found: dict[str, Any] = {}
    for families in (DENSE, f"{DENSE},{SPARSE}"):
        began = time.perf_counter()
        featurizer = TranslationFeaturizer(
            families=families, source_text=texts("train", SOURCE), target_text=texts("train", TARGET)
        )
        train = featurizer.fit_transform(runoff.grade(lists["train"], "bleu"), "bleu")
        test = featurizer.transform(runoff.grade(lists["test"], "bleu"))
        note(f"{families}: {train.features.n_columns:,} features in {time.perf_counter() - began:.0f} s")
        found[families] = learned(train, test, {name: LEARNERS[name] for name in FOR_TRAIN})
    return found


def learned(train: runoff.NBest, test: runoff.NBest, learners: Mapping[str, Learner]) -> dict[str, Any]:
    """BLEU of test, the lead over the first round and over best-versus-rest, with intervals and p."""
    models = {"first round": LinearModel.of({}, base_weight=1.0)}
    seconds = {"first round": 0.0}
    for name, learner in learners.items():
        began = time.perf_counter()
        models[name] = learner.set_params(metric="bleu", calibration="none").fit(train).model
        seconds[name] = time.perf_counter() - began
        note(f"{name}: {seconds[name]:.0f} s")
    rows, numbers = [], {}
    for name, model in models.items():
        first = runoff.compare(model, models["first round"], test, "bleu").duels[0]
        rest = runoff.compare(model, models["best-vs-rest"], test, "bleu").duels[0]
        numbers[name] = {
            "test": first.a.score,
            "over first round": [first.lead.delta, first.lead.low, first.lead.high, first.p],
            "over best-vs-rest": [rest.lead.delta, rest.lead.low, rest.lead.high, rest.p],
            "seconds": seconds[name],
            **{key: model.provenance[key] for key in ("tau", "epoch", "converged") if key in model.provenance},
        }
        rows.append(
            [
                name,
                f"{first.a.score:.2f}",
                f"{first.lead.delta:+.2f} ({first.lead.low:+.2f} to {first.lead.high:+.2f})",
                f"{first.p:.4f}",
                f"{rest.lead.delta:+.2f}",
                f"{rest.p:.4f}",
                f"{seconds[name]:.0f}",
                str(PUBLISHED.get(name, "")),
            ]
        )
    columns = ["learner", "BLEU", "over the first round", "p", "over best-vs-rest", "p", "seconds", "published"]
    print(f"\n{train!r}\n{text_table(columns, rows)}", flush=True)
    return numbers


if __name__ == "__main__":
    main()
