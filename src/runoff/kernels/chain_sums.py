"""Sums over all taggings of a sequence: the forward-backward algorithm, without overflow at any length.

Sums are scaled at every token (Rabiner 1989). Where that underflows, because allowed scores differ by hundreds, the
same is done with logarithms. O(tokens x tags²).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats

_TINY = 1e-150  # a sum this small next to scores of up to 1 has lost digits


@compiled
def exponentials(scores: Floats, out: Floats) -> float:  # pragma: no cover - compiled
    """Exponentials of scores over their maximum, which is given back; -inf where all are."""
    most = -np.inf
    for score in scores.flat:
        most = max(most, score)
    if most == -np.inf:
        out[:] = 0.0
        return most
    flat, source = out.reshape(-1), scores.reshape(-1)
    for at in range(flat.size):
        flat[at] = np.exp(source[at] - most)
    return float(most)


@compiled(fastmath={"reassoc", "contract", "nsz"})
def forward_backward(
    unary: Floats, factors: Floats, most_edge: Floats, ahead: Floats, back: Floats, own: Floats
) -> float:  # pragma: no cover - compiled
    """Logarithm of the sum of the exponentials of all taggings' scores; -inf where none is allowed.

    `factors` and `most_edge` are the exponentials of the edges. At every token t, `ahead[t]` sums to 1 and is what
    comes up to t; `ahead[t] * back[t]` is the probability of every tag; `own[t]` has the factors of the token over the
    scale, so that `ahead[t - 1, x] * factors[t, x, y] * own[t, y] * back[t, y]` is that of a pair. NaN where scaling
    has underflowed.
    """
    n, n_tags = unary.shape
    total = 0.0
    for at in range(n):
        most = exponentials(unary[at], own[at])
        if most == -np.inf:
            return -np.inf
        now = ahead[at]
        if at == 0:
            now[:] = own[0]
        else:
            pairs, last = factors[min(at, factors.shape[0] - 1)], ahead[at - 1]
            now[:] = 0.0
            for x in range(n_tags):
                share = last[x]
                if share > 0.0:
                    row = pairs[x]
                    for y in range(n_tags):
                        now[y] += share * row[y]
            for y in range(n_tags):
                now[y] *= own[at, y]
            most += most_edge[min(at, factors.shape[0] - 1)]
        scale = now.sum()
        if not scale > _TINY:
            return np.nan
        total += np.log(scale) + most
        turn = 1.0 / scale
        for y in range(n_tags):
            now[y] *= turn
            own[at, y] *= turn
    if n:
        back[n - 1] = 1.0
    beside = np.empty(n_tags)
    for at in range(n - 1, 0, -1):
        pairs = factors[min(at, factors.shape[0] - 1)]
        for y in range(n_tags):
            beside[y] = own[at, y] * back[at, y]
        for x in range(n_tags):
            row = pairs[x]
            value = 0.0
            for y in range(n_tags):
                value += row[y] * beside[y]
            back[at - 1, x] = value
    return total


@compiled
def forward_backward_in_logs(
    unary: Floats, edges: Floats, ahead: Floats, back: Floats
) -> float:  # pragma: no cover - compiled
    """The same with logarithms; `ahead[t, y] + back[t, y] - total` is the logarithm of a tag's probability."""
    n, n_tags = unary.shape
    terms = np.empty(n_tags)
    for at in range(n):
        for y in range(n_tags):
            if at == 0:
                ahead[0, y] = unary[0, y]
                continue
            pairs = edges[min(at, edges.shape[0] - 1)]
            for x in range(n_tags):
                terms[x] = ahead[at - 1, x] + pairs[x, y]
            ahead[at, y] = unary[at, y] + log_sum(terms)
    if not n:
        return 0.0
    back[n - 1] = 0.0
    for at in range(n - 1, 0, -1):
        pairs = edges[min(at, edges.shape[0] - 1)]
        for x in range(n_tags):
            for y in range(n_tags):
                terms[y] = pairs[x, y] + unary[at, y] + back[at, y]
            back[at - 1, x] = log_sum(terms)
    return log_sum(ahead[n - 1])


