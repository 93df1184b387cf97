"""Phrases of several taggers combined, beside each tagger alone and reranking of their merged lists.

Taggers: averaged perceptron, random field (the recipe's; its ten best taggings, and as a system of its own the phrases
with the fewest errors to be expected), boosted trees. The filter and the reranker learn from lists that taggers of
other folds made; a fifth of the training documents is dev, on which the filter's prior, calibration and price and what
learners choose are chosen. Entities are those of TREC's answering sentences (a question is a document; test: TREC 11),
chunks those of CoNLL-2000 (blocks of 20 sentences are documents). Test is labelled once.
Usage: python benchmarks/combine_taggers.py [entities | chunks] [--folds 4] [--k 10] [--every N] [--rounds 40]
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import runoff
from runoff.combine import train_combiner
from runoff.learners import LogLinear
from runoff.pipeline.document_folds import folds_of
from runoff.report.combination import evaluate_combination
from runoff.tasks.tagging import Corpus, TaggerSettings, read_corpus, to_nbest
from runoff.tasks.tagging.corpus_parts import TaggedSentences
from shared import data_folder, finish, skip
from tagging_second_round import _words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.tasks.tagging import Tagger

TEST = 11  # the TREC whose questions are kept aside
BLOCK = 20  # sentences of a document of chunks
SIGMAS = (0.1, 0.3, 1.0)  # widths of the filter's prior
SYSTEMS: dict[str, tuple[str | None, dict[str, Any]]] = {
    "field": (None, {}),
    "perceptron": ("perceptron", {"epochs": 10}),
    "trees": ("trees", {}),
}
EVIDENT = "field-spans"  # the field's phrases with the fewest errors to be expected


def main() -> None:
    """Measure the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["entities"])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--every", type=int, default=1, help="learn from every Nth document")
    parser.add_argument("--rounds", type=int, default=40, help="trees for every tag")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    finish({part: measured(part, folder, options) for part in options.parts})


