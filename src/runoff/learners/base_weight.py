"""The weight of the first round's score, fitted alone before anything else is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

LARGEST = 1e3
_STEPS = 200


def fit_base_weight(differences: Floats, weights: Floats, contests: Ints, loss: Literal["exp", "log"]) -> float:
    """The a0 in [0, 1000] that minimises the loss of `a0 * (base of the better - base of the worse)`.

    ExpLoss `Σ S exp(-a0 d)` or LogLoss `Σ log(1 + Σ exp(-a0 d))`, both convex in a0, by Newton's method kept
    inside a shrinking bracket (Collins & Koo 2005 scan a grid). O(pairs) for each of at most 200 steps.

    Examples
    --------
    >>> import numpy as np
    >>> d = np.array([1.0, 1.0, 1.0, -1.0])  # three pairs that the first round has right, one that it has wrong
    >>> round(fit_base_weight(d, np.ones(4), np.array([0, 4]), "exp"), 6)  # half the logarithm of the odds
    0.549306
    """
    spread = float(np.abs(differences).max(initial=0.0))
    if spread == 0.0:
        return 0.0
    slope = _exp_slope if loss == "exp" else _log_slope
    low, high = 0.0, LARGEST
    if slope(low, differences, weights, contests)[0] >= 0:
        return 0.0
    if slope(high, differences, weights, contests)[0] <= 0:
        return LARGEST
    at = min(1.0 / spread, LARGEST / 2)
    for _ in range(_STEPS):
        first, second = slope(at, differences, weights, contests)
        low, high = (at, high) if first < 0 else (low, at)
        step = at - first / second if second > 0 else low
        # A Newton step that leaves the bracket would not come back: halve instead.
        after = step if low < step < high else 0.5 * (low + high)
        if abs(after - at) <= 1e-12 * max(1.0, at):
            return after
        at = after
    return at


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
