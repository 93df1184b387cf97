"""The best tagging of a sequence (Viterbi 1967), exact.

Ties go to the lower tag before; at the end to the lower tag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats


@compiled
def viterbi_table(unary: Floats, edges: Floats, best: Floats, before: Columns) -> None:  # pragma: no cover - compiled
    """Score of the best tagging up to every token that ends with every tag, and the tag before.

    O(tokens x tags²) at worst; a tag before that cannot win for any tag is passed over.
    """
    n, n_tags = unary.shape
    if not n:
        return
    most = np.empty(n_tags)
    for x in range(n_tags):
        most[x] = edges[0, x].max()
    best[0] = unary[0]
    before[0] = 0
    for at in range(1, n):
        pairs = edges[min(at, edges.shape[0] - 1)]
        if edges.shape[0] > 1:
            for x in range(n_tags):
                most[x] = pairs[x].max()
        last, now, come = best[at - 1], best[at], before[at]
        favourite = 0
        for x in range(1, n_tags):
            if last[x] > last[favourite]:
                favourite = x
        least = np.inf
        for y in range(n_tags):
            now[y] = last[favourite] + pairs[favourite, y]
            come[y] = favourite
            least = min(least, now[y])
        for x in range(n_tags):
            # Only where it could beat or tie with the weakest so far.
            if x == favourite or last[x] + most[x] < least or last[x] == -np.inf:
                continue
            base, row = last[x], pairs[x]
            least = np.inf
            for y in range(n_tags):
                score = base + row[y]
                if score > now[y] or (score == now[y] and x < come[y]):
                    now[y] = score
                    come[y] = x
                least = min(least, now[y])
        for y in range(n_tags):
            now[y] += unary[at, y]


@compiled
def viterbi(
    unary: Floats, edges: Floats, best: Floats, before: Columns, path: Columns
) -> float:  # pragma: no cover - compiled
    """Score of the best tagging, which `path` gets; -inf where none is allowed. `best`, `before`: tokens x tags."""
    n = unary.shape[0]
    if not n:
        return 0.0
    viterbi_table(unary, edges, best, before)
    tag = 0
    for y in range(1, unary.shape[1]):
        if best[n - 1, y] > best[n - 1, tag]:
            tag = y
    score = best[n - 1, tag]
    for at in range(n - 1, -1, -1):
        path[at] = tag
        tag = before[at, tag]
    return float(score)
