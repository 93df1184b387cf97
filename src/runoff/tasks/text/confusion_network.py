"""Texts of a list as one confusion network: slots, in each of which every text has a word or none.

As ROVER aligns the outputs of recognisers one after another (Fiscus 1997), with two differences. It begins at the most
central text and goes on to those further away, so that the order of the list does not matter. And a word is compared
with all that a slot has, by the edits to be expected (as in the incremental alignment of translations, Rosti et al.
2008), of which words that are spelled alike need less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels import confusion_network as kernel
from runoff.kernels.edit_lists import edit_sums, nearest_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Ints

NOTHING = ""  # what a text without a word has in a slot
_ALIKE = kernel.UNIT // 2  # of an edit, what words of the same letters would save
_MOST_COMPARED = 200  # texts among which the most central one is looked for
_MOST_SPELLED = 4_000  # words; more are aligned without regard to how they are spelled: a table has their square
_CELLS = 1 << 31  # of the table of an alignment, one byte each


@dataclass(frozen=True, eq=False)
class ConfusionNetwork:
    """Words in slots: `labels[text, slot]` is a place in `spelling`, or -1 for no word.

    Examples
    --------
    >>> network = ConfusionNetwork.of([["the", "cat", "sat"], ["a", "cat"], ["the", "cad", "sat"]])
    >>> network.rows()
    [['the', 'cat', 'sat'], ['a', 'cat', ''], ['the', 'cad', 'sat']]
    >>> network.against(["a", "cad", "sad"]), network.fewest_edits(["a", "cad", "sad"])
    (['a', 'cad', 'sad'], 1)
    """

    labels: Columns
    spelling: tuple[str, ...]
    costs: Columns  # of words in place of others

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> ConfusionNetwork:
        """Align the words of every text; equal texts count once, so that copies change nothing, nor does the order.

        The most central text is the one with the fewest edits to the others, which follow by their edits to it; of
        equal ones the first in the alphabet. O(k² n²/64) to find it for k texts of n words, among 200 if there are
        more; O(k n s d) to align, for s slots of d different words.
        """
        distinct = sorted(set(map(tuple, texts)))
        number: dict[str, int] = {}
        flat = [number.setdefault(word, len(number)) for text in distinct for word in text]
        words = frozen(np.array(flat, np.int64))
        offsets = frozen(np.concatenate([[0], np.cumsum([len(text) for text in distinct])]).astype(np.int64))
        costs = _costs(list(number))
        longest = int(np.diff(offsets).max(initial=0))
        if (longest + 1) * (len(flat) + 1) > _CELLS:
            raise DataError(
                f"texts of {longest:,} words are too long to be aligned word by word; split them into sentences first."
            )
        found = kernel.confusion_network(offsets, words, _order(offsets, words, len(number)), costs)
        place = {text: at for at, text in enumerate(distinct)}
        return cls(frozen(found[[place[tuple(text)] for text in texts]]), tuple(number), costs)

    @property
    def n_slots(self) -> int:
        """Number of slots."""
        return int(self.labels.shape[1])

    def rows(self) -> list[list[str]]:
        """The word of every text in every slot; "" for none. O(texts x slots)."""
        spelling = (*self.spelling, NOTHING)
        return [[spelling[word] for word in row] for row in self.labels.tolist()]

    def against(self, text: Sequence[str]) -> list[str]:
        """What a further text, such as a reference, has in every slot; words without a slot are left out.

        Of its alignments those come first that need the fewest edits to any path of the network, then the fewest to
        the texts. Cost as to add a text.
        """
        said = [NOTHING] * self.n_slots
        for word, place in zip(text, self._places(text).tolist(), strict=True):
            if place % 2:
                said[place // 2] = word
        return said

    def likeness(self, one: str, other: str) -> float:
        """Share of the letters of the longer of two words of the network that the other has in the same order.

        By the edits between them; 0 in networks of so many words that spelling is not compared.

        Examples
        --------
        >>> ConfusionNetwork.of([["cat"], ["cast"]]).likeness("cat", "cast")
        0.75
        """
        if not self.costs.size:
            return 0.0
        cost = int(self.costs[self._number[one], self._number[other]])
        return (kernel.UNIT - cost) / _ALIKE if one != other else 1.0

    def fewest_edits(self, text: Sequence[str]) -> int:
        """Edits between a text and the path nearest to it: with a reference, the oracle of the network."""
        said = self.against(text)
        offered = [set(column) for column in zip(*self.rows(), strict=True)]
        slotless = len(text) - sum(word != NOTHING for word in said)
        return slotless + sum(word not in there for word, there in zip(said, offered, strict=True))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: at for at, word in enumerate(self.spelling)}

    def _places(self, text: Sequence[str]) -> Ints:
        words = frozen(np.array([self._number.get(word, -1) for word in text], np.int64))
        rows = frozen(np.sort(np.unique(self.labels, axis=0, return_index=True)[1]).astype(np.int64))
        if (words.size + 1) * (self.n_slots + 1) > _CELLS:
            raise DataError(f"a reference of {words.size:,} words is too long to be aligned with these texts.")
        above = rows.size * kernel.UNIT * (words.size + self.n_slots) + 1
        found: Ints = kernel.align(words, self.labels, rows, self.costs, above)
        return found


def _costs(spelling: Sequence[str]) -> Columns:
    """Cost of every word in place of every other; none where there are too many."""
    if len(spelling) > _MOST_SPELLED:
        return frozen(np.zeros((0, 0), np.int32))
    number: dict[str, int] = {}
    flat = np.array([number.setdefault(letter, len(number)) for word in spelling for letter in word], np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in spelling])]).astype(np.int64)
    found: Columns = kernel.spelling_costs(frozen(offsets), frozen(flat), len(number), _ALIKE)
    return frozen(found)


def _order(offsets: Ints, words: Ints, n_words: int) -> Ints:
    """The most central text first, then the others by their edits to it."""
    n_texts = offsets.size - 1
    compared = min(n_texts, _MOST_COMPARED)
    if not compared:
        return frozen(np.zeros(0, np.int64))
    bounds = frozen(np.array([0, compared]))
    middle = int(np.argmin(edit_sums(bounds, offsets[: compared + 1], words, n_words, np.ones((compared, 1)))))
    reference = offsets[middle : middle + 2]
    edits = nearest_edits(frozen(np.array([0, n_texts])), offsets, frozen(np.array([0, 1])), reference, words, n_words)[
        :, 0
    ]
    return frozen(np.argsort(edits, kind="stable").astype(np.int64))
