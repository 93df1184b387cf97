"""Taggers beside python-crfsuite: parts of speech, chunks and entities; accuracy or F1, training time and speed.

Every tagger of a row "same features" learns from the features of the recipe's templates, and crfsuite gets the same
ones ready-made, as short texts: finding them is not in its times. All of them give the best tagging. The row "recipe"
is what `train_tagger` and `Tagger.label` do with the recipe's own learner and the usual decoding. Settings were chosen
on held-out parts of the training data; test data is labelled once. Speeds are of labelling on one core: Runoff's from
words to tags, crfsuite's from ready-made features to tags.

Prints a table per task, and one JSON object last. `--quick` leaves out L-BFGS, which takes minutes; `--recipes` leaves
out all rows "same features".
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.learners import ChainCRF, ChainPerceptron
from runoff.tables import text_table
from runoff.tasks.tagging.corpus import Column, Corpus
from runoff.tasks.tagging.recipes import tagger_recipe
from runoff.tasks.tagging.span_rules import span_f1, span_tags
from runoff.tasks.tagging.token_features import TokenFeatures
from runoff.tasks.tagging.training import train_tagger
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Ints

    Result = dict[str, Any]

FOLDS = 5
MOST = 100  # steps of L-BFGS
PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "crfsuite averaged perceptron": ("ap", {"max_iterations": 15}),
    "crfsuite crf (L-BFGS)": ("lbfgs", {"c1": 0.0, "c2": 0.25, "max_iterations": MOST}),
}
OURS: dict[str, Any] = {
    "averaged perceptron": ChainPerceptron(epochs=10),
    "crf (SGD)": ChainCRF(solver="sgd", sigma=2.0, epochs=10),
    "crf (L-BFGS)": ChainCRF(sigma=2.0, max_iter=MOST),
}


class TaggingData(NamedTuple):
    """A task: its recipe, the column of tags, and two corpora."""

    recipe: str
    column: str
    train: Corpus
    test: Corpus


def main() -> None:
    """Run all tasks whose data is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without L-BFGS")
    parser.add_argument("--recipes", action="store_true", help="the recipes alone")
    parser.add_argument("tasks", nargs="*", help="pos, chunks, entities; all by default")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    peers = {name: peer for name, peer in PEERS.items() if not (options.quick and peer[0] == "lbfgs")}
    if importlib.util.find_spec("pycrfsuite") is None:
        print("python-crfsuite is not installed; `pip install python-crfsuite` to compare with it.")
        peers = {}
    result: Result = {}
    for data in _tasks(folder):
        if not options.tasks or data.recipe in options.tasks:
            ours = {name: each for name, each in OURS.items() if not (options.quick and "L-BFGS" in name)}
            result[data.recipe] = _measure(data, {}, {}) if options.recipes else _measure(data, ours, peers)
    finish(result)


def _measure(data: TaggingData, ours: dict[str, Any], peers: dict[str, Any]) -> Result:
    # Compile everything first, so that no time has it.
    train_tagger(data.train[:20], data.column, data.recipe).label(data.test[:20])
    for learner in ours.values():
        train_tagger(data.train[:20], data.column, data.recipe, learner=learner).label(data.test[:20])
    rows: dict[str, Result] = {}
    measure = "F1" if span_tags(data.train[data.column].values) else "accuracy"
    for name, chosen in {"recipe": None, **{f"same features: {each}": one for each, one in ours.items()}}.items():
        encoding = None if chosen is None else "none"  # crfsuite has the tags as they are
        started = time.perf_counter()
        tagger = train_tagger(data.train, data.column, data.recipe, learner=chosen, encoding=encoding)
        seconds = time.perf_counter() - started
        decoding = None if chosen is None else "best"
        speed, found = _speed(
            lambda tagger=tagger, decoding=decoding: tagger.label(data.test, decoding=decoding), data.test.n_tokens
        )
        rows[name] = {measure: _score(data, found), "train seconds": seconds, "tokens per second and core": speed}
        if name == "recipe" and tagger.decoding == "spans":
            for title, other in (("the best tagging", "best"), ("highest expected F1 of all sentences", "f1")):
                rows[f"recipe, {title}"] = {measure: _score(data, tagger.label(data.test, decoding=other))}
    for name, (algorithm, parameters) in peers.items():
        rows[f"same features: {name}"] = _peer(data, algorithm, parameters, measure)
    titles = [measure, "train seconds", "tokens per second and core"]
    told = [[name, *(f"{row[key]:,.2f}" if key in row else "" for key in titles)] for name, row in rows.items()]
    print(f"\n{data.recipe}: {data.train.n_tokens:,} training tokens, {data.test.n_tokens:,} test tokens")
    print(text_table(["tagger", *titles], told), flush=True)
    return rows


