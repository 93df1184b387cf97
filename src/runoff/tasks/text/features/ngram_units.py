"""What n-grams are made of: the words of texts by their numbers, or their characters, for some lists at a time."""

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
    from runoff.tasks.text.lists import TextLists

    Keys = NDArray[np.uint64]

Kind = Literal["words", "characters"]
_BLANKS = frozen(np.array([chr(point).isspace() for point in range(0x3001)]))  # 0x3000 is the last that is one
_UNITS_PER_PIECE = 1 << 20


@dataclass(frozen=True, eq=False)
class Units:
    """Units of the texts of lists.

    Words have the hashes of their spellings, so that their numbers do not matter. A character is its code point: runs
    of white space are one blank, and there is one at both ends, so that n-grams know where words begin and end.
    """

    lists: TextLists
    before: Ints  # running total of the units of the lists, about
    texts: Callable[[int, int], tuple[Ints, Ints]]  # units of texts first..last, and where those of each begin
    hashes: Keys
    spelling: pa.Array | None  # of words by their numbers

    @classmethod
    def of(cls, lists: TextLists, kind: Kind) -> Units:
        """Words of texts as `lists.words` has them, or characters. O(different words)."""
        return _words(lists) if kind == "words" else _characters(lists)

    def pieces(self) -> Sequence[tuple[int, int]]:
        """Lists first..last of pieces of about equal work; how many there are depends on the data alone."""
        cuts = even_cuts(self.before, 1 + int(self.before[-1] - self.before[0]) // _UNITS_PER_PIECE).tolist()
        return list(pairwise(cuts))

    def of_lists(self, first: int, last: int) -> tuple[Ints, Ints, Ints]:
        """Where the texts of lists first..last begin, where the units of these texts begin, and the units."""
        offsets = self.lists.offsets[first : last + 1]
        units, starts = self.texts(int(offsets[0]), int(offsets[-1]))
        return frozen(offsets - offsets[0]), starts, units

    def spelled(self, rows: Ints) -> list[str]:
        """Spelling of n-grams, a row of units for each with -1 after the last; a blank is `_`, and `_` is `\\_`."""
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
        """Order of n-grams by the spellings of their units, the first unit first."""
        if self.spelling is not None:
            rank = np.empty(len(self.spelling) + 1, np.int64)
            rank[pc.sort_indices(self.spelling).to_numpy()] = np.arange(len(self.spelling))
            rank[-1] = -1  # where an n-gram has ended
            rows = rank[rows]
        return np.lexsort(rows.T[::-1])


def _words(lists: TextLists) -> Units:
    words = lists.words
    spelled = words.spelling.to_pylist()
    digests = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in spelled)
    hashes = np.frombuffer(digests, "<u8").astype(np.uint64)
    if not spelled:
        hashes = np.zeros(1, np.uint64)  # none at all would stand for characters

    def texts(first: int, last: int) -> tuple[Ints, Ints]:
        starts = words.offsets[first : last + 1]
        return words.ids[starts[0] : starts[-1]], frozen(starts - starts[0])

    return Units(lists, words.offsets[lists.offsets], texts, frozen(hashes), words.spelling)


def _characters(lists: TextLists) -> Units:
    array = lists.texts.cast(pa.large_string())
    _, ends_buffer, letters_buffer = array.buffers()
    ends = np.frombuffer(ends_buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    letters = np.frombuffer(letters_buffer or b"", np.uint8)
    if not len(array):
        ends = np.zeros(1, np.int64)

    def texts(first: int, last: int) -> tuple[Ints, Ints]:
        units, starts = code_points(frozen(letters), frozen(ends[first : last + 1]), _BLANKS)
        return frozen(units), frozen(starts)

    return Units(lists, ends[lists.offsets] + 2 * lists.offsets, texts, frozen(np.empty(0, np.uint64)), None)


def _character(point: int) -> str:
    character = chr(point)
    return {" ": "_", "_": "\\_", "\\": "\\\\"}.get(character, character)
