"""Features of the trees of one list from those of their nodes, leaving out what all trees have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints, Singles

    Flags = NDArray[np.uint8]


@njit(cache=True, nogil=True)
def tally(
    has: Flags, ends: Ints, ids: Columns, places: Columns
) -> tuple[Ints, Columns, Singles]:  # pragma: no cover - compiled
    """Count features per tree: rows, feature numbers and counts, of features that differ between the trees.

    `has[t, n]` says whether tree t has node n, whose features are `ids[ends[n]:ends[n + 1]]` (a number may come
    twice). `places` has -1 for every feature number, and again when this returns. O(trees x nodes + features of
    nodes that differ + trees x their distinct features).
    """
    n_trees, n_nodes = has.shape
    differs = np.zeros(n_nodes, np.uint8)
    for tree in range(1, n_trees):
        for node in range(n_nodes):
            if has[tree, node] != has[0, node]:
                differs[node] = 1
    known = 0
    numbers = np.empty(ids.size, np.int32)
    for node in range(n_nodes):
        if differs[node]:
            for at in range(ends[node], ends[node + 1]):
                if places[ids[at]] < 0:
                    places[ids[at]] = known
                    numbers[known] = ids[at]
                    known += 1
    counts = np.zeros((n_trees, known), np.int32)
    for tree in range(n_trees):
        for node in range(n_nodes):
            if differs[node] and has[tree, node]:
                for at in range(ends[node], ends[node + 1]):
                    counts[tree, places[ids[at]]] += 1
    keep = np.zeros(known, np.uint8)
    for tree in range(1, n_trees):
        for place in range(known):
            if counts[tree, place] != counts[0, place]:
                keep[place] = 1
    everywhere = np.zeros(known, np.int32)
    for node in range(n_nodes):
        if not differs[node] and n_trees and has[0, node]:
            for at in range(ends[node], ends[node + 1]):
                if places[ids[at]] >= 0:
                    everywhere[places[ids[at]]] += 1
    rows = np.zeros(n_trees + 1, np.int64)
    for tree in range(n_trees):
        stored = 0
        for place in range(known):
            if keep[place] and counts[tree, place] + everywhere[place] > 0:
                stored += 1
        rows[tree + 1] = rows[tree] + stored
    columns, values = np.empty(rows[n_trees], np.int32), np.empty(rows[n_trees], np.float32)
    at = 0
    for tree in range(n_trees):
        for place in range(known):
            count = counts[tree, place] + everywhere[place]
            if keep[place] and count > 0:
                columns[at], values[at] = numbers[place], count
                at += 1
    for place in range(known):
        places[numbers[place]] = -1
    return rows, columns, values


@njit(cache=True, nogil=True)
def count_once(ids: Columns, number: int, last: Columns, seen: Columns) -> None:  # pragma: no cover - compiled
    """Add one to `seen` of every feature of list `number`, once a list; `last` has the last list of each."""
    for at in range(ids.size):
        feature = ids[at]
        if last[feature] != number:
            last[feature] = number
            seen[feature] += 1
