"""Passes of the structured perceptron over sequences (Collins 2002), with lazy averaging."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.chain_rows import place_of
from runoff.kernels.chain_scores import ChainTokens, ChainWeights, add_edges, add_unary, thinned
from runoff.kernels.chain_viterbi import viterbi
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.xorshift import Seeds

STEPS, MISTAKES = range(2)  # visits so far, and tokens that were tagged wrongly


class ChainSums(NamedTuple):
    """Of every weight, the sum of its changes times the visits before them: mean weight = weight - sum / visits."""

    weights: Floats
    history_weights: Floats
    transitions: Floats
    starts: Floats
    ends: Floats


@compiled
def perceptron_pass(
    order: Ints,
    tokens: ChainTokens,
    tags: Columns,
    weights: ChainWeights,
    sums: ChainSums,
    margin: float,
    is_scaled: bool,
    largest: float,
    dropout: float,
    random: Seeds,
    counters: Ints,
) -> None:  # pragma: no cover - compiled
    """Visit sequences in this order; where the best tagging is wrong, the weights move towards the right one.

    Features of a visit are left out with the probability `dropout`. Wrong tags get `margin` on top of their scores. A
    step is 1 or, where it `is_scaled`, just what makes the right tagging lead by its margin, at most `largest`
    (passive-aggressive, Crammer et al. 2006).
    O(features x their tags + tokens x tags²).
    """
    n_tags = weights.starts.size
    longest = 0
    for sequence in order:
        longest = max(longest, tokens.offsets[sequence + 1] - tokens.offsets[sequence])
    unary, best = np.empty((longest, n_tags)), np.empty((longest, n_tags))
    before, path = np.empty((longest, n_tags), np.int32), np.empty(longest, np.int32)
    has_history = tokens.history.size > 0
    edges = np.empty((longest if has_history else 1, n_tags, n_tags))
    for sequence in order:
        first = tokens.offsets[sequence]
        n = tokens.offsets[sequence + 1] - first
        counters[STEPS] += 1
        if n == 0:
            continue
        right, found = tags[first : first + n], path[:n]
        own = thinned(tokens, first, n, dropout, random)
        add_unary(own, weights, 0, unary[:n])
        pairs = edges[:n] if has_history else edges
        if has_history and n > 1:
            add_edges(own, weights, 0, pairs)
        else:
            pairs[0] = weights.transitions
        if margin > 0.0:
            for at in range(n):
                for tag in range(n_tags):
                    if tag != right[at]:
                        unary[at, tag] += margin
        viterbi(unary[:n], pairs, best[:n], before[:n], found)
        wrong = 0
        for at in range(n):
            wrong += found[at] != right[at]
        if not wrong:
            continue
        counters[MISTAKES] += wrong
        step = 1.0
        if is_scaled:
            step = min(largest, _violation(unary[:n], pairs, right, found) / _distance(own, right, found))
            if step <= 0.0:
                continue
        late = float(counters[STEPS] - 1) * step
        for at in range(n):
            if right[at] != found[at]:
                for place in range(own.indptr[at], own.indptr[at + 1]):
                    feature = own.features[place]
                    begin, end = weights.rows[feature], weights.rows[feature + 1]
                    up = place_of(begin, end, weights.row_tags, right[at])
                    if up >= 0:
                        weights.weights[up] += step
                        sums.weights[up] += late
                    down = place_of(begin, end, weights.row_tags, found[at])
                    if down >= 0:
                        weights.weights[down] -= step
                        sums.weights[down] -= late
            if at and (right[at] != found[at] or right[at - 1] != found[at - 1]):
                weights.transitions[right[at - 1], right[at]] += step
                sums.transitions[right[at - 1], right[at]] += late
                weights.transitions[found[at - 1], found[at]] -= step
                sums.transitions[found[at - 1], found[at]] -= late
                for place in range(tokens.history_indptr[first + at], tokens.history_indptr[first + at + 1]):
                    feature = tokens.history[place]
                    begin, end = weights.history_rows[feature], weights.history_rows[feature + 1]
                    code = np.int64(right[at - 1]) * n_tags + right[at]
                    up = place_of(begin, end, weights.history_codes, code)
                    if up >= 0:
                        weights.history_weights[up] += step
                        sums.history_weights[up] += late
                    code = np.int64(found[at - 1]) * n_tags + found[at]
                    down = place_of(begin, end, weights.history_codes, code)
                    if down >= 0:
                        weights.history_weights[down] -= step
                        sums.history_weights[down] -= late
        weights.starts[right[0]] += step
        sums.starts[right[0]] += late
        weights.starts[found[0]] -= step
        sums.starts[found[0]] -= late
        weights.ends[right[n - 1]] += step
        sums.ends[right[n - 1]] += late
        weights.ends[found[n - 1]] -= step
        sums.ends[found[n - 1]] -= late


@compiled
def _violation(unary: Floats, edges: Floats, right: Columns, found: Columns) -> float:  # pragma: no cover - compiled
    """By how much the tagging that was found leads, with its margin."""
    total = 0.0
    for at in range(right.size):
        total += unary[at, found[at]] - unary[at, right[at]]
        if at:
            pairs = edges[min(at, edges.shape[0] - 1)]
            total += pairs[found[at - 1], found[at]] - pairs[right[at - 1], right[at]]
    return total


@compiled
def _distance(tokens: ChainTokens, right: Columns, found: Columns) -> float:  # pragma: no cover - compiled
    """About the squared length of the difference of the two taggings' features: every token and pair counts apart."""
    total = 0.0
    for at in range(right.size):
        if right[at] != found[at]:
            total += 2.0 * (tokens.indptr[at + 1] - tokens.indptr[at] + 1)
        elif at and right[at - 1] != found[at - 1]:
            total += 2.0
    return total
