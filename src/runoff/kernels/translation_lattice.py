"""The hypotheses that a decoder kept, as a lattice: nodes, and the options that lead to them, recombined ones too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hypothesis_stack import EDGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.hypothesis_stack import Filling

GOAL = -1  # in place of an option: nothing more is said


class Lattice(NamedTuple):
    """Node 0 is the start and the last one the goal; edges to node v are `edge_starts[v]` to `edge_starts[v + 1]`."""

    counts: Ints  # nodes, edges
    scores: Floats  # node -> score of its best hypothesis
    edge_starts: Ints
    sources: Columns  # edge -> node from which it comes
    options: Columns
    lm: Floats  # log probability of the words of the option in their context
    added: Floats  # all that the edge adds to the score


@compiled
def empty_lattice() -> Lattice:  # pragma: no cover - compiled
    """A lattice without nodes."""
    return Lattice(
        np.zeros(2, np.int64),
        np.empty(256),
        np.zeros(257, np.int64),
        np.empty(1024, np.int32),
        np.empty(1024, np.int32),
        np.empty(1024),
        np.empty(1024),
    )


@compiled
def append_stack(lattice: Lattice, filled: Filling, nodes: Columns) -> Lattice:  # pragma: no cover - compiled
    """The lattice with some nodes of a stack, and with all edges to them, in the order in which they were found."""
    n_edges = filled.counts[EDGES]
    place = np.full(filled.scores.size, -1, np.int32)
    for at in range(nodes.size):
        place[nodes[at]] = at
    begins = np.zeros(nodes.size + 1, np.int64)
    for edge in range(n_edges):
        if place[filled.edge_nodes[edge]] >= 0:
            begins[place[filled.edge_nodes[edge]] + 1] += 1
    begins = np.cumsum(begins)
    lattice = _with_room(lattice, nodes.size, begins[-1])
    first, first_edge = lattice.counts[0], lattice.counts[1]
    for at in range(nodes.size):
        lattice.scores[first + at] = filled.scores[nodes[at]]
        lattice.edge_starts[first + at + 1] = first_edge + begins[at + 1]
    for edge in range(n_edges):
        at = place[filled.edge_nodes[edge]]
        if at >= 0:
            to = first_edge + begins[at]
            begins[at] += 1
            lattice.sources[to], lattice.options[to] = filled.edge_from[edge], filled.edge_options[edge]
            lattice.lm[to], lattice.added[to] = filled.edge_lm[edge], filled.edge_scores[edge]
    lattice.counts[0] += nodes.size
    lattice.counts[1] = lattice.edge_starts[lattice.counts[0]]
    return lattice


@compiled
def append_goal(lattice: Lattice, ends: Floats, weight: float) -> Lattice:  # pragma: no cover - compiled
    """The lattice with a goal after its last nodes, and with the log probability of the end of the text after each."""
    lattice = _with_room(lattice, 1, ends.size)
    goal, edge = lattice.counts[0], lattice.counts[1]
    best = -np.inf
    for at in range(ends.size):
        node = goal - ends.size + at
        lattice.sources[edge + at], lattice.options[edge + at] = node, GOAL
        lattice.lm[edge + at], lattice.added[edge + at] = ends[at], weight * ends[at]
        best = max(best, lattice.scores[node] + weight * ends[at])
    lattice.scores[goal], lattice.edge_starts[goal + 1] = best, edge + ends.size
    lattice.counts[0] += 1
    lattice.counts[1] += ends.size
    return lattice


@compiled
def _with_room(lattice: Lattice, nodes: int, edges: int) -> Lattice:  # pragma: no cover - compiled
    n_nodes, n_edges = lattice.counts[0] + nodes, lattice.counts[1] + edges
    return Lattice(
        lattice.counts,
        with_room(lattice.scores, n_nodes),
        with_room(lattice.edge_starts, n_nodes + 1),
        with_room(lattice.sources, n_edges),
        with_room(lattice.options, n_edges),
        with_room(lattice.lm, n_edges),
        with_room(lattice.added, n_edges),
    )


@compiled
def with_room(array: NDArray[Any], size: int) -> NDArray[Any]:  # pragma: no cover - compiled
    """The same array, or a longer one that begins with it, for at least so many items."""
    if size <= array.size:
        return array
    more = np.empty(max(size, 2 * array.size), array.dtype)
    more[: array.size] = array
    return more
