"""Smoothed probabilities of the steps of a head-driven grammar, in tables with open addressing (Collins 1999).

A step has a kind and a row of fields that it may look at; its probability is interpolated over contexts of fewer and
fewer fields, from the roughest up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, combined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints

    Bits = NDArray[np.uint64]

# Kinds of steps: a head child, the label of a modifier (or that there is none), the tag and the word of its head.
HEADS, LABELS, TAGS, WORDS = range(4)
# What a step may look at: side, constituent, class of its parent, head child, tag and word of the head, the modifier
# before on this side and the one before that, whether there is none yet on either side, the modifier's label, its tag.
SIDE, PARENT, ABOVE, HEAD, TAG, WORD, LAST, BEFORE, BARE, LABEL, OWN_TAG = range(11)
FIELDS = 11
STOP = 0  # the label of no more modifiers
RIGHT, LEFT = 0, 1


class Steps(NamedTuple):
    """Counted steps as tables with open addressing: by context what is left for rougher contexts, by step its share.

    Keys and values are two columns of one array, seen as whole numbers and as fractions: a look-up is one step in
    memory.
    """

    masks: Ints  # kind x level -> bits of the fields that the context has, -1 for none; the last level is the roughest
    contexts: Bits
    left_over: Floats
    outcomes: Bits
    shares: Floats


@compiled
def context(kind: int, level: int, mask: int, fields: Ints) -> np.uint64:  # pragma: no cover - compiled
    """Key of a context: of the fields that the mask has."""
    key = combined(GOLDEN, kind * 16 + level)
    for field in range(FIELDS):
        if mask >> field & 1:
            key = combined(key, fields[field] + 1)
    return key


@compiled
def context_keys(kind: int, level: int, mask: int, rows: NDArray[np.int64]) -> Bits:  # pragma: no cover - compiled
    """Keys of the contexts of many steps. O(rows)."""
    keys = np.empty(rows.shape[0], np.uint64)
    for at in range(rows.shape[0]):
        keys[at] = context(kind, level, mask, rows[at])
    return keys


@compiled
def outcome_keys(contexts: Bits, outcomes: Ints) -> Bits:  # pragma: no cover - compiled
    """Keys of contexts with what came of them. O(rows)."""
    keys = np.empty(contexts.size, np.uint64)
    for at in range(contexts.size):
        keys[at] = combined(contexts[at], outcomes[at] + 1)
    return keys


@compiled
def table(keys: Bits, values: Floats) -> Bits:  # pragma: no cover - compiled
    """Keys and values side by side in slots, at most half of them taken. O(keys)."""
    size = 4
    while size < keys.size * 2:
        size *= 2
    slots = np.zeros((size, 2), np.uint64)
    held = slots.view(np.float64)
    for at in range(keys.size):
        slot = np.int64(keys[at] & np.uint64(size - 1))
        while slots[slot, 0] != 0:
            slot = (slot + 1) & (size - 1)
        slots[slot, 0] = keys[at]
        held[slot, 1] = values[at]
    return slots


@compiled
def find(slots: Bits, held: Floats, key: np.uint64, missing: float) -> float:  # pragma: no cover - compiled
    """The value of a key."""
    last = slots.shape[0] - 1
    slot = np.int64(key & np.uint64(last))
    while True:
        found = slots[slot, 0]
        if found == key:
            return float(held[slot, 1])
        if found == 0:
            return missing
        slot = (slot + 1) & last


@compiled
def probability(
    steps: Steps, kind: int, fields: Ints, outcome: int, below: float
) -> float:  # pragma: no cover - compiled
    """Interpolated over all levels from the roughest up; `below` stands under that."""
    masks, contexts, left_over, outcomes, shares = steps
    p = below
    for level in range(masks.shape[1] - 1, -1, -1):
        mask = masks[kind, level]
        if mask >= 0:
            key = context(kind, level, mask, fields)
            rest = find(contexts, left_over, key, 1.0)
            if rest < 1.0:
                p = find(outcomes, shares, combined(key, outcome + 1), 0.0) + rest * p
    return p


@compiled
def log_probabilities(
    steps: Steps, kind: int, rows: Ints, outcomes: Ints, below: Floats
) -> Floats:  # pragma: no cover - compiled
    """Of many steps of one kind. O(rows x levels)."""
    found = np.empty(outcomes.size)
    for at in range(outcomes.size):
        p = probability(steps, kind, rows[at], outcomes[at], below[at])
        found[at] = np.log(p) if p > 0.0 else -np.inf
    return found


@compiled
def label_probability(
    keys: Bits, rests: Floats, node: int, outcomes: Bits, shares: Floats, label: int
) -> float:  # pragma: no cover - compiled
    """Probability that the next modifier of a growing node has this label."""
    # The innermost of all: arrays and not tuples of them, of which every use would count references.
    p = 0.0
    for level in range(rests.shape[1] - 1, -1, -1):
        rest = rests[node, level]
        if rest < 1.0:
            p = find(outcomes, shares, combined(keys[node, level], label + 1), 0.0) + rest * p
    return p
