"""Rounds of boosting under LogLoss (Collins & Koo 2005, appendix B, which the authors never ran).

A contest is a better candidate with all its worse ones. When one margin of a contest moves, the shares of all
its pairs move: a round settles every contest that it touches, once. Sums, bounds, index and path are those of
`runoff.kernels.boosting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numba import njit

from runoff.kernels.boosting import SIDE, add, best_move, strongest
from runoff.kernels.prefetch import prefetch

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.boosting import Bounds, Index

    Contests: TypeAlias = tuple[Floats, Floats, Floats, Ints, Columns]


@njit(cache=True, nogil=True)
def settle(margins: Floats, first: int, last: int, shares: Floats) -> float:  # pragma: no cover - compiled
    """Loss `log(1 + Σ exp(-M))` of one contest; `shares[first:last]` gets `q = exp(-M) / (1 + Σ exp(-M))`."""
    low = 0.0
    for pair in range(first, last):
        low = min(low, margins[pair])
    own, others = np.exp(low), 0.0
    for pair in range(first, last):
        shares[pair] = np.exp(low - margins[pair])
        others += shares[pair]
    for pair in range(first, last):
        shares[pair] /= own + others
    loss: float = np.log1p(others) if low == 0.0 else np.log(own + others) - low
    return loss


@njit(cache=True, nogil=True)
def settle_all(margins: Floats, contests: Ints, shares: Floats, losses: Floats) -> None:  # pragma: no cover - compiled
    """Shares of all pairs and losses of all contests. O(pairs)."""
    for contest in range(contests.size - 1):
        losses[contest] = settle(margins, contests[contest], contests[contest + 1], shares)


@njit(cache=True, nogil=True)
def _log_round(
    place: int,
    delta: float,
    scales: Floats,
    state: Floats,
    contested: Contests,
    shares: Floats,
    sums: Floats,
    bounds: Bounds,
    index: Index,
    known: bool,
) -> int:  # pragma: no cover - compiled
    """Move one weight and settle the contests that it touches; returns the number of additions."""
    spans, items, starts, members, _ = index
    margins, amounts, losses, contests, contest_of = contested
    at, last, additions = starts[place], starts[place + 1], 0
    while at < last:
        contest = contest_of[members[at] >> SIDE]
        first, behind = contests[contest], contests[contest + 1]
        while at < last and np.int64(members[at] >> SIDE) < behind:
            margins[members[at] >> SIDE] += -delta if members[at] & SIDE else delta
            at += 1
        loss = np.rint(settle(margins, first, behind, shares) * scales[1])
        state[1] += loss - losses[contest]
        losses[contest] = loss
        for pair in range(first, behind):
            amount = np.rint(shares[pair] * scales[0])
            change = amount - amounts[pair]
            if change != 0.0:
                amounts[pair] = amount
                state[0] += change
                additions += spans[2 * pair + 2] - spans[2 * pair]
                if not known:
                    for at_next in range(spans[2 * pair + 3], spans[2 * pair + 4] if pair + 1 < behind else 0):
                        prefetch(sums, np.int64(items[at_next]))
                    add(change, spans[2 * pair], spans[2 * pair + 2], items, sums, bounds)
    return additions


@njit(cache=True, nogil=True)
def log_rounds(
    least: float,
    smoothing: float,
    scales: Floats,
    state: Floats,
    contested: Contests,
    shares: Floats,
    sums: Floats,
    bounds: Bounds,
    index: Index,
    places: Ints,
    deltas: Floats,
    totals: Floats,
    additions: Ints,
    known: bool,
) -> int:  # pragma: no cover - compiled
    """Rounds under LogLoss, by the bound of appendix B; along a `known` path without touching the sums.

    `contested` is (margins, amounts, losses, contests, contest of every pair): amounts are the shares of the
    pairs in whole units of `1 / scales[0]`, losses those of the contests in units of `1 / scales[1]`, and
    `state` has the totals of both. A round costs O(items of the contests that have its feature).
    """
    done = 0
    while done < places.size and (done == 0 or min(state[0], state[1]) >= least):
        if not known:
            place = strongest(sums, bounds, index[4])
            if place < 0:
                break
            places[done] = place
            deltas[done] = best_move(sums[2 * place], sums[2 * place + 1], state[0], smoothing)
        additions[done] = _log_round(
            places[done], deltas[done], scales, state, contested, shares, sums, bounds, index, known
        )
        totals[done] = state[1]
        done += 1
    return done
