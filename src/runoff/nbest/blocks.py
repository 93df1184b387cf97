"""Blocks of lists that belong together, and folds and parts that never cut a block.

A model that has seen a reference or an input in training does better on other lists with it than on new ones, so a
split through such lists shows a gain that new data will not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import UsageError, brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest.core import NBest

NONE, DOCUMENT = "none", "document"
_EITHER, _REFERENCE, _INPUT = "a reference or an input", "a reference", "an input"
_DOCUMENT = "a document"


@dataclass(frozen=True, eq=False)
class Blocks:
    """The number of every list's block, counted from 0 in the order of appearance, and what its lists share."""

    numbers: Ints
    shared: str = ""  # empty: nothing was compared
    given_up: str = ""  # what lists may share across blocks, because most of them would be one block
    largest: int = 0  # lists of that block

    @property
    def count(self) -> int:
        """Number of blocks."""
        return int(self.numbers.max(initial=-1)) + 1

    def note(self, what: str = "folds") -> str:
        """What is kept together in folds or parts, in a sentence; empty where every list stands alone."""
        lists, said = self.numbers.size, []
        if self.count < lists:
            said.append(
                f"{what} keep lists together that share {self.shared}: {lists:,} lists in {self.count:,} blocks."
            )
        if self.given_up:
            said.append(
                f"{what} do not keep lists together that share {self.given_up}: "
                f"{self.largest:,} of {lists:,} lists would be one block."
            )
        return " ".join(each[0].upper() + each[1:] for each in said)

    def folds(self, folds: int, seed: int) -> Ints:
        """Fold of every list: at random by the seed, with about as many lists in each. O(lists log lists).

        Examples
        --------
        >>> np.bincount(Blocks(np.arange(7)).folds(3, seed=0)).tolist()
        [3, 2, 2]
        >>> Blocks(np.array([0, 0, 1, 2, 2]), "a reference").folds(2, seed=0).tolist()
        [1, 1, 0, 0, 0]
        """
        if folds > self.count:
            raise self._too_many(folds, "folds")
        if self.count == self.numbers.size:
            return np.random.default_rng(seed).permutation(self.count) % folds
        return self._dealt(np.full(folds, self.numbers.size / folds), seed)

    def folds_up_to(self, most: int, seed: int) -> Ints:
        """That many folds, or as many as there are blocks where these are fewer."""
        return self.folds(min(most, self.count), seed)

    def parts(self, shares: Sequence[float], seed: int) -> Ints:
        """Part of every list, at random by the seed; the number of parts where the shares leave lists out.

        Part `i` has about `shares[i]` of the lists. O(lists log lists).

        Examples
        --------
        >>> np.bincount(Blocks(np.arange(10)).parts([0.7, 0.2], seed=0)).tolist()
        [7, 2, 1]
        """
        lists = self.numbers.size
        if self.count == lists:
            cuts = np.round(np.cumsum([0.0, *shares]) * lists).astype(np.int64)
            part_of = np.full(lists, len(shares), np.int64)
            order = np.random.default_rng(seed).permutation(lists)
            for part, (start, stop) in enumerate(pairwise(cuts)):
                part_of[order[start:stop]] = part
            return part_of
        if len(shares) > self.count:
            raise self._too_many(len(shares), "parts")
        return self._dealt(np.array([*shares, max(0.0, 1 - sum(shares))]) * lists, seed)

    def _dealt(self, wanted: Floats, seed: int) -> Ints:
        """Deal blocks, the largest first and equal ones at random, to the part that lacks most lists."""
        sizes = np.bincount(self.numbers)
        order = np.random.default_rng(seed).permutation(self.count)
        lacking, part_of = wanted.copy(), np.empty(self.count, np.int64)
        for block in order[np.argsort(-sizes[order], kind="stable")]:
            part_of[block] = np.argmax(lacking)
            lacking[part_of[block]] -= sizes[block]
        return part_of[self.numbers]

    def _too_many(self, asked: int, what: str) -> UsageError:
        lists, blocks = self.numbers.size, self.count
        if blocks == lists:
            return UsageError(f"{lists:,} groups can be split into up to {lists:,} {what}; found {asked:,} {what}.")
        return UsageError(
            f"{lists:,} lists make {blocks:,} blocks of those that share {self.shared}, which can be split into up to "
            f"{blocks:,} {what}; found {asked:,} {what}. Ask for fewer, or group by {NONE!r} to cut through blocks."
        )


