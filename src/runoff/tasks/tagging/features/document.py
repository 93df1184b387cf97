"""What the other lists of a document make of the words of a phrase.

A name that is a person in one sentence of a document is one in most others, and some sentences are clearer than others:
so lists vote with the probabilities that their base scores give to a phrase. What a list becomes therefore depends on
the other lists of its document: give them together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.groups import softmax
from runoff.tasks.tagging.features.tagged_lists import numbered

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.tagging.features.parts import TaggingParts
    from runoff.tasks.tagging.features.tagged_lists import TaggedLists, TaggedPhrase

NAMES = ("document:same", "document:other", "document:odds")
_LEAST = 0.02  # of a probability, so that no single list decides
Text: TypeAlias = tuple[str, ...]
Votes: TypeAlias = dict[int, dict[str, float]]  # list -> type -> probability


def document(lists: TaggedLists, parts: TaggingParts, phrases: list[TaggedPhrase]) -> Floats:
    """Per candidate, summed over its phrases that not all candidates have: how other lists vote on the same words.

    `same` and `other` are the logarithms of one plus the votes for the type of the phrase and for other types; `odds`
    is by how much its type falls behind the best one, added up in logarithms over the lists. O(phrases).
    """
    out = np.zeros((lists.data.n_candidates, len(NAMES)))
    documents = lists.documents()
    if documents is None or not len(parts):
        return out
    words = lists.words["word"].texts()
    votes = _votes(lists, documents, words)
    values = np.zeros((len(phrases), len(NAMES)))
    for at, (phrase, group) in enumerate(zip(phrases, parts.group.tolist(), strict=True)):
        found = votes[documents[group]][tuple(words[phrase.start : phrase.stop])]
        for voter, probability in found.items():
            if voter != group:
                mine = probability.get(phrase.label, 0.0)
                values[at, 0] += mine
                values[at, 1] += sum(probability.values()) - mine
                values[at, 2] += np.log(max(mine, _LEAST) / max(*probability.values(), _LEAST))
    values[:, :2] = np.log1p(values[:, :2])
    for column in range(len(NAMES)):
        out[:, column] = np.bincount(parts.candidate, values[parts.part, column], lists.data.n_candidates)
    return out


def _votes(lists: TaggedLists, documents: list[str], words: list[str]) -> dict[str, dict[Text, Votes]]:
    """For every document and text: the lists with such a phrase, and how probable each of its types is there."""
    data, spans = lists.data, lists.spans
    base = np.zeros(data.n_candidates) if data.base is None else data.base
    p = softmax(data.offsets, base)
    first, phrase = numbered(lists.word_of[spans.starts], spans.stops - spans.starts, spans.codes)
    probability = np.bincount(phrase, p[lists.span_candidate])
    found: dict[str, dict[Text, Votes]] = defaultdict(lambda: defaultdict(dict))
    groups = lists.group_of[lists.span_candidate[first]]
    for at, group, value in zip(first.tolist(), groups.tolist(), probability.tolist(), strict=True):
        start, stop, label = lists.phrases[at]
        its = found[documents[group]][tuple(words[start:stop])].setdefault(group, {})
        its[label] = max(its.get(label, 0.0), value)  # of several places in one list the clearest
    return found
