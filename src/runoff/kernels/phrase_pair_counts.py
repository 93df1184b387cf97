"""Counts of phrase pairs, kept by pair and links, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.phrase_pairs import SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Ints

    Masks = NDArray[np.uint64]
    Counts = NDArray[np.uint32]

_ONE, _NONE = np.uint64(1), np.uint64(0)


@compiled
def add_up(  # pragma: no cover - compiled
    order: Ints, keys: Ints, masks: Masks, counts: Counts, out: tuple[Ints, Masks, Counts]
) -> int:
    """Sum the rows of counts that have equal keys and masks, in the order given; gives how many rows there are now.

    `order` has rows of equal key and mask next to each other. O(rows * columns).
    """
    at = -1
    for row in order:
        if at < 0 or out[0][at] != keys[row] or out[1][at] != masks[row]:
            at += 1
            out[0][at], out[1][at] = keys[row], masks[row]
            out[2][at] = counts[row]
        else:
            out[2][at] += counts[row]
    return at + 1


@compiled
def _is_greater(one: np.uint64, other: np.uint64) -> bool:  # pragma: no cover - compiled
    """Whether links come later, compared by the source words of the first target word, then of the second..."""
    differing = one ^ other
    if differing == _NONE:
        return False
    bit = np.uint64(0)
    while differing & (_ONE << bit) == _NONE:
        bit += _ONE
    # Up to this bit both have the same. Who has it is less where the other has a later word in the same set.
    row_end = (bit // np.uint64(SIDE) + _ONE) * np.uint64(SIDE) - _ONE
    later = _NONE
    at = bit + _ONE
    while at <= row_end:
        later |= _ONE << at
        at += _ONE
    if one & (_ONE << bit):
        return bool((other & later) == _NONE)
    return bool((one & later) != _NONE)


@compiled
def join_links(  # pragma: no cover - compiled
    keys: Ints, masks: Masks, counts: Counts, out: tuple[Ints, Masks, Counts]
) -> int:
    """Sum the rows of every key and keep its most frequent links; gives the number of keys.

    Of links that are equally frequent the greatest are kept, as in Moses' score. `counts[:, 0]` counts occurrences.
    O(rows * columns).
    """
    at = -1
    most = np.uint32(0)
    for row in range(keys.size):
        if at < 0 or out[0][at] != keys[row]:
            at += 1
            out[0][at], out[1][at] = keys[row], masks[row]
            out[2][at] = counts[row]
            most = counts[row, 0]
            continue
        out[2][at] += counts[row]
        if counts[row, 0] > most or (counts[row, 0] == most and _is_greater(masks[row], out[1][at])):
            most = counts[row, 0]
            out[1][at] = masks[row]
    return at + 1


@compiled
def count_links(masks: Masks) -> Ints:  # pragma: no cover - compiled
    """Number of links in every mask."""
    counts = np.zeros(masks.size, np.int64)
    for row in range(masks.size):
        left = masks[row]
        while left != _NONE:
            left &= left - _ONE
            counts[row] += 1
    return counts


@compiled
def unpack_links(masks: Masks, offsets: Ints, links: NDArray[np.uint8]) -> None:  # pragma: no cover - compiled
    """Source and target place of every link, in the order of the target."""
    for row in range(masks.size):
        at = offsets[row]
        for bit in range(SIDE * SIDE):
            if masks[row] & (_ONE << np.uint64(bit)):
                links[at, 0], links[at, 1] = bit % SIDE, bit // SIDE
                at += 1
