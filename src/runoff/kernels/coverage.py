"""Which source words are translated: a first gap, and bits of the words from there on.

Bit r of a row is word `gap + r`; bit 0 is never set. With a limit on distortion all words after the first gap that are
translated are near it, so that a sentence of any length needs one or two numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import combined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats

    Bits = NDArray[np.uint64]

_ONE, _ALL = np.uint64(1), np.uint64(64)


@compiled
def window_of(n_words: int, longest: int, distortion: int) -> int:  # pragma: no cover - compiled
    """Words from the first gap on that can be translated before it, or are taken with it by one phrase."""
    return n_words if distortion < 0 else min(n_words, max(distortion, longest))


@compiled
def numbers_for(window: int) -> int:  # pragma: no cover - compiled
    """Numbers of 64 bits that a row needs."""
    return window // 64 + 1


@compiled
def is_free(bits: Bits, row: int, gap: int, start: int, end: int) -> bool:  # pragma: no cover - compiled
    """Whether no word of a span, which begins at the first gap or later, is translated."""
    for word in range(start - gap, min(end - gap, bits.shape[1] * 64)):
        if (bits[row, word // 64] >> np.uint64(word % 64)) & _ONE:
            return False
    return True


@compiled
def may_follow(
    gap: int, previous_end: int, start: int, end: int, distortion: int
) -> bool:  # pragma: no cover - compiled
    """Whether a span keeps the limit on distortion, and leaves the first gap within it: the rule of Moses."""
    if distortion < 0:
        return True
    return abs(start - previous_end) <= distortion and (start == gap or end - gap <= distortion)


@compiled
def cover(
    bits: Bits, row: int, gap: int, start: int, end: int, out: Bits, out_row: int
) -> int:  # pragma: no cover - compiled
    """Write what is translated after a span into another row; the first gap then."""
    size = bits.shape[1]
    for number in range(size):
        out[out_row, number] = bits[row, number]
    for word in range(start - gap, end - gap):
        out[out_row, word // 64] |= _ONE << np.uint64(word % 64)
    if start > gap:
        return gap
    shift = 0
    while shift < size * 64 and (out[out_row, shift // 64] >> np.uint64(shift % 64)) & _ONE:
        shift += 1
    whole, part = shift // 64, np.uint64(shift % 64)
    for number in range(size):
        low = out[out_row, number + whole] if number + whole < size else np.uint64(0)
        high = out[out_row, number + whole + 1] if number + whole + 1 < size else np.uint64(0)
        # A shift by 64 is undefined.
        out[out_row, number] = (low >> part) | (high << (_ALL - part)) if part else low
    return gap + shift


@compiled
def coverage_key(bits: Bits, row: int, gap: int) -> np.uint64:  # pragma: no cover - compiled
    """A hash of what is translated."""
    key = np.uint64(gap)
    for number in range(bits.shape[1]):
        key = combined(key, bits[row, number])
    return key


@compiled
def remaining(bits: Bits, row: int, gap: int, inner: Floats, to_end: Floats) -> float:  # pragma: no cover - compiled
    """Estimated score of all that is not translated; see `runoff.kernels.future_scores`. O(window)."""
    total, begins, word = 0.0, gap, gap
    for number in range(bits.shape[1]):
        left, word = bits[row, number], gap + 64 * number
        while left:
            if left & _ONE:
                if word > begins:
                    total += inner[begins, word - begins]
                begins = word + 1
            left >>= _ONE
            word += 1
    return float(total + to_end[begins])
