"""The k best derivations of an acyclic hypergraph, found as they are asked for (Huang & Chiang 2005, algorithm 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

_MULTIPLIER = np.uint64(0xFF51AFD7ED558CCD)
_START = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
SILENT = -2147483648


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _wider(array: NDArray[Any]) -> NDArray[Any]:  # pragma: no cover - compiled
    more = np.empty(array.size * 2, array.dtype)
    more[: array.size] = array
    return more


@njit(cache=True, nogil=True)
def k_best(
    k: int, limit: int, best: Floats, edges: Columns, e_score: Floats, shown: Columns
) -> tuple[Floats, Ints, Columns]:  # pragma: no cover - compiled
    """The k best different trees of the last node: scores, where the tokens of each end, tokens.

    `edges` has rows of a node and its one or two parts (-1 for no second), `best` the score of every node's best
    derivation, `shown[v]` how a node is written: a label (0 or more; -1 closes it again), a word (-2 and less; such
    nodes have no edges) or not at all (SILENT). Derivations that are written alike are one tree, with the score of the
    best. At most `limit` derivations are looked at. O(edges + looked at x depth x log edges).
    """
    goal = best.size - 1
    n_nodes, n_edges = best.size, e_score.size
    e_head, e_one, e_two = edges[:, 0].copy(), edges[:, 1].copy(), edges[:, 2].copy()
    first_edge = np.zeros(n_nodes + 1, np.int64)
    for e in range(n_edges):
        first_edge[e_head[e] + 1] += 1
    for v in range(n_nodes):
        first_edge[v + 1] += first_edge[v]
    order = np.empty(n_edges, np.int32)
    fill = first_edge.copy()
    for e in range(n_edges):
        order[fill[e_head[e]]] = e
        fill[e_head[e]] += 1
    edge_best = np.empty(n_edges, np.float64)
    for e in range(n_edges):
        edge_best[e] = e_score[e] + best[e_one[e]] + (best[e_two[e]] if e_two[e] >= 0 else 0.0)
    # Derivations, of every node from the best on.
    d_score = np.empty(1024, np.float64)
    d_edge = np.empty(1024, np.int32)
    d_one = np.empty(1024, np.int32)
    d_two = np.empty(1024, np.int32)
    d_next = np.empty(1024, np.int32)
    d_node = np.empty(1024, np.int32)
    nd = 0
    first_d = np.full(n_nodes, -1, np.int32)
    last_d = np.full(n_nodes, -1, np.int32)
    exhausted = np.zeros(n_nodes, np.uint8)
    # Candidates; each node has a heap of them.
    c_score = np.empty(1024, np.float64)
    c_edge = np.empty(1024, np.int32)
    c_one = np.empty(1024, np.int32)
    c_two = np.empty(1024, np.int32)
    c_left = np.empty(1024, np.int32)
    c_right = np.empty(1024, np.int32)
    nc = 0
    heap = np.full(n_nodes, -1, np.int32)
    untried = np.zeros(n_nodes, np.int64)  # edges in order of their best, of which this many are in the heap
    path = np.empty(1024, np.int32)
    stack_node = np.empty(1024, np.int32)
    stack_stage = np.empty(1024, np.int8)
    stack_cand = np.empty(1024, np.int32)
    tokens = np.empty(1024, np.int32)
    nt = 0
    token_ends = np.zeros(k + 1, np.int64)
    scores = np.empty(k, np.float64)
    seen = np.empty(k, np.uint64)
    todo = np.empty(1024, np.int32)
    found = 0
    asked = 0
    if first_edge[goal] == first_edge[goal + 1]:
        return scores[:0], token_ends[:1], tokens[:0]
    while found < k and asked < limit:
        # One more derivation of the goal.
        top = 0
        stack_node[0], stack_stage[0], stack_cand[0] = goal, 0, -1
        top = 1
        while top > 0:
            v, stage = stack_node[top - 1], stack_stage[top - 1]
            if top + 2 >= stack_node.size:
                stack_node, stack_stage, stack_cand = _wider(stack_node), _wider(stack_stage), _wider(stack_cand)
            if nc + 4 >= c_score.size:
                c_score, c_edge, c_one, c_two = _wider(c_score), _wider(c_edge), _wider(c_one), _wider(c_two)
                c_left, c_right, path = _wider(c_left), _wider(c_right), _wider(path)
            if nd + 2 >= d_score.size:
                d_score, d_edge, d_one, d_two = _wider(d_score), _wider(d_edge), _wider(d_one), _wider(d_two)
                d_next, d_node = _wider(d_next), _wider(d_node)
            if stage == 0:
                if exhausted[v]:
                    top -= 1
                    continue
                if SILENT < shown[v] < -1:
                    d_score[nd], d_edge[nd], d_one[nd], d_two[nd], d_next[nd], d_node[nd] = 0.0, -1, -1, -1, -2, v
                    first_d[v], last_d[v], exhausted[v] = nd, nd, 1
                    nd += 1
                    top -= 1
                    continue
                if first_d[v] < 0:
                    a, b = first_edge[v], first_edge[v + 1]
                    mine = order[a:b].copy()
                    by = np.argsort(-edge_best[mine], kind="mergesort")
                    for at in range(b - a):
                        order[a + at] = mine[by[at]]
                    e = order[a]
                    c_score[nc], c_edge[nc], c_one[nc], c_two[nc], c_left[nc], c_right[nc] = (
                        edge_best[e],
                        e,
                        -1,
                        -1,
                        -1,
                        -1,
                    )
                    heap[v] = nc
                    nc += 1
                    untried[v] = 1
                    stack_stage[top - 1] = 4
                else:
                    stack_stage[top - 1] = 1
            elif stage == 1:  # the last derivation with its second part a place lower
                d = last_d[v]
                two = d_two[d]
                stack_stage[top - 1] = 2
                if two >= 0 and d_next[two] == -1:
                    stack_node[top], stack_stage[top], stack_cand[top] = e_two[d_edge[d]], 0, -1
                    top += 1
            elif stage == 2:
                d = last_d[v]
                two = d_two[d]
                if two >= 0 and d_next[two] >= 0:
                    lower = d_next[two]
                    c_score[nc] = e_score[d_edge[d]] + d_score[d_one[d]] + d_score[lower]
                    c_edge[nc], c_one[nc], c_two[nc], c_left[nc], c_right[nc] = d_edge[d], d_one[d], lower, -1, -1
                    heap[v] = _meld(heap[v], nc, c_score, c_left, c_right, path)
                    nc += 1
                stack_stage[top - 1] = 3
                one = d_one[d]
                if (two < 0 or two == first_d[d_node[two]]) and d_next[one] == -1:
                    stack_node[top], stack_stage[top], stack_cand[top] = e_one[d_edge[d]], 0, -1
                    top += 1
            elif stage == 3:
                d = last_d[v]
                one, two = d_one[d], d_two[d]
                if (two < 0 or two == first_d[d_node[two]]) and d_next[one] >= 0:
                    lower = d_next[one]
                    c_score[nc] = e_score[d_edge[d]] + d_score[lower] + (d_score[two] if two >= 0 else 0.0)
                    c_edge[nc], c_one[nc], c_two[nc], c_left[nc], c_right[nc] = d_edge[d], lower, two, -1, -1
                    heap[v] = _meld(heap[v], nc, c_score, c_left, c_right, path)
                    nc += 1
                stack_stage[top - 1] = 4
            elif stage == 4:
                c = heap[v]
                if c < 0:
                    exhausted[v] = 1
                    d_next[last_d[v]] = -2
                    top -= 1
                    continue
                heap[v] = _meld(c_left[c], c_right[c], c_score, c_left, c_right, path)
                stack_cand[top - 1] = c
                stack_stage[top - 1] = 5
                if c_one[c] < 0:  # the best of an edge: the next edge may come now
                    at = first_edge[v] + untried[v]
                    if at < first_edge[v + 1]:
                        e = order[at]
                        untried[v] += 1
                        c_score[nc], c_edge[nc], c_one[nc], c_two[nc], c_left[nc], c_right[nc] = (
                            edge_best[e],
                            e,
                            -1,
                            -1,
                            -1,
                            -1,
                        )
                        heap[v] = _meld(heap[v], nc, c_score, c_left, c_right, path)
                        nc += 1
                    e = c_edge[c]
                    if first_d[e_one[e]] < 0:
                        stack_node[top], stack_stage[top], stack_cand[top] = e_one[e], 0, -1
                        top += 1
                    if e_two[e] >= 0 and first_d[e_two[e]] < 0:
                        stack_node[top], stack_stage[top], stack_cand[top] = e_two[e], 0, -1
                        top += 1
            else:
                c = stack_cand[top - 1]
                e = c_edge[c]
                one, two = c_one[c], c_two[c]
                if one < 0:
                    one = first_d[e_one[e]]
                    two = first_d[e_two[e]] if e_two[e] >= 0 else -1
                d_score[nd] = e_score[e] + d_score[one] + (d_score[two] if two >= 0 else 0.0)
                d_edge[nd], d_one[nd], d_two[nd], d_next[nd], d_node[nd] = e, one, two, -1, v
                if first_d[v] < 0:
                    first_d[v] = nd
                else:
                    d_next[last_d[v]] = nd
                last_d[v] = nd
                nd += 1
                top -= 1
        if exhausted[goal]:
            break
        asked += 1
        d = last_d[goal]
        # Its tree, as it will be written.
        begin = nt
        key = _START
        todo[0] = d
        left = 1
        while left > 0:
            left -= 1
            d = todo[left]
            if d < 0:
                token = -1
            else:
                v = d_node[d]
                if left + 4 >= todo.size:
                    todo = _wider(todo)
                token = shown[v]
                if token >= 0 or token == SILENT:
                    if token >= 0:
                        todo[left] = -1
                        left += 1
                    if d_two[d] >= 0:
                        todo[left] = d_two[d]
                        left += 1
                    todo[left] = d_one[d]
                    left += 1
            if token != SILENT:
                if nt == tokens.size:
                    tokens = _wider(tokens)
                tokens[nt] = token
                nt += 1
                key = (key ^ np.uint64(token)) * _MULTIPLIER
                key ^= key >> _SHIFT
        is_new = True
        for at in range(found):
            if seen[at] == key:
                is_new = False
        if not is_new:
            nt = begin
            continue
        seen[found] = key
        scores[found] = d_score[last_d[goal]]
        if found > 0:  # sums of the same numbers in another order may differ in the last digit
            scores[found] = min(scores[found], scores[found - 1])
        found += 1
        token_ends[found] = nt
    return scores[:found], token_ends[: found + 1], tokens[:nt]
