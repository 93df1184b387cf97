"""The second round over lists of phrase-based translations: the comparison of Shen & Joshi (2005), and past it.

The first round is the translator of translation.py with weights by MERT; lists of training sentences are jackknifed:
each fold is translated by a translator of the others. `paper`: the thousand best of 1,000 training sentences (the paper
had 993), the decoder's terms and the dense features that cost no comparison of all pairs, the paper's three perceptrons
as it has them, and our other learners; tested against the first round and against best-versus-rest. `short`: the 50
best of every third training sentence, all dense features; `sparse`: words and word pairs besides. All settings are
chosen by folds of the lists that are learned from: on val MERT's weights have had their way, and nothing else looks
better there.
What is made is kept in the folder RUNOFF_WORK.
Usage: python benchmarks/translation_second_round.py [paper | short | sparse …]
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import runoff
from runoff.learners import CRF, LogLinear, Perceptron, Pro
from runoff.model import LinearModel
from runoff.tables import text_table
from runoff.tasks.translation.featurizer import TranslationFeaturizer
from runoff.tasks.translation.parallel_parts import ParallelText
from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound
from shared import data_folder, finish, skip
from translation import FOLDER, SOURCE, TARGET, K, note, texts, tuned, work

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.learners import Learner
    from runoff.nbest import NBest

FIRST, REST = "MERT's choice", "best-versus-rest"
SENTENCES, FOLDS = 1_000, 5
SHORT, EVERY, TEST_SHORT = 50, 3, 100  # translations of a training sentence, lists that are learned from, and of test
CHEAP = "scores,length,posteriors,repetition,lexicon,coverage,fluency"
DENSE = "scores,position,length,agreement,posteriors,repetition,shape,overlap,lexicon,coverage,fluency"
# The paper's figures, NIST 2003 Chinese-English: BLEU of test.
PUBLISHED = {FIRST: 32.9, REST: 30.9, "splitting, 300 and 700": 32.6, "uneven margins, pair filter": 32.9}
OTHERS: dict[str, Learner] = {
    "uneven margins, all pairs": Perceptron(order="orum", max_epochs=20, patience=5),
    "PRO": Pro(),
    "log-linear": LogLinear(),
    "random field, expected loss": CRF(objective="el"),
}
# "A distinct dimension is introduced for each sample to make the training data separable": slack.
OF_PAPER: dict[str, Learner] = {
    REST: Perceptron(order="best-vs-rest", slack=1.0, max_epochs=20, patience=5),
    "splitting, 300 and 700": Perceptron(order="gap", top=300, bottom=700, slack=1.0, max_epochs=20, patience=5),
    "uneven margins, pair filter": Perceptron(order="mt", slack=1.0, max_epochs=20, patience=5),
    **OTHERS,
}
OF_SHORT: dict[str, Learner] = {REST: Perceptron(order="best-vs-rest", max_epochs=20, patience=5), **OTHERS}


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / FOLDER).is_dir():
        skip(f"no parallel text translation/{FOLDER} in the data folder; set RUNOFF_DATA")
        return
    sections = {"paper": paper, "short": short, "sparse": sparse}
    asked = sys.argv[1:] or list(sections)
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- lists


def jackknifed(name: str, k: int, most: int | None = None) -> NBest:
    """Lists of training sentences by translators of other folds."""
    path = work() / f"{name}.arrow"
    if not path.exists():
        translator, _ = tuned()
        pairs = ParallelText(tuple(texts("train", SOURCE)), tuple(texts("train", TARGET)))
        settings = RoundSettings(weights=translator.weights, decoder=translator.settings, phrase_pairs=False)
        began = time.perf_counter()
        how: dict[str, Any] = {"k": k, "folds": FOLDS, "threads": None, "verbose": False, "say": note, "most": most}
        TranslatorRound(settings).jackknife(pairs, path, **how)
        note(f"jackknifed in {time.perf_counter() - began:.0f} s")
    return runoff.read(path)


def featured(name: str, families: str, train: NBest, k: int) -> tuple[NBest, NBest]:
    """Lists of train and test with features."""
    paths = [work() / f"featured-{name}-{part}.arrow" for part in ("train", "test")]
    if not all(path.exists() for path in paths):
        began = time.perf_counter()
        sides: dict[str, Any] = {"source_text": texts("train", SOURCE), "target_text": texts("train", TARGET)}
        featurizer = TranslationFeaturizer(families=families, **sides)
        runoff.write(featurizer.fit_transform(runoff.grade(train, "bleu"), "bleu"), paths[0])
        note(f"features of train in {time.perf_counter() - began:.0f} s")
        lists = tuned()[0].nbest(texts("test", SOURCE), k, references=[[text] for text in texts("test", TARGET)])
        runoff.write(featurizer.transform(runoff.grade(lists, "bleu")), paths[1])
        note(f"features of test in {time.perf_counter() - began:.0f} s")
    train, test = (runoff.read(path) for path in paths)
    return train, test


# ---------------------------------------------------------------- sections


def paper() -> dict[str, Any]:
    """Lists of a thousand, and the paper's learners."""
    return learned("paper", *featured("paper", CHEAP, jackknifed("jackknifed-1000", K, SENTENCES), K), OF_PAPER)


def short() -> dict[str, Any]:
    """Short lists of many more sentences."""
    return of_short("short", DENSE)


def sparse() -> dict[str, Any]:
    """The same with words and word pairs."""
    return of_short("sparse", f"{DENSE},words,pairs")


def of_short(section: str, families: str) -> dict[str, Any]:
    """Lists of every third sentence, with these families."""
    lists = jackknifed("jackknifed-50", SHORT)[::EVERY]
    return learned(section, *featured(section, families, lists, TEST_SHORT), OF_SHORT)


def learned(section: str, train: NBest, test: NBest, learners: Mapping[str, Learner]) -> dict[str, Any]:
    """BLEU of test, the lead over the first round and over best-versus-rest, with intervals and p."""
    print(f"\n{train!r}", flush=True)
    models = {FIRST: LinearModel.of({}, base_weight=1.0)}
    for name, learner in learners.items():
        path = work() / f"{section}-{name.replace(' ', '-')}.runoff"
        if not path.exists():
            began = time.perf_counter(), time.process_time()
            learner.set_params(metric="bleu", calibration="none").fit(train).model.save(path)
            note(f"{name}: {time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of CPU")
        models[name] = runoff.load(path)
    rows, numbers = [], {}
    for name, model in models.items():
        first = runoff.compare(model, models[FIRST], test, "bleu").duels[0]
        rest = runoff.compare(model, models[REST], test, "bleu").duels[0]
        leads = [(duel.lead.delta, duel.lead.low, duel.lead.high, duel.p) for duel in (first, rest)]
        told = ("order", "tau", "credit", "epochs", "sigma", "l2", "chosen_by_folds", "sigma_scores")
        numbers[name] = {
            "test": first.a.score,
            "over the first round": leads[0],
            "over best-versus-rest": leads[1],
            **{key: model.provenance[key] for key in told if key in model.provenance},
        }
        row = [name, f"{first.a.score:.2f}"]
        for delta, low, high, p in leads:
            row += [f"{delta:+.2f} ({low:+.2f} to {high:+.2f})", f"{p:.4f}"]
        rows.append([*row, str(PUBLISHED.get(name, ""))])
    columns = ["learner", "BLEU", f"over {FIRST}", "p", f"over {REST}", "p", "published"]
    print(text_table(columns, rows), flush=True)
    return numbers


if __name__ == "__main__":
    main()
