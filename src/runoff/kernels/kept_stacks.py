"""Finished stacks of a phrase-based decoder: the last few of them, which are all that an option can extend."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.kernels.hypothesis_stack import Filling

    Keys = NDArray[np.uint64]


class Kept(NamedTuple):
    """As many stacks as the longest option has words; stack s takes the room of stack s - `counts.size`.

    Nodes of a group are neighbours, best first. Nodes and groups of the stack in slot i begin at `i * room`.
    """

    counts: Ints  # slot -> groups
    scores: Floats  # node -> score, start of the last source span, last option, number in the lattice
    starts: Columns
    options: Columns
    numbers: Columns
    keys: Keys  # its state of the language model
    backoffs: Singles
    lengths: Columns
    first: Columns  # group -> its nodes
    last: Columns
    gaps: Columns  # what is translated, and the end of the last span
    bits: Keys
    ends: Columns


@compiled
def empty_kept(slots: int, room: int, order: int, width: int) -> Kept:  # pragma: no cover - compiled
    """Room for stacks of `room` nodes; see `empty_filling`."""
    rows = slots * room
    return Kept(
        np.zeros(slots, np.int64),
        np.empty(rows),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty((rows, order), np.uint64),
        np.empty((rows, order), np.float32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty((rows, width), np.uint64),
        np.empty(rows, np.int32),
    )


@compiled
def slot_rows(kept: Kept, stack: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """Slot of a stack, and its first row."""
    slot = stack % kept.counts.size
    return slot, slot * (kept.scores.size // kept.counts.size)


@compiled
def keep(kept: Kept, stack: int, filled: Filling, nodes: Columns, number: int) -> None:  # pragma: no cover - compiled
    """Keep nodes of a filled stack, sorted by group, which are numbered from `number` on."""
    slot, row = slot_rows(kept, stack)
    last_group, group = -1, row - 1
    for at in range(nodes.size):
        node = nodes[at]
        if filled.groups[node] != last_group:
            last_group = filled.groups[node]
            group += 1
            kept.first[group] = row
            kept.gaps[group], kept.ends[group] = filled.gaps[last_group], filled.ends[last_group]
            for word in range(kept.bits.shape[1]):
                kept.bits[group, word] = filled.bits[last_group, word]
        kept.scores[row], kept.starts[row] = filled.scores[node], filled.starts[node]
        kept.options[row], kept.numbers[row] = filled.options[node], number + at
        kept.lengths[row] = filled.lengths[node]
        for n in range(filled.lengths[node]):
            kept.keys[row, n], kept.backoffs[row, n] = filled.keys[node, n], filled.backoffs[node, n]
        row += 1
        kept.last[group] = row
    kept.counts[slot] = group + 1 - slot_rows(kept, stack)[1]
