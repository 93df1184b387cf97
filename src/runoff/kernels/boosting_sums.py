"""Sums of every feature with three levels of bounds above them: the largest gain is found without a look at all.

`sums` holds W+ and W- of every feature one after the other: whole numbers below 2**53, so that adding to them is exact.
No feature of a block has a gain above the block's bound. A sum that moves raises the bound when its gain comes to lie
above it, and never lowers it; the block whose bound is the highest of all is looked at again, until one keeps its
promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Codes: TypeAlias = npt.NDArray[np.uint32]
    Bounds: TypeAlias = tuple[Floats, Floats, Floats]

BLOCK_BITS, FAN_BITS = 7, 5
BLOCK, FAN = 1 << BLOCK_BITS, 1 << FAN_BITS  # features in a block; blocks in a middle, middles in a top
SIDE = np.uint32(1)


@compiled(error_model="numpy")
def gain(plus: float, minus: float) -> float:  # pragma: no cover - compiled
    """`(√W+ - √W-)²` of whole sums, without cancellation: zero only where they are equal."""
    gap = plus - minus
    squared: float = gap * gap / max(1.0, plus + minus + 2.0 * np.sqrt(plus * minus))
    return squared


@compiled(fastmath={"nnan", "nsz"})
def highest(values: Floats, start: int, stop: int) -> float:  # pragma: no cover - compiled
    """Maximum of a stretch up to `stop` or the end, at least zero."""
    best = 0.0
    for at in range(start, min(stop, values.size)):
        best = max(best, values[at])
    return best


@compiled
def _tighten(sums: Floats, block: int, gains: Floats) -> float:  # pragma: no cover - compiled
    first = block * BLOCK
    for at in range(BLOCK):
        gains[at] = gain(sums[2 * (first + at)], sums[2 * (first + at) + 1])
    return highest(gains, 0, BLOCK)


@compiled
def tighten_all(sums: Floats, bounds: Bounds) -> None:  # pragma: no cover - compiled
    """Make every bound exact. O(features)."""
    blocks, middles, tops = bounds
    gains = np.empty(BLOCK)
    for at in range(blocks.size):
        blocks[at] = _tighten(sums, at, gains)
    for at in range(middles.size):
        middles[at] = highest(blocks, at * FAN, (at + 1) * FAN)
    for at in range(tops.size):
        tops[at] = highest(middles, at * FAN, (at + 1) * FAN)


@compiled
def strongest(sums: Floats, bounds: Bounds, columns: Ints) -> int:  # pragma: no cover - compiled
    """Place of the feature with the largest gain (ties: the lowest column), -1 if no gain reaches one unit.

    Looks into the blocks that claim the largest gain. One that loses its claim was raised before, so that
    this is paid for by the additions.
    """
    blocks, middles, tops = bounds
    gains = np.empty(BLOCK)
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
                    blocks[block] = _tighten(sums, block, gains)
                    if blocks[block] == best:
                        for at in range(BLOCK):
                            here = block * BLOCK + at
                            if gains[at] == best and (place < 0 or columns[here] < columns[place]):
                                place = here
                middles[middle] = highest(blocks, middle * FAN, (middle + 1) * FAN)
            tops[top] = highest(middles, top * FAN, (top + 1) * FAN)
        if place >= 0:
            return place


@compiled
def add(
    change: float, start: int, stop: int, items: Codes, sums: Floats, bounds: Bounds
) -> None:  # pragma: no cover - compiled
    """Add `change` to the sums that `items[start:stop]` name, and keep the bounds true.

    With `√(ab) >= min(a, b)` the gain is at most `(a - b)² / (2(a + b) - |a - b|)`, which spares nearly all
    square roots. Rounding hides nothing: all but the square and the product are whole numbers, and a
    quotient above the bound has a numerator no less than the rounded product of bound and denominator.
    """
    blocks, middles, tops = bounds
    for at in range(start, stop):
        item = items[at]
        mine = sums[item] + change
        sums[item] = mine
        other = sums[item ^ SIDE]
        gap = mine - other
        block = item >> np.uint32(1 + BLOCK_BITS)
        if gap * gap >= blocks[block] * (2.0 * (mine + other) - abs(gap)):
            now = gain(mine, other)
            if now > blocks[block]:
                blocks[block] = now
                middle = block >> np.uint32(FAN_BITS)
                middles[middle] = max(middles[middle], now)
                top = middle >> np.uint32(FAN_BITS)
                tops[top] = max(tops[top], now)
