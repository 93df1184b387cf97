"""The feature with the largest gain, found by upper bounds that are tightened only where it matters.

`sums` holds W+ and W- of every feature side by side, whole numbers below 2**53, so that sums and differences
of them are exact. Three levels of bounds lie above: no feature of a block has a gain above the block's bound.
A sum that moves raises the bound when its gain comes to lie above it, and never lowers it; a block whose
bound is the highest of all is looked at again, until one keeps its promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Codes = npt.NDArray[np.uint32]

BLOCK, FAN = 16, 32  # features in a block; blocks in a middle, middles in a top
BLOCK_BITS, FAN_BITS = 4, 5


@njit(cache=True, nogil=True, error_model="numpy")
def gain(plus: float, minus: float) -> float:  # pragma: no cover - compiled
    """`(sqrt(W+) - sqrt(W-))²`, without the cancellation: exact ties stay ties, no gain is exactly zero."""
    if plus == minus:
        return 0.0
    gap = plus - minus
    return gap * gap / (plus + minus + 2.0 * np.sqrt(plus * minus))


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def highest(values: Floats, start: int, stop: int) -> float:  # pragma: no cover - compiled
    """Maximum of a stretch, at least zero."""
    best = 0.0
    for at in range(start, stop):
        best = max(best, values[at])
    return best


@njit(cache=True, nogil=True)
def tighten(sums: Floats, block: int, gains: Floats) -> float:  # pragma: no cover - compiled
    """Largest gain of a block; leaves all of them in `gains`."""
    first = block * BLOCK
    for at in range(BLOCK):
        gains[at] = gain(sums[2 * (first + at)], sums[2 * (first + at) + 1])
    return highest(gains, 0, BLOCK)


@njit(cache=True, nogil=True)
def tighten_all(sums: Floats, blocks: Floats, middles: Floats, tops: Floats) -> None:  # pragma: no cover - compiled
    """Make every bound exact. O(features)."""
    gains = np.empty(BLOCK)
    for at in range(blocks.size):
        blocks[at] = tighten(sums, at, gains)
    for at in range(middles.size):
        middles[at] = highest(blocks, at * FAN, min((at + 1) * FAN, blocks.size))
    for at in range(tops.size):
        tops[at] = highest(middles, at * FAN, min((at + 1) * FAN, middles.size))


@njit(cache=True, nogil=True)
def strongest(
    sums: Floats, blocks: Floats, middles: Floats, tops: Floats, columns: Ints, gains: Floats
) -> int:  # pragma: no cover - compiled
    """Place of the feature with the largest gain (ties: the lowest column), -1 if no gain reaches one unit.

    Visits the blocks that claim to have the largest gain: those that lose their claim pay for having been
    raised before, so that the cost is amortised over the additions that raised them.
    """
    while True:
        best = highest(tops, 0, tops.size)
        if best < 1.0:
            return -1
        place = -1
        for top in range(tops.size):
            if tops[top] != best:
                continue
            for middle in range(top * FAN, min((top + 1) * FAN, middles.size)):
                if middles[middle] != best:
                    continue
                for block in range(middle * FAN, min((middle + 1) * FAN, blocks.size)):
                    if blocks[block] != best:
                        continue
                    blocks[block] = tighten(sums, block, gains)
                    if blocks[block] == best:
                        for at in range(BLOCK):
                            here = block * BLOCK + at
                            if gains[at] == best and (place < 0 or columns[here] < columns[place]):
                                place = here
                middles[middle] = highest(blocks, middle * FAN, min((middle + 1) * FAN, blocks.size))
            tops[top] = highest(middles, top * FAN, min((top + 1) * FAN, middles.size))
        if place >= 0:
            return place


@njit(cache=True, nogil=True)
def add(
    change: float, start: int, stop: int, items: Codes, sums: Floats, blocks: Floats, middles: Floats, tops: Floats
) -> None:  # pragma: no cover - compiled
    """Add `change` to the sums that `items[start:stop]` name, and keep the bounds true.

    `(√a - √b)² <= (a - b)² / (a + b)` spares nearly all square roots. The comparison misses nothing by
    rounding: a quotient that rounds to more than the bound has a numerator of at least the rounded product.
    """
    for at in range(start, stop):
        item = items[at]
        mine = sums[item] + change
        sums[item] = mine
        other = sums[item ^ np.uint32(1)]
        gap = mine - other
        block = item >> np.uint32(1 + BLOCK_BITS)
        if gap * gap >= blocks[block] * (mine + other):
            now = gain(mine, other)
            if now > blocks[block]:
                blocks[block] = now
                middle = block >> np.uint32(FAN_BITS)
                middles[middle] = max(middles[middle], now)
                top = middle >> np.uint32(FAN_BITS)
                tops[top] = max(tops[top], now)
