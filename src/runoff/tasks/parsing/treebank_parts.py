"""Train, dev and test parts of a treebank."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from runoff.errors import UsageError
from runoff.pipeline.document_folds import in_train_too, shares_of, usual_folds
from runoff.pipeline.stages import digest
from runoff.tasks.parsing.folds import sentences_of, split
from runoff.tasks.parsing.treebank import Treebank, read_treebank
from runoff.tasks.parsing.treebank_files import find_files

if TYPE_CHECKING:
    from collections.abc import Mapping

Paths: TypeAlias = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class TreebankParts:
    """Train, dev and test, with the notes from reading them."""

    train: Treebank
    dev: Treebank
    test: Treebank
    notes: tuple[str, ...] = ()

    def items(self) -> Mapping[str, Treebank]:
        """The parts by name."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def key(self, part: str) -> str:
        """A hash of everything in a part."""
        return digest([[each.id, each.document, str(each.tree)] for each in self.items()[part]])


def read_parts(paths: Paths, dev: float | Paths = 0.1, test: float | Paths = 0.1, seed: int = 0) -> TreebankParts:
    """Read a treebank and split it between documents; `dev` and `test` are shares, or separate files.

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
    shares = shares_of(dev, test, "trees")
    whole = read_treebank(paths, notes)
    _check_documents(whole, 2 + len(shares))
    cut = split(whole, dev=shares.get("dev", 0.0), test=shares.get("test", 0.0), seed=seed)
    cut |= {name: read_treebank(part, notes) for name, part in given.items()}
    if len(cut["train"].documents()) < 2:
        raise UsageError(
            "only one document is left for train, and jackknifing needs at least two: "
            f"{whole!r}. Use smaller shares for dev and test."
        )
    notes += in_train_too({name: sentences_of(part) for name, part in cut.items()})
    return TreebankParts(cut["train"], cut["dev"], cut["test"], tuple(notes))


def folds_for(train: Treebank, folds: int | None) -> int:
    """Number of folds: the given one; else ten, or the number of documents, or bundles of them, if there are fewer."""
    return usual_folds(sentences_of(train)) if folds is None else folds


def _check_documents(treebank: Treebank, needed: int) -> None:
    found = len(treebank.documents())
    if found < needed:
        others = "" if needed == 2 else " and one for each of dev and test"
        raise UsageError(f"at least {needed} documents are needed, two for train{others}; found {found}: {treebank!r}.")


def _refuse_twice(*several: Paths) -> None:
    """Raise if a file is in two parts, by itself or in a folder."""
    seen: set[str] = set()
    for paths in several:
        files = {os.path.realpath(file.path) for file in find_files(paths, [])}
        twice = sorted(files & seen)
        if twice:
            raise UsageError(f"{twice[0]} is given twice; train, dev and test must not share files.")
        seen |= files
