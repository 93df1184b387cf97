"""Sums over all trees of a head-driven grammar whose modifiers do not know each other, and what they leave of a chart.

A state is a constituent with its head child; modifiers leave it as it is, so that a span costs one product of vectors
for each of its splits. Units are what a state is made of: tags, and constituents under a class of parents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled

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


class Allowed(NamedTuple):
    """Rows of spans (-1 for a span that is not looked at), and what may be in each row."""

    spans: Columns
    whole: Flags
    grows: Flags
    leans: Flags


class Sums(NamedTuple):
    """By row of a span: units, states with right modifiers, with left ones too, and units as the next modifier."""

    whole: Floats
    grows: Floats
    leans: Floats
    as_right: Floats
    as_left: Floats


@compiled
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
    allowed = Allowed(spans, ok_whole, ok_grows, ok_leans)
    inside = _inside(leaves, allowed, rules, heights)
    top = spans[0, leaves.shape[0]]
    total = inside.whole[top, goal] if top >= 0 else 0.0
    if not 0.0 < total < np.inf:
        return total, inside.whole, inside.grows, inside.leans
    whole, grows, leans = _outside(inside, allowed, rules, heights, top, goal)
    _keep(whole, inside.whole, threshold)
    _keep(grows, inside.grows, threshold)
    _keep(leans, inside.leans, threshold)
    return total, whole, grows, leans


@compiled
def _inside(leaves: Floats, allowed: Allowed, rules: Rules, heights: int) -> Sums:  # pragma: no cover - compiled
    """Sums over all ways to make units and states of the words of every span, narrow spans first."""
    spans, ok_whole, ok_grows, ok_leans = allowed
    owners, head_units, heads, stops = rules.owners, rules.head_units, rules.heads, rules.stops
    n, n_units = leaves.shape
    n_rows, n_states = spans.max() + 1, owners.size
    closes = heads * stops[0] * stops[1]  # a head and nothing else
    sums = Sums(
        np.zeros((n_rows, n_units)),
        np.zeros((n_rows, n_states)),
        np.zeros((n_rows, n_states)),
        np.zeros((n_rows, n_states)),
        np.zeros((n_rows, n_states)),
    )
    all_whole, all_grows, all_leans, all_right, all_left = sums
    level, above = np.zeros(n_units), np.zeros(n_units)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            row = spans[i, i + width]
            if row < 0:
                continue
            whole, grows, leans = all_whole[row], all_grows[row], all_leans[row]
            # One more modifier, at every place where the span can be cut.
            for m in range(i + 1, i + width):
                one, two = spans[i, m], spans[m, i + width]
                if one >= 0 and two >= 0:
                    part, right, left, rest = all_grows[one], all_right[two], all_left[one], all_leans[two]
                    for q in range(n_states):
                        grows[q] += part[q] * right[q]
                        leans[q] += left[q] * rest[q]
            # Constituents of several children, and words.
            level[:] = 0.0
            if width == 1:
                level += leaves[i]
            for q in range(n_states):
                grows[q] = grows[q] if ok_grows[row, q] else 0.0
                leans[q] = leans[q] if ok_leans[row, q] else 0.0
                level[owners[q]] += (grows[q] * stops[0, q] + leans[q]) * stops[1, q]
            # Constituents of one child, level by level.
            for height in range(heights + 1):
                if height > 0:
                    above[:] = 0.0
                    for q in range(n_states):
                        above[owners[q]] += level[head_units[q]] * closes[q]
                    level[:] = above
                for u in range(n_units):
                    level[u] = level[u] if ok_whole[row, u] else 0.0
                    whole[u] += level[u]
            # All of these as heads, and as modifiers.
            for q in range(n_states):
                if ok_grows[row, q]:
                    grows[q] += whole[head_units[q]] * heads[q]
                if ok_leans[row, q]:
                    leans[q] += grows[q] * stops[0, q]
            _as_modifiers(whole, rules, all_right[row], all_left[row])
    return sums


@compiled
def _as_modifiers(whole: Floats, rules: Rules, right: Floats, left: Floats) -> None:  # pragma: no cover - compiled
    """What the units of a span are worth as the next modifier, for every state that they can be below."""
    for c in range(rules.blocks.size - 1):
        for k in range(rules.kid_ends[c], rules.kid_ends[c + 1]):
            worth = whole[rules.kids[k]]
            if worth > 0.0:
                of_right, of_left = rules.right[rules.symbols[rules.kids[k]]], rules.left[rules.symbols[rules.kids[k]]]
                for q in range(rules.blocks[c], rules.blocks[c + 1]):
                    right[q] += worth * of_right[q]
                    left[q] += worth * of_left[q]


@compiled
def _outside(
    inside: Sums, allowed: Allowed, rules: Rules, heights: int, top: int, goal: int
) -> tuple[Floats, Floats, Floats]:  # pragma: no cover - compiled
    """Sums over all that can be around units and states, as shares of the sentence's probability, wide spans first.

    A unit can be the only child of another over the same words: that counts as around it, too.
    """
    spans, ok_whole, ok_grows, ok_leans = allowed
    owners, head_units, heads, stops = rules.owners, rules.head_units, rules.heads, rules.stops
    n, n_units = spans.shape[0] - 1, inside.whole.shape[1]
    closes = heads * stops[0] * stops[1]
    _, in_grows, in_leans, in_right, in_left = inside
    all_whole, all_grows = np.zeros_like(inside.whole), np.zeros_like(in_grows)
    all_leans, all_right, all_left = np.zeros_like(in_grows), np.zeros_like(in_grows), np.zeros_like(in_grows)
    level, below = np.zeros(n_units), np.zeros(n_units)
    all_whole[top, goal] = 1.0 / inside.whole[top, goal]
    for width in range(n, 0, -1):
        for i in range(n - width + 1):
            row = spans[i, i + width]
            if row < 0:
                continue
            whole, grows, leans = all_whole[row], all_grows[row], all_leans[row]
            _around_modifiers(inside.whole[row], rules, all_right[row], all_left[row], whole)
            for q in range(owners.size):
                if ok_leans[row, q]:
                    grows[q] += leans[q] * stops[0, q]
                if ok_grows[row, q]:
                    whole[head_units[q]] += grows[q] * heads[q]
            level[:] = whole
            for _ in range(heights):
                below[:] = 0.0
                for q in range(owners.size):
                    if ok_whole[row, owners[q]]:
                        below[head_units[q]] += level[owners[q]] * closes[q]
                level[:] = below
                whole += level
            for q in range(owners.size):
                share = whole[owners[q]] * stops[1, q] if ok_whole[row, owners[q]] else 0.0
                leans[q] = leans[q] + share if ok_leans[row, q] else 0.0
                grows[q] = grows[q] + share * stops[0, q] if ok_grows[row, q] else 0.0
            for m in range(i + 1, i + width):
                one, two = spans[i, m], spans[m, i + width]
                if one >= 0 and two >= 0:
                    part, right, left, rest = in_grows[one], in_right[two], in_left[one], in_leans[two]
                    o_part, o_right, o_left, o_rest = all_grows[one], all_right[two], all_left[one], all_leans[two]
                    for q in range(owners.size):
                        o_part[q] += grows[q] * right[q]
                        o_right[q] += grows[q] * part[q]
                        o_left[q] += leans[q] * rest[q]
                        o_rest[q] += leans[q] * left[q]
    return all_whole, all_grows, all_leans


@compiled
def _around_modifiers(
    inside: Floats, rules: Rules, right: Floats, left: Floats, whole: Floats
) -> None:  # pragma: no cover - compiled
    """Add what is around the units of a span where they are modifiers."""
    for c in range(rules.blocks.size - 1):
        for k in range(rules.kid_ends[c], rules.kid_ends[c + 1]):
            unit = rules.kids[k]
            if inside[unit] > 0.0:
                of_right, of_left = rules.right[rules.symbols[unit]], rules.left[rules.symbols[unit]]
                around = 0.0
                for q in range(rules.blocks[c], rules.blocks[c + 1]):
                    around += right[q] * of_right[q] + left[q] * of_left[q]
                whole[unit] += around


@compiled
def _keep(outside: Floats, inside: Floats, threshold: float) -> None:  # pragma: no cover - compiled
    """Logarithms of what is probable enough, minus infinity for the rest."""
    for row in range(outside.shape[0]):
        for at in range(outside.shape[1]):
            likely = inside[row, at] * outside[row, at] > threshold
            outside[row, at] = np.log(outside[row, at]) if likely else -np.inf
