"""What the first choices of the other lists of a document make of the words of a phrase.

A name that is a person in one sentence of a document is one in most others. What a list becomes therefore depends on
the other lists of its document: give them together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.tagging.features.parts import Parts
    from runoff.tasks.tagging.features.tagged_lists import Phrase, TaggedLists

NAMES = ("document:same", "document:other", "document:none")


def document(lists: TaggedLists, parts: Parts, phrases: list[Phrase]) -> Floats:
    """Per candidate: its phrases that other lists have with the same type, with another, or as words without a phrase.

    Counts are of phrases that not all candidates have. Words that all lists of a document leave without a phrase are
    looked up by the first of them. O(phrases + words).
    """
    out = np.zeros((lists.data.n_candidates, len(NAMES)))
    documents = lists.documents()
    if documents is None or not len(parts):
        return out
    words = lists.words["word"].texts()
    labels, outside = _first_choices(lists, documents, words)
    flags = np.zeros((len(phrases), len(NAMES)))
    for at, (phrase, group) in enumerate(zip(phrases, parts.group.tolist(), strict=True)):
        name = documents[group]
        text = tuple(words[phrase.start : phrase.stop])
        own, all_ = labels[group].get(text, Counter()), labels[name].get(text, Counter())
        found = all_ - own
        flags[at, 0] = found[phrase.label] > 0
        flags[at, 1] = sum(found.values()) > found[phrase.label]
        flags[at, 2] = outside[name][text[0]] > outside[group][text[0]] and not found
    for column in range(len(NAMES)):
        out[:, column] = np.bincount(parts.candidate, flags[parts.part, column], lists.data.n_candidates)
    return out


def _first_choices(
    lists: TaggedLists, documents: list[str], words: list[str]
) -> tuple[dict[str | int, dict[tuple[str, ...], Counter[str]]], dict[str | int, Counter[str]]]:
    """Types of every phrase, and words outside, by document (its name) and by list (its number)."""
    labels: dict[str | int, dict[tuple[str, ...], Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    outside: dict[str | int, Counter[str]] = defaultdict(Counter)
    data = lists.data
    is_first = np.zeros(data.n_candidates, bool)
    is_first[data.offsets[:-1][data.sizes > 0]] = True
    covered = np.zeros(len(words), bool)
    of_first = np.flatnonzero(is_first[lists.span_candidate])
    for at, group in zip(of_first.tolist(), lists.group_of[lists.span_candidate[of_first]].tolist(), strict=True):
        start, stop, label = lists.phrases[at]
        covered[start:stop] = True
        for key in (group, documents[group]):
            labels[key][tuple(words[start:stop])][label] += 1
    group_of = np.repeat(np.arange(len(data)), lists.words.sizes).tolist()
    for at in np.flatnonzero(~covered).tolist():
        for key in (group_of[at], documents[group_of[at]]):
            outside[key][words[at]] += 1
    return labels, outside
