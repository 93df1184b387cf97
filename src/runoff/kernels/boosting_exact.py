"""The feature and the move that lower LogLoss most, exactly (Collins & Koo 2005, section 4.6).

Let P and N be the shares of a contest's pairs on whose better or worse side a feature is. A move of d changes the loss
of the contest by `log(1 - P - N + P exp(-d) + N exp(d))`, so that one pass over its pairs is enough for any number of
trial moves. `contested` and `index` are those of `boosting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.boosting_sums import SIDE
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats
    from runoff.kernels.boosting import Index

_FAR = 700.0  # exp of it is finite
_STEPS = 100


@compiled
def lowest_loss(
    smooth: float, shares: Floats, contest_of: Columns, index: Index, plus: Floats, minus: Floats
) -> tuple[int, float, float]:  # pragma: no cover - compiled
    """Place of the feature whose best move leaves the lowest loss, the lowest column of equal ones; the move; the gain.

    Moves minimise the loss plus `smooth * (exp(d) + exp(-d))`, which keeps them finite and never lets the loss rise.
    `plus` and `minus` have room for every contest. O(items), and about ten passes over the contests of every feature.
    """
    _, _, starts, members, columns = index
    best, best_move, best_gain = -1, 0.0, 0.0
    for place in range(columns.size):
        count, last = 0, -1
        for at in range(starts[place], starts[place + 1]):
            pair = members[at] >> SIDE
            if contest_of[pair] != last:
                last = contest_of[pair]
                plus[count] = minus[count] = 0.0
                count += 1
            if members[at] & SIDE:
                minus[count - 1] += shares[pair]
            else:
                plus[count - 1] += shares[pair]
        move = exact_move(smooth, plus[:count], minus[:count])
        gain = 0.0
        for at in range(count):
            gain -= np.log(_change(move, plus[at], minus[at]))
        if gain > best_gain or (gain == best_gain and gain > 0.0 and columns[place] < columns[best]):
            best, best_move, best_gain = place, move, gain
    return best, best_move, best_gain


@compiled
def exact_move(smooth: float, plus: Floats, minus: Floats) -> float:  # pragma: no cover - compiled
    """The move that minimises the smoothed loss, by Newton's method inside a shrinking bracket. O(contests) a step."""
    slope, _ = _slopes(0.0, smooth, plus, minus)
    if slope == 0.0:
        return 0.0
    sign = 1.0 if slope < 0 else -1.0
    low, high, at = 0.0, _FAR, 0.5 * abs(np.log((plus.sum() + smooth) / (minus.sum() + smooth)))
    for _ in range(_STEPS):
        slope, curve = _slopes(sign * at, smooth, plus, minus)
        if sign * slope < 0:
            low = at
        else:
            high = at
        after = at - sign * slope / curve
        if not low < after < high:
            after = 2.0 * at if high == _FAR and 2.0 * at < high else 0.5 * (low + high)
        if abs(after - at) <= 1e-14 * max(1.0, at):
            break
        at = after
    move: float = sign * at
    return move


@compiled
def _slopes(
    move: float, smooth: float, plus: Floats, minus: Floats
) -> tuple[float, float]:  # pragma: no cover - compiled
    """First and second derivative of the smoothed loss at a move."""
    up, down = np.exp(move), np.exp(-move)
    first, second = smooth * (up - down), smooth * (up + down)
    for at in range(plus.size):
        whole = _change(move, plus[at], minus[at])
        slope = (minus[at] * up - plus[at] * down) / whole
        first += slope
        second += (minus[at] * up + plus[at] * down) / whole - slope * slope
    return first, second


@compiled
def _change(move: float, plus: float, minus: float) -> float:  # pragma: no cover - compiled
    """Factor by which a move changes `1 + Σ exp(-M)` of a contest."""
    change: float = max(1.0 - plus - minus, 0.0) + plus * np.exp(-move) + minus * np.exp(move)
    return change
