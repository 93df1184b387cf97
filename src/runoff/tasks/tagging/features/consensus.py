"""How probable a tagging's phrases are, given the base scores of all candidates of its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.groups import softmax
from runoff.tasks.tagging.features.tagged_lists import numbered

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.tagging.features.tagged_lists import TaggedLists

NAMES = ("consensus:right", "consensus:wrong", "consensus:missed", "consensus:f")


def consensus(lists: TaggedLists) -> Floats:
    """Expected numbers of right, wrong and missed phrases of every candidate, and their F, one column each.

    A candidate is right with the probability that the softmax of the base scores gives it; without base scores all are
    as likely. O(phrases log phrases).
    """
    data = lists.data
    base = np.zeros(data.n_candidates) if data.base is None else data.base
    p = softmax(data.offsets, base)
    spans, candidate = lists.spans, lists.span_candidate
    group = lists.group_of[candidate]
    phrase = numbered(lists.word_of[spans.starts], spans.stops - spans.starts, spans.codes)[1]
    of_phrase = np.bincount(phrase, p[candidate])
    right = np.bincount(candidate, of_phrase[phrase], data.n_candidates)
    guessed = np.bincount(candidate, minlength=data.n_candidates)
    expected = np.bincount(group, p[candidate], len(data))[lists.group_of]
    f = 2 * right / np.maximum(guessed + expected, 1e-12)
    return np.column_stack([right, guessed - right, expected - right, np.where(guessed + expected > 0, f, 1.0)])
