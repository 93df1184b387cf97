"""Clauses of full parses: how well starts, ends and whole clauses are found, what each part of the tagger adds, speed.

Trained on roles/NAME.train.*, judged on roles/NAME.test.* of the data folder (columns: document, sentence, token, word,
part of speech, parse). Chunks are those of a chunk tagger that is trained on chunks/*.train.*. Parts of speech are
those of the treebank or our own tagger's: on train by taggers of other folds of documents, on test by one of all train.
Usage: python benchmarks/clauses.py [gold | plain | no-chunks | own …]
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.metrics import Resampling
from runoff.pipeline.document_folds import folds_of
from runoff.tables import text_table
from runoff.tasks.tagging import Column, brackets_of, clauses_of_parses, evaluate_clauses, read_corpus
from runoff.tasks.tagging.clause_tagger import likeliest
from runoff.tasks.tagging.clause_training import train_clauses
from runoff.tasks.tagging.clauses import boundary_counts
from runoff.tasks.tagging.corpus_parts import TaggedSentences
from runoff.tasks.tagging.recipes import tagger_recipe
from runoff.tasks.tagging.training import train_tagger
from shared import data_folder, finish, skip

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Ints
    from runoff.tasks.tagging import Corpus
    from runoff.tasks.tagging.tag_sources import TagSource

COLUMNS = "document=1,sentence=2,word=4,pos=5,parse=6"
POS_FOLDS, REPEATS = 4, 3
ROWS = {
    "gold": "gold parts of speech, our chunks",
    "plain": "the same, templates of the recipe alone",
    "no-chunks": "gold parts of speech, no chunks",
    "own": "our parts of speech, our chunks",
}
HEADS = ["", "clauses F", "precision", "recall", "starts F", "ends F", "starts alone", "ends alone", "s", "tokens/s"]
Row = dict[str, Any]


def main() -> None:
    """Measure the rows that were asked for, or all."""
    folder = data_folder()
    pairs = [] if folder is None else _pairs(folder / "roles")
    chunks = [] if folder is None else _pairs(folder / "chunks")
    if not pairs or not chunks:
        skip("no treebank with train and test in roles, or none of chunks; set RUNOFF_DATA")
        return
    wanted = [name for name in ROWS if not sys.argv[1:] or name in sys.argv[1:]]
    results: Row = {"chunks": {}}
    chunker, seconds = _timed_training(read_corpus(chunks[0][0], columns="word,pos,chunk"))
    results["chunks"]["seconds"] = seconds
    for train_file, test_file in pairs:
        name = train_file.name.partition(".")[0]
        train, test = (read_corpus(path, columns=COLUMNS, ragged=True) for path in (train_file, test_file))
        results[name] = measured(train, test, chunker, wanted)
        print(f"\n{name}: {len(train):,} sentences for training, {len(test):,} for testing\n")
        rows = [[ROWS[each], *_shown(results[name][each])] for each in wanted]
        print(text_table(HEADS, rows))
    finish(results)


def measured(train: Corpus, test: Corpus, chunker: TagSource, wanted: list[str]) -> Row:
    """All rows of one treebank."""
    found: Row = {}
    gold = [each.with_column("chunk", chunker.label(each)) for each in (train, test)]
    if "gold" in wanted:
        found["gold"] = row(*gold)
    if "plain" in wanted:
        found["plain"] = row(*gold, templates=tagger_recipe("clauses").templates)
    if "no-chunks" in wanted:
        found["no-chunks"] = row(train, test)
    if "own" in wanted:
        started = time.perf_counter()
        tagged = [train.with_column("pos", jackknifed(train)), test]
        tagged[1] = test.with_column("pos", train_tagger(train, "pos", "pos").label(test))
        seconds = time.perf_counter() - started
        right = [
            float(np.mean(np.array(one["pos"].texts()) == np.array(two["pos"].texts())))
            for one, two in zip(tagged, (train, test), strict=True)
        ]
        own = [each.with_column("chunk", chunker.label(each)) for each in tagged]
        found["own"] = row(*own) | {"pos_accuracy": right, "pos_seconds": seconds}
        print(f"parts of speech: {100 * right[0]:.2f}% right on train, {100 * right[1]:.2f}% on test, {seconds:.0f} s")
    return found


def row(train: Corpus, test: Corpus, **options: Any) -> Row:
    """Train on one corpus, judge on the other."""
    notes: list[str] = []
    started, on_cpu = time.perf_counter(), time.process_time()
    tagger = train_clauses(train, "parse", notes=notes, **options)
    seconds, cpu = time.perf_counter() - started, time.process_time() - on_cpu
    label_seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        guess = tagger.label(test)
        label_seconds.append(time.perf_counter() - started)
    gold = clauses_of_parses(test, "parse")
    judged = test.with_column("clause", brackets_of(gold, test.offsets)).with_column("guess", guess)
    scores = evaluate_clauses(judged, "guess", resampling=Resampling())
    right, of_brackets = boundary_counts(gold, test.n_tokens), boundary_counts(tagger.spans(test), test.n_tokens)
    alone = [likeliest(each) for each in tagger.scores(test)]
    found: Row = {part: scores.score(part) for part in ("f", "precision", "recall")}
    found["interval"] = [scores.intervals["f"].low, scores.intervals["f"].high]
    for at, part in enumerate(("starts", "ends")):
        found[part], found[f"{part}_alone"] = (_tokens_f(right[at], each[at]) for each in (of_brackets, alone))
    return found | {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "tokens_per_second": test.n_tokens / min(label_seconds),
        "notes": notes,
    }


def jackknifed(train: Corpus) -> Column:
    """Parts of speech of every fold by a tagger of the others."""
    fold_of = np.array(folds_of(TaggedSentences(train, "pos").sentences(), POS_FOLDS))
    texts = np.empty(train.n_tokens, object)
    for fold in range(POS_FOLDS):
        tagger = train_tagger(train[fold_of != fold], "pos", "pos")
        texts[np.repeat(fold_of == fold, train.sizes)] = tagger.label(train[fold_of == fold]).texts()
    return Column.of(texts.tolist())


def _tokens_f(gold: Ints, guess: Ints) -> float:
    """F of the tokens at which a clause starts or ends, however many: parts 1 and 2 of CoNLL-2001."""
    return float(200 * ((gold > 0) & (guess > 0)).sum() / ((gold > 0).sum() + (guess > 0).sum()))


def _timed_training(corpus: Corpus) -> tuple[TagSource, float]:
    started = time.perf_counter()
    return train_tagger(corpus, "chunk", "chunks"), time.perf_counter() - started


def _pairs(folder: Path) -> list[tuple[Path, Path]]:
    """Files of train and test that are called the same otherwise."""
    both = [(path, path.with_name(path.name.replace(".train.", ".test."))) for path in sorted(folder.glob("*.train.*"))]
    return [pair for pair in both if pair[1].exists()]


def _shown(result: Row) -> list[str]:
    low, high = result["interval"]
    shares = [f"{result[name]:.2f}" for name in ("precision", "recall", "starts", "ends", "starts_alone", "ends_alone")]
    speed = f"{result['tokens_per_second']:,.0f}"
    return [f"{result['f']:.2f} ({low:.2f} to {high:.2f})", *shares, f"{result['seconds']:.0f}", speed]


if __name__ == "__main__":
    main()