@compiled
def log_sum(terms: Floats) -> float:  # pragma: no cover - compiled
    """Logarithm of a sum of exponentials."""
    most = terms.max()
    if most == -np.inf:
        return -np.inf
    total = 0.0
    for term in terms:
        total += np.exp(term - most)
    return float(most + np.log(total))


@compiled
def edge_factors(edges: Floats, factors: Floats, most: Floats) -> None:  # pragma: no cover - compiled
    """Exponentials of the edges of every token over their maximum."""
    for at in range(edges.shape[0]):
        most[at] = exponentials(edges[at], factors[at])


@compiled
def probabilities(
    unary: Floats, edges: Floats, factors: Floats, most_edge: Floats, tags: Floats, pairs: Floats
) -> float:  # pragma: no cover - compiled
    """Probabilities of the tags at every token; those of pairs at every token, or their sum over tokens, are added.

    `pairs` is (tokens, tags, tags), where nothing is added for the first; or (1, tags, tags), for the sum; or empty.
    Gives the logarithm of the sum over all taggings; -inf where none is allowed, and then nothing is added.
    """
    n, n_tags = unary.shape
    ahead, back, own = np.empty((n, n_tags)), np.empty((n, n_tags)), np.empty((n, n_tags))
    total = forward_backward(unary, factors, most_edge, ahead, back, own)
    if total == -np.inf:
        return total
    if np.isnan(total):
        return _probabilities_in_logs(unary, edges, ahead, back, tags, pairs)
    for at in range(n):
        for y in range(n_tags):
            tags[at, y] = ahead[at, y] * back[at, y]
    if pairs.shape[0] == 1 and factors.shape[0] == 1:
        _add_shared_pairs(ahead, back, own, factors[0], pairs[0])
    elif pairs.shape[0]:
        for at in range(1, n):
            rows, into = factors[min(at, factors.shape[0] - 1)], pairs[min(at, pairs.shape[0] - 1)]
            for y in range(n_tags):
                own[at, y] *= back[at, y]
            for x in range(n_tags):
                share = ahead[at - 1, x]
                if share > 0.0:
                    for y in range(n_tags):
                        into[x, y] += share * rows[x, y] * own[at, y]
    return total


@compiled(fastmath={"reassoc", "contract", "nsz"})
def _add_shared_pairs(
    ahead: Floats, back: Floats, own: Floats, factors: Floats, pairs: Floats
) -> None:  # pragma: no cover - compiled
    """Add the probabilities of pairs over all tokens: the factors, which they share, come last."""
    n, n_tags = ahead.shape
    sums, beside = np.zeros((n_tags, n_tags)), np.empty(n_tags)
    for at in range(1, n):
        for y in range(n_tags):
            beside[y] = own[at, y] * back[at, y]
        for x in range(n_tags):
            share = ahead[at - 1, x]
            row = sums[x]
            for y in range(n_tags):
                row[y] += share * beside[y]
    for x in range(n_tags):
        for y in range(n_tags):
            pairs[x, y] += sums[x, y] * factors[x, y]


@compiled
def _probabilities_in_logs(
    unary: Floats, edges: Floats, ahead: Floats, back: Floats, tags: Floats, pairs: Floats
) -> float:  # pragma: no cover - compiled
    n, n_tags = unary.shape
    total = forward_backward_in_logs(unary, edges, ahead, back)
    if total == -np.inf:
        return total
    for at in range(n):
        for y in range(n_tags):
            tags[at, y] = np.exp(ahead[at, y] + back[at, y] - total)
    if pairs.shape[0]:
        for at in range(1, n):
            rows, into = edges[min(at, edges.shape[0] - 1)], pairs[min(at, pairs.shape[0] - 1)]
            for x in range(n_tags):
                for y in range(n_tags):
                    into[x, y] += np.exp(ahead[at - 1, x] + rows[x, y] + unary[at, y] + back[at, y] - total)
    return total