def _speed(label: Any, tokens: int) -> tuple[float, Column]:
    """Tokens per second on one core, the best of three; and the tags."""
    before = os.environ.get("RUNOFF_THREADS")
    os.environ["RUNOFF_THREADS"] = "1"
    best = 0.0
    for _ in range(3):
        started = time.perf_counter()
        found = label()
        best = max(best, tokens / (time.perf_counter() - started))
    del os.environ["RUNOFF_THREADS"]
    if before is not None:
        os.environ["RUNOFF_THREADS"] = before
    return best, found


def _score(data: TaggingData, found: Column) -> float:
    """F1 of spans, or accuracy, in percent."""
    right = data.test[data.column].texts()
    tags = list(dict.fromkeys([*found.values, *right]))
    number = {tag: at for at, tag in enumerate(tags)}
    codes = [np.array([number[tag] for tag in texts], np.int32) for texts in (found.texts(), right)]
    rules = span_tags(tags)
    if rules is None:
        return 100 * float(np.mean(codes[0] == codes[1]))
    return 100 * span_f1(rules, codes[0], codes[1], data.test.offsets)


def _peer(data: TaggingData, algorithm: str, parameters: dict[str, Any], measure: str) -> Result:
    """Crfsuite with the recipe's features, which it gets as texts of their numbers."""
    import pycrfsuite

    recipe = tagger_recipe(data.recipe)
    features = TokenFeatures.fit(data.train, recipe.templates, min_count=recipe.min_count)
    tags, offsets = data.train[data.column].texts(), data.train.offsets.tolist()
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    trainer.set_params(parameters)
    for at, sentence in enumerate(_texts(features, data.train)):
        trainer.append(sentence, tags[offsets[at] : offsets[at + 1]])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        started = time.perf_counter()
        trainer.train(path)
        seconds = time.perf_counter() - started
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        test = [pycrfsuite.ItemSequence(sentence) for sentence in _texts(features, data.test)]
        started = time.perf_counter()
        found = [tag for sentence in test for tag in tagger.tag(sentence)]
        speed = data.test.n_tokens / (time.perf_counter() - started)
    score = _score(data, Column.of(found))
    return {measure: score, "train seconds": seconds, "tokens per second and core": speed}


def _texts(features: TokenFeatures, corpus: Corpus) -> Iterator[list[list[str]]]:
    data = features.transform(corpus)
    numbers, indptr, offsets = data.features.tolist(), data.indptr.tolist(), data.offsets.tolist()
    for first, last in pairwise(offsets):
        yield [list(map(str, numbers[indptr[at] : indptr[at + 1]])) for at in range(first, last)]


# -------------------------------------------------------------------- data


def _tasks(folder: Path) -> Iterator[TaggingData]:
    columns = {"word": 3, "pos": 4}
    parts = [folder / "roles" / f"ewt.{part}.conll.gz" for part in ("train", "test")]
    if _are_there("parts of speech", *parts):
        yield TaggingData("pos", "pos", *(_columns(part, columns, "\t") for part in parts))
    columns = {"word": 0, "pos": 1, "chunk": 2}
    parts = [folder / "chunks" / f"conll2000.{part}.txt.gz" for part in ("train", "test")]
    if _are_there("chunks", *parts):
        yield TaggingData("chunks", "chunk", *(_columns(part, columns) for part in parts))
    answers = folder / "answers" / "trec9-12.jsonl.gz"
    if _are_there("entities", answers):
        corpus, fold_of = _entities(answers)
        yield TaggingData("entities", "entity", corpus[fold_of != 0], corpus[fold_of == 0])


def _are_there(what: str, *paths: Path) -> bool:
    missing = [path for path in paths if not path.exists()]
    if missing:
        print(f"{what}: skipped, {missing[0]} is not there.")
    return not missing


def _columns(path: Path, columns: dict[str, int], separator: str | None = None) -> Corpus:
    texts: dict[str, list[str]] = {name: [] for name in columns}
    sizes = [0]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(separator)
            if not line.strip():
                sizes.append(0)
                continue
            for name, at in columns.items():
                texts[name].append(fields[at])
            sizes[-1] += 1
    return Corpus.of(texts, [size for size in sizes if size])


def _entities(path: Path) -> tuple[Corpus, Ints]:
    """Sentences that answer questions, with entities as B-TYPE and I-TYPE, and the fold of each one's question."""
    texts: dict[str, list[str]] = {"word": [], "pos": [], "entity": []}
    sizes, folds = [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            for sentence in json.loads(line)["answering"]:
                words, tags, entities = (sentence[name].split() for name in ("text", "pos", "ner"))
                if not len(words) == len(tags) == len(entities):
                    continue
                texts["word"] += words
                texts["pos"] += tags
                texts["entity"] += ["O" if each == "-" else f"{each[-1]}-{each[:-2]}" for each in entities]
                sizes.append(len(words))
                folds.append(number % FOLDS)
    return Corpus.of(texts, sizes), np.array(folds)


if __name__ == "__main__":
    main()
