"""Decimal numbers in bytes, rounded as Python's `float` rounds them wherever the fast arithmetic can prove it.

Clinger (1990), "How to read floating point numbers accurately", gives the exact case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E = 43, 45, 46, 48, 57, 69, 101
_TEN_TO = np.array([float(f"1e{power}") for power in range(65)])
_EXACT, _FULL = np.uint64(1 << 53), np.uint64(10**18)
_DOUBT = 2.0**-50  # more than the rounding errors of two conversions and one operation


@compiled
def unsigned_number(
    text: Bytes, at: int, negative: bool
) -> tuple[float, bool, int, int, int]:  # pragma: no cover - compiled
    """A number without its sign: its value, whether that is surely the nearest one, and where it ends.

    It ends at -1 where there are no digits, or none after an `e`. Then come how many digits stand before the point and
    after it (-1: no point). What follows the last number must be no digit. O(bytes).
    """
    digits, power, is_cut = np.uint64(0), 0, False
    start = at
    while ZERO <= text[at] <= NINE:
        if digits < _FULL:
            digits = digits * np.uint64(10) + np.uint64(text[at] - ZERO)
        else:
            power += 1
            is_cut = True
        at += 1
    before, after = at - start, -1
    if text[at] == POINT:
        at += 1
        start = at
        while ZERO <= text[at] <= NINE:
            if digits < _FULL:
                digits = digits * np.uint64(10) + np.uint64(text[at] - ZERO)
                power -= 1
            else:
                is_cut = True
            at += 1
        after = at - start
    if before + max(after, 0) == 0:
        return 0.0, False, -1, before, after
    if text[at] == LOWER_E or text[at] == UPPER_E:
        at += 1
        below = text[at] == MINUS
        if below or text[at] == PLUS:
            at += 1
        start, exponent = at, 0
        while ZERO <= text[at] <= NINE:
            exponent = min(exponent * 10 + (text[at] - ZERO), 1_000_000)
            at += 1
        if at == start:
            return 0.0, False, -1, before, after
        power += -exponent if below else exponent
    if digits == 0:
        return 0.0, True, at, before, after
    if not -64 <= power <= 64:
        return np.nan, False, at, before, after  # NaN differs from itself, so this is always doubtful
    value = float(digits)
    value = value * _TEN_TO[power] if power >= 0 else value / _TEN_TO[-power]
    exact = bool(digits <= _EXACT) and not is_cut and -22 <= power <= 22
    return (-value if negative else value), exact, at, before, after


@compiled
def is_doubtful(number: float, exact: bool) -> bool:  # pragma: no cover - compiled
    """Whether the number of single precision next to a value could be another than that next to what was written."""
    return not exact and np.float32(number * (1 - _DOUBT)) != np.float32(number * (1 + _DOUBT))
