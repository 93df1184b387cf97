"""Tags, k best taggings and probabilities of many sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_kbest import kbest
from runoff.kernels.chain_scores import ChainLimits, ChainTokens, ChainWeights, add_edges, add_unary, limit
from runoff.kernels.chain_sums import edge_factors, probabilities
from runoff.kernels.chain_viterbi import viterbi
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints


@compiled
def sequence_scores(
    sequence: int, tokens: ChainTokens, weights: ChainWeights, limits: ChainLimits | None
) -> tuple[Floats, Floats]:  # pragma: no cover - compiled
    """Scores of the tags and pairs of one sequence."""
    first, n_tags = tokens.offsets[sequence], weights.starts.size
    n = tokens.offsets[sequence + 1] - first
    unary = np.empty((n, n_tags))
    edges = np.empty((n if tokens.history.size and n > 1 else 1, n_tags, n_tags))
    add_unary(tokens, weights, first, unary)
    add_edges(tokens, weights, first, edges)
    if limits is not None:
        limit(limits, first, unary, edges)
    return unary, edges


@compiled
def label_sequences(
    begin: int, end: int, tokens: ChainTokens, weights: ChainWeights, limits: ChainLimits | None, out: Columns
) -> int:  # pragma: no cover - compiled
    """The best tags of sequences; gives the first for which none are allowed, or -1."""
    for sequence in range(begin, end):
        first, last = tokens.offsets[sequence], tokens.offsets[sequence + 1]
        unary, edges = sequence_scores(sequence, tokens, weights, limits)
        best, before = np.empty(unary.shape), np.empty(unary.shape, np.int32)
        if viterbi(unary, edges, best, before, out[first:last]) == -np.inf:
            return sequence
    return -1


@compiled
def kbest_sequences(
    begin: int,
    end: int,
    tokens: ChainTokens,
    weights: ChainWeights,
    limits: ChainLimits | None,
    k: int,
    with_sums: bool,
    paths: Columns,
    scores: Floats,
    found: Ints,
) -> int:  # pragma: no cover - compiled
    """The k best taggings of sequences; gives the first for which none are allowed, or -1.

    Those of a sequence are written to `paths[k * offsets[s]:]`, one after the other; `scores[s]` has their scores, less
    the logarithm of the sum over all taggings where that is wanted: then they are log-probabilities.
    """
    for sequence in range(begin, end):
        first, last = tokens.offsets[sequence], tokens.offsets[sequence + 1]
        unary, edges = sequence_scores(sequence, tokens, weights, limits)
        table = paths[k * first : k * last].reshape((k, last - first))
        found[sequence] = kbest(unary, edges, k, table, scores[sequence])
        if not found[sequence]:
            return sequence
        if with_sums and last > first:
            factors, most, none = np.empty(edges.shape), np.empty(edges.shape[0]), np.empty((0, 1, 1))
            edge_factors(edges, factors, most)
            scores[sequence] -= probabilities(unary, edges, factors, most, np.empty(unary.shape), none)
    return -1


@compiled
def tag_probabilities(
    begin: int, end: int, tokens: ChainTokens, weights: ChainWeights, limits: ChainLimits | None, out: Floats
) -> int:  # pragma: no cover - compiled
    """Probabilities of all tags at every token; gives the first sequence for which none are allowed, or -1."""
    for sequence in range(begin, end):
        first, last = tokens.offsets[sequence], tokens.offsets[sequence + 1]
        if first == last:
            continue
        unary, edges = sequence_scores(sequence, tokens, weights, limits)
        factors, most, none = np.empty(edges.shape), np.empty(edges.shape[0]), np.empty((0, 1, 1))
        edge_factors(edges, factors, most)
        if probabilities(unary, edges, factors, most, out[first:last], none) == -np.inf:
            return sequence
    return -1
