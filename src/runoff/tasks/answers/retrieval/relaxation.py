"""Boolean retrieval that is relaxed step by step, after España-Bonet and Comas (2012), section 4.2.

All keywords must be in a passage, in a row in which at most so many words are between one occurrence and the next.
Where too few passages have that, the row may be looser, and then the least salient keyword need not be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.postings import are_near, followed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Ints
    from runoff.tasks.answers.retrieval.segment import Segment

WIDENINGS = (1, 2, 4)  # times the words between


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Passages of a segment that have a keyword, and where: as the postings of a term."""

    passages: Columns
    place_offsets: Ints
    places: Columns
    n_words: int


def occurrences(segment: Segment, words: Sequence[str]) -> Occurrences:
    """Where words follow each other. O(their postings)."""
    lists = [_postings(segment, word) for word in words]
    found = lists[0]
    for distance, other in enumerate(lists[1:], 1):
        passages, offsets, places = followed(
            *(found.passages, found.place_offsets, found.places),
            *(other.passages, other.place_offsets, other.places),
            distance,
        )
        found = Occurrences(passages, offsets, places, 1)
    return Occurrences(found.passages, found.place_offsets, found.places, len(words))


def _postings(segment: Segment, word: str) -> Occurrences:
    first, last = segment.postings(word)
    offsets = segment.place_offsets[first : last + 1]
    return Occurrences(segment.passages[first:last], offsets - offsets[0], segment.places[offsets[0] : offsets[-1]], 1)


def with_all(keywords: Sequence[Occurrences], most: int | None) -> Columns:
    """Passages with all keywords in a row, at most so many words between them (None: any number). O(occurrences)."""
    common = reduce(
        lambda one, other: np.intersect1d(one, other, assume_unique=True), (each.passages for each in keywords)
    )
    if most is None or len(keywords) == 1 or not common.size:
        return common
    rows = [np.searchsorted(each.passages, common) for each in keywords]
    counts = np.stack([np.diff(each.place_offsets)[at] for each, at in zip(keywords, rows, strict=True)], axis=1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    places = np.empty(offsets[-1], np.int32)
    for number, (each, at) in enumerate(zip(keywords, rows, strict=True)):
        size = counts[:, number]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        goal = np.repeat(offsets[:-1].reshape(counts.shape)[:, number], size) + within
        places[goal] = each.places[np.repeat(each.place_offsets[at], size) + within]
    lengths = np.array([each.n_words for each in keywords], np.int32)
    near = are_near(offsets, places, lengths, common.size, len(keywords), most)
    found: Columns = common[near]
    return found
