"""Kinds of questions: accuracy over 6 coarse and 50 fine classes, on the 500 test questions of Li & Roth (2002).

`--folds 5` also cross-validates on the training questions, by which the settings were chosen; it takes five times as
long. Words are annotated by the annotator of benchmarks/answer_annotator.py. Prints one JSON object last.
"""

from __future__ import annotations

import argparse
import gzip
import time
from typing import TYPE_CHECKING

import numpy as np

from answer_annotator import annotator_of
from runoff.tables import text_table
from runoff.tasks.answers.question_types import QuestionTypes, coarse_class
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.annotator import Annotator


def main() -> None:
    """Train on the training questions and test on the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=0, help="also cross-validate on the training questions")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    annotator = annotator_of(folder)
    classes, questions = _read(folder / "answers/question-types.train.txt.gz", annotator)
    gold, asked = _read(folder / "answers/question-types.test.txt.gz", annotator)
    started = time.perf_counter()
    types = QuestionTypes.fit(questions, classes, verbose=True)
    seconds = time.perf_counter() - started
    rows = {"test": accuracies(types.predict(asked), gold)}
    if options.folds:
        fold_of = np.random.default_rng(0).permutation(len(questions)) % options.folds
        found = np.empty(len(questions), object)
        for fold in range(options.folds):
            train, held = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            part = QuestionTypes.fit([questions[at] for at in train], [classes[at] for at in train])
            found[held] = part.predict([questions[at] for at in held])
        rows[f"training questions, {options.folds} folds"] = accuracies(found.tolist(), classes)
    told = [[name, *(f"{value:.1f}" for value in row)] for name, row in rows.items()]
    print(text_table(["accuracy", "coarse", "fine"], told))
    scores = {name: {"coarse": coarse, "fine": fine} for name, (coarse, fine) in rows.items()}
    finish({"train seconds": round(seconds, 1), **scores})


def accuracies(found: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    """Shares of right coarse and fine classes, in percent."""
    pairs = list(zip(found, gold, strict=True))
    coarse = np.mean([coarse_class(one) == coarse_class(two) for one, two in pairs])
    return 100 * float(coarse), 100 * float(np.mean([one == two for one, two in pairs]))


def _read(path: Path, annotator: Annotator) -> tuple[list[str], list[AnnotatedSentence]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(" ", 1) for line in file]
    return [name for name, _ in lines], annotator.annotate_words([text.split() for _, text in lines])


if __name__ == "__main__":
    main()
