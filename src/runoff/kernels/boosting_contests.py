"""Contests of boosting under LogLoss: their losses and shares, and a round over some of them (appendix B)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.boosting_changes import note
from runoff.kernels.boosting_sums import SIDE
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints
    from runoff.kernels.boosting_changes import Index
    from runoff.kernels.boosting_sums import Codes

    Contests: TypeAlias = tuple[Floats, Floats, Floats, Ints, Columns]


@compiled
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


@compiled
def settle_all(margins: Floats, contests: Ints, shares: Floats, losses: Floats) -> None:  # pragma: no cover - compiled
    """Shares of all pairs and losses of all contests. O(pairs)."""
    for contest in range(contests.size - 1):
        losses[contest] = settle(margins, contests[contest], contests[contest + 1], shares)


@compiled
def log_part(
    place: int,
    delta: float,
    scales: Floats,
    contested: Contests,
    shares: Floats,
    index: Index,
    changes: Floats,
    is_touched: Bools,
    touched: Codes,
    known: bool,
) -> tuple[int, float, float, int]:  # pragma: no cover - compiled
    """Number of codes that changed, by how much both totals did, and the number of additions."""
    spans, items, starts, members, _ = index
    margins, amounts, losses, contests, contest_of = contested
    at, last = starts[place], starts[place + 1]
    count, total, lost, additions = 0, 0.0, 0.0, 0
    while at < last:
        contest = contest_of[members[at] >> SIDE]
        first, behind = contests[contest], contests[contest + 1]
        while at < last and np.int64(members[at] >> SIDE) < behind:
            margins[members[at] >> SIDE] += -delta if members[at] & SIDE else delta
            at += 1
        loss = np.rint(settle(margins, first, behind, shares) * scales[1])
        lost += loss - losses[contest]
        losses[contest] = loss
        for pair in range(first, behind):
            amount = np.rint(shares[pair] * scales[0])
            change = amount - amounts[pair]
            if change != 0.0:
                amounts[pair] = amount
                total += change
                start, stop = spans[2 * pair], spans[2 * pair + 2]
                additions += stop - start
                if not known:
                    count = note(change, start, stop, items, changes, is_touched, touched, count)
    return count, total, lost, additions