def measured(part: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Tables of the combination with and without a reranker."""
    train, test = entities(folder) if part == "entities" else chunks(folder)
    documents = np.unique(np.array(train.documents), return_inverse=True)[1]
    is_dev = documents % 5 == 0
    dev, train = part_of(train, is_dev), part_of(train, ~is_dev & (documents % options.every == options.every - 1))
    print(f"{part}: {len(train):,} training sentences, {len(dev):,} dev, {len(test):,} test", flush=True)
    lists = merged(part, train, dev, test, options)
    found: dict[str, Any] = {}
    widths: tuple[float, ...] = SIGMAS
    for name, rerankers in {
        "filter of the systems alone": None,
        "filter with a reranker": {"reranker": LogLinear(sigma=[0.3, 1.0], calibration="none")},
    }.items():
        tried = {}
        for sigma in widths:
            learner = LogLinear(sigma=sigma, calibration="none")
            tried[sigma] = train_combiner(
                lists["train"], lists["dev"], task="tagging", rerankers=rerankers, learner=learner
            )
        dev_f = {sigma: max(each.provenance["prices"].values()) for sigma, each in tried.items()}
        chosen = max(dev_f, key=dev_f.__getitem__)
        widths = (chosen,)
        report = evaluate_combination(lists["test"], tried[chosen])
        print(
            f"\n{part}, {name}: sigma {chosen:g}, price {tried[chosen].price:g}, dev F {dev_f}\n\n{report}", flush=True
        )
        found[name] = {"dev": dev_f, **report.to_dict()}
    return found


def merged(part: str, train: Corpus, dev: Corpus, test: Corpus, options: argparse.Namespace) -> dict[str, NBest]:
    """Merged lists of all systems; those of train by taggers of the other folds."""
    fold_of = np.array(folds_of(TaggedSentences(train, "tag").sentences(), options.folds))
    lists: dict[str, dict[str, NBest]] = {"train": {}, "dev": {}, "test": {}}
    for name, (learner, parameters) in SYSTEMS.items():
        started = time.process_time()
        given = {"rounds": options.rounds} if name == "trees" else parameters
        settings = TaggerSettings(part, learner=learner, parameters=given)
        proposers: dict[str, Callable[[Tagger, Corpus], tuple[Any, Any]]] = {
            name: lambda tagger, data: nbest(tagger, data, options.k)
        }
        if name == "field":
            proposers[EVIDENT] = lambda tagger, data: (sentence_tags(tagger.label(data, decoding="spans"), data), None)
        if name == "trees":
            proposers[name] = lambda tagger, data: (sentence_tags(tagger.label(data), data), None)
        made: dict[str, list[Any]] = {each: [None] * len(train) for each in proposers}
        for fold in range(options.folds):
            tagger: Any = settings.train(part_of(train, fold_of != fold), "tag")
            own = part_of(train, fold_of == fold)
            for each, propose in proposers.items():
                taggings, scores = propose(tagger, own)
                for at, place in enumerate(np.flatnonzero(fold_of == fold)):
                    made[each][place] = taggings[at], None if scores is None else scores[at]
        tagger = settings.train(train, "tag")
        for each, propose in proposers.items():
            lists["train"][each] = as_lists(train, *zip(*made[each], strict=True))
            for which, data in (("dev", dev), ("test", test)):
                lists[which][each] = as_lists(data, *propose(tagger, data))
        print(f"{name}: {time.process_time() - started:.0f} CPU s", file=sys.stderr, flush=True)
    return {which: runoff.merge(own) for which, own in lists.items()}


def nbest(tagger: Tagger, data: Corpus, k: int) -> tuple[Any, Any]:
    """The best taggings with their scores."""
    found = tagger.nbest(data, k)
    return found.tags, found.scores


def as_lists(data: Corpus, taggings: Any, scores: Any = None) -> NBest:
    """Lists of taggings, with scores where there are any."""
    known = None if scores is None or scores[0] is None else list(scores)
    return to_nbest(data, list(taggings), known)


def sentence_tags(column: Any, data: Corpus) -> list[list[list[str]]]:
    """One tagging for every sentence."""
    tags = column.texts()
    return [[tags[start:stop]] for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True)]


def part_of(corpus: Corpus, kept: Any) -> Corpus:
    """Some of the sentences."""
    part: Corpus = corpus[np.flatnonzero(kept)]
    return part


def entities(folder: Path) -> tuple[Corpus, Corpus]:
    """Sentences that answer a question, and those of the questions that test."""
    parts: list[dict[str, list[Any]]] = [
        {"word": [], "pos": [], "tag": [], "size": [], "id": [], "doc": []} for _ in range(2)
    ]
    with gzip.open(folder / "answers/trec9-12.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            question = json.loads(line)
            own = parts[question["trec"] == TEST]
            for at, sentence in enumerate(question["answering"]):
                columns = [_words(sentence[name]) for name in ("text", "pos", "ner")]
                if len({len(column) for column in columns}) > 1:
                    continue
                own["word"] += columns[0]
                own["pos"] += columns[1]
                own["tag"] += ["O" if each == "-" else f"{each[-1]}-{each[:-2]}" for each in columns[2]]
                own["size"].append(len(columns[0]))
                own["id"].append(f"{number}.{at}")
                own["doc"].append(f"question {number}")
    train, test = (
        Corpus.of({name: own[name] for name in ("word", "pos", "tag")}, own["size"], own["id"], own["doc"])
        for own in parts
    )
    return train, test


def chunks(folder: Path) -> tuple[Corpus, Corpus]:
    """CoNLL-2000, in blocks."""
    found = []
    for name in ("train", "test"):
        corpus = read_corpus(folder / f"chunks/conll2000.{name}.txt.gz", columns="word,pos,tag")
        columns = {each: corpus[each].texts() for each in ("word", "pos", "tag")}
        count = len(corpus)
        found.append(
            Corpus.of(
                columns,
                corpus.sizes.tolist(),
                [str(at) for at in range(count)],
                [str(at // BLOCK) for at in range(count)],
            )
        )
    return found[0], found[1]


if __name__ == "__main__":
    main()
