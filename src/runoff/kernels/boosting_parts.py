"""A round of boosting over some of the pairs: what it changes in the sums of the features, for those who keep them.

Sums are whole numbers, so that the changes of several parts add up to what all pairs together change, in any order.
`changes` and `is_touched` have an entry for every item code, zero before and after; `touched` gets the codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.boosting import settle
from runoff.kernels.boosting_sums import BLOCK_BITS, FAN_BITS, SIDE, gain
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.kernels.boosting import Codes, Contests, Index
    from runoff.kernels.boosting_sums import Bounds


@compiled
def _note(
    change: float, start: int, stop: int, items: Codes, changes: Floats, is_touched: Bools, touched: Codes, count: int
) -> int:  # pragma: no cover - compiled
    for at in range(start, stop):
        item = items[at]
        changes[item] += change
        if not is_touched[item]:
            is_touched[item] = True
            touched[count] = item
            count += 1
    return count


@compiled
def exp_part(
    place: int,
    delta: float,
    weights: Floats,
    index: Index,
    changes: Floats,
    is_touched: Bools,
    touched: Codes,
    known: bool,
) -> tuple[int, float]:  # pragma: no cover - compiled
    """Number of codes that changed under ExpLoss, and by how much the total did; no codes along a `known` path."""
    spans, items, starts, members, _ = index
    count, total = 0, 0.0
    down, up = np.exp(-delta), np.exp(delta)
    for at in range(starts[place], starts[place + 1]):
        pair = np.int64(members[at] >> SIDE)
        before = weights[pair]
        after = before * (up if members[at] & SIDE else down)
        weights[pair] = after
        change = np.rint(after) - np.rint(before)
        total += change
        if change != 0.0 and not known:
            count = _note(change, spans[2 * pair], spans[2 * pair + 2], items, changes, is_touched, touched, count)
    return count, total


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
    """The same under LogLoss, with the changes of both totals, and the number of additions."""
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
                    count = _note(change, start, stop, items, changes, is_touched, touched, count)
    return count, total, lost, additions


@compiled
def taken(
    touched: Codes, count: int, changes: Floats, is_touched: Bools, out: Floats
) -> None:  # pragma: no cover - compiled
    """Move the changes of the codes that were touched to `out`, and leave zeros."""
    for at in range(count):
        item = touched[at]
        out[at] = changes[item]
        changes[item] = 0.0
        is_touched[item] = False


@compiled
def add_each(codes: Codes, amounts: Floats, sums: Floats, bounds: Bounds) -> None:  # pragma: no cover - compiled
    """Add to the sums what a part has changed, and keep the bounds true."""
    blocks, middles, tops = bounds
    for at in range(codes.size):
        item = codes[at]
        sums[item] += amounts[at]
        now = gain(sums[item], sums[item ^ SIDE])
        block = item >> np.uint32(1 + BLOCK_BITS)
        if now > blocks[block]:
            blocks[block] = now
            middle = block >> np.uint32(FAN_BITS)
            middles[middle] = max(middles[middle], now)
            top = middle >> np.uint32(FAN_BITS)
            tops[top] = max(tops[top], now)
