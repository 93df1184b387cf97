"""The three parts of a treebank: to learn from, to choose on, and to judge by."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from runoff.errors import UsageError
from runoff.pipeline.stages import digest
from runoff.tasks.parsing.folds import LONG, repeated, split
from runoff.tasks.parsing.jackknifing import FOLDS
from runoff.tasks.parsing.treebank import Treebank, read_treebank
from runoff.tasks.parsing.treebank_files import find_files

if TYPE_CHECKING:
    from collections.abc import Mapping

Paths: TypeAlias = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class TreebankParts:
    """Train, dev and test, with what there was to say when they were read."""

    train: Treebank
    dev: Treebank
    test: Treebank
    notes: tuple[str, ...] = ()

    def items(self) -> Mapping[str, Treebank]:
        """The parts by name."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def key(self, part: str) -> str:
        """A name for everything that is in a part."""
        return digest([[each.id, each.document, str(each.tree)] for each in self.items()[part]])


def read_parts(paths: Paths, dev: float | Paths = 0.1, test: float | Paths = 0.1, seed: int = 0) -> TreebankParts:
    """Read a treebank and cut it between documents; `dev` and `test` are shares, or files of their own.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "many.mrg"
    >>> _ = path.write_text("(S (NP (PRP I)) (VP (VBP run)))\\n" * 200)  # ten documents of 20
    >>> {name: len(part) for name, part in read_parts(path).items().items()}
    {'train': 160, 'dev': 20, 'test': 20}
    """
    notes: list[str] = []
    _refuse_twice(paths, *(each for each in (dev, test) if not isinstance(each, float | int)))
    given = {name: part for name, part in (("dev", dev), ("test", test)) if not isinstance(part, float | int)}
    shares = {name: float(part) for name, part in (("dev", dev), ("test", test)) if isinstance(part, float | int)}
    for name, share in shares.items():
        if not 0 < share < 1:
            raise UsageError(f"{name} is a share between 0 and 1, or a file of trees; found {share:g}.")
    whole = read_treebank(paths, notes)
    _check_documents(whole, 2 + len(shares))
    cut = split(whole, dev=shares.get("dev", 0.0), test=shares.get("test", 0.0), seed=seed)
    cut |= {name: read_treebank(part, notes) for name, part in given.items()}
    if len(cut["train"].documents()) < 2:
        raise UsageError(
            "one document is left to learn from, and two are needed, so that each can be parsed by a grammar of the "
            f"others: {whole!r}. Smaller shares for dev and test may help."
        )
    notes += _in_train_too(cut)
    return TreebankParts(cut["train"], cut["dev"], cut["test"], tuple(notes))


def folds_for(train: Treebank, folds: int | None) -> int:
    """How many folds to make: as many as were asked for, else ten, or as many as there are documents."""
    return min(FOLDS, len(train.documents())) if folds is None else folds


def _check_documents(treebank: Treebank, needed: int) -> None:
    found = len(treebank.documents())
    if found < needed:
        cut_off = "" if needed == 2 else " and one for each part that is cut off from it"
        raise UsageError(
            f"{needed} documents are needed at least, two to learn from{cut_off}; found {found}: {treebank!r}."
        )


def _refuse_twice(*several: Paths) -> None:
    """No file may be in two parts, be it named or in a folder that is."""
    seen: set[str] = set()
    for paths in several:
        files = {os.path.realpath(file.path) for file in find_files(paths, [])}
        twice = sorted(files & seen)
        if twice:
            raise UsageError(f"{twice[0]} is there twice; what is learned from and what is judged by must differ.")
        seen |= files


def _in_train_too(parts: Mapping[str, Treebank]) -> list[str]:
    """A note for each part that shares long sentences with train, as copies of files under other names do."""
    train, notes = parts["train"], []
    for name in ("dev", "test"):
        both = Treebank([*train, *parts[name]])
        again = sum(repeated(both, [at < len(train) for at in range(len(both))])[len(train) :])
        if again:
            notes.append(
                f"Sentences of {name} with {LONG} words or more that are in train too, word for word: {again:,} of "
                f"{len(parts[name]):,}; what is won on them is not won on new sentences."
            )
    return notes
