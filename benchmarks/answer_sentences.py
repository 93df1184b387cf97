"""Answer sentence selection on TREC QA and WikiQA: MAP and MRR beside the published figures of feature-based systems.

Lists without both a right and a wrong sentence are left out of TREC QA's dev and test data, as those who use it do; of
WikiQA's, those without a right one. Training data is used as it is. The learner is the one with the best MAP on the dev
data. Classes of questions are found by the classifier of benchmarks/question_types.py. WikiQA's sentences are in the
order of their document, which published systems do not look at: hence the rows with and without it.

What is made stays in RUNOFF_WORK, if that is set. Prints one JSON object last.
"""

from __future__ import annotations

import argparse
import gzip
import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import runoff
from answer_annotator import annotator_of
from runoff.learners import ListNet, LogLinear, TreeBoost
from runoff.nbest import Features, NBest
from runoff.tables import text_table
from runoff.tasks.answers.question_types import QuestionTypes
from runoff.tasks.answers.question_types_file import load_question_types
from runoff.tasks.answers.sentence_featurizer import CLASS, SentenceFeaturizer
from runoff.tasks.answers.sentence_lists import read_pairs, read_table
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.answers.annotator import Annotator

LEARNERS: dict[str, Callable[[], Any]] = {
    "loglinear": lambda: LogLinear(metric="map"),
    "listnet": lambda: ListNet(metric="map"),
    "trees": lambda: TreeBoost(metric="map"),
}
PARTS = ("train", "dev", "test")


class Selection(NamedTuple):
    """A set of lists, how it is read, and what others had."""

    name: str
    read: Callable[[Path], NBest]
    ending: str
    needs_wrong: bool  # whether lists of right sentences alone are left out too
    published: str


SETS = (
    Selection("trecqa", read_pairs, "xml.gz", True, "Yao et al. 2013: MAP 0.631, MRR 0.748"),
    Selection("wikiqa", read_table, "tsv.gz", False, "Yang et al. 2015, CNN with counts: MAP 0.652, MRR 0.665"),
)


def main() -> None:
    """The sets that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="trecqa, wikiqa; both by default")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    annotator = annotator_of(folder)
    types = _types(folder, annotator)
    result: dict[str, Any] = {}
    for each in (known for known in SETS if not options.sets or known.name in options.sets):
        parts = {part: _read(folder, each, part, annotator, types) for part in PARTS}
        result[each.name] = _measure(each, {part: found[0] for part, found in parts.items()}, with_order=True)
        result[each.name]["left out"] = {part: found[1] for part, found in parts.items()}
        if each.name == "wikiqa":
            bare = {part: _without_order(data) for part, (data, _) in parts.items()}
            result[each.name]["without the order"] = _measure(each, bare, with_order=False)
        told = ", ".join(f"{parts[part][1]} of {part}" for part in PARTS[1:])
        print(f"{each.name}: {each.published}; lists left out: {told}\n", flush=True)
    finish(result)


def _measure(each: Selection, parts: dict[str, NBest], *, with_order: bool) -> dict[str, Any]:
    started = time.perf_counter()
    featurizer = SentenceFeaturizer()
    made = {"train": featurizer.fit_transform(parts["train"])}
    made |= {part: featurizer.transform(parts[part]) for part in ("dev", "test")}
    seconds = time.perf_counter() - started
    models = {name: make().fit(made["train"]).model for name, make in LEARNERS.items()}
    dev = {name: runoff.evaluate(model, made["dev"], "map")["map"].chosen.score for name, model in models.items()}
    best = max(dev, key=lambda name: dev[name])
    found = runoff.evaluate(models[best], made["test"], "map,mrr")
    rows = {f"{best}, chosen on dev": {name: _numbers(found[name].chosen) for name in ("map", "mrr")}}
    names = made["test"].features.column_names().to_pylist()
    for column in ("match:share", "match:bm25", "told:likelihood"):
        alone = runoff.LinearModel.of({column: 1.0})
        only = made["test"].replace(features=_column(made["test"], names.index(column), column))
        single = runoff.evaluate(alone, only, "map,mrr")
        rows[f"{column} alone"] = {name: _numbers(single[name].chosen) for name in ("map", "mrr")}
    if with_order and each.name == "wikiqa":
        rows["order of the document"] = {name: _numbers(found[name].first) for name in ("map", "mrr")}
    title = f"{each.name}, {len(parts['test'])} test lists" + ("" if with_order else ", order not looked at")
    print(f"{title}; dev MAP: " + ", ".join(f"{name} {score:.4f}" for name, score in dev.items()))
    told = [
        [name, *(f"{x['score']:.4f} ({x['low']:.4f} to {x['high']:.4f})" for x in row.values())]
        for name, row in rows.items()
    ]
    print(text_table(["ranked by", "MAP", "MRR"], told), flush=True)
    return {"rows": rows, "dev": dev, "seconds for features": round(seconds, 1), "test lists": len(parts["test"])}


def _without_order(data: NBest) -> NBest:
    """The same lists with their sentences in the order of the alphabet, which also decides between equal scores."""
    texts = [] if data.texts is None else data.texts.to_pylist()
    lists = pairwise(data.offsets.tolist())
    order = [at for first, last in lists for at in sorted(range(first, last), key=texts.__getitem__)]
    return NBest.from_arrays(
        quality=None if data.quality is None else data.quality[order],
        texts=[texts[at] for at in order],
        offsets=data.offsets,
        group_ids=data.group_ids,
        inputs=data.inputs,
        attributes=data.attributes,
        metric=data.metric,
    )


def _numbers(score: Any) -> dict[str, float]:
    return {"score": score.score, "low": score.low, "high": score.high}


def _column(data: NBest, at: int, name: str) -> Features:
    return Features.of(data.features.to_scipy().toarray()[:, [at]], [name])


def _read(folder: Path, each: Selection, part: str, annotator: Annotator, types: QuestionTypes) -> tuple[NBest, int]:
    """A part with the classes of its questions, and how many of its lists are left out."""
    data = each.read(folder / f"answers/{each.name}.{part}.{each.ending}")
    kept = np.arange(len(data)) if part == "train" else np.flatnonzero(_counts(data, needs_wrong=each.needs_wrong))
    left_out = len(data) - kept.size
    data = data[kept]
    questions = [] if data.inputs is None else data.inputs.to_pylist()
    annotated = annotator.annotate_words([text.split() for text in questions])
    return data.replace(attributes={**data.attributes, CLASS: types.predict(annotated)}), left_out


def _counts(data: NBest, *, needs_wrong: bool) -> Any:
    """Which lists count."""
    grades = np.zeros(data.n_candidates) if data.quality is None else data.quality
    right = np.add.reduceat(np.append(grades, 0.0), data.offsets[:-1]) * (data.sizes > 0)
    return (right > 0) & ((right < data.sizes) | (not needs_wrong))


def _types(folder: Path, annotator: Annotator) -> QuestionTypes:
    """The classifier of RUNOFF_WORK, or one that is trained now and stays there."""
    path = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp()) / "question-types.runoff"
    if path.is_file():
        return load_question_types(path)
    with gzip.open(folder / "answers/question-types.train.txt.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(" ", 1) for line in file]
    questions = annotator.annotate_words([text.split() for _, text in lines])
    types = QuestionTypes.fit(questions, [name for name, _ in lines], verbose=True)
    types.save(path)
    return types


if __name__ == "__main__":
    main()
