"""The stack that a phrase-based decoder fills: hypotheses that translate equally many source words.

Hypotheses that no extension can tell apart are one node (recombination): the same words translated, the same end of the
last phrase, the same state of the language model and, with reordering, the same last span and terms of what follows.
Nodes stand in groups that share what is translated and the last end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.coverage import coverage_key
from runoff.kernels.hashing import combined, table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles

    Keys = NDArray[np.uint64]

NODES, GROUPS, EDGES = 0, 1, 2


class Filling(NamedTuple):
    """Nodes, their groups, and the edges to them.

    The row of states after the last node, and of bits after the last group, is for whoever makes the next one.
    """

    counts: Ints  # nodes, groups, edges
    scores: Floats  # of the best hypothesis of every node
    groups: Columns
    starts: Columns  # of its last source span
    options: Columns  # its last option
    readings: Keys  # all that reordering needs to know of its last phrase
    keys: Keys  # its state of the language model
    backoffs: Singles
    lengths: Columns
    gaps: Columns  # group -> what is translated, and the end of the last span
    bits: Keys
    ends: Columns
    futures: Floats
    edge_nodes: Columns
    edge_from: Columns
    edge_options: Columns
    edge_lm: Floats
    edge_scores: Floats
    node_slots: Columns  # hash tables
    node_keys: Keys
    group_slots: Columns
    group_keys: Keys


@compiled
def empty_filling(room: int, order: int, width: int) -> Filling:  # pragma: no cover - compiled
    """Room for so many edges, states of `order` n-grams and `width` numbers of bits."""
    return Filling(
        np.zeros(3, np.int64),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.uint64),
        np.empty((room + 1, order), np.uint64),
        np.empty((room + 1, order), np.float32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty((room + 1, width), np.uint64),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room),
        np.zeros(table_size(room), np.int32),
        np.empty(room, np.uint64),
        np.zeros(table_size(room), np.int32),
        np.empty(room, np.uint64),
    )


@compiled
def clear(stack: Filling) -> None:  # pragma: no cover - compiled
    """Make a stack empty again."""
    stack.counts[:] = 0
    stack.node_slots[:] = 0
    stack.group_slots[:] = 0


@compiled
def group_of(stack: Filling, gap: int, end: int) -> int:  # pragma: no cover - compiled
    """Number of the group with this first gap and last end, and with the bits in the row after the last group."""
    new = stack.counts[GROUPS]
    key = combined(coverage_key(stack.bits, new, gap), end)
    mask = np.uint64(stack.group_slots.size - 1)
    slot = key & mask
    while stack.group_slots[slot] != 0:
        group = stack.group_slots[slot] - 1
        if stack.group_keys[group] == key and stack.gaps[group] == gap and stack.ends[group] == end:
            is_same = True
            for number in range(stack.bits.shape[1]):
                is_same = is_same and stack.bits[group, number] == stack.bits[new, number]
            if is_same:
                return int(group)
        slot = (slot + np.uint64(1)) & mask
    stack.group_slots[slot] = new + 1
    stack.group_keys[new], stack.gaps[new], stack.ends[new] = key, gap, end
    stack.counts[GROUPS] += 1
    return int(new)


@compiled
def node_of(
    stack: Filling, group: int, reading: np.uint64, length: int, is_recombined: bool
) -> int:  # pragma: no cover - compiled
    """Number of the node of a group, of what reordering knows, and of the state in the row after the last node.

    A node that is new has a score of minus infinity.
    """
    new = stack.counts[NODES]
    state = stack.keys[new, length - 1] if length > 0 else np.uint64(0)
    key = combined(combined(state, group), reading)
    mask = np.uint64(stack.node_slots.size - 1)
    slot = key & mask
    while is_recombined and stack.node_slots[slot] != 0:
        node = stack.node_slots[slot] - 1
        if (
            stack.node_keys[node] == key
            and stack.groups[node] == group
            and stack.readings[node] == reading
            and stack.lengths[node] == length
            and (length == 0 or stack.keys[node, length - 1] == state)
        ):
            return int(node)
        slot = (slot + np.uint64(1)) & mask
    stack.node_slots[slot] = new + 1
    stack.node_keys[new], stack.groups[new], stack.readings[new] = key, group, reading
    stack.lengths[new], stack.scores[new] = length, -np.inf
    stack.counts[NODES] += 1
    return int(new)


@compiled
def add_edge(
    stack: Filling, node: int, source: int, option: int, start: int, lm: float, added: float, score: float
) -> None:  # pragma: no cover - compiled
    """A way to a node: from which node of the lattice, by which option, and what this adds to the score."""
    at = stack.counts[EDGES]
    stack.edge_nodes[at], stack.edge_from[at], stack.edge_options[at] = node, source, option
    stack.edge_lm[at], stack.edge_scores[at] = lm, added
    stack.counts[EDGES] += 1
    if score > stack.scores[node]:
        stack.scores[node], stack.options[node], stack.starts[node] = score, option, start


@compiled
def survivors(stack: Filling, futures: Floats, most: int, beam: float) -> Columns:  # pragma: no cover - compiled
    """The best nodes, those of a group together and best first.

    At most `most`, and none whose score is more than `beam` below the best; scores include `futures` of the nodes.
    """
    n_nodes = stack.counts[NODES]
    priority = np.empty(n_nodes)
    for node in range(n_nodes):
        priority[node] = stack.scores[node] + futures[node]
    order = np.argsort(-priority, kind="mergesort")
    kept = min(n_nodes, most)
    while kept > 1 and priority[order[kept - 1]] < priority[order[0]] - beam:
        kept -= 1
    # Nodes of one group have the same future, so that in their group they stay in the order of their scores.
    begins = np.zeros(stack.counts[GROUPS] + 1, np.int64)
    for node in order[:kept]:
        begins[stack.groups[node] + 1] += 1
    begins = np.cumsum(begins)
    grouped = np.empty(kept, np.int32)
    for node in order[:kept]:
        grouped[begins[stack.groups[node]]] = node
        begins[stack.groups[node]] += 1
    return grouped
