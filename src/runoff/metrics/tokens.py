"""Tokens of many texts as numbers; every distinct piece between white space is tokenized once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Ints


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of text `i` are `ids[offsets[i]:offsets[i + 1]]`; number `n` is spelled `spelling[n]`."""

    ids: Ints
    offsets: Ints
    spelling: pa.Array

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def lengths(self) -> Ints:
        """Number of tokens of every text."""
        return np.diff(self.offsets)

    def of(self, text: int) -> list[str]:
        """Tokens of one text as they are spelled."""
        found: list[str] = self.spelling.take(
            pa.array(self.ids[self.offsets[text] : self.offsets[text + 1]])
        ).to_pylist()
        return found

    def first(self, texts: int) -> Tokens:
        """The first so many of the texts, without a copy."""
        return Tokens(self.ids[: self.offsets[texts]], self.offsets[: texts + 1], self.spelling)

    def take(self, texts: Ints) -> Tokens:
        """The given texts, in the given order."""
        lengths = self.lengths[texts]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        source = np.arange(offsets[-1]) + np.repeat(self.offsets[texts] - offsets[:-1], lengths)
        return Tokens(frozen(self.ids[source]), frozen(offsets), self.spelling)


def tokenised(texts: pa.Array | Sequence[str], cut: Callable[[str], Sequence[str]]) -> Tokens:
    """Split texts at white space (as `str.split`), cut every piece into tokens, and number the tokens.

    `cut` is called once per distinct piece, so a slow one costs little; it sees only the piece. O(characters).

    Examples
    --------
    >>> found = tokenised(["a-b c", "c"], lambda piece: piece.split("-"))
    >>> found.ids.tolist(), found.offsets.tolist(), found.spelling.to_pylist()
    ([0, 1, 2, 2], [0, 3, 4], ['a', 'b', 'c'])
    """
    array = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())
    # Arrow reads past the end of the last text if that ends in white space.
    split = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(array.cast(pa.large_string())))
    ends = split.offsets.to_numpy().astype(np.int64)
    encoded = split.flatten().dictionary_encode()
    pieces, piece_of = encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)
    numbers: dict[str, int] = {}
    flat: list[int] = []
    starts = np.zeros(len(pieces) + 1, np.int64)
    for at, piece in enumerate(pieces):
        # White space at the ends leaves empty pieces.
        flat.extend(numbers.setdefault(token, len(numbers)) for token in (cut(piece) if piece else ()))
        starts[at + 1] = len(flat)
    lengths = np.diff(starts)[piece_of]
    before = np.concatenate([[0], np.cumsum(lengths)])
    source = np.arange(before[-1]) + np.repeat(starts[:-1][piece_of] - before[:-1], lengths)
    ids = np.asarray(flat, np.int64)[source]
    return Tokens(frozen(ids), frozen(before[ends - ends[0]]), pa.array(list(numbers), pa.large_string()))
