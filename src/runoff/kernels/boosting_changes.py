"""What a round of boosting changes in the sums of the features, added up before any of them is moved.

Sums are whole numbers, so that the changes of several pairs, or of the pairs of several workers, add up to what all
together change, in any order. `changes` and `is_touched` have an entry for every item code, zero before and after;
`touched` gets the codes. Where a round adds to every sum many times, this is several times as fast as moving a sum each
time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.boosting_sums import BLOCK_BITS, FAN_BITS, SIDE, gain
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.kernels.boosting_sums import Bounds, Codes

    Index: TypeAlias = tuple[Ints, Codes, Ints, Codes, Ints]


@compiled
def note(
    change: float, start: int, stop: int, items: Codes, changes: Floats, is_touched: Bools, touched: Codes, count: int
) -> int:  # pragma: no cover - compiled
    """Add a change to the codes `items[start:stop]`; the number of codes that are touched by now."""
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
            count = note(change, spans[2 * pair], spans[2 * pair + 2], items, changes, is_touched, touched, count)
    return count, total


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
