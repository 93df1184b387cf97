"""Word alignments: links between words of sentence pairs, and Pharaoh's text format for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.files import replacing
from runoff.formats.text_file import text_of
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Columns, Ints
    from runoff.tasks.translation.bitext import Bitext

_SURE = "-"
_LINK = r"[0-9]{1,9}[-?p][0-9]{1,9}"
_LINE = re.compile(rf"\s*(?:{_LINK}(?:\s+{_LINK})*)?\s*")
_NO_NUMBER = str.maketrans("-?p", "   ")


@dataclass(frozen=True, eq=False)
class Alignments:
    """Links of sentence i are at `offsets[i]:offsets[i + 1]`, sorted by source, then target position, from 0.

    Examples
    --------
    >>> links = Alignments.of([[(1, 0), (0, 0)], []])
    >>> links.links(0), links.to_pharaoh(), links.reversed().links(0)
    ([(0, 0), (1, 0)], ['0-0 1-0', ''], [(0, 0), (0, 1)])
    """

    offsets: Ints
    source: Columns
    target: Columns

    @classmethod
    def of(cls, links: Sequence[Iterable[tuple[int, int]]]) -> Alignments:
        """Alignments of lists of links, in any order; a link counts once."""
        lists = [sorted(set(each)) for each in links]
        flat = np.array([link for each in lists for link in each], np.int32).reshape(-1, 2)
        sizes = np.array([len(each) for each in lists], np.int64)
        return cls(frozen(np.concatenate([[0], np.cumsum(sizes)])), frozen(flat[:, 0]), frozen(flat[:, 1]))

    @classmethod
    def of_arrays(cls, pair_of: Ints, source: Columns, target: Columns, pairs: int) -> Alignments:
        """Alignments of links in any order, each with the number of its sentence pair. O(links log)."""
        order = np.lexsort((target, source, pair_of))
        pair_of, source, target = pair_of[order], source[order], target[order]
        is_new = np.ones(order.size, np.bool_)
        is_new[1:] = (np.diff(pair_of) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
        sizes = np.bincount(pair_of[is_new], minlength=pairs)
        return cls(
            frozen(np.concatenate([[0], np.cumsum(sizes)])),
            frozen(source[is_new].astype(np.int32)),
            frozen(target[is_new].astype(np.int32)),
        )

    @classmethod
    def of_positions(cls, positions: Columns, offsets: Ints) -> Alignments:
        """Alignments that give every target token one source position, or -1 for none."""
        lengths = np.diff(offsets)
        pair_of = np.repeat(np.arange(lengths.size), lengths)
        target = np.arange(positions.size) - offsets[pair_of]
        linked = positions >= 0
        return cls.of_arrays(pair_of[linked], positions[linked], target[linked].astype(np.int32), lengths.size)

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def pair_of(self) -> Ints:
        """Number of the sentence pair of every link."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def links(self, pair: int) -> list[tuple[int, int]]:
        """Links of one sentence pair as (source position, target position)."""
        here = slice(self.offsets[pair], self.offsets[pair + 1])
        return list(zip(self.source[here].tolist(), self.target[here].tolist(), strict=True))

    def take(self, pairs: Ints) -> Alignments:
        """The alignments of some sentence pairs, in the given order."""
        lengths = np.diff(self.offsets)[pairs]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[pairs] - offsets[:-1], lengths)
        return Alignments(frozen(offsets), frozen(self.source[places]), frozen(self.target[places]))

    def first(self, count: int) -> Alignments:
        """The alignments of the first sentence pairs."""
        return self.take(np.arange(count))

    def placed(self, pairs: Ints, total: int) -> Alignments:
        """These alignments as those of the given ones, in rising order, among `total` pairs; others have no links."""
        lengths = np.zeros(total, np.int64)
        lengths[pairs] = np.diff(self.offsets)
        return Alignments(frozen(np.concatenate([[0], np.cumsum(lengths)])), self.source, self.target)

    def reversed(self) -> Alignments:
        """The same links seen from the target side. O(links log)."""
        return Alignments.of_arrays(self.pair_of, self.target, self.source, len(self))

    def check(self, bitext: Bitext, path: str | Path | None = None) -> None:
        """Raise `DataError` unless there is one alignment per pair, and no link is beyond its sentences."""
        if len(self) != len(bitext):
            raise DataError(
                f"expected one alignment for each of {counted(len(bitext), 'sentence pairs')}, found {len(self):,}.",
                path=path,
            )
        for side, positions, lengths in (
            ("source", self.source, bitext.source.lengths),
            ("target", self.target, bitext.target.lengths),
        ):
            beyond = np.flatnonzero((positions < 0) | (positions >= lengths[self.pair_of]))
            if beyond.size:
                pair = int(self.pair_of[beyond[0]])
                raise DataError(
                    f"a link names {side} position {positions[beyond[0]]}, but the {side} sentence has "
                    f"{counted(int(lengths[pair]), 'words')}, counted from 0.",
                    path=path,
                    line=pair + 1,
                )

    def to_pharaoh(self) -> list[str]:
        """A line per sentence pair, such as `0-0 1-2`: source position, target position."""
        words = [
            f"{source}-{target}" for source, target in zip(self.source.tolist(), self.target.tolist(), strict=True)
        ]
        ends = self.offsets.tolist()
        return [" ".join(words[first:last]) for first, last in pairwise(ends)]

    def write(self, path: str | Path) -> None:
        """Write Pharaoh's text format, as fast_align and Moses do."""
        with replacing(path) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in self.to_pharaoh()), encoding="utf-8")


