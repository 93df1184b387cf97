"""The weight of the first round's score, fitted alone before anything else is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints

LARGEST = 1e3  # in units of a small difference
_SMALL = 0.01  # quantile of the differences; low enough for lists in which most scores are at a floor
_HUGE = 2.0**1000  # beyond, a weight times a score might overflow
_STEPS = 200


def largest_weight(differences: Floats, most: float = _HUGE) -> float:
    """Where the search ends: at a margin of 1,000 for a pair with a small difference, and at `most` in any case.

    Small is the first percentile of the non-zero differences. So the bound on margins is the same for scores in any
    unit, and scores far below all others (the -1e6 that some tools write for "impossible") do not lower it.

    Examples
    --------
    >>> import numpy as np
    >>> largest_weight(np.array([2.0, -4.0, 0.0, 1e6]))
    500.0
    """
    sizes = np.abs(differences[differences != 0.0])
    if sizes.size == 0:
        return 0.0
    small = float(np.quantile(sizes, _SMALL, method="lower"))
    return min(LARGEST / small if small > LARGEST / most else most, most)


def fit_base_weight(
    differences: Floats, weights: Floats, contests: Ints, loss: Literal["exp", "log"], most: float = _HUGE
) -> float:
    """The a0 from 0 to `largest_weight` that minimises the loss of `a0 * (base of the better - base of the worse)`.

    ExpLoss `Σ S exp(-a0 d)` or LogLoss `Σ log(1 + Σ exp(-a0 d))`, both convex in a0: the octave of the minimum by
    halving the exponent, then Newton's method kept inside a shrinking bracket (Collins & Koo 2005 scan a grid).
    O(pairs) for each of about 20 steps. No difference may be above 1, so that nothing overflows.

    Examples
    --------
    >>> import numpy as np
    >>> d = np.array([1.0, 1.0, 1.0, -1.0])  # three pairs that the first round has right, one that it has wrong
    >>> round(fit_base_weight(d, np.ones(4), np.array([0, 4]), "exp"), 6)  # half the logarithm of the odds
    0.549306
    """
    slope = _exp_slope if loss == "exp" else _log_slope
    low, high = 0.0, largest_weight(differences, most)
    if high == 0.0 or slope(low, differences, weights, contests)[0] >= 0:
        return 0.0
    if slope(high, differences, weights, contests)[0] <= 0:
        return high
    at = min(1.0 / float(np.abs(differences).max()), high / 2)
    if slope(at, differences, weights, contests)[0] < 0:
        low, at, high = _octave(at, high, lambda middle: slope(middle, differences, weights, contests)[0])
    for _ in range(_STEPS):
        first, second = slope(at, differences, weights, contests)
        low, high = (at, high) if first < 0 else (low, at)
        step = at - first / second if second > 0 else low
        # Bisect where a Newton step would leave the bracket.
        after = step if low < step < high else 0.5 * (low + high)
        if abs(after - at) <= 1e-12 * max(1.0, at):
            return after
        at = after
    return at


def _octave(low: float, high: float, slope: Callable[[float], float]) -> tuple[float, float, float]:
    """A bracket of one octave around the minimum, and its middle; from further away Newton's method is slow."""
    while high > 2.0 * low:
        middle = float(np.sqrt(low) * np.sqrt(high))
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return low, 0.5 * (low + high), high


def _exp_slope(at: float, differences: Floats, weights: Floats, contests: Ints) -> tuple[float, float]:  # noqa: ARG001
    """First and second derivative of log ExpLoss: the same minimum, and no overflow."""
    exponent = -at * differences
    share = weights * np.exp(exponent - exponent.max())
    share /= share.sum()
    # Sums by numpy alone: BLAS would add up in an order that depends on its threads.
    mean = float(np.sum(share * differences))
    return -mean, float(np.sum(share * (differences - mean) ** 2))


def _log_slope(at: float, differences: Floats, weights: Floats, contests: Ints) -> tuple[float, float]:  # noqa: ARG001
    """First and second derivative of LogLoss."""
    starts, sizes = contests[:-1], np.diff(contests)
    exponent = -at * differences
    top = np.maximum(np.maximum.reduceat(exponent, starts), 0.0)
    share = np.exp(exponent - np.repeat(top, sizes))
    share /= np.repeat(np.exp(-top) + np.add.reduceat(share, starts), sizes)
    mean = np.add.reduceat(share * differences, starts)
    square = np.add.reduceat(share * differences**2, starts)
    return -float(mean.sum()), float((square - mean**2).sum())