def blocks(data: NBest, group_by: str | None = None) -> Blocks:
    """Find the lists that belong together: those that share a reference or the input, directly or through others.

    Texts are compared without white space at their ends; an empty text joins nothing. Where more than half of the
    lists would be one block (one prompt for all, say), only references are compared, then only inputs, then nothing.
    Lists that tell their document (an attribute of that name) are kept together by it instead, unless one has most.
    `group_by` names an attribute of the lists, such as a document or a speaker, that is compared instead; "none"
    compares nothing. O(characters of the texts).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts, said = ["a", "b"] * 5, ["x", "y", "x ", "", ""]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2] * 5, references=said, inputs=["p", "q", "r", "q", "s"])
    >>> found = blocks(data)
    >>> found.numbers.tolist()
    [0, 1, 0, 1, 2]
    >>> found.note()
    'Folds keep lists together that share a reference or an input: 5 lists in 3 blocks.'
    """
    if group_by == NONE:
        return Blocks(frozen(np.arange(len(data))))
    if group_by is not None:
        return Blocks(connected([_of_lists(_attribute(data, group_by))], len(data)), f"the attribute {group_by!r}")
    if DOCUMENT in data.attributes:
        numbers = connected([_of_lists(data.attributes[DOCUMENT])], len(data))
        if 2 * int(np.bincount(numbers, minlength=1).max()) <= len(data):
            return Blocks(numbers, _DOCUMENT)
    references = [] if data.references is None else [_of_references(data.references)]
    inputs = [] if data.inputs is None else [_of_lists(data.inputs)]
    tried = [
        (kind, pairs)
        for kind, pairs in ((_EITHER, references + inputs), (_REFERENCE, references), (_INPUT, inputs))
        if pairs and (kind != _EITHER or (references and inputs))
    ]
    largest = 0
    for at, (kind, pairs) in enumerate(tried):
        numbers = connected(pairs, len(data))
        size = int(np.bincount(numbers, minlength=1).max())
        if 2 * size <= len(data) or size == 1:
            given_up = {_REFERENCE: _INPUT, _INPUT: _REFERENCE}[kind] if at else ""
            return Blocks(numbers, kind, given_up, largest)
        largest = largest or size
    return Blocks(frozen(np.arange(len(data))), "", tried[0][0] if tried else "", largest)


Pairs = tuple["Ints", "Ints"]  # the list of every text, and the text's number: equal texts have equal numbers


def _attribute(data: NBest, name: str) -> pa.Array:
    if name not in data.attributes:
        there = f"there are: {', '.join(data.attributes)}" if data.attributes else "there are none"
        raise UsageError(
            f"the lists have no attribute {brief(name)} to group by; {there}. In JSON lines, a further key of the "
            "lists whose values are texts is an attribute."
        )
    return data.attributes[name]


def _of_lists(texts: pa.Array) -> Pairs:
    return _pairs(np.arange(len(texts)), texts)


def _of_references(lists: pa.Array) -> Pairs:
    return _pairs(pc.list_parent_indices(lists).to_numpy().astype(np.int64), lists.flatten())


def _pairs(list_of: Ints, texts: pa.Array) -> Pairs:
    stripped = pc.utf8_trim_whitespace(texts)
    said = pc.fill_null(pc.not_equal(stripped, ""), fill_value=False)
    codes = stripped.filter(said).dictionary_encode().indices.to_numpy().astype(np.int64)
    return list_of[said.to_numpy(zero_copy_only=False)], codes


def connected(kinds: Sequence[Pairs], lists: int) -> Ints:
    """Number of the connected component of every list, where lists are connected by texts of any kind. O(texts)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first, ends, total = [], [], lists
    for list_of, codes in kinds:
        first.append(list_of)
        ends.append(codes + total)
        total += int(codes.max(initial=-1)) + 1
    edges = (np.concatenate(first), np.concatenate(ends))
    if not _is_shared(*edges):
        return frozen(np.arange(lists))
    graph = coo_array((np.ones(edges[0].size, np.int8), edges), shape=(total, total))
    found = connected_components(graph, directed=False)[1][:lists]
    _, appeared, numbers = np.unique(found, return_index=True, return_inverse=True)
    return frozen(np.argsort(np.argsort(appeared))[numbers])


def _is_shared(list_of: Ints, texts: Ints) -> bool:
    """Whether any text occurs in two lists."""
    order = np.lexsort((list_of, texts))
    same_text = np.diff(texts[order]) == 0
    return bool(np.any(same_text & (np.diff(list_of[order]) != 0)))
