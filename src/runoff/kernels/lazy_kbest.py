"""The k best derivations of an acyclic hypergraph, found as they are asked for (Huang & Chiang 2005, algorithm 3).

Every node has a heap of candidates: an edge with a derivation of each of its parts. The next best derivation of a node
is on top once the successors of its last one are in: the same edge with the next derivation of its second part or,
while that is at its first, of its first part, so that every combination comes once. What a successor needs of a part is
asked for in turn, on a stack of our own: trees can be deeper than calls may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, combined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

SILENT = -2147483648  # how a node is written that is not
_CLOSE = -1
_NONE = -1  # no part, no derivation yet, nothing in a heap
_NO_MORE = -2  # there is no next derivation
# What is left to do for a node that is asked for one more derivation: look whether it can have one, ask its second part
# for the next, push that, ask its first part, push that, take the best candidate, note it as a derivation.
_BEGIN, _ASK_SECOND, _PUSH_SECOND, _PUSH_FIRST, _TAKE, _NOTE = range(6)


@compiled
def k_best(
    k: int, limit: int, best: Floats, edges: Columns, e_score: Floats, shown: Columns
) -> tuple[Floats, Ints, Columns]:  # pragma: no cover - compiled
    """The k best different trees of the last node: scores, where the tokens of each end, tokens.

    `edges` has rows of a node and its one or two parts (-1 for no second), `best` the score of every node's best
    derivation, `shown[v]` how a node is written: a label (0 or more; -1 closes it again), a word (-2 and less; such
    nodes have no edges) or not at all (SILENT). Derivations that are written alike are one tree, with the score of the
    best. At most `limit` derivations are looked at. O(edges + looked at x depth x log edges).
    """
    n_nodes, goal = best.size, best.size - 1
    e_one, e_two = edges[:, 1].copy(), edges[:, 2].copy()
    starts, order, edge_best = _by_node(best, edges, e_score)
    # Derivations of all nodes, those of one node linked from its best on.
    d_score, d_edge, d_one = np.empty(1024), np.empty(1024, np.int32), np.empty(1024, np.int32)
    d_two, d_next, d_node = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.int32)
    n_d = 0
    first, last = np.full(n_nodes, _NONE, np.int32), np.full(n_nodes, _NONE, np.int32)
    is_done = np.zeros(n_nodes, np.uint8)
    # Candidates of all nodes, in skew heaps; a first part of none stands for the best derivations of an edge's parts.
    c_score, c_edge, c_one = np.empty(1024), np.empty(1024, np.int32), np.empty(1024, np.int32)
    c_two, c_left, c_right = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.int32)
    n_c = 0
    path = np.empty(1024, np.int32)
    heap = np.full(n_nodes, _NONE, np.int32)
    tried = np.zeros(n_nodes, np.int64)  # edges that are or were in the heap, in the order of their best
    asked, stage, taken = np.empty(1024, np.int32), np.empty(1024, np.int8), np.empty(1024, np.int32)
    scores, ends, tokens = np.empty(k), np.zeros(k + 1, np.int64), np.empty(1024, np.int32)
    seen = np.empty(k, np.uint64)
    found = 0
    for _ in range(limit if starts[goal] < starts[goal + 1] else 0):
        asked[0], stage[0] = goal, _BEGIN
        top = 1
        while top > 0:
            if top + 2 >= asked.size:
                asked, stage, taken = _wider(asked), _wider(stage), _wider(taken)
            if n_c + 2 >= c_score.size:
                c_score, c_edge, c_one, c_two = _wider(c_score), _wider(c_edge), _wider(c_one), _wider(c_two)
                c_left, c_right, path = _wider(c_left), _wider(c_right), _wider(path)
            if n_d + 2 >= d_score.size:
                d_score, d_edge, d_one, d_two = _wider(d_score), _wider(d_edge), _wider(d_one), _wider(d_two)
                d_next, d_node = _wider(d_next), _wider(d_node)
            v, now = asked[top - 1], stage[top - 1]
            d = last[v]
            edge, one, two, lower = _NONE, _NONE, _NONE, _NONE
            if d != _NONE and d_edge[d] != _NONE:
                edge, one, two = d_edge[d], d_one[d], d_two[d]
            is_second_at_first = two == _NONE or two == first[d_node[two]]
            pushed = _NONE
            if now == _BEGIN:
                stage[top - 1] = _TAKE if d == _NONE else _ASK_SECOND
                if is_done[v]:
                    top -= 1
                elif SILENT < shown[v] < _CLOSE:
                    d_score[n_d], d_edge[n_d], d_one[n_d], d_two[n_d] = 0.0, _NONE, _NONE, _NONE
                    d_next[n_d], d_node[n_d] = _NO_MORE, v
                    first[v], last[v], is_done[v] = n_d, n_d, 1
                    n_d += 1
                    top -= 1
                elif d == _NONE:
                    _sort(order, edge_best, starts[v], starts[v + 1])
                    pushed, tried[v] = order[starts[v]], 1
            elif now == _ASK_SECOND:
                stage[top - 1] = _PUSH_SECOND
                if two != _NONE and d_next[two] == _NONE:
                    asked[top], stage[top] = e_two[edge], _BEGIN
                    top += 1
            elif now == _PUSH_SECOND:
                stage[top - 1] = _PUSH_FIRST
                if two != _NONE and d_next[two] >= 0:
                    pushed, two = edge, d_next[two]
                    lower = one
                if is_second_at_first and d_next[one] == _NONE:
                    asked[top], stage[top] = e_one[edge], _BEGIN
                    top += 1
            elif now == _PUSH_FIRST:
                stage[top - 1] = _TAKE
                if is_second_at_first and d_next[one] >= 0:
                    pushed, lower = edge, d_next[one]
            elif now == _TAKE:
                c = heap[v]
                if c == _NONE:
                    is_done[v], d_next[d] = 1, _NO_MORE
                    top -= 1
                else:
                    heap[v] = _meld(c_left[c], c_right[c], c_score, c_left, c_right, path)
                    taken[top - 1], stage[top - 1] = c, _NOTE
                    if c_one[c] == _NONE:  # the best of an edge: the next edge may come now
                        if starts[v] + tried[v] < starts[v + 1]:
                            pushed = order[starts[v] + tried[v]]
                            tried[v] += 1
                        for part in (e_one[c_edge[c]], e_two[c_edge[c]]):
                            if part != _NONE and first[part] == _NONE:
                                asked[top], stage[top] = part, _BEGIN
                                top += 1
            else:
                c = taken[top - 1]
                edge, one, two = c_edge[c], c_one[c], c_two[c]
                if one == _NONE:
                    one, two = first[e_one[edge]], first[e_two[edge]] if e_two[edge] != _NONE else _NONE
                d_score[n_d] = e_score[edge] + d_score[one] + (d_score[two] if two != _NONE else 0.0)
                d_edge[n_d], d_one[n_d], d_two[n_d], d_next[n_d], d_node[n_d] = edge, one, two, _NONE, v
                if d == _NONE:
                    first[v] = n_d
                else:
                    d_next[d] = n_d
                last[v] = n_d
                n_d += 1
                top -= 1
            if pushed != _NONE:
                c_edge[n_c], c_one[n_c], c_two[n_c], c_left[n_c], c_right[n_c] = pushed, lower, two, _NONE, _NONE
                c_score[n_c] = edge_best[pushed]
                if lower != _NONE:
                    c_score[n_c] = e_score[pushed] + d_score[lower] + (d_score[two] if two != _NONE else 0.0)
                heap[v] = _meld(heap[v], n_c, c_score, c_left, c_right, path)
                n_c += 1
        if is_done[goal]:
            break
        written, key = _write(last[goal], d_one, d_two, d_node, shown)
        if (seen[:found] == key).any():
            continue
        while ends[found] + written.size > tokens.size:
            tokens = _wider(tokens)
        tokens[ends[found] : ends[found] + written.size] = written
        seen[found], scores[found] = key, d_score[last[goal]]
        if found > 0:  # sums of the same numbers in another order may differ in the last digit
            scores[found] = min(scores[found], scores[found - 1])
        found += 1
        ends[found] = ends[found - 1] + written.size
        if found == k:
            break
    return scores[:found], ends[: found + 1], tokens[: ends[found]]


@compiled
def _by_node(
    best: Floats, edges: Columns, e_score: Floats
) -> tuple[Ints, Columns, Floats]:  # pragma: no cover - compiled
    """Where the edges of each node begin, the edges in the order of nodes, and the best score of each."""
    starts = np.zeros(best.size + 1, np.int64)
    edge_best = np.empty(e_score.size)
    for e in range(e_score.size):
        starts[edges[e, 0] + 1] += 1
        edge_best[e] = e_score[e] + best[edges[e, 1]] + (best[edges[e, 2]] if edges[e, 2] != _NONE else 0.0)
    starts = np.cumsum(starts)
    order = np.empty(e_score.size, np.int32)
    free = starts.copy()
    for e in range(e_score.size):
        order[free[edges[e, 0]]] = e
        free[edges[e, 0]] += 1
    return starts, order, edge_best


@compiled
def _sort(order: Columns, edge_best: Floats, start: int, end: int) -> None:  # pragma: no cover - compiled
    """Put the edges of a node in the order of their best; of equals what came first."""
    mine = order[start:end].copy()
    by = np.argsort(-edge_best[mine], kind="mergesort")
    for at in range(end - start):
        order[start + at] = mine[by[at]]


@compiled
def _meld(
    one: int, two: int, score: Floats, left: Columns, right: Columns, path: Columns
) -> int:  # pragma: no cover - compiled
    """Join two skew heaps; of equals what came first is on top."""
    deep = 0
    while one >= 0 and two >= 0:
        if score[two] > score[one] or (score[two] == score[one] and two < one):
            one, two = two, one
        path[deep] = one
        deep += 1
        one = right[one]
    top = one if one >= 0 else two
    while deep > 0:
        deep -= 1
        node = path[deep]
        right[node] = left[node]
        left[node] = top
        top = node
    return top


@compiled
def _write(
    derivation: int, d_one: Columns, d_two: Columns, d_node: Columns, shown: Columns
) -> tuple[Columns, np.uint64]:  # pragma: no cover - compiled
    """The tokens of a derivation's tree, from left to right, and a key of them."""
    tokens, waiting = np.empty(256, np.int32), np.empty(256, np.int32)
    count, left, key = 0, 1, GOLDEN
    waiting[0] = derivation
    while left > 0:
        left -= 1
        d = waiting[left]
        token = _CLOSE if d == _NONE else shown[d_node[d]]
        if left + 4 >= waiting.size:
            waiting = _wider(waiting)
        if d != _NONE and (token >= 0 or token == SILENT):
            if token >= 0:
                waiting[left] = _NONE  # to be closed
                left += 1
            if d_two[d] != _NONE:
                waiting[left] = d_two[d]
                left += 1
            waiting[left] = d_one[d]
            left += 1
        if token != SILENT:
            if count == tokens.size:
                tokens = _wider(tokens)
            tokens[count] = token
            count += 1
            key = combined(key, token)
    return tokens[:count], key


@compiled
def _wider(array: NDArray[Any]) -> NDArray[Any]:  # pragma: no cover - compiled
    """The same with room for twice as much."""
    more = np.empty(array.size * 2, array.dtype)
    more[: array.size] = array
    return more
