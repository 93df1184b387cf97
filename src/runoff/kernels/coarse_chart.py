"""Sums over all trees of a head-driven grammar whose modifiers do not know each other, and what they leave of a chart.

A state is a constituent with its head child; modifiers leave it as it is, so that a span costs one product of vectors
for each of its splits. Units are what a state is made of: tags, and constituents under a class of parents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Flags = NDArray[np.uint8]


class Rules(NamedTuple):
    """A rough grammar. States under one class of parents are neighbours, and so are the units below them."""

    symbols: Columns  # unit -> label or tag
    owners: Columns  # state -> unit that it makes
    head_units: Columns  # state -> unit that is its head
    heads: Floats  # state -> probability of that head
    right: Floats  # symbol, state -> probability of such a right modifier
    left: Floats
    stops: Floats  # side, state -> probability of no more modifiers
    blocks: Ints  # class -> its first state, and one more
    kids: Columns  # units that can be below, class by class
    kid_ends: Ints


@njit(cache=True, nogil=True)
def outsides(
    leaves: Floats,
    spans: Columns,
    ok_whole: Flags,
    ok_grows: Flags,
    ok_leans: Flags,
    goal: int,
    rules: Rules,
    heights: int,
    threshold: float,
) -> tuple[float, Floats, Floats, Floats]:  # pragma: no cover - compiled
    """The sentence's probability, and logarithms of the outside sums of units and of states over every span.

    What is less probable than `threshold` has minus infinity. `leaves[i, u]` is the probability of word i under unit u,
    `spans[i, j]` the row of a span, -1 for one that is not looked at; `ok_…` says what is allowed in each row.
    O(words^3 x states) for all spans.
    """
    symbols_of, owners, head_units, head_p = rules.symbols, rules.owners, rules.head_units, rules.heads
    right, left, stops = rules.right, rules.left, rules.stops
    blocks, kids, kid_ends, levels = rules.blocks, rules.kids, rules.kid_ends, heights
    n_spans = spans.max() + 1
    n, n_units = leaves.shape
    n_states = owners.size
    whole = np.zeros((n_spans, n_units))
    grows = np.zeros((n_spans, n_states))  # head with right modifiers
    leans = np.zeros((n_spans, n_states))  # all right modifiers are there, and some left ones
    as_right = np.zeros((n_spans, n_states))
    as_left = np.zeros((n_spans, n_states))
    low = np.zeros(n_units)
    up = np.zeros(n_units)
    closes = stops[0] * stops[1] * head_p
    n_classes = blocks.size - 1
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            at = spans[i, j]
            if at < 0:
                continue
            low[:] = 0.0
            if width == 1:
                low[:] = leaves[i]
            g, h = grows[at], leans[at]
            for m in range(i + 1, j):
                one, two = spans[i, m], spans[m, j]
                if one < 0 or two < 0:
                    continue
                a, b = grows[one], as_right[two]
                c, d = as_left[one], leans[two]
                for q in range(n_states):
                    g[q] += a[q] * b[q]
                    h[q] += c[q] * d[q]
            for q in range(n_states):
                if not ok_grows[at, q]:
                    g[q] = 0.0
                if not ok_leans[at, q]:
                    h[q] = 0.0
                low[owners[q]] += (g[q] * stops[0, q] + h[q]) * stops[1, q]
            w = whole[at]
            for u in range(n_units):
                if not ok_whole[at, u]:
                    low[u] = 0.0
                w[u] = low[u]
            for _ in range(levels):
                up[:] = 0.0
                for q in range(n_states):
                    up[owners[q]] += low[head_units[q]] * closes[q]
                for u in range(n_units):
                    low[u] = up[u] if ok_whole[at, u] else 0.0
                    w[u] += low[u]
            for q in range(n_states):
                if ok_grows[at, q]:
                    g[q] += w[head_units[q]] * head_p[q]
                if ok_leans[at, q]:
                    h[q] += g[q] * stops[0, q]
            r, e = as_right[at], as_left[at]
            for c in range(n_classes):
                for k in range(kid_ends[c], kid_ends[c + 1]):
                    v = w[kids[k]]
                    if v > 0.0:
                        s = symbols_of[kids[k]]
                        for q in range(blocks[c], blocks[c + 1]):
                            r[q] += v * right[s, q]
                            e[q] += v * left[s, q]
    total = whole[spans[0, n], goal] if spans[0, n] >= 0 else 0.0
    o_whole = np.zeros((n_spans, n_units))
    o_grows = np.zeros((n_spans, n_states))
    o_leans = np.zeros((n_spans, n_states))
    if total <= 0.0:
        return total, o_whole, o_grows, o_leans
    o_right = np.zeros((n_spans, n_states))
    o_left = np.zeros((n_spans, n_states))
    o_whole[spans[0, n], goal] = 1.0 / total
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            j = i + width
            at = spans[i, j]
            if at < 0:
                continue
            w, og, ol, ow = whole[at], o_grows[at], o_leans[at], o_whole[at]
            r, e = o_right[at], o_left[at]
            for c in range(n_classes):
                for k in range(kid_ends[c], kid_ends[c + 1]):
                    u = kids[k]
                    if w[u] > 0.0:
                        s = symbols_of[u]
                        t = 0.0
                        for q in range(blocks[c], blocks[c + 1]):
                            t += r[q] * right[s, q] + e[q] * left[s, q]
                        ow[u] += t
            for q in range(n_states):
                if ok_leans[at, q]:
                    og[q] += ol[q] * stops[0, q]
                if ok_grows[at, q]:
                    ow[head_units[q]] += og[q] * head_p[q]
            low[:] = ow
            for _ in range(levels):
                up[:] = 0.0
                for q in range(n_states):
                    if ok_whole[at, owners[q]]:
                        up[head_units[q]] += low[owners[q]] * closes[q]
                for u in range(n_units):
                    low[u] = up[u]
                    ow[u] += low[u]
            for q in range(n_states):
                t = ow[owners[q]] * stops[1, q] if ok_whole[at, owners[q]] else 0.0
                ol[q] = ol[q] + t if ok_leans[at, q] else 0.0
                og[q] = og[q] + t * stops[0, q] if ok_grows[at, q] else 0.0
            for m in range(i + 1, j):
                one, two = spans[i, m], spans[m, j]
                if one < 0 or two < 0:
                    continue
                a, b, c_, d = grows[one], as_right[two], as_left[one], leans[two]
                oa, ob, oc, od = o_grows[one], o_right[two], o_left[one], o_leans[two]
                for q in range(n_states):
                    oa[q] += og[q] * b[q]
                    ob[q] += og[q] * a[q]
                    oc[q] += ol[q] * d[q]
                    od[q] += ol[q] * c_[q]
    for at in range(n_spans):
        for u in range(n_units):
            o_whole[at, u] = np.log(o_whole[at, u]) if whole[at, u] * o_whole[at, u] > threshold else -np.inf
        for q in range(n_states):
            o_grows[at, q] = np.log(o_grows[at, q]) if grows[at, q] * o_grows[at, q] > threshold else -np.inf
            o_leans[at, q] = np.log(o_leans[at, q]) if leans[at, q] * o_leans[at, q] > threshold else -np.inf
    return total, o_whole, o_grows, o_leans