def read_alignments(path: str | Path, bitext: Bitext | None = None) -> Alignments:
    """Alignments in Pharaoh's text format, checked against the sentence pairs where these are given. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "aligned.txt"
    >>> Alignments.of([[(0, 0), (1, 2)], []]).write(path)
    >>> read_alignments(path).links(0)
    [(0, 0), (1, 2)]
    """
    found, is_sure = _parsed(path)
    if not is_sure.all():
        line = int(found[0][np.argmin(is_sure)]) + 1
        raise DataError(
            "a link is marked as possible; alignments to train from have '-' in every link.", path=path, line=line
        )
    alignments = Alignments.of_arrays(*found)
    if bitext is not None:
        alignments.check(bitext, path)
    return alignments


def read_gold_alignments(path: str | Path, bitext: Bitext | None = None) -> tuple[Alignments, Alignments]:
    """Sure links (`1-2`) and all links, sure and possible (`1?2` or `1p2`), as people drew them.

    There may be fewer lines than sentence pairs: they are then those of the first ones.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = path.write_text("0-0 1?2\\n")
    >>> sure, possible = read_gold_alignments(path)
    >>> sure.links(0), possible.links(0)
    ([(0, 0)], [(0, 0), (1, 2)])
    """
    (pair_of, source, target, pairs), is_sure = _parsed(path)
    sure = Alignments.of_arrays(pair_of[is_sure], source[is_sure], target[is_sure], pairs)
    possible = Alignments.of_arrays(pair_of, source, target, pairs)
    if bitext is not None:
        possible.check(bitext.take(np.arange(min(pairs, len(bitext)))), path)
    return sure, possible


def _parsed(path: str | Path) -> tuple[tuple[Ints, Columns, Columns, int], Bools]:
    """Links in the order of the file: pairs, sources, targets and the number of lines; and whether each is sure."""
    lines = text_of(path, may_be_blank=True).removesuffix("\n").split("\n")
    for at, line in enumerate(lines):
        if not _LINE.fullmatch(line):
            wrong = next(word for word in line.split() if not re.fullmatch(_LINK, word))
            raise DataError(f"expected links such as 0-0 1-2, found {brief(wrong)}.", path=path, line=at + 1)
    sizes = np.array([len(line.split()) for line in lines], np.int64)
    marks = np.array([mark == _SURE for line in lines for mark in line if mark in "-?p"], np.bool_)
    numbers = np.array([number for line in lines for number in line.translate(_NO_NUMBER).split()], np.int32)
    pair_of = np.repeat(np.arange(sizes.size), sizes)
    return (pair_of, numbers[0::2], numbers[1::2], len(lines)), marks
