"""The second round on taggings: chunks (CoNLL-2000) and entities (TREC questions), from columns to proof.

The pipeline as `runoff tag pipeline` runs it: a tagger, its k best taggings of train by jackknifing over documents
(chunks: blocks of 20 sentences; entities: all sentences of a question), features of whole taggings, learners chosen on
dev, one evaluation on test. Usage: python benchmarks/tagging_second_round.py [chunks | entities] [--k 20] [--folds 5]
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from runoff import tasks
from runoff.pipeline import run_pipeline
from runoff.tasks.tagging import Corpus, TaggerRound, TaggerSettings, write_corpus
from runoff.tasks.tagging.tagger_round import PIPELINE_METRICS
from shared import data_folder, finish, skip

RERANKERS = ("loglinear", "crf", "orum")


def main() -> None:
    """Run the parts whose data is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["chunks", "entities"])
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    finish({part: measured(part, folder, options.k, options.folds) for part in options.parts})


def measured(part: str, folder: Path, k: int, folds: int) -> dict[str, Any]:
    """Scores of the first round, of the choice and of the oracle on test."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        path: Path = folder / "chunks/conll2000.train.txt.gz"
        test: float | Path = folder / "chunks/conll2000.test.txt.gz"
        how: dict[str, Any] = {"columns": "word,pos,tag"}
        if part == "entities":
            path, test, how = Path(work) / "entities.jsonl", 0.2, {}
            write_corpus(entities(folder / "answers/trec9-12.jsonl.gz"), path)
        found = run_pipeline(
            tasks.get("tagging"),
            path,
            Path(work) / "out",
            first_round=TaggerRound(TaggerSettings(part), tag="tag", reading=how),
            metrics=PIPELINE_METRICS["conlleval"],
            k=k,
            folds=folds,
            test=test,
            recipes=RERANKERS,
        )
    print(found, flush=True)
    return {"seconds": time.perf_counter() - began, "chosen": found.learner, **found.numbers["test"]}


def entities(path: Path) -> Corpus:
    """Sentences that answer a question, with parts of speech and types of entities; a question is a document."""
    words: list[str] = []
    pos: list[str] = []
    tags: list[str] = []
    sizes, ids, documents = [], [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            for at, sentence in enumerate(json.loads(line)["answering"]):
                parts = [_words(sentence[name]) for name in ("text", "pos", "ner")]
                if len({len(part) for part in parts}) > 1:
                    continue
                words += parts[0]
                pos += parts[1]
                tags += ["O" if each == "-" else f"{each[-1]}-{each[:-2]}" for each in parts[2]]
                sizes.append(len(parts[0]))
                ids.append(f"{number}.{at}")
                documents.append(f"question {number}")
    return Corpus.of({"word": words, "pos": pos, "tag": tags}, sizes, ids, documents)


def _words(text: str | list[str]) -> list[str]:
    return text.split() if isinstance(text, str) else text


if __name__ == "__main__":
    main()
