"""The sets that learners are compared on: lists with features of their own, and texts and trees with features made."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import runoff
from runoff import formats
from runoff.combine.fused_choices import FUSIONS, scores_of_systems
from runoff.errors import UsageError
from runoff.nbest.blocks import blocks
from runoff.tasks.parsing.featurizer import ParseFeaturizer
from runoff.tasks.text import TextFeaturizer
from text import mqm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.nbest import NBest

Part = tuple["NBest", "NBest | None", "NBest"]  # train, dev, test
FOLDS = 5
RUNS = (*range(20, 25), *range(35, 40))  # MQ2008's columns of BM25 and of a language model, each by five fields
DEPTH, FEW = 10, 40  # documents of a run; queries of a small training set


@dataclass(frozen=True)
class Set:
    """Lists to learn from and to be judged on, choices that need no training, and what its task learns by."""

    name: str
    metric: str
    parts: list[Part]
    untrained: dict[str, Callable[[NBest], Floats]] = field(default_factory=dict)
    own: dict[str, Learner] = field(default_factory=dict)  # the task's own default


def sets(folder: Path, words: list[str]) -> Iterator[Set]:
    """The sets whose names contain a word, or all. Large ones are cut down, so that all of it takes minutes."""
    fused: dict[str, Callable[[NBest], Floats]] = {
        FUSIONS[name][0]: partial(fused_scores, name) for name in ("combsum", "rrf")
    }
    runs, own = partial(retrieval_runs, folder), runoff.tasks.get("parsing").default_learner()
    made: dict[str, Callable[[], Set]] = {
        "MQ2008": lambda: Set("MQ2008", "map", letor(folder)),
        "MQ2008, NDCG": lambda: Set("MQ2008, NDCG", "ndcg@10", letor(folder)),
        "MQ2008, 40 queries": lambda: Set("MQ2008, 40 queries", "map", few(letor(folder))),
        "runs": lambda: Set("runs", "map", runs(), fused),
        "runs, 40 queries": lambda: Set("runs, 40 queries", "map", few(runs()), fused),
        "wikiqa": lambda: Set("wikiqa", "map", wikiqa(folder)),
        "switchboard": lambda: Set(
            "switchboard", "quality", by_folds(runoff.read(folder / "speech/switchboard-100best.jsonl.gz"))
        ),
        "moses": lambda: Set("moses", "bleu", by_folds(moses(folder))),
        "multi30k": lambda: Set("multi30k", "bleu", multi30k(folder)),
        "commonvoice": lambda: Set(
            "commonvoice", "wer", featurized(runoff.read(folder / "speech/commonvoice-5best.json.gz"), "wer")
        ),
        "e2e": lambda: Set(
            "e2e", "bleu", featurized(runoff.read(folder / "generation/e2e-16samples.jsonl.gz", metric="bleu"), "bleu")
        ),
        "mqm": lambda: Set("mqm", "quality", featurized(human_scores(folder), "quality")),
        "librispeech": lambda: Set(
            "librispeech", "wer", featurized(runoff.read(folder / "speech/librispeech-other-5best.json.gz"), "wer")
        ),
        "trec9-12": lambda: Set("trec9-12", "map", trec(folder)),
        "trecqa": lambda: Set("trecqa", "map", trecqa(folder)),
        "parses": lambda: Set("parses", "parseval", parses(folder), own={"task's own": own}),
    }
    for name, make in made.items():
        if not words or any(word in name for word in words):
            yield make()


def letor(folder: Path) -> list[Part]:
    """LETOR's five folds."""
    return [
        (runoff.read(fold / "train.txt.gz"), runoff.read(fold / "vali.txt.gz"), runoff.read(fold / "test.txt.gz"))
        for fold in sorted(folder.glob("letor/MQ2008/Fold*"))
    ]


def few(parts: list[Part]) -> list[Part]:
    """The first training queries, without dev data."""
    return [(train[:FEW], None, test) for train, _, test in parts]


def by_folds(data: NBest) -> list[Part]:
    """Every fold judged by what the others teach."""
    fold_of = blocks(data).folds(FOLDS, 0)
    return [(data[fold_of != fold], None, data[fold_of == fold]) for fold in range(FOLDS)]


def retrieval_runs(folder: Path) -> list[Part]:
    """Rankings of the best documents by ten of MQ2008's columns, written as TREC runs and read back."""
    return [
        (as_runs(train), None if dev is None else as_runs(dev), as_runs(test)) for train, dev, test in letor(folder)
    ]


def as_runs(data: NBest, columns: Sequence[int] = RUNS) -> NBest:
    """The lists as the TREC reader gives them, each column as a run."""
    table, grades = data.features.to_scipy().toarray(), np.asarray(data.quality)
    with tempfile.TemporaryDirectory() as temporary:
        paths = [Path(temporary) / f"run{column}" for column in columns]
        for path, column in zip(paths, columns, strict=True):
            with path.open("w") as stream:
                for group in range(len(data)):
                    first, last = data.offsets[group : group + 2]
                    order = np.argsort(-table[first:last, column], kind="stable")[:DEPTH]
                    for rank, at in enumerate(order, 1):
                        stream.write(f"{group} Q0 {at} {rank} {float(table[first + at, column])!r} {path.name}\n")
        with (Path(temporary) / "qrels").open("w") as stream:
            for group in range(len(data)):
                first, last = data.offsets[group : group + 2]
                stream.writelines(f"{group} 0 {at} {grade:.0f}\n" for at, grade in enumerate(grades[first:last]))
        return runoff.read(paths[0], qrels=Path(temporary) / "qrels", runs=paths[1:])


