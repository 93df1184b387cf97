"""Edit distance by bits, 64 cells of its table at a time (Myers 1999, in the form of Hyyrö 2003).

One sequence, the pattern, is prepared, and others are compared with it. `slots` has a number for every token, 0 for
those that the pattern has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Ints

    Bits = npt.NDArray[np.uint64]

_ZERO, _ONE, _TOP = np.uint64(0), np.uint64(1), np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def pattern_bits(pattern: Ints, slots: Columns) -> Bits:  # pragma: no cover - compiled
    """Bits of the places where each token of the pattern stands; its row is the token's slot."""
    different = 0
    for token in pattern:
        if slots[token] == 0:
            different += 1
            slots[token] = different
    places = np.zeros((different + 1, (pattern.size + 63) // 64), np.uint64)
    for at in range(pattern.size):
        places[slots[pattern[at]], at >> 6] |= _ONE << np.uint64(at & 63)
    return places


@compiled
def forget(pattern: Ints, slots: Columns) -> None:  # pragma: no cover - compiled
    """Clear the slots of a pattern for the next one."""
    for token in pattern:
        slots[token] = 0


@compiled
def edits_between(
    places: Bits, length: int, text: Ints, slots: Columns, up: Bits, down: Bits
) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and the pattern of so many tokens that stands in `places`; `up` and `down` are room."""
    if length == 0:
        return np.int64(text.size)
    if length <= 64:
        return _short(places[:, 0], length, text, slots)
    return _long(places, length, text, slots, up, down)


@compiled
def _short(places: Bits, length: int, text: Ints, slots: Columns) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and a pattern of at most 64 tokens."""
    edits, last = np.int64(length), np.uint64(length - 1)
    up, down = _ALL, _ZERO
    for token in text:
        here = places[slots[token]]
        diagonal = (((here & up) + up) ^ up) | here | down
        plus = down | ~(diagonal | up)
        minus = up & diagonal
        edits += np.int64((plus >> last) & _ONE) - np.int64((minus >> last) & _ONE)
        plus = (plus << _ONE) | _ONE
        minus = minus << _ONE
        up = minus | ~(diagonal | plus)
        down = plus & diagonal
    return edits


@compiled
def _long(
    places: Bits, length: int, text: Ints, slots: Columns, up: Bits, down: Bits
) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and a pattern of any length: blocks of 64 that hand their last row on."""
    edits, last = np.int64(length), np.uint64((length - 1) & 63)
    up[:], down[:] = _ALL, _ZERO
    for token in text:
        row = slots[token]
        plus_in, minus_in = _ONE, _ZERO
        for block in range(up.size):
            rising, falling = up[block], down[block]
            here = places[row, block]
            vertical = here | falling
            here |= minus_in
            diagonal = (((here & rising) + rising) ^ rising) | here
            plus = falling | ~(diagonal | rising)
            minus = rising & diagonal
            if block == up.size - 1:
                edits += np.int64((plus >> last) & _ONE) - np.int64((minus >> last) & _ONE)
            plus_out, minus_out = plus >> _TOP, minus >> _TOP
            plus = (plus << _ONE) | plus_in
            minus = (minus << _ONE) | minus_in
            up[block] = minus | ~(vertical | plus)
            down[block] = plus & vertical
            plus_in, minus_in = plus_out, minus_out
    return edits
