"""Stochastic gradient descent for chains: a step after every sequence, with weights that share a factor (Bottou 2010).

The prior shrinks all weights at every step; that is a change of their common factor alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_gradient import sequence_slopes
from runoff.kernels.chain_scores import add_edges, add_unary, thinned
from runoff.kernels.chain_sums import edge_factors
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.chain_scores import ChainTokens, ChainWeights
    from runoff.kernels.xorshift import Seeds

FACTOR, STEPS, LOSS = range(3)  # of the weights, steps so far, and the sum of the objective over them
_SMALLEST = 1e-6  # of the factor, before it is multiplied into the weights


@compiled
def sgd_pass(
    order: Ints,
    tokens: ChainTokens,
    tags: Columns,
    weights: ChainWeights,
    kind: int,
    strength: float,
    rate: float,
    shrink: float,
    has_transitions: bool,
    dropout: float,
    random: Seeds,
    state: Floats,
) -> None:  # pragma: no cover - compiled
    """Visit sequences in this order; the step after t of them is `rate / (1 + rate shrink t)`.

    `shrink` is the slope of the prior per sequence and unit of weight. The weights are `state[FACTOR]` times what the
    arrays have. O(features x their tags + tokens x tags²).
    """
    n_tags = weights.starts.size
    for sequence in order:
        first = tokens.offsets[sequence]
        n = tokens.offsets[sequence + 1] - first
        step = rate / (1.0 + rate * shrink * state[STEPS])
        state[STEPS] += 1.0
        if state[FACTOR] < _SMALLEST:
            _settle(weights, state)
        factor = state[FACTOR]
        state[FACTOR] *= 1.0 - step * shrink
        if n == 0:
            continue
        wide = 0 if n == 1 else n if tokens.history.size else 1  # a token by itself needs nothing for pairs
        unary, slopes = np.empty((n, n_tags)), np.empty((n, n_tags))
        edges, factors, most = np.empty((wide, n_tags, n_tags)), np.empty((wide, n_tags, n_tags)), np.empty(wide)
        pairs = np.zeros((wide, n_tags, n_tags))
        own = thinned(tokens, first, n, dropout, random)
        add_unary(own, weights, 0, unary)
        add_edges(own, weights, 0, edges)
        unary *= factor
        edges *= factor
        edge_factors(edges, factors, most)
        right = tags[first : first + n]
        state[LOSS] += sequence_slopes(unary, edges, factors, most, right, kind, strength, slopes, pairs)
        move = -step / state[FACTOR]
        _move(own, 0, weights, slopes, pairs, move, has_transitions)


@compiled
def _move(
    tokens: ChainTokens,
    first: int,
    weights: ChainWeights,
    slopes: Floats,
    pairs: Floats,
    amount: float,
    has_transitions: bool,
) -> None:  # pragma: no cover - compiled
    n, n_tags = slopes.shape
    for at in range(n):
        slope = slopes[at]
        for place in range(tokens.indptr[first + at], tokens.indptr[first + at + 1]):
            feature = np.uint32(tokens.features[place])
            for pair in range(weights.rows[feature], weights.rows[feature + np.uint32(1)]):
                weights.weights[pair] += amount * slope[np.uint32(weights.row_tags[pair])]
    weights.starts[:] += amount * slopes[0]
    weights.ends[:] += amount * slopes[n - 1]
    for at in range(pairs.shape[0]):
        if has_transitions:
            weights.transitions[:] += amount * pairs[at]
        if pairs.shape[0] == 1:
            return
        line = pairs[at].reshape(-1)
        for place in range(tokens.history_indptr[first + at], tokens.history_indptr[first + at + 1]):
            feature = tokens.history[place]
            for pair in range(weights.history_rows[feature], weights.history_rows[feature + 1]):
                if weights.history_codes[pair] < n_tags * n_tags:
                    weights.history_weights[pair] += amount * line[weights.history_codes[pair]]


@compiled
def _settle(weights: ChainWeights, state: Floats) -> None:  # pragma: no cover - compiled
    """Multiply the factor into the weights."""
    factor = state[FACTOR]
    weights.weights[:] *= factor
    weights.history_weights[:] *= factor
    weights.transitions[:] *= factor
    weights.starts[:] *= factor
    weights.ends[:] *= factor
    state[FACTOR] = 1.0
