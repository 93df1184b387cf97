"""Parts of taggings that features are made from: each is looked at once, however many candidates of a list have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.tagging.features.tagged_lists import numbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Columns, Ints
    from runoff.tasks.tagging.features.tagged_lists import TaggedLists, TaggedPhrase


@dataclass(frozen=True, eq=False)
class TaggingParts:
    """Different parts of one kind, and the candidates that have them.

    Parts that all candidates of a list have decide nothing, and are left out.
    """

    group: Ints  # of every part
    first: Ints  # where a part first occurs among the occurrences
    candidate: Ints  # of every occurrence
    part: Ints

    @classmethod
    def of(cls, lists: TaggedLists, candidate: Ints, *keys: Ints | Columns) -> TaggingParts:
        """Parts that differ in their list or in one of the keys; a candidate has each at most once."""
        group = lists.group_of[candidate]
        first, part = numbered(group, *keys)
        shared = np.bincount(part, minlength=first.size) == lists.data.sizes[group[first]]
        number = np.cumsum(~shared) - 1
        kept = ~shared[part]
        return cls(group[first[~shared]], first[~shared], candidate[kept], number[part[kept]])

    def __len__(self) -> int:
        return int(self.first.size)


def phrase_parts(lists: TaggedLists) -> tuple[TaggingParts, list[TaggedPhrase]]:
    """Phrases that some candidates of a list have and others have not."""
    spans = lists.spans
    parts = TaggingParts.of(
        lists, lists.span_candidate, lists.word_of[spans.starts], spans.stops - spans.starts, spans.codes
    )
    return parts, [lists.phrases[at] for at in parts.first.tolist()]


def neighbour_parts(lists: TaggedLists) -> tuple[TaggingParts, list[tuple[TaggedPhrase | None, TaggedPhrase | None]]]:
    """Phrases with the next one of the same candidate; None stands for the edges of the sentence."""
    spans, count = lists.spans, len(lists.spans)
    number = numbered(lists.word_of[spans.starts], spans.stops - spans.starts, spans.codes)[1]
    begins = np.ones(count, bool)
    begins[1:] = lists.span_candidate[1:] != lists.span_candidate[:-1]
    ends = np.roll(begins, -1)
    before = np.where(begins, -1, np.arange(count) - 1)
    # Every phrase with the one before it, and the last of every candidate with the edge.
    left = np.concatenate([before, np.flatnonzero(ends)])
    right = np.concatenate([np.arange(count), np.full(int(ends.sum()), -1)])
    candidate = np.concatenate([lists.span_candidate, lists.span_candidate[ends]])
    codes = np.append(number, -1)
    parts = TaggingParts.of(lists, candidate, codes[left], codes[right])

    known = [*lists.phrases, None]  # the last one is number -1
    return parts, [(known[left[at]], known[right[at]]) for at in parts.first.tolist()]


def window_parts(lists: TaggedLists) -> tuple[TaggingParts, Iterator[tuple[int, str, str, str]]]:
    """Every token with its tag and the two before it."""
    codes, n = lists.tags.codes, len(lists.tags)
    inside = np.arange(n) - np.repeat(lists.starts[:-1], np.diff(lists.starts))
    nothing = len(lists.tags.values)
    back = [np.where(inside >= by, np.roll(codes, by), nothing) for by in (2, 1)]
    candidate = np.repeat(np.arange(lists.starts.size - 1), np.diff(lists.starts))
    words = lists.word_of[:-1]
    parts = TaggingParts.of(lists, candidate, words, *back, codes)
    texts = (*lists.tags.values, "^")
    found = (
        (word, texts[two], texts[one], texts[tag])
        for word, two, one, tag in zip(
            words[parts.first].tolist(),
            back[0][parts.first].tolist(),
            back[1][parts.first].tolist(),
            codes[parts.first].tolist(),
            strict=True,
        )
    )
    return parts, found
