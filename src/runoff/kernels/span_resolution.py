"""The best sets of labelled spans that do not overlap, some labels at most once: exact, and the k best of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats


@compiled
def resolve_spans(  # pragma: no cover - compiled
    n_tokens: int,
    starts: Columns,
    stops: Columns,
    once: Columns,
    gains: Floats,
    n_once: int,
    k: int,
    totals: Floats,
    chosen: Bools,
) -> int:
    """Write the k best sets, best first; gives how many there are.

    A dynamic programme over positions, with the set of labels used so far as its state (SYSTEMS, 4). `once` is the
    number of a span's label among those that occur at most once, -1 for others; spans are in the order of their stops.
    The empty set, of gain 0, is one of all sets. `totals` has k numbers, `chosen` k rows of a flag for every span.
    O((n_tokens + spans) 2^n_once k log k).
    """
    n_spans, n_states = starts.size, 1 << n_once
    # Of every position and state: up to k entries of (total, entry before, span or -1), best first.
    best = np.full((n_tokens + 1, n_states, k), -np.inf)
    before = np.full((n_tokens + 1, n_states, k), -1, np.int64)
    taken = np.full((n_tokens + 1, n_states, k), -1, np.int32)
    best[0, 0, 0] = 0.0
    first = 0
    for at in range(1, n_tokens + 1):
        last = first
        while last < n_spans and stops[last] == at:
            last += 1
        for state in range(n_states):
            many = 0
            for slot in range(k):
                if best[at - 1, state, slot] == -np.inf:
                    break
                best[at, state, slot] = best[at - 1, state, slot]
                before[at, state, slot] = ((at - 1) * n_states + state) * k + slot
                many += 1
            for span in range(first, last):
                source = state
                if once[span] >= 0:
                    if not state >> once[span] & 1:
                        continue
                    source = state & ~(1 << once[span])
                for slot in range(k):
                    total = best[starts[span], source, slot]
                    if total == -np.inf:
                        break
                    total += gains[span]
                    if many == k and total <= best[at, state, k - 1]:
                        break
                    place = min(many, k - 1)
                    while place > 0 and best[at, state, place - 1] < total:
                        best[at, state, place] = best[at, state, place - 1]
                        before[at, state, place] = before[at, state, place - 1]
                        taken[at, state, place] = taken[at, state, place - 1]
                        place -= 1
                    best[at, state, place] = total
                    before[at, state, place] = (starts[span] * n_states + source) * k + slot
                    taken[at, state, place] = span
                    many = min(many + 1, k)
        first = last
    found = 0
    position = np.zeros(n_states, np.int64)  # next entry of every state, at the end
    chosen[:] = False
    while found < k:
        top = -1
        for state in range(n_states):
            slot = position[state]
            if slot == k or best[n_tokens, state, slot] == -np.inf:
                continue
            if top < 0 or best[n_tokens, state, slot] > best[n_tokens, top, position[top]]:
                top = state
        if top < 0:
            break
        totals[found] = best[n_tokens, top, position[top]]
        entry = (n_tokens * n_states + top) * k + position[top]
        position[top] += 1
        while entry >= 0:
            slot = entry % k
            state = entry // k % n_states
            at = entry // k // n_states
            if taken[at, state, slot] >= 0:
                chosen[found, taken[at, state, slot]] = True
            entry = before[at, state, slot]
        found += 1
    return found
