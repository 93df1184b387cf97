"""Probabilities of spans under a chain of tags, and spans that do not overlap with the highest sum of gains.

A span is a longest run of tokens in which every pair of neighbouring tags continues one (as B-X, I-X does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_sums import edge_factors, forward_backward
from runoff.kernels.chain_viterbi import viterbi
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats


@compiled
def span_probabilities(
    unary: Floats, edges: Floats, continues: Bools, type_of: Columns, n_types: int, least: float, room: int
) -> tuple[int, Columns, Floats]:  # pragma: no cover - compiled
    """Spans (start, end, type) with a probability of at least `least`, by end; -1 of them where sums have underflowed.

    Exact: a start is given up where all spans from there on are less probable together. O(tokens x tags²) and the
    lengths of spans that are probable enough. `room` is a guess of how many there are.
    """
    n, n_tags = unary.shape
    spans, chances = np.empty((room, 3), np.int32), np.empty(room)
    if n == 0:
        return 0, spans, chances
    factors, most, wide = np.empty(edges.shape), np.empty(edges.shape[0]), edges.shape[0] - 1
    edge_factors(edges, factors, most)
    ahead, back, own = np.empty((n, n_tags)), np.empty((n, n_tags)), np.empty((n, n_tags))
    total = forward_backward(unary, factors, most, ahead, back, own)
    if not np.isfinite(total):
        return -1, spans, chances
    leaving = np.ones((n, n_tags))  # what comes after a token, if its span ends there
    for at in range(n - 1):
        rows = factors[min(at + 1, wide)]
        for x in range(n_tags):
            value = 0.0
            for y in range(n_tags):
                if not continues[x, y]:
                    value += rows[x, y] * own[at + 1, y] * back[at + 1, y]
            leaving[at, x] = value
    known = 0
    inside, after, of_type = np.empty(n_tags), np.empty(n_tags), np.empty(n_types)
    for start in range(n):
        for y in range(n_tags):
            value = 0.0
            if type_of[y] >= 0:
                if start == 0:
                    value = ahead[0, y]
                else:
                    rows = factors[min(start, wide)]
                    for x in range(n_tags):
                        if not continues[x, y]:
                            value += ahead[start - 1, x] * rows[x, y]
                    value *= own[start, y]
            inside[y] = value
        for end in range(start + 1, n + 1):
            of_type[:] = 0.0
            left = 0.0
            for y in range(n_tags):
                if inside[y] > 0.0:
                    of_type[type_of[y]] += inside[y] * leaving[end - 1, y]
                    left += inside[y] * back[end - 1, y]
            for kind in range(n_types):
                if of_type[kind] >= least:
                    if known == chances.size:
                        spans, chances = _larger(spans, chances)
                    spans[known, 0], spans[known, 1], spans[known, 2] = start, end, kind
                    chances[known] = of_type[kind]
                    known += 1
            if left < least or end == n:
                break
            rows = factors[min(end, wide)]
            after[:] = 0.0
            for x in range(n_tags):
                if inside[x] > 0.0:
                    for y in range(n_tags):
                        if continues[x, y]:
                            after[y] += inside[x] * rows[x, y] * own[end, y]
            inside[:] = after
    return known, spans, chances


@compiled
def _larger(spans: Columns, chances: Floats) -> tuple[Columns, Floats]:  # pragma: no cover - compiled
    more, further = np.empty((2 * chances.size + 16, 3), np.int32), np.empty(2 * chances.size + 16)
    more[: chances.size], further[: chances.size] = spans, chances
    return more, further


@compiled
def best_spans(
    length: int, spans: Columns, chances: Floats, price: float, chosen: Bools
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Choose spans that do not overlap with the highest sum of `2 chance - price`; gives their chances and number.

    O(length + spans log spans). An empty choice where nothing gains.
    """
    best, come = np.zeros(length + 1), np.full(length + 1, -1)
    order = np.argsort(spans[:, 1], kind="mergesort")
    at = 0
    for end in range(1, length + 1):
        best[end] = best[end - 1]
        while at < order.size and spans[order[at], 1] == end:
            each = order[at]
            value = best[spans[each, 0]] + 2.0 * chances[each] - price
            if value > best[end]:
                best[end], come[end] = value, each
            at += 1
    chosen[:] = False
    expected = many = 0.0
    end = length
    while end > 0:
        if come[end] < 0:
            end -= 1
            continue
        chosen[come[end]] = True
        expected += chances[come[end]]
        many += 1.0
        end = spans[come[end], 0]
    return expected, many


@compiled
def tags_of_spans(
    unary: Floats, edges: Floats, continues: Bools, type_of: Columns, spans: Columns, path: Columns
) -> float:  # pragma: no cover - compiled
    """The best tagging that has these spans and no others; -inf where none is allowed. O(tokens x tags²)."""
    n, n_tags = unary.shape
    kind, begins = np.full(n, -1, np.int32), np.ones(n, np.bool_)
    for span in range(spans.shape[0]):
        for at in range(spans[span, 0], spans[span, 1]):
            kind[at], begins[at] = spans[span, 2], at == spans[span, 0]
    scores, pairs = unary.copy(), np.empty((max(n, 2), n_tags, n_tags))
    for at in range(n):
        pairs[at] = edges[min(at, edges.shape[0] - 1)]
        for y in range(n_tags):
            if type_of[y] != kind[at]:
                scores[at, y] = -np.inf
            for x in range(n_tags):
                if continues[x, y] == begins[at]:
                    pairs[at, x, y] = -np.inf
    return viterbi(scores, pairs, np.empty(unary.shape), np.empty(unary.shape, np.int32), path)
