"""The weight of the first round's score, fitted alone before anything else is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

LARGEST = 1e3  # in units of a small difference
_SMALL = 0.01  # quantile of the differences; low enough for lists in which most scores are at a floor
_COMMON = 0.1  # quantile of the differences that the prior is measured in; low for the same reason
PRIOR_WIDTH = 10.0  # of the Gaussian prior, in units of a common difference
_STRONGEST = 1.0  # scale of the prior where scores overflow
_HUGE = 2.0**1000  # beyond, a weight times a score might overflow
_STEPS = 200
_FAR = 700.0  # exp of it is finite


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


def prior_scale(differences: Floats) -> float:
    """The u of a Gaussian prior `(u * a0)²`: a wide one, but where the first round is never wrong it ends the search.

    One tenth of the first decile of the non-zero differences: in units of these, for the reasons of `largest_weight`.

    Examples
    --------
    >>> import numpy as np
    >>> prior_scale(np.array([2.0, -4.0, 0.0, 1e6]))
    0.2
    """
    sizes = np.abs(differences[differences != 0.0])
    if sizes.size == 0:
        return 0.0
    return float(np.quantile(sizes, _COMMON, method="lower")) / PRIOR_WIDTH


def prior_scale_of(data: NBest, base: Floats, unit: float = 1.0) -> float:
    """The same u from the scores of lists, times `unit`: their differences are those to the highest of the list."""
    filled = data.sizes > 0
    highest = np.repeat(np.maximum.reduceat(base, data.offsets[:-1][filled]), data.sizes[filled])
    with np.errstate(over="ignore"):
        return min(prior_scale((highest - base) * unit), _STRONGEST)


def fit_base_weight(
    differences: Floats,
    weights: Floats,
    contests: Ints,
    loss: Literal["exp", "log"],
    most: float = _HUGE,
    prior: float = 0.0,
) -> float:
    """The a0 from 0 to `largest_weight` that minimises the loss of `a0 * (base of the better - base of the worse)`.

    ExpLoss `Σ S exp(-a0 d)` or LogLoss `Σ log(1 + Σ exp(-a0 d))`, both convex in a0: the octave of the minimum by
    halving the exponent, then Newton's method kept inside a shrinking bracket (Collins & Koo 2005 scan a grid).
    O(pairs) for each of about 20 steps. No difference may be above 1, so that nothing overflows.

    `(prior * a0)²` is added to the loss, ExpLoss being in units in which it starts at the number of contests.

    Examples
    --------
    >>> import numpy as np
    >>> d = np.array([1.0, 1.0, 1.0, -1.0])  # three pairs that the first round has right, one that it has wrong
    >>> round(fit_base_weight(d, np.ones(4), np.array([0, 4]), "exp"), 6)  # half the logarithm of the odds
    0.549306
    """

    def slope(at: float) -> tuple[float, float]:
        found = _exp_slope if loss == "exp" else _log_slope
        return found(at, differences, weights, contests, prior)

    low, high = 0.0, largest_weight(differences, most)
    if high == 0.0 or slope(low)[0] >= 0:
        return 0.0
    if slope(high)[0] <= 0:
        return high
    at = min(1.0 / float(np.abs(differences).max()), high / 2)
    if slope(at)[0] < 0:
        low, at, high = _octave(at, high, lambda middle: slope(middle)[0])
    for _ in range(_STEPS):
        first, second = slope(at)
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


def _exp_slope(at: float, differences: Floats, weights: Floats, contests: Ints, prior: float) -> tuple[float, float]:
    """First and second derivative of log ExpLoss, which has the same minimum and does not overflow.

    With a prior the derivative of the sum, divided by ExpLoss: its root is the minimum too.
    """
    exponent = -at * differences
    top = exponent.max()
    share = weights * np.exp(exponent - top)
    total = float(share.sum())
    share /= total
    # Sums by numpy alone: BLAS would add up in an order that depends on its threads.
    mean = float(np.sum(share * differences))
    square = float(np.sum(share * (differences - mean) ** 2))
    if prior == 0.0:
        return -mean, square
    # A loss that is too small for a number leaves the prior alone; one that is too large leaves it out.
    log_loss = top + np.log(total / float(weights.sum())) + np.log(contests.size - 1)
    per_loss = 2.0 * prior * float(np.exp(np.clip(-log_loss, -_FAR, _FAR)))
    return per_loss * (prior * at) - mean, per_loss * prior * (1.0 + at * mean) + square


def _log_slope(
    at: float,
    differences: Floats,
    weights: Floats,  # noqa: ARG001 - the signature of `_exp_slope`; LogLoss weighs all contests alike
    contests: Ints,
    prior: float,
) -> tuple[float, float]:
    """First and second derivative of LogLoss."""
    starts, sizes = contests[:-1], np.diff(contests)
    exponent = -at * differences
    top = np.maximum(np.maximum.reduceat(exponent, starts), 0.0)
    share = np.exp(exponent - np.repeat(top, sizes))
    share /= np.repeat(np.exp(-top) + np.add.reduceat(share, starts), sizes)
    mean = np.add.reduceat(share * differences, starts)
    square = np.add.reduceat(share * differences**2, starts)
    return 2.0 * prior * (prior * at) - float(mean.sum()), 2.0 * prior**2 + float((square - mean**2).sum())
