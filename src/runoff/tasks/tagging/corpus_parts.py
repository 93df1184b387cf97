"""Train, dev and test parts of a corpus, split between documents."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError, brief
from runoff.pipeline.document_folds import Sentences, in_train_too, parts_of, shares_of
from runoff.pipeline.stages import digest
from runoff.tables import counted
from runoff.tasks.tagging.corpus import WORD, Corpus
from runoff.tasks.tagging.corpus_files import read_corpus, recognise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

BLOCK = 20  # sentences that count as a document where no documents are told


@dataclass(frozen=True, eq=False, repr=False)
class TaggedSentences:
    """Sentences with gold tags: what a tagger is trained on.

    Examples
    --------
    >>> corpus = Corpus.of({"word": ["a", "cat"], "tag": ["O", "O"]}, sizes=[1, 1])
    >>> TaggedSentences(corpus, "tag").describe()
    {'sentences': 2, 'tokens': 2, 'documents': 1}
    """

    corpus: Corpus
    tag: str

    def __len__(self) -> int:
        return len(self.corpus)

    def __repr__(self) -> str:
        return f"{self.sentences().title}, {self.corpus.n_tokens:,} tokens"

    def describe(self) -> dict[str, Any]:
        """Its counts."""
        return {"sentences": len(self), "tokens": self.corpus.n_tokens, "documents": len(self.documents())}

    def documents(self) -> Sequence[str]:
        """Names of its documents."""
        return list(dict.fromkeys(self.document_of()))

    def document_of(self) -> Sequence[str]:
        """The document of every sentence; without any, blocks of neighbouring sentences."""
        if self.corpus.documents is not None:
            return self.corpus.documents
        return [f"sentences from {1 + at // BLOCK * BLOCK}" for at in range(len(self.corpus))]

    def sentences(self) -> Sentences:
        """What folds are made from."""
        words, ends = self.corpus[WORD].texts(), self.corpus.offsets.tolist()
        texts = [" ".join(words[start:stop]) for start, stop in itertools.pairwise(ends)]
        title = f"{counted(len(self), 'sentences')} in {counted(len(self.documents()), 'documents')}"
        return Sentences(self.document_of(), texts, self.corpus.sizes.tolist(), title)

    def take(self, chosen: Any) -> TaggedSentences:
        """Some of the sentences."""
        return TaggedSentences(self.corpus[chosen], self.tag)

    def key(self) -> str:
        """A hash of everything that lists depend on."""
        corpus = self.corpus
        return digest(
            [
                [corpus.ids, list(self.document_of()), corpus.offsets.tolist(), self.tag],
                [[name, column.texts()] for name, column in corpus.columns.items()],
            ]
        )


@dataclass(frozen=True)
class CorpusParts:
    """Train, dev and test, with the notes from reading them."""

    train: TaggedSentences
    dev: TaggedSentences
    test: TaggedSentences
    notes: tuple[str, ...] = ()

    def items(self) -> Mapping[str, TaggedSentences]:
        """The parts by name."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def key(self, part: str) -> str:
        """A hash of everything in a part."""
        return self.items()[part].key()


def read_tagged(
    path: str | Path, tag: str | None = None, notes: list[str] | None = None, **options: Any
) -> TaggedSentences:
    """Read sentences with gold tags: those of the column `tag`, or of the last one.

    What looks like raw text has no tags, so it is read as columns, whose errors say what is wrong.
    """
    if "format" not in options and str(path) != "-" and recognise(path) == "text":
        options = {**options, "format": "columns"}
    corpus = read_corpus(path, notes=notes, **options)
    name = tag or list(corpus.columns)[-1]
    check_tags(corpus, name, path)
    if not corpus.n_tokens:
        raise DataError("there are no words: the file is empty.", path=path)
    ids = corpus.ids or tuple(str(at + 1) for at in range(len(corpus)))
    return TaggedSentences(Corpus(corpus.columns, corpus.offsets, ids, corpus.documents), name)


def check_tags(corpus: Corpus, name: str, path: str | Path) -> None:
    """Raise a `DataError` unless the corpus has a column of tags with this name."""
    if name == WORD or name not in corpus.columns:
        raise DataError(
            f"there is no column of tags {brief(name)}: the columns are {', '.join(corpus.columns)}.", path=path
        )


def read_parts(
    path: str | Path,
    dev: float | str | Path = 0.1,
    test: float | str | Path = 0.1,
    seed: int = 0,
    tag: str | None = None,
    **options: Any,
) -> CorpusParts:
    """Read a corpus and split it between documents; `dev` and `test` are shares, or separate files."""
    notes: list[str] = []
    whole = read_tagged(path, tag, notes, **options)
    shares = shares_of(dev, test, "sentences")
    part_of = np.array(parts_of(whole.sentences(), shares.get("dev", 0.0), shares.get("test", 0.0), seed))
    found = {name: whole.take(part_of == name) for name in ("train", "dev", "test")}
    for name, given in (("dev", dev), ("test", test)):
        if not isinstance(given, float | int):
            found[name] = read_tagged(given, whole.tag, notes, **options)
    if len(found["train"].documents()) < 2:
        raise UsageError("only one document is left for train, and jackknifing needs at least two; use smaller shares.")
    notes += in_train_too({name: part.sentences() for name, part in found.items()})
    return CorpusParts(found["train"], found["dev"], found["test"], tuple(notes))
