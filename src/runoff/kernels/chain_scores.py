"""Scores of the tags of one sequence: by token, and by token and pair of neighbouring tags.

`unary[t, y]` is the score of tag y at token t, with that of beginning or ending with it; `edges[t, x, y]` that of y
after x at token t, or `edges[0, x, y]` at all tokens where the pairs have no features of their own. What is not allowed
is -inf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.prefetch import prefetch
from runoff.kernels.xorshift import uniform

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints
    from runoff.kernels.xorshift import Seeds

_AHEAD = 8  # features whose weights are on their way to the cache while others are added


class ChainWeights(NamedTuple):
    """Weights of a chain: every feature has a row of tags, every history feature one of contexts and tags.

    The code of a context and a tag is `context * tags + tag`; the context of a chain is the tag before. Codes of a row
    are in ascending order.
    """

    rows: Ints
    row_tags: Columns
    weights: Floats
    history_rows: Ints
    history_codes: Ints
    history_weights: Floats
    transitions: Floats  # by tag before and tag
    starts: Floats
    ends: Floats


class ChainTokens(NamedTuple):
    """Features of all tokens."""

    offsets: Ints
    indptr: Ints
    features: Columns
    history_indptr: Ints
    history: Columns


class ChainLimits(NamedTuple):
    """What tags are allowed: pairs, at the ends, and at every token one of several sets, or a single tag."""

    transitions: Bools
    starts: Bools
    ends: Bools
    sets: Bools  # set, tag
    set_of: Columns  # of every token; -1 for all tags
    frozen: Columns  # the tag of every token; -1 where it is free


@compiled
def thinned(
    tokens: ChainTokens, first: int, n: int, dropout: float, state: Seeds
) -> ChainTokens:  # pragma: no cover - compiled
    """One sequence alone, without features that are left out by chance. O(features)."""
    indptr, history = tokens.indptr[first : first + n + 1], tokens.history_indptr[first : first + n + 1]
    if dropout == 0.0:
        return ChainTokens(tokens.offsets, indptr, tokens.features, history, tokens.history)
    kept, starts = np.empty(indptr[n] - indptr[0], np.int32), np.zeros(n + 1, np.int64)
    known = 0
    for at in range(n):
        for place in range(indptr[at], indptr[at + 1]):
            if uniform(state) >= dropout:
                kept[known] = tokens.features[place]
                known += 1
        starts[at + 1] = known
    return ChainTokens(tokens.offsets, starts, kept[:known], history, tokens.history)


@compiled
def add_unary(
    tokens: ChainTokens, weights: ChainWeights, first: int, unary: Floats
) -> None:  # pragma: no cover - compiled
    """Set the scores of the tags at tokens from `first` on. O(features x their tags)."""
    n, known = unary.shape[0], tokens.features.size
    unary[:] = 0.0
    for at in range(n):
        scores = unary[at]
        for place in range(tokens.indptr[first + at], tokens.indptr[first + at + 1]):
            if place + 2 * _AHEAD < known:  # where a feature's weights are, and then what they are
                prefetch(weights.rows, np.int64(tokens.features[place + 2 * _AHEAD]))
                begin = weights.rows[np.uint32(tokens.features[place + _AHEAD])]
                prefetch(weights.row_tags, begin)
                prefetch(weights.weights, begin)
            feature = np.uint32(tokens.features[place])
            for pair in range(weights.rows[feature], weights.rows[feature + np.uint32(1)]):
                scores[np.uint32(weights.row_tags[pair])] += weights.weights[pair]
    if n:
        unary[0] += weights.starts
        unary[n - 1] += weights.ends


@compiled
def add_edges(
    tokens: ChainTokens, weights: ChainWeights, first: int, edges: Floats
) -> None:  # pragma: no cover - compiled
    """Set the scores of pairs at tokens from `first` on; the first of a sequence has none. O(tokens x tags²)."""
    n_tags = weights.starts.size
    for at in range(edges.shape[0]):
        edges[at] = weights.transitions
        if edges.shape[0] == 1:
            return
        scores = edges[at].reshape(-1)
        for place in range(tokens.history_indptr[first + at], tokens.history_indptr[first + at + 1]):
            feature = tokens.history[place]
            for pair in range(weights.history_rows[feature], weights.history_rows[feature + 1]):
                code = weights.history_codes[pair]
                if code < n_tags * n_tags:
                    scores[code] += weights.history_weights[pair]


@compiled
def limit(limits: ChainLimits, first: int, unary: Floats, edges: Floats) -> None:  # pragma: no cover - compiled
    """Set what is not allowed to -inf. O(tokens x tags), and x tags² where pairs have features of their own."""
    n, n_tags = unary.shape
    for x in range(n_tags):
        for y in range(n_tags):
            if not limits.transitions[x, y]:
                edges[:, x, y] = -np.inf
    for y in range(n_tags):
        if n and not limits.starts[y]:
            unary[0, y] = -np.inf
        if n and not limits.ends[y]:
            unary[n - 1, y] = -np.inf
    for at in range(n):
        its_set, tag = limits.set_of[first + at], limits.frozen[first + at]
        for y in range(n_tags):
            if (its_set >= 0 and not limits.sets[its_set, y]) or (tag >= 0 and y != tag):
                unary[at, y] = -np.inf


@compiled
def path_score(unary: Floats, edges: Floats, path: Columns) -> float:  # pragma: no cover - compiled
    """Score of one tagging. O(tokens)."""
    total = 0.0
    for at in range(path.size):
        total += unary[at, path[at]]
        if at:
            total += edges[min(at, edges.shape[0] - 1), path[at - 1], path[at]]
    return total


@compiled
def impossible(offsets: Ints, limits: ChainLimits, out: Bools) -> None:  # pragma: no cover - compiled
    """Which sequences have no tagging that is allowed. O(tokens x tags²)."""
    n_tags = limits.starts.size
    reached, after = np.empty(n_tags, np.bool_), np.empty(n_tags, np.bool_)
    for sequence in range(offsets.size - 1):
        first, last = offsets[sequence], offsets[sequence + 1]
        for at in range(first, last):
            its_set, tag = limits.set_of[at], limits.frozen[at]
            for y in range(n_tags):
                is_free = (its_set < 0 or limits.sets[its_set, y]) and (tag < 0 or y == tag)
                after[y] = is_free and (at > first or limits.starts[y]) and (at < last - 1 or limits.ends[y])
                if after[y] and at > first:
                    after[y] = (reached & limits.transitions[:, y]).any()
            reached[:] = after
        out[sequence] = last > first and not reached.any()
