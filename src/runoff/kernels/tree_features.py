"""Features of the trees of one list from those of their nodes, leaving out what all trees have alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints, Singles

    Flags = NDArray[np.uint8]


@compiled
def tally(
    has: Flags, ends: Ints, ids: Columns, places: Columns
) -> tuple[Ints, Columns, Singles]:  # pragma: no cover - compiled
    """Count features per tree: rows, feature numbers and counts, of features that differ between the trees.

    `has[t, n]` says whether tree t has node n, whose features are `ids[ends[n]:ends[n + 1]]` (a number may come
    twice). `places` has -1 for every feature number, and again when this returns. Features of a row come as they are
    first met in its tree. O(trees x nodes + what nodes that differ have, counted for every tree with them), twice;
    memory: what is returned.
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
    everywhere = np.zeros(known, np.int32)
    for node in range(n_nodes):
        if not differs[node] and n_trees and has[0, node]:
            for at in range(ends[node], ends[node + 1]):
                if places[ids[at]] >= 0:
                    everywhere[places[ids[at]]] += 1
    counts, met = np.zeros(known, np.int32), np.empty(known, np.int32)
    common, n_common = np.empty(known, np.int32), 0  # what all trees have, and some more often than others
    usual, trees_with, keep = np.zeros(known, np.int32), np.zeros(known, np.int32), np.zeros(known, np.uint8)
    rows = np.zeros(n_trees + 1, np.int64)
    columns, values = np.empty(0, np.int32), np.empty(0, np.float32)
    for fills in (False, True):
        stored = 0
        for tree in range(n_trees):
            n_met = 0
            for place in common[:n_common]:
                counts[place] = everywhere[place]
                met[n_met] = place
                n_met += 1
            for node in range(n_nodes):
                if differs[node] and has[tree, node]:
                    for at in range(ends[node], ends[node + 1]):
                        place = places[ids[at]]
                        if counts[place] == 0:
                            met[n_met] = place
                            n_met += 1
                        counts[place] += 1
            for place in met[:n_met]:
                if not fills:
                    trees_with[place] += 1
                    if usual[place] == 0:
                        usual[place] = counts[place]
                    elif usual[place] != counts[place]:
                        keep[place] = 1
                elif keep[place]:
                    columns[stored], values[stored] = numbers[place], counts[place]
                    stored += 1
                counts[place] = 0
            rows[tree + 1] = stored
        if not fills:
            for place in range(known):
                if trees_with[place] < n_trees:
                    keep[place] = 1
                if keep[place] and everywhere[place]:
                    common[n_common] = place
                    n_common += 1
                    stored += n_trees
                elif keep[place]:
                    stored += trees_with[place]
            columns, values = np.empty(stored, np.int32), np.empty(stored, np.float32)
    for place in range(known):
        places[numbers[place]] = -1
    return rows, columns, values


@compiled
def count_once(ids: Columns, number: int, last: Columns, seen: Columns) -> None:  # pragma: no cover - compiled
    """Add one to `seen` of every feature of list `number`, once a list; `last` has the last list of each."""
    for at in range(ids.size):
        feature = ids[at]
        if last[feature] != number:
            last[feature] = number
            seen[feature] += 1
