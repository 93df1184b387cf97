"""Jackknifing: training lists for a reranker, each fold parsed by a grammar trained on the other folds.

A parser is far too good on its own training sentences; a reranker trained on such lists would see different ones at
test time (Collins & Koo 2005, section 5; Charniak & Johnson 2005).
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.engines import current
from runoff.errors import DataError, brief
from runoff.files import link_target
from runoff.locks import only_process
from runoff.pipeline.document_folds import FOLDS, LONG, together_note
from runoff.progress import progress
from runoff.tasks.parsing.first_round import asking, check_numbers, propose
from runoff.tasks.parsing.first_round_summary import FirstRoundSummary, ProposalCounts, depths_to
from runoff.tasks.parsing.folds import folds_of, repeated, sentences_of
from runoff.tasks.parsing.grammar import VERSION, Settings, train_grammar
from runoff.tasks.parsing.jackknife_parts import count_stale, key_of, parts_of, remove
from runoff.tasks.parsing.lists import write_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from runoff.arrays import Ints
    from runoff.progress import ProgressCallback
    from runoff.tasks.parsing.first_round import Proposed
    from runoff.tasks.parsing.grammar import Grammar
    from runoff.tasks.parsing.jackknife_parts import FoldPart
    from runoff.tasks.parsing.parse_list import ParseList
    from runoff.tasks.parsing.treebank import Treebank


def jackknife(
    treebank: Treebank,
    path: str | Path,
    settings: Settings | None = None,
    *,
    k: int = 50,
    folds: int | None = FOLDS,
    threads: int | None = None,
    verbose: bool = False,
) -> FirstRoundSummary:
    """Parse every fold of a treebank with a grammar of the other folds, and write the lists in the treebank's order.

    Parameters
    ----------
    treebank
        Sentences with gold trees; folds are made of whole documents.
    path
        Output file, JSON lines; compressed if the name ends in .gz or .zst.
    settings
        Settings of the grammars.
    k
        Maximum number of candidates per list.
    folds
        Number of folds; None: the folds that the sentences have.
    threads
        Number of threads; None: one per core. Results do not depend on it.
    verbose
        Show progress.

    Notes
    -----
    Parsed sentences are saved in the folder `parts_folder(path)` until the lists are written. After an interruption of
    any kind, the same call resumes from them and writes the same lists, byte for byte; while it runs, another process
    is refused. Cost: one training per fold, and parsing every sentence once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence, Treebank
    >>> tree = parse_tree("(TOP (S (NP (PRP I)) (VP (VBP run))))")
    >>> bank = Treebank([Sentence(f"{document}.0", document, tree) for document in "abcd"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.jsonl"
    >>> found = jackknife(bank, path, folds=2, k=2)
    >>> found.sentences, found.f
    (4, 100.0)
    """
    place = link_target(path)
    with only_process(place.with_name(f".{place.name}.lock"), str(path)):
        return _jackknife(treebank, path, settings or Settings(), k, folds, threads, verbose)


def _jackknife(
    treebank: Treebank,
    path: str | Path,
    settings: Settings,
    k: int,
    folds: int | None,
    threads: int | None,
    verbose: bool,
) -> FirstRoundSummary:
    check_numbers(k, threads)
    began = time.monotonic()
    _check_ids(treebank)
    fold_of = folds_of(treebank, folds)
    key = key_of(treebank, fold_of, settings=settings.to_dict(), k=k, grammar=VERSION)
    folder = parts_folder(path)
    others = count_stale(folder, key)
    parts = parts_of(treebank, fold_of, folder, key, depths_to(k))
    tallies = {part.name: tally for each in parts.values() for part in each if (tally := part.kept()) is not None}
    kept = sum(tally.sentences for tally in tallies.values())
    with progress("parsing", len(treebank) - kept, verbose=verbose) as step:
        missing = {
            fold: left
            for fold, its_parts in parts.items()
            if (left := [part for part in its_parts if part.name not in tallies])
        }
        shared = map(current().share, (treebank, np.array(fold_of), settings))
        grammars = current().map(_grammar_without, missing, *shared, alone=True)
        done = 0
        step(done, "training")
        for (fold, its_parts), grammar in zip(missing.items(), grammars, strict=True):
            for part, tally in _parsed(grammar, its_parts, k, threads, partial(_tell, step, done, fold)):
                tallies[part.name] = tally
            done += sum(len(part.sentences) for part in its_parts)
    write_lists(_in_order(parts, fold_of), path)
    remove(folder)
    total = ProposalCounts(depths_to(k))
    for each in parts.values():
        for part in each:
            total.merge(tallies[part.name])
    notes = [f"Saved parts of other data or settings in {folder} were removed: {others:,}."] if others else []
    notes += [] if folds is None else together_note(sentences_of(treebank))
    notes += _seen_before(treebank, fold_of)
    return FirstRoundSummary.of(total, time.monotonic() - began, kept=kept, notes=tuple(notes))


def parts_folder(path: str | Path) -> Path:
    """Folder for saved parts, next to the output file.

    Examples
    --------
    >>> parts_folder("lists/train.jsonl.gz").name
    'train.jsonl.gz.parts'
    """
    return Path(path).with_name(f"{Path(path).name}.parts")


def _check_ids(treebank: Treebank) -> None:
    """Raise for duplicate ids before hours of work, not after."""
    seen: set[str] = set()
    for sentence in treebank:
        if sentence.id in seen:
            raise DataError(f"two sentences of the treebank have the id {brief(sentence.id)}; ids must differ.")
        seen.add(sentence.id)


def _seen_before(treebank: Treebank, fold_of: Sequence[int]) -> list[str]:
    """Notes on what makes the lists too good: copies in other folds, and documents split between folds."""
    notes = []
    again = sum(repeated(treebank, fold_of))
    if again:
        notes.append(
            f"Sentences of at least {LONG} words that also occur, word for word, in another fold: {again:,} of "
            f"{len(treebank):,}. The grammars have seen them, so their lists are optimistically biased."
        )
    pieces = Counter(name for name, _ in {(each.document, fold) for each, fold in zip(treebank, fold_of, strict=True)})
    cut = sum(count > 1 for count in pieces.values())
    if cut:
        notes.append(
            f"Documents that the given folds split: {cut:,} of {len(pieces):,}. "
            "The grammars have seen other sentences of the same document."
        )
    return notes


def _grammar_without(fold: int, treebank: Treebank, fold_of: Ints, settings: Settings) -> Grammar:
    """A grammar of the other folds."""
    rest = [sentence.tree for sentence, its in zip(treebank, fold_of.tolist(), strict=True) if its != fold]
    return train_grammar(rest, settings)


def _parsed(
    grammar: Grammar, parts: Sequence[FoldPart], k: int, threads: int | None, tell: Callable[[int], None]
) -> Iterator[tuple[FoldPart, ProposalCounts]]:
    """Parse the parts of a fold, and save each as soon as it is complete."""
    asked = (asking(sentence, part.fold) for part in parts for sentence in part.sentences)
    done = 0

    def passing(proposed: Iterator[Proposed]) -> Iterator[Proposed]:
        nonlocal done
        for each in proposed:
            yield each
            done += 1
            tell(done)

    with closing(propose(grammar, asked, k, threads=threads)) as proposed:
        for part in parts:
            yield part, part.keep(passing(islice(proposed, len(part.sentences))))


def _tell(step: ProgressCallback, before: int, fold: int, done: int) -> None:
    step(before + done, f"fold {fold}")


def _in_order(parts: Mapping[int, Sequence[FoldPart]], fold_of: Sequence[int]) -> Iterator[ParseList]:
    lists = {fold: chain.from_iterable(part.lists() for part in its_parts) for fold, its_parts in parts.items()}
    return (next(lists[fold]) for fold in fold_of)
