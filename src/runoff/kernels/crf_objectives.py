"""Loss-sensitive objectives of a conditional random field over a list of possible answers.

Every objective is a function of scores (minus energies) and losses of the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Floats


ML, LA, LS, EL, KL = range(5)


@compiled
def objective(
    kind: int, strength: float, scores: Floats, losses: Floats, slopes: Floats
) -> float:  # pragma: no cover - compiled
    """Value of an objective; `slopes` gets its derivative by the score of every answer. O(answers).

    Right answers have the loss 0; where there are several, the likelihood is the mean of their logarithms. `strength`
    is the weight of the loss in LA and the temperature in KL.
    """
    n = scores.size
    right = mean = 0.0
    for at in range(n):
        if losses[at] == 0.0:
            right += 1.0
            mean += scores[at]
    mean /= max(right, 1.0)
    for at in range(n):
        if kind == LA:
            slopes[at] = scores[at] + strength * losses[at]
        elif kind == LS:
            slopes[at] = losses[at] * (scores[at] - mean) + losses[at]
        else:
            slopes[at] = scores[at]
    total = softmax(slopes)
    if kind in (ML, LA):
        for at in range(n):
            if losses[at] == 0.0:
                slopes[at] -= 1.0 / right
        return total - mean
    if kind == LS:
        pull = 0.0
        for at in range(n):
            slopes[at] *= losses[at]
            pull += slopes[at]
        for at in range(n):
            if losses[at] == 0.0:
                slopes[at] -= pull / right
        return total
    if kind == EL:
        value = 0.0
        for at in range(n):
            value += slopes[at] * losses[at]
        for at in range(n):
            slopes[at] *= losses[at] - value
        return value
    weight = 0.0
    for at in range(n):
        weight += np.exp(-losses[at] / strength)
    value = 0.0
    for at in range(n):
        exponent = -losses[at] / strength - np.log(weight)
        wanted, apart = np.exp(exponent), exponent - (scores[at] - total)
        # Σ q log(q / p) with Σ (p - q) = 0 added: near p = q, the terms of the plain sum would cancel to rounding.
        if abs(apart) < 1e-3:
            value += wanted * apart * apart * (0.5 - apart / 6.0 + apart * apart / 24.0)
        else:
            value += wanted * apart + (slopes[at] - wanted)
        slopes[at] -= wanted
    return value


@compiled
def softmax(values: Floats) -> float:  # pragma: no cover - compiled
    """Turn values into their shares, and return the logarithm of the sum of their exponentials."""
    top = -np.inf
    for at in range(values.size):
        top = max(top, values[at])
    total = 0.0
    for at in range(values.size):
        values[at] = np.exp(values[at] - top)
        total += values[at]
    for at in range(values.size):
        values[at] /= total
    return float(top + np.log(total))
