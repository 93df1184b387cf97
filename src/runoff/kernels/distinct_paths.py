"""The k best different translations of a lattice.

A search from the goal back to the start (A*): what is missing to the left of a path is known exactly, so that paths are
finished in the order of their scores. Of a node's edges the next one joins the queue when the one before is taken out,
as in algorithm 3 of Huang & Chiang (2005). Of two paths that come to the same node with the same words to their right,
the later one can give no new translation and none of a better score: it ends there, which keeps the many derivations of
one translation apart from the search. Keys of words are hashes of 64 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, combined, mixed
from runoff.kernels.priority_queue import pop, push
from runoff.kernels.translation_lattice import GOAL, Lattice, with_room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Ints
    from runoff.kernels.decoder_options import Options

    Keys = NDArray[np.uint64]

_NONE = -1
_FIRST_SLOTS = 1024


@compiled
def distinct_paths(
    lattice: Lattice, options: Options, k: int, limit: int
) -> tuple[Ints, Ints]:  # pragma: no cover - compiled
    """Edges of the best derivation of each of the k best translations, from the start to the goal; and where each ends.

    Fewer than k where the lattice has no more, or once `limit` edges were looked at. O(limit x log limit).
    """
    goal = lattice.counts[0] - 1
    order = np.empty(lattice.counts[1], np.int64)  # edges of every node, the best first
    is_sorted = np.zeros(goal + 1, np.bool_)
    # Paths: the place of their first edge in the order, its node, the path after it, score and words from there on.
    places, nodes, after = np.empty(1024, np.int64), np.empty(1024, np.int32), np.empty(1024, np.int32)
    scores, words, priority = np.empty(1024), np.empty(1024, np.uint64), np.empty(1024)
    queue = np.empty(1024, np.int32)
    seen, n_seen = np.zeros(_FIRST_SLOTS, np.uint64), 0
    edges, ends, found = np.empty(256, np.int64), np.zeros(k + 1, np.int64), 0
    _sort_edges(lattice, goal, order)
    is_sorted[goal] = True
    places[0], nodes[0], after[0], priority[0] = lattice.edge_starts[goal], goal, _NONE, 0.0
    size, n_paths, looked_at = push(queue, 0, 0, priority), 1, 0
    while size > 0 and found < k and looked_at < limit:
        looked_at += 1
        path = queue[0]
        size = pop(queue, size, priority)
        if n_paths + 2 > places.size:
            places, nodes, after = (
                with_room(places, n_paths + 2),
                with_room(nodes, n_paths + 2),
                with_room(after, n_paths + 2),
            )
            scores, words = with_room(scores, n_paths + 2), with_room(words, n_paths + 2)
            priority, queue = with_room(priority, n_paths + 2), with_room(queue, n_paths + 2)
        edge, node, right = order[places[path]], nodes[path], after[path]
        scores[path], words[path] = lattice.added[edge], GOLDEN
        if right != _NONE:
            scores[path] += scores[right]
            words[path] = words[right]
        option = lattice.options[edge]
        if option != GOAL:
            for at in range(options.offsets[option + 1] - 1, options.offsets[option] - 1, -1):
                words[path] = combined(words[path], options.words[at])
        for step in range(2):
            if step == 0:  # the node's next edge
                place, at, then = places[path] + 1, node, right
                if place == lattice.edge_starts[node + 1]:
                    continue
            else:  # the best edge of the node before
                at, then = lattice.sources[edge], path
                place = lattice.edge_starts[at]
                if 2 * (n_seen + 1) > seen.size:
                    seen = _rehashed(seen)
                if not _insert(seen, mixed(combined(words[path], at))):
                    continue
                n_seen += 1
                if at == 0:
                    edges = with_room(edges, ends[found] + 1)
                    ends[found + 1] = ends[found]
                    while then != _NONE:
                        edges = with_room(edges, ends[found + 1] + 1)
                        edges[ends[found + 1]] = order[places[then]]
                        ends[found + 1] += 1
                        then = after[then]
                    found += 1
                    continue
                if not is_sorted[at]:
                    _sort_edges(lattice, at, order)
                    is_sorted[at] = True
            source = lattice.sources[order[place]]
            places[n_paths], nodes[n_paths], after[n_paths] = place, at, then
            priority[n_paths] = lattice.scores[source] + lattice.added[order[place]]
            if then != _NONE:
                priority[n_paths] += scores[then]
            size = push(queue, size, n_paths, priority)
            n_paths += 1
    return edges[: ends[found]], ends[: found + 1]


@compiled
def _sort_edges(lattice: Lattice, node: int, order: Ints) -> None:  # pragma: no cover - compiled
    """Put the edges of a node in the order of the best path through each; of equals what was found first."""
    first, last = lattice.edge_starts[node], lattice.edge_starts[node + 1]
    best = np.empty(last - first)
    for edge in range(first, last):
        best[edge - first] = -(lattice.scores[lattice.sources[edge]] + lattice.added[edge])
    by = np.argsort(best, kind="mergesort")
    for at in range(last - first):
        order[first + at] = first + by[at]


@compiled
def _insert(slots: Keys, key: np.uint64) -> bool:  # pragma: no cover - compiled
    """Put a key into a set with free slots (0); whether it is new."""
    key = max(key, np.uint64(1))
    mask = np.uint64(slots.size - 1)
    slot = key & mask
    while slots[slot] != 0:
        if slots[slot] == key:
            return False
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = key
    return True


@compiled
def _rehashed(slots: Keys) -> Keys:  # pragma: no cover - compiled
    """The same set with twice as many slots."""
    more = np.zeros(2 * slots.size, np.uint64)
    for key in slots:
        if key != 0:
            _insert(more, key)
    return more
