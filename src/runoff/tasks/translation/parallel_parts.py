"""Train, dev and test parts of parallel text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, UsageError
from runoff.pipeline.document_folds import Sentences, in_train_too, parts_of, shares_of
from runoff.pipeline.stages import digest
from runoff.tables import counted
from runoff.tasks.translation.bitext import read_parallel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Ints

BLOCK = 20  # neighbouring pairs that count as a document


@dataclass(frozen=True, eq=False, repr=False)
class ParallelText:
    """Sentences and their translations: what a translator is trained on.

    Examples
    --------
    >>> ParallelText(("a cat",), ("eine Katze",)).describe()
    {'pairs': 1, 'source words': 2, 'target words': 2}
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    first: Ints | None = None  # number of every pair in the files, where some were taken

    def __len__(self) -> int:
        return len(self.source)

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers get texts as buffers.
        return _rebuilt, (*(pa.array(side, pa.large_string()) for side in (self.source, self.target)), self.first)

    def __repr__(self) -> str:
        return f"{counted(len(self), 'sentence pairs')}, {_words(self.source):,} and {_words(self.target):,} words"

    @property
    def numbers(self) -> Ints:
        """Numbers of the pairs in their files."""
        return np.arange(len(self)) if self.first is None else self.first

    def describe(self) -> dict[str, Any]:
        """Its counts."""
        return {"pairs": len(self), "source words": _words(self.source), "target words": _words(self.target)}

    def documents(self) -> Sequence[str]:
        """Names of its documents: blocks of neighbouring pairs."""
        return list(dict.fromkeys(self._document_of()))

    def sentences(self) -> Sentences:
        """What folds are made from."""
        words = [1 + len(text.split()) for text in self.source]
        return Sentences(self._document_of(), self.source, words, repr(self))

    def check_blocks(self, least: int) -> None:
        """Raise an error unless there are so many blocks of lines, of which none is cut."""
        if len(self.documents()) < least:
            raise UsageError(
                f"{counted(len(self), 'sentence pairs')} are too few: neighbouring ones stay together in blocks of "
                f"{BLOCK} lines, and {least} blocks are needed."
            )

    def take(self, chosen: Bools | Ints) -> ParallelText:
        """Some of the pairs."""
        rows = np.arange(len(self))[chosen]
        source, target = (tuple(side[row] for row in rows.tolist()) for side in (self.source, self.target))
        return ParallelText(source, target, self.numbers[rows])

    def key(self) -> str:
        """A hash of everything that lists depend on."""
        return digest([self.source, self.target, self.numbers.tolist()])

    def _document_of(self) -> list[str]:
        return [f"lines from {1 + at // BLOCK * BLOCK}" for at in self.numbers.tolist()]


def _rebuilt(source: pa.Array, target: pa.Array, first: Ints | None) -> ParallelText:
    return ParallelText(tuple(source.to_pylist()), tuple(target.to_pylist()), first)


@dataclass(frozen=True)
class ParallelParts:
    """Train, dev and test, with the notes from reading them."""

    train: ParallelText
    dev: ParallelText
    test: ParallelText
    notes: tuple[str, ...] = ()

    def items(self) -> Mapping[str, ParallelText]:
        """The parts by name."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def key(self, part: str) -> str:
        """A hash of everything in a part."""
        return self.items()[part].key()


def read_pairs(source: str | Path, target: str | Path) -> ParallelText:
    """Two files of which line i of one is the translation of line i of the other."""
    ours, theirs = read_parallel(source, target)
    if not any(map(str.strip, ours)):
        raise DataError("there are no words: the file is empty.", path=source)
    return ParallelText(tuple(ours), tuple(theirs))


def read_pair_parts(
    paths: tuple[str | Path, str | Path],
    dev: float | tuple[str | Path, str | Path] = 0.1,
    test: float | tuple[str | Path, str | Path] = 0.1,
    seed: int = 0,
) -> ParallelParts:
    """Read parallel text and split it between blocks of lines; `dev` and `test` are shares, or pairs of files."""
    whole = read_pairs(*paths)
    shares = shares_of(dev, test, "parallel text")
    whole.check_blocks(2 + len(shares))
    part_of = np.array(parts_of(whole.sentences(), shares.get("dev", 0.0), shares.get("test", 0.0), seed))
    found = {name: whole.take(part_of == name) for name in ("train", "dev", "test")}
    for name, given in (("dev", dev), ("test", test)):
        if isinstance(given, tuple):
            found[name] = read_pairs(*given)
    if len(found["train"].documents()) < 2:
        raise UsageError(
            f"only {counted(len(found['train']), 'sentence pairs')} are left for train, and jackknifing needs more "
            f"than {BLOCK}; use smaller shares."
        )
    notes = in_train_too({name: part.sentences() for name, part in found.items()})
    return ParallelParts(found["train"], found["dev"], found["test"], tuple(notes))


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)
