"""The annotator of questions and answering sentences: parts of speech, chunks, entities, on data that it has not seen.

Parts of speech are learned from the English Web Treebank, chunks from CoNLL-2000, entities from the tagged sentences of
TREC's questions but those of TREC 11, which test them. The annotator stays in RUNOFF_WORK/annotator.runoff, if that is
set, and is taken from there: other benchmarks of answers use it too. Prints one JSON object last.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.tasks.answers.annotated import leading_letter
from runoff.tasks.answers.annotator import Annotator
from runoff.tasks.answers.annotator_file import load_annotator
from runoff.tasks.tagging.columns import read_columns
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.tag_scores import evaluate_tags
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from collections.abc import Iterable

TEST = 11  # the TREC whose questions are kept aside


def main() -> None:
    """Measure all three taggers."""
    folder = data_folder()
    if folder is None:
        skip("there is no folder of real data; RUNOFF_DATA names one")
        return
    started = time.perf_counter()
    annotator = annotator_of(folder)
    seconds = time.perf_counter() - started
    tags = read_columns(folder / "roles/ewt.test.conll.gz", "word=4,pos=5", ragged=True)
    chunks = read_columns(folder / "chunks/conll2000.test.txt.gz", "word,_,chunk")
    entities = _entities(each for each in _questions(folder) if each["trec"] == TEST)
    parts = {"parts of speech (EWT test)": (tags, "pos", annotator.pos, "accuracy")}
    parts["chunks (CoNLL-2000 test)"] = (_tagged(chunks, annotator), "chunk", annotator.chunks, "f")
    parts["entities (TREC 11)"] = (_tagged(entities, annotator), "entity", annotator.entities, "f")
    result: dict[str, Any] = {"seconds to train or open": round(seconds, 1)}
    for name, (corpus, column, tagger, measure) in parts.items():
        guessed = corpus.with_column(column, tagger.label(corpus))
        result[name] = round(evaluate_tags(corpus, guessed, column=column, raw=column == "pos").score(measure), 2)
        print(f"{name}: {measure} {result[name]:.2f}, {corpus.n_tokens:,} tokens")
    finish(result)


def annotator_of(folder: Path) -> Annotator:
    """The annotator of RUNOFF_WORK, or one that is trained now and stays there."""
    path = Path(os.environ.get("RUNOFF_WORK") or tempfile.mkdtemp()) / "annotator.runoff"
    if path.is_file():
        return load_annotator(path)
    annotator = Annotator.train(
        read_columns(folder / "roles/ewt.train.conll.gz", "word=4,pos=5", ragged=True),
        read_columns(folder / "chunks/conll2000.train.txt.gz", "word,_,chunk"),
        _entities(each for each in _questions(folder) if each["trec"] != TEST),
        verbose=True,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    annotator.save(path)
    return annotator


def _questions(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "answers/trec9-12.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _entities(questions: Iterable[dict[str, Any]]) -> Corpus:
    """Tagged sentences, the questions among them."""
    words: list[str] = []
    tags: list[str] = []
    sizes: list[int] = []
    for question in questions:
        pairs = [(question["question"], question["question_ner"])]
        pairs += [(each["text"], each["ner"]) for each in question["answering"]]
        for text, entities in pairs:
            own = text.split()
            words += own
            tags += map(leading_letter, entities.split())
            sizes.append(len(own))
    return Corpus.of({"word": words, "entity": tags}, sizes)


def _tagged(corpus: Corpus, annotator: Annotator) -> Corpus:
    return corpus.with_column("pos", annotator.pos.label(corpus))


if __name__ == "__main__":
    main()
