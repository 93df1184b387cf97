"""Lists of taggings as arrays: the words of every list, and tags and phrases of every candidate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from runoff.errors import DataError
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.phrase_statistics import column_of, place_of, split_texts
from runoff.tasks.tagging.schemes import phrases
from runoff.tasks.tagging.tagging_lists import sentences

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints
    from runoff.nbest import NBest
    from runoff.tasks.tagging.corpus import Column
    from runoff.tasks.tagging.spans import Spans

_LARGEST = 1 << 62


class TaggedPhrase(NamedTuple):
    """A phrase of a tagging; its tokens are counted from the beginning of all words."""

    start: int
    stop: int
    label: str


@dataclass(frozen=True, eq=False)
class TaggedLists:
    """What features of taggings are made from."""

    data: NBest
    words: Corpus  # one sentence per list: its words, and its other columns
    tags: Column  # of all candidates, one after the other
    starts: Ints  # first tag of every candidate, and the end

    @classmethod
    def of(cls, data: NBest) -> TaggedLists:
        """Split words, columns and tags; all must have the same length. O(characters)."""
        words = sentences(data)
        texts: pa.Array = data.texts
        lengths, tags = split_texts(texts.fill_null(""))
        wrong = np.flatnonzero(lengths != np.repeat(words.sizes, data.sizes))
        if wrong.size:
            row = int(wrong[0])
            raise DataError(
                f"a tagging needs a tag for every word; {place_of(data, row)} has {lengths[row]:,} tags for "
                f"{words.sizes[data.group_of[row]]:,} words."
            )
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(data, words, column_of(tags), starts)

    @cached_property
    def spans(self) -> Spans:
        """Phrases of all candidates; tokens are counted through all candidates."""
        return phrases(Corpus({"tag": self.tags}, self.starts))

    @cached_property
    def span_candidate(self) -> Ints:
        """The candidate of every phrase."""
        return np.searchsorted(self.starts, self.spans.starts, side="right") - 1

    @cached_property
    def group_of(self) -> Ints:
        """The list of every candidate."""
        return self.data.group_of

    @cached_property
    def word_of(self) -> Ints:
        """The token of `words` that every tag stands for, and one more."""
        sizes = np.diff(self.starts)
        tokens = np.repeat(self.words.offsets[self.group_of] - self.starts[:-1], sizes) + np.arange(len(self.tags))
        return np.append(tokens, self.words.n_tokens)

    @cached_property
    def phrases(self) -> list[TaggedPhrase]:
        """Phrases of all candidates, by tokens of `words`."""
        spans = self.spans
        starts, stops = self.word_of[spans.starts].tolist(), (self.word_of[spans.stops - 1] + 1).tolist()
        return list(map(TaggedPhrase, starts, stops, spans.texts()))

    def documents(self) -> list[str] | None:
        """The document of every list, if they are told."""
        return None if self.words.documents is None else list(self.words.documents)


def numbered(*keys: Ints | Columns) -> tuple[Ints, Ints]:
    """Number the different rows of several columns: where each is first, and the number of every row.

    Examples
    --------
    >>> numbered(np.array([5, 5, 2]), np.array([0, 0, 1]))
    (array([2, 0]), array([1, 1, 0]))
    """
    codes, most = np.zeros(keys[0].size, np.int64), 1
    for key in keys:
        low = int(key.min(initial=0))
        width = int(key.max(initial=0)) - low + 1
        if most * width >= _LARGEST:  # as many numbers as there are rows leave room again
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
            most = int(codes.max(initial=0)) + 1
        codes = codes * width + (key - low)
        most *= width
    first, numbers = np.unique(codes, return_index=True, return_inverse=True)[1:]
    return first, numbers


def names_of(names: list[str]) -> pa.Array:
    """Names of features as an array."""
    return pa.array(names, pa.large_string())
