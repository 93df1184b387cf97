"""Objectives of linear-chain conditional random fields and their slopes, by token and tag (Lafferty et al. 2001).

ML: `-log p(right)`. LA: the same with `strength` added to the score of every wrong tag, that is the Hamming loss. EL:
the expected Hamming loss; its slopes need the expected loss given a tag or pair, which the expectation semiring gives
(Li & Eisner 2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_scores import ChainTokens, ChainWeights, add_edges, add_unary, path_score
from runoff.kernels.chain_sums import edge_factors, forward_backward, forward_backward_in_logs, probabilities
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats

ML, LA, EL = range(3)


@compiled
def chain_objective(
    begin: int,
    end: int,
    tokens: ChainTokens,
    tags: Columns,
    weights: ChainWeights,
    factors: Floats,
    most_edge: Floats,
    kind: int,
    strength: float,
    slopes: ChainWeights,
) -> float:  # pragma: no cover - compiled
    """Sum of the objective over sequences from `begin` to before `end`; its derivatives are added to `slopes`.

    `factors` and `most_edge` are the exponentials of the transitions. O(features x their tags + tokens x tags²).
    """
    n_tags = weights.starts.size
    longest = 0
    for sequence in range(begin, end):
        longest = max(longest, tokens.offsets[sequence + 1] - tokens.offsets[sequence])
    has_history = tokens.history.size > 0
    wide = longest if has_history else 0
    unaries, all_slopes = np.empty((longest, n_tags)), np.empty((longest, n_tags))
    own_edges, own_factors, own_most = (
        np.empty((wide, n_tags, n_tags)),
        np.empty((wide, n_tags, n_tags)),
        np.empty(wide),
    )
    own_pairs = np.empty((wide, n_tags, n_tags))
    shared = weights.transitions.reshape((1, n_tags, n_tags))
    pair_slopes = slopes.transitions.reshape((1, n_tags, n_tags))
    total = 0.0
    for sequence in range(begin, end):
        first = tokens.offsets[sequence]
        n = tokens.offsets[sequence + 1] - first
        if n == 0:
            continue
        unary, right, its_slopes = unaries[:n], tags[first : first + n], all_slopes[:n]
        add_unary(tokens, weights, first, unary)
        is_own = has_history and n > 1
        edges, its_factors, its_most, pairs = shared, factors, most_edge, pair_slopes
        if is_own:
            edges, its_factors, its_most, pairs = own_edges[:n], own_factors[:n], own_most[:n], own_pairs[:n]
            add_edges(tokens, weights, first, edges)
            edge_factors(edges, its_factors, its_most)
            pairs[:] = 0.0
        total += sequence_slopes(unary, edges, its_factors, its_most, right, kind, strength, its_slopes, pairs)
        if is_own:
            for at in range(1, n):
                pair_slopes[0] += pairs[at]
                line = pairs[at].reshape(-1)
                for place in range(tokens.history_indptr[first + at], tokens.history_indptr[first + at + 1]):
                    feature = tokens.history[place]
                    for pair in range(weights.history_rows[feature], weights.history_rows[feature + 1]):
                        if weights.history_codes[pair] < n_tags * n_tags:
                            slopes.history_weights[pair] += line[weights.history_codes[pair]]
        _add_slopes(tokens, first, its_slopes, slopes)
    return total


@compiled
def sequence_slopes(
    unary: Floats,
    edges: Floats,
    factors: Floats,
    most: Floats,
    right: Columns,
    kind: int,
    strength: float,
    slopes: Floats,
    pairs: Floats,
) -> float:  # pragma: no cover - compiled
    """The objective of one sequence; `slopes` gets its derivatives by the scores of tags, those of pairs are added."""
    n, n_tags = unary.shape
    if kind == EL:
        return _expected_loss(unary, edges, factors, most, right, slopes, pairs)
    if kind == LA:
        for at in range(n):
            for y in range(n_tags):
                if y != right[at]:
                    unary[at, y] += strength
    total = probabilities(unary, edges, factors, most, slopes, pairs) - path_score(unary, edges, right)
    for at in range(n):
        slopes[at, right[at]] -= 1.0
        if at:
            pairs[min(at, pairs.shape[0] - 1), right[at - 1], right[at]] -= 1.0
    return total


@compiled
def _add_slopes(
    tokens: ChainTokens, first: int, its_slopes: Floats, slopes: ChainWeights
) -> None:  # pragma: no cover - compiled
    """Add derivatives by the scores of tokens to those by the weights of their features."""
    n = its_slopes.shape[0]
    for at in range(n):
        slope = its_slopes[at]
        for place in range(tokens.indptr[first + at], tokens.indptr[first + at + 1]):
            feature = np.uint32(tokens.features[place])
            for pair in range(slopes.rows[feature], slopes.rows[feature + np.uint32(1)]):
                slopes.weights[pair] += slope[np.uint32(slopes.row_tags[pair])]
    slopes.starts[:] += its_slopes[0]
    slopes.ends[:] += its_slopes[n - 1]


@compiled
def _expected_loss(
    unary: Floats, edges: Floats, factors: Floats, most: Floats, right: Columns, slopes: Floats, pairs: Floats
) -> float:  # pragma: no cover - compiled
    """Expected Hamming loss; its slopes are covariances of the loss and a tag or pair."""
    n, n_tags = unary.shape
    ahead, back, own = np.empty((n, n_tags)), np.empty((n, n_tags)), np.empty((n, n_tags))
    total = forward_backward(unary, factors, most, ahead, back, own)
    in_logs = np.isnan(total)
    if in_logs:
        total = forward_backward_in_logs(unary, edges, ahead, back)
    # Expected loss up to a token and after it, given its tag.
    so_far, to_come = np.zeros((n, n_tags)), np.zeros((n, n_tags))
    shares = np.empty(n_tags)
    for at in range(n):
        for y in range(n_tags):
            loss = 0.0 if y == right[at] else 1.0
            if at:
                whole = 0.0
                for x in range(n_tags):
                    shares[x] = _ahead_share(at, x, y, edges, factors, ahead, in_logs)
                    whole += shares[x]
                for x in range(n_tags):
                    if whole > 0.0:
                        loss += shares[x] / whole * so_far[at - 1, x]
            so_far[at, y] = loss
    for at in range(n - 2, -1, -1):
        for x in range(n_tags):
            whole = 0.0
            for y in range(n_tags):
                shares[y] = _back_share(at + 1, x, y, unary, edges, factors, own, back, in_logs)
                whole += shares[y]
            for y in range(n_tags):
                if whole > 0.0:
                    loss = 0.0 if y == right[at + 1] else 1.0
                    to_come[at, x] += shares[y] / whole * (loss + to_come[at + 1, y])
    value = 0.0
    for at in range(n):
        for y in range(n_tags):
            slopes[at, y] = np.exp(ahead[at, y] + back[at, y] - total) if in_logs else ahead[at, y] * back[at, y]
            if y != right[at]:
                value += slopes[at, y]
    for at in range(n):
        for y in range(n_tags):
            slopes[at, y] *= so_far[at, y] + to_come[at, y] - value
    for at in range(1, n):
        rows, into = min(at, edges.shape[0] - 1), pairs[min(at, pairs.shape[0] - 1)]
        for x in range(n_tags):
            for y in range(n_tags):
                if in_logs:
                    p = np.exp(ahead[at - 1, x] + edges[rows, x, y] + unary[at, y] + back[at, y] - total)
                else:
                    p = ahead[at - 1, x] * factors[rows, x, y] * own[at, y] * back[at, y]
                loss = so_far[at - 1, x] + to_come[at, y] + (0.0 if y == right[at] else 1.0)
                into[x, y] += p * (loss - value)
    return value


@compiled
def _ahead_share(
    at: int, x: int, y: int, edges: Floats, factors: Floats, ahead: Floats, in_logs: bool
) -> float:  # pragma: no cover - compiled
    row = min(at, edges.shape[0] - 1)
    if not in_logs:
        return float(ahead[at - 1, x] * factors[row, x, y])
    return float(np.exp(ahead[at - 1, x] + edges[row, x, y] - (ahead[at - 1] + edges[row, :, y]).max()))


@compiled
def _back_share(
    at: int, x: int, y: int, unary: Floats, edges: Floats, factors: Floats, own: Floats, back: Floats, in_logs: bool
) -> float:  # pragma: no cover - compiled
    row = min(at, edges.shape[0] - 1)
    if not in_logs:
        return float(factors[row, x, y] * own[at, y] * back[at, y])
    return float(np.exp(edges[row, x, y] + unary[at, y] + back[at, y] - (edges[row, x] + unary[at] + back[at]).max()))
