"""Parallel text: line i of one file is the translation of line i of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.formats.streams import spooled
from runoff.formats.text_file import text_of
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Ints
    from runoff.metrics.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Bitext:
    """Sentence pairs as tokens; either side of a pair may be empty.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> pairs = Bitext(tokenised(["the cat", "a dog"], str.split), tokenised(["die Katze", "ein Hund"], str.split))
    >>> len(pairs), pairs.take(np.array([1])).target.of(0)
    (2, ['ein', 'Hund'])
    """

    source: Tokens
    target: Tokens

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise UsageError(
                f"parallel text needs as many source as target sentences; found {len(self.source):,} and "
                f"{len(self.target):,}."
            )

    def __len__(self) -> int:
        return len(self.source)

    def take(self, pairs: Ints) -> Bitext:
        """Some of the pairs, with the same numbers of words."""
        return Bitext(self.source.take(pairs), self.target.take(pairs))

    def fit_for_training(self, longest: int = 100, ratio: float = 9.0) -> Ints:
        """Numbers of the pairs that can be aligned: no side empty, none too long, neither far longer than the other."""
        source, target = self.source.lengths, self.target.lengths
        shorter, longer = np.minimum(source, target), np.maximum(source, target)
        return np.flatnonzero((shorter > 0) & (longer <= longest) & (longer <= ratio * shorter))


def read_sentences(path: str | Path) -> list[str]:
    """The lines of a text file or of standard input (`-`), plain, gzip or zstd, empty ones too. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("A cat.\\n\\nA dog.\\n")
    >>> read_sentences(path)
    ['A cat.', '', 'A dog.']
    """
    with spooled(path) as file:
        return text_of(file, may_be_blank=True).removesuffix("\n").split("\n")


def read_parallel(source: str | Path, target: str | Path) -> tuple[list[str], list[str]]:
    """The lines of two files that belong together."""
    ours, theirs = read_sentences(source), read_sentences(target)
    check_parallel(ours, theirs, source, target)
    return ours, theirs


def check_parallel(ours: Sequence[str], theirs: Sequence[str], source: str | Path, target: str | Path) -> None:
    """Raise an error where the files have different numbers of lines."""
    if len(ours) != len(theirs):
        raise DataError(
            f"it has {counted(len(theirs), 'lines')}, but {source} has {counted(len(ours), 'lines')}; line i of one "
            "must be the translation of line i of the other.",
            path=target,
        )
