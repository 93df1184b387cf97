"""The second round over lists of a thousand phrase-based translations, as in Shen & Joshi (2005), and past it.

`paper`: learners of the 1,000-best lists of val choose among those of test; rows are the first round with weights by
MERT, MERT over all features of the lists, the paper's three perceptrons and our other learners, with tests of the
difference to the first round and to best-versus-rest. `jackknife`: sparse and dense features learned from lists of the
training text, each fold of which was translated by a translator of the others. Settings are chosen on val, by folds.
What is made is kept in the folder RUNOFF_WORK.
Usage: python benchmarks/translation_second_round.py [paper | jackknife …]
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
from translation import FOLDER, K, SOURCE, TARGET, note, texts, thousand, tuned, work

if TYPE_CHECKING:
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
FAMILIES = "scores,position,length,agreement,posteriors,repetition,overlap,lm,lexicon,coverage"


def main() -> None:
    """All sections, or those that are named."""
    folder = data_folder()
    if folder is None or not (folder / "translation" / FOLDER).is_dir():
        skip(f"no parallel text translation/{FOLDER} in the data folder; set RUNOFF_DATA")
        return
    sections = {"paper": paper, "jackknife": jackknife}
    asked = sys.argv[1:] or list(sections)
    finish({name: sections[name]() for name in asked})


# ---------------------------------------------------------------- lists


@cache
def featurizer() -> TranslationFeaturizer:
    """Dense families that read the parallel text, and nothing of the lists."""
    return TranslationFeaturizer(
        families=FAMILIES, source=texts("train", SOURCE), target=texts("train", TARGET)
    )


@cache
def featured(part: str) -> runoff.NBest:
    """The thousand best of a part by the translator with MERT's weights, with features of whole translations."""
    path = work() / f"featured-{part}.runoff"
    if not path.exists():
        began = time.perf_counter()
        lists = thousand(tuned()[0], part)
        found = featurizer().fit_transform(lists, "bleu") if part == "val" else featurizer().transform(lists)
        runoff.grade(found, "bleu").save(path)
        note(f"{part}: {found.n_candidates:,} candidates in {time.perf_counter() - began:.0f} s")
    return runoff.NBest.load(path)


# ---------------------------------------------------------------- sections


def paper() -> dict[str, Any]:
    """BLEU of test, the lead over the first round and over best-versus-rest, with intervals and p."""
    val, test = featured("val"), featured("test")
    models: dict[str, LinearModel] = {"first round (MERT)": LinearModel.first_round()}
    seconds = {"first round (MERT)": 0.0}
    for name, learner in LEARNERS.items():
        began = time.perf_counter()
        models[name] = learner.set_params(metric="bleu", calibration="none").fit(val).model
        seconds[name] = time.perf_counter() - began
        note(f"{name}: {seconds[name]:.0f} s")
    rows, numbers = [], {}
    for name, model in models.items():
        over_first = runoff.compare(model, models["first round (MERT)"], test, "bleu").duels[0]
        over_best = runoff.compare(model, models["best-vs-rest"], test, "bleu").duels[0]
        facts = {key: model.provenance.get(key) for key in ("tau", "epoch", "epochs", "converged")}
        numbers[name] = {
            "test": over_first.a.score,
            "over first": [over_first.lead.delta, over_first.lead.low, over_first.lead.high, over_first.p],
            "over best-vs-rest": [over_best.lead.delta, over_best.lead.low, over_best.lead.high, over_best.p],
            "seconds": seconds[name],
            **facts,
        }
        rows.append(
            [
                name,
                f"{over_first.a.score:.2f}",
                f"{over_first.lead.delta:+.2f} ({over_first.lead.low:+.2f} to {over_first.lead.high:+.2f})",
                f"{over_best.lead.delta:+.2f}",
                f"{over_best.p:.4f}",
                f"{seconds[name]:.0f}",
                str(PUBLISHED.get(name, "")),
            ]
        )
    columns = ["learner", "BLEU of test", "over the first round", "over best-vs-rest", "p", "seconds", "published"]
    print(f"\nLists of up to {K:,}, learned from {len(val):,} of val\n{text_table(columns, rows)}")
    return numbers


def jackknife() -> dict[str, Any]:
    """A second round learned from lists of the training text."""
    raise NotImplementedError


if __name__ == "__main__":
    main()
