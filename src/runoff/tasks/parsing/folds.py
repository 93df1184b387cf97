"""Folds and parts of a treebank, between documents; see `runoff.pipeline.document_folds`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.pipeline import document_folds
from runoff.pipeline.document_folds import Sentences
from runoff.tasks.parsing.treebank import Treebank

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def sentences_of(treebank: Treebank) -> Sentences:
    """What folds are made from."""
    documents = [sentence.document for sentence in treebank]
    return Sentences(
        documents, [sentence.text for sentence in treebank], [each.tree.end for each in treebank], repr(treebank)
    )


def folds_of(treebank: Treebank, folds: int | None = None) -> list[int]:
    """Fold of each sentence: whole documents, about equal numbers of words; None: the folds that the sentences have.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> trees = [parse_tree(f"(TOP (NP {'(NN dog) ' * words}))") for words in (3, 3, 2, 4)]
    >>> bank = Treebank([Sentence(str(at), "aabc"[at], tree) for at, tree in enumerate(trees)])
    >>> folds_of(bank, 2)
    [0, 0, 1, 1]
    """
    return _given_folds(treebank) if folds is None else document_folds.folds_of(sentences_of(treebank), folds)


def _given_folds(treebank: Treebank) -> list[int]:
    # A negative number means no fold: lists of a parser that was trained on other data.
    given = [sentence.fold for sentence in treebank if sentence.fold is not None and sentence.fold >= 0]
    if len(given) < len(treebank):
        raise UsageError(
            f"{len(treebank) - len(given):,} of {len(treebank):,} sentences have no fold; give the number of folds."
        )
    if len(set(given)) < 2:
        raise UsageError("all sentences have the same fold; give the number of folds.")
    return given


def repeated(treebank: Treebank, parts: Sequence[Hashable]) -> list[bool]:
    """Which long sentences also occur, word for word, in another part. O(words)."""
    return document_folds.repeated(sentences_of(treebank), parts)


def split(treebank: Treebank, dev: float = 0.1, test: float = 0.1, seed: int = 0) -> dict[str, Treebank]:
    """Split into train, dev and test at random, between documents; sentences keep their order.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.treebank import Sentence
    >>> bank = Treebank([Sentence(str(at), str(at), parse_tree("(TOP (UH oh))")) for at in range(100)])
    >>> {name: len(part) for name, part in split(bank, dev=0.1, test=0.2).items()}
    {'train': 70, 'dev': 10, 'test': 20}
    """
    part_of = document_folds.parts_of(sentences_of(treebank), dev, test, seed)
    return {
        part: Treebank(each for each, its in zip(treebank, part_of, strict=True) if its == part)
        for part in ("train", "dev", "test")
    }
