"""The k best taggings of a sequence, exact: lists of every tag at every token are made only as far as they are needed.

Algorithm 3 of Huang & Chiang (2005) for chains: after the table of Viterbi, each further tagging asks every token for
at most one further entry, so that k of them cost O(tokens x tags² + k tokens tags). Ties go to the lower tag before,
then to the entry that is better there; at the end to the lower tag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_viterbi import viterbi_table
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats

_NOT_VISITED = -1


@compiled
def kbest(unary: Floats, edges: Floats, k: int, paths: Columns, scores: Floats) -> int:  # pragma: no cover - compiled
    """Fill `paths` (k x tokens) and `scores` (k), best first; gives how many there are: fewer where few are allowed."""
    n, n_tags = unary.shape
    if not n:
        scores[0] = 0.0
        return 1
    best, before = np.empty((n, n_tags)), np.empty((n, n_tags), np.int32)
    viterbi_table(unary, edges, best, before)
    # A cell gets a slot when its second entry is asked for; cell (n, 0) stands for the end.
    slot_of = np.full((n + 1, n_tags), _NOT_VISITED, np.int32)
    room = 4 * n + 16
    next_rank = np.empty((room, n_tags), np.int32)  # of every tag before, the entry that is not yet taken
    listed = np.zeros(room, np.int32)
    entry_score, entry_before = np.empty((room, k)), np.empty((room, k), np.int32)
    entry_rank, is_dry = np.empty((room, k), np.int32), np.zeros(room, np.bool_)
    slots = 0
    wanted_level, wanted_tag = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    found = 0
    while found < k:
        # Downwards: entry `found` of the end needs the entry after the one that it took last, and so on.
        depth, level, tag, rank = 0, n, 0, found
        while True:
            slot = slot_of[level, tag]
            if slot == _NOT_VISITED:
                if slots == listed.size:
                    next_rank, listed = _doubled(next_rank), _doubled_line(listed)
                    entry_score, entry_before = _doubled(entry_score), _doubled(entry_before)
                    entry_rank, is_dry = _doubled(entry_rank), _doubled_line(is_dry)
                slot = slots
                slots += 1
                slot_of[level, tag] = slot
                next_rank[slot] = 0
                listed[slot], is_dry[slot] = 0, False
                if level < n:  # its first entry is that of Viterbi
                    entry_score[slot, 0], entry_before[slot, 0] = best[level, tag], before[level, tag]
                    entry_rank[slot, 0] = 0
                    listed[slot] = 1
            if is_dry[slot] or listed[slot] > rank:
                break
            wanted_level[depth], wanted_tag[depth] = level, tag
            depth += 1
            if level == 0 or listed[slot] == 0:
                break
            tag = entry_before[slot, listed[slot] - 1]
            rank = entry_rank[slot, listed[slot] - 1] + 1
            next_rank[slot, tag] = rank
            level -= 1
        # Upwards: each takes the best of what the level below it has now.
        for step in range(depth - 1, -1, -1):
            level, tag = wanted_level[step], wanted_tag[step]
            slot = slot_of[level, tag]
            if level == 0:
                is_dry[slot] = True
                continue
            pairs = edges[min(level, edges.shape[0] - 1)]
            top, top_before = -np.inf, -1
            for x in range(n_tags):
                rank = next_rank[slot, x]
                below = slot_of[level - 1, x]
                if rank == 0:
                    score = best[level - 1, x]
                elif below != _NOT_VISITED and listed[below] > rank:
                    score = entry_score[below, rank]
                else:
                    continue
                if level < n:
                    score += pairs[x, tag]
                if score > top:
                    top, top_before = score, x
            if top_before < 0:
                is_dry[slot] = True
                continue
            at = listed[slot]
            entry_score[slot, at] = top + (unary[level, tag] if level < n else 0.0)
            entry_before[slot, at], entry_rank[slot, at] = top_before, next_rank[slot, top_before]
            listed[slot] += 1
        slot = slot_of[n, 0]
        if listed[slot] <= found:
            break
        scores[found] = entry_score[slot, found]
        tag, rank = entry_before[slot, found], entry_rank[slot, found]
        for level in range(n - 1, -1, -1):
            paths[found, level] = tag
            below = slot_of[level, tag]
            if below == _NOT_VISITED:
                tag, rank = before[level, tag], 0
            else:
                tag, rank = entry_before[below, rank], entry_rank[below, rank]
        found += 1
    return found


@compiled
def _doubled(table: Floats) -> Floats:  # pragma: no cover - compiled
    larger = np.empty((2 * table.shape[0], table.shape[1]), table.dtype)
    larger[: table.shape[0]] = table
    return larger


@compiled
def _doubled_line(line: Columns) -> Columns:  # pragma: no cover - compiled
    larger = np.zeros(2 * line.size, line.dtype)
    larger[: line.size] = line
    return larger