def fused_scores(name: str, data: NBest) -> Floats:
    """Scores of a fusion without training."""
    told = scores_of_systems(data)
    if told is None:
        raise UsageError("there are no several systems to fuse.")
    return FUSIONS[name][1].scores(told)


def wikiqa(folder: Path) -> list[Part]:
    """Sentences that answer a question or do not, with features of texts."""
    return _with_features(*(_questions(folder / f"answers/wikiqa.{part}.tsv.gz") for part in ("train", "dev", "test")))


def _questions(path: Path) -> NBest:
    with gzip.open(path, "rt") as stream:
        lines = [line.rstrip("\n").split("\t") for line in stream]
    asked = {number: question for number, _, question, _ in lines}
    return runoff.NBest.from_arrays(
        groups=[line[0] for line in lines],
        quality=[float(line[1]) for line in lines],
        inputs=list(asked.values()),
        texts=[line[3] for line in lines],
    )


def trec(folder: Path) -> list[Part]:
    """The same for questions of TREC, in shuffled lists: the file has the answering sentences first."""
    with gzip.open(folder / "answers/trec9-12.jsonl.gz", "rt") as stream:
        found = [json.loads(line) for line in stream]
    data = _answers(
        [(each["question"], [right["text"] for right in each["answering"]], each["other"][:20]) for each in found]
    )
    train, dev, test = blocks(data).folds(3, 0) == np.arange(3)[:, None]
    return _with_features(data[train], data[dev], data[test])


def trecqa(folder: Path) -> list[Part]:
    """The same for the sentences of Wang et al. (2007)."""
    return _with_features(*(_xml(folder / f"answers/trecqa.{part}.xml.gz") for part in ("train", "dev", "test")))


def _xml(path: Path) -> NBest:
    with gzip.open(path, "rt") as stream:
        pairs = stream.read().split("<QApairs")[1:]
    return _answers(
        [(_texts(each, "question")[0], _texts(each, "positive"), _texts(each, "negative")) for each in pairs]
    )


def _texts(pair: str, kind: str) -> list[str]:
    return [found.replace("\t", " ") for found in re.findall(rf"<{kind}>\s*(.+)", pair)]


def _answers(questions: list[tuple[str, list[str], list[str]]]) -> NBest:
    rng, records = np.random.default_rng(0), []
    for question, right, wrong in questions:
        both = [{"text": text, "quality": 1.0} for text in right] + [{"text": text, "quality": 0.0} for text in wrong]
        shuffled = [both[at] for at in rng.permutation(len(both))]
        records.append({"input": question, "candidates": shuffled})
    return runoff.NBest.from_records(records)


def _with_features(train: NBest, dev: NBest, test: NBest) -> list[Part]:
    featurizer = TextFeaturizer(families="dense,-lm")
    return [(featurizer.fit_transform(train, "quality"), featurizer.transform(dev), featurizer.transform(test))]


def moses(folder: Path) -> NBest:
    """Translations with fifteen scores."""
    lists, references = (folder / f"translation/moses-100best.{part}.gz" for part in ("nbest", "ref"))
    return runoff.read(lists, references=references)


def multi30k(folder: Path) -> list[Part]:
    """Translations with four scores."""
    train, dev, test = (
        runoff.grade(formats.read(folder / f"translation/multi30k-nmt50.{part}.jsonl.gz")[:1_000], "bleu")
        for part in ("train", "val", "test_2016")
    )
    return [(train, dev[:500], test)]


def human_scores(folder: Path) -> NBest:
    """Translations of 14 systems with human scores."""
    return mqm(folder / "translation/ted-ende-mqm.tsv.gz", folder / "translation/ted-ende-mqm.scores.tsv.gz")


def featurized(data: NBest, metric: str) -> list[Part]:
    """Texts with their dense features; half of the lists are for training."""
    data = runoff.grade(data, metric)
    is_train = blocks(data).folds(2, 0) == 0
    featurizer = TextFeaturizer(families="dense")
    return [(featurizer.fit_transform(data[is_train], metric), None, featurizer.transform(data[~is_train]))]


def parses(folder: Path) -> list[Part]:
    """Trees with all features, a part of the English Web Treebank."""
    train, dev, test = (
        runoff.read(folder / f"parses/ewt.{part}.bllip50.jsonl.gz")[:size]
        for part, size in (("train", 600), ("dev", 200), ("test", 700))
    )
    featurizer = ParseFeaturizer(processes=1)
    return [(featurizer.fit_transform(train, "parseval"), featurizer.transform(dev), featurizer.transform(test))]
