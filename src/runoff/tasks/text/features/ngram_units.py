"""The units of n-grams, words or characters, for some lists at a time."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.kernels.code_points import code_points
from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Ints
    from runoff.tasks.text.distinct_texts import DistinctTexts

    Keys = NDArray[np.uint64]

Kind = Literal["words", "characters"]
_BLANKS = frozen(np.array([chr(point).isspace() for point in range(0x3001)]))  # 0x3000 is the last that is one
_UNITS_PER_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class NgramUnits:
    """The units of every text: word ids, or code points of characters.

    Words are hashed by their spelling, so their ids do not matter. Runs of white space are one blank, and there is a
    blank at both ends, so that character n-grams mark where words begin and end.
    """

    lists: DistinctTexts
    before: Ints  # running total of units over lists, approximately
    texts: Callable[[int, int], tuple[Ints, Ints]]  # units of texts first..last, and their offsets
    hashes: Keys
    spelling: pa.Array | None  # of words, by id

    @classmethod
    def of(cls, lists: DistinctTexts, kind: Kind) -> NgramUnits:
        """Words as in `lists.words`, or characters. O(distinct words)."""
        return _words(lists) if kind == "words" else _characters(lists)

    def pieces(self) -> Sequence[tuple[int, int]]:
        """Ranges of lists of about equal work; their number depends on the data alone."""
        cuts = even_cuts(self.before, 1 + int(self.before[-1] - self.before[0]) // _UNITS_PER_PIECE).tolist()
        return list(pairwise(cuts))

    def of_lists(self, first: int, last: int) -> tuple[Ints, Ints, Ints]:
        """For lists first..last: offsets of their texts, offsets of the units of these texts, and the units."""
        offsets = self.lists.offsets[first : last + 1]
        units, starts = self.texts(int(offsets[0]), int(offsets[-1]))
        return frozen(offsets - offsets[0]), starts, units

    def spelled(self, rows: Ints) -> list[str]:
        """Spelling of n-grams, given as rows of units padded with -1; a blank is `_`, and `_` is `\\_`."""
        if self.spelling is None:
            points: list[list[int]] = rows.tolist()
            return ["".join(_character(point) for point in row if point >= 0) for row in points]
        numbers, code = np.unique(rows[rows >= 0], return_inverse=True)
        words = self.spelling.take(pa.array(numbers)).to_pylist()
        codes = np.full_like(rows, -1)
        codes[rows >= 0] = code
        places: list[list[int]] = codes.tolist()
        return [" ".join(words[at] for at in row if at >= 0) for row in places]

    def by_spelling(self, rows: Ints) -> Ints:
        """Order of n-grams by the spellings of their units."""
        if self.spelling is not None:
            rank = np.empty(len(self.spelling) + 1, np.int64)
            rank[pc.sort_indices(self.spelling).to_numpy()] = np.arange(len(self.spelling))
            rank[-1] = -1  # padding
            rows = rank[rows]
        return np.lexsort(rows.T[::-1])


def _words(lists: DistinctTexts) -> NgramUnits:
    words = lists.words
    spelled = words.spelling.to_pylist()
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in spelled)
    hashes = np.frombuffer(digests, "<u8").astype(np.uint64)
    if not spelled:
        hashes = np.zeros(1, np.uint64)  # an empty array stands for characters

    def texts(first: int, last: int) -> tuple[Ints, Ints]:
        starts = words.offsets[first : last + 1]
        return words.ids[starts[0] : starts[-1]], frozen(starts - starts[0])

    return NgramUnits(lists, words.offsets[lists.offsets], texts, frozen(hashes), words.spelling)


def _characters(lists: DistinctTexts) -> NgramUnits:
    array = lists.texts.cast(pa.large_string())
    _, ends_buffer, letters_buffer = array.buffers()
    ends = np.frombuffer(ends_buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    letters = np.frombuffer(letters_buffer or b"", np.uint8)
    if not len(array):
        ends = np.zeros(1, np.int64)

    def texts(first: int, last: int) -> tuple[Ints, Ints]:
        units, starts = code_points(frozen(letters), frozen(ends[first : last + 1]), _BLANKS)
        return frozen(units), frozen(starts)

    return NgramUnits(lists, ends[lists.offsets] + 2 * lists.offsets, texts, frozen(np.empty(0, np.uint64)), None)


def _character(point: int) -> str:
    character = chr(point)
    return {" ": "_", "_": "\\_", "\\": "\\\\"}.get(character, character)
