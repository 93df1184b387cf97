"""Arguments that two taggings of a proposition have in common, by the rules of srl-eval.pl (CoNLL-2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints

OUTSIDE, STARTS, CONTINUES = range(3)  # what a tag says of its token


@compiled
def _arguments(  # pragma: no cover - compiled
    tags: Columns,
    letters: Columns,
    labels: Columns,
    continued: Columns,
    last: Columns,
    owner: Columns,
    opens: Columns,
    label_at: Columns,
) -> None:
    """Find the arguments of a tagging.

    `owner[t]` is the first token of the argument that token t belongs to, or -1; `opens[t]` tells whether a piece of it
    starts there; `label_at[s]` is the label of the argument that starts at s, or -1. `last` is room for labels.
    """
    last[:] = -1
    open_label = -1
    for at in range(tags.size):
        letter, label = letters[tags[at]], labels[tags[at]]
        owner[at], opens[at], label_at[at] = -1, 0, -1
        if letter == OUTSIDE:
            open_label = -1
            continue
        if letter == CONTINUES and label == open_label:
            owner[at] = owner[at - 1]
            continue
        open_label = label
        opens[at] = 1
        head = continued[label]
        if head >= 0 and last[head] >= 0:
            owner[at] = last[head]
            continue
        own = head if head >= 0 else label  # a further piece of nothing is an argument by itself
        owner[at], label_at[at], last[own] = at, own, at


@compiled
def role_counts(  # pragma: no cover - compiled
    gold: Columns,
    gold_starts: Ints,
    guesses: Columns,
    guess_offsets: Ints,
    letters: Columns,
    labels: Columns,
    continued: Columns,
    excluded: int,
    rows: Floats,
    confusion: Ints,
) -> None:
    """Right, excess and missed arguments of every guess, whether there are none of the last two, and 1.

    Guess i is `guesses[guess_offsets[i] : guess_offsets[i + 1]]` and its gold tags, as many, begin at `gold_starts[i]`.
    `letters` and `labels` belong to the number of a tag; `continued` is the label whose further piece a label marks, or
    -1. Arguments with the label `excluded` (that of the predicate) are left out of `rows`. `confusion` counts arguments
    of the same words by gold and guessed label, its last row and column those without a counterpart. O(tokens).
    """
    most = largest(guess_offsets)
    last = np.empty(continued.size, np.int32)
    gold_owner, gold_opens, gold_label = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    owner, opens, label = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    differs = np.empty(most, np.int32)
    none = continued.size  # the label of what has no counterpart
    for at in range(guess_offsets.size - 1):
        guess = guesses[guess_offsets[at] : guess_offsets[at + 1]]
        right = gold[gold_starts[at] : gold_starts[at] + guess.size]
        _arguments(right, letters, labels, continued, last, gold_owner, gold_opens, gold_label)
        _arguments(guess, letters, labels, continued, last, owner, opens, label)
        differs[: guess.size] = 0
        for token in range(guess.size):
            if owner[token] != gold_owner[token]:
                if owner[token] >= 0:
                    differs[owner[token]] = 1
                if gold_owner[token] >= 0:
                    differs[gold_owner[token]] = 1
            elif owner[token] >= 0 and opens[token] != gold_opens[token]:
                differs[owner[token]] = 1
        row = rows[at]
        for start in range(guess.size):
            real, found = gold_label[start], label[start]
            if real >= 0 and found >= 0 and not differs[start]:
                confusion[real, found] += 1
            else:
                if real >= 0:
                    confusion[real, none] += 1
                if found >= 0:
                    confusion[none, found] += 1
            is_right = real >= 0 and real == found and not differs[start]
            row[0] += is_right and real != excluded
            row[1] += not is_right and found >= 0 and found != excluded
            row[2] += not is_right and real >= 0 and real != excluded
        row[3] = row[1] == 0 and row[2] == 0
        row[4] = 1
