"""Sums over resampled groups, from a generator that is keyed by seed and trial number.

Trial `t` draws from its own stream, so that any split of the trials over threads gives the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, mixed

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

_LOW = np.uint64(0xFFFFFFFF)


@compiled
def stream(seed: np.uint64, trial: int) -> np.uint64:  # pragma: no cover - compiled
    """Where the generator of one trial starts."""
    return mixed(mixed(seed) + np.uint64(trial + 1) * GOLDEN)


@compiled
def draw(times: Ints, seed: np.uint64, trial: int) -> None:  # pragma: no cover - compiled
    """Count how often each of n things comes up in n draws with replacement. O(n).

    Draws are exactly uniform: multiply-shift with rejection (Lemire 2019) on either half of the bits.
    """
    n = np.uint64(times.size)
    biased = (_LOW + np.uint64(1)) % n
    state = stream(seed, trial)
    times[:] = 0
    left = times.size
    while left > 0:
        state += GOLDEN
        bits = mixed(state)
        product = (bits >> np.uint64(32)) * n
        if product & _LOW >= biased:
            times[product >> np.uint64(32)] += 1
            left -= 1
        product = (bits & _LOW) * n
        if product & _LOW >= biased and left > 0:
            times[product >> np.uint64(32)] += 1
            left -= 1


@compiled
def resampled_sums(rows: Floats, seed: np.uint64, first: int, out: Floats) -> None:  # pragma: no cover - compiled
    """Sum of as many rows as there are, drawn with replacement; `out[t]` is for trial `first + t`.

    O(trials rows width).
    """
    times = np.empty(rows.shape[0], np.int64)
    for trial in range(out.shape[0]):
        draw(times, seed, first + trial)
        out[trial] = 0.0
        for row in range(rows.shape[0]):
            for column in range(rows.shape[1]):
                out[trial, column] += times[row] * rows[row, column]


@compiled
def swapped_sums(changes: Floats, seed: np.uint64, first: int, out: Floats) -> None:  # pragma: no cover - compiled
    """Sum of the rows for which a fair coin falls heads; `out[t]` is for trial `first + t`.

    O(trials rows width).
    """
    for trial in range(out.shape[0]):
        state = stream(seed, first + trial)
        bits = np.uint64(0)
        out[trial] = 0.0
        for row in range(changes.shape[0]):
            if row % 64 == 0:
                state += GOLDEN
                bits = mixed(state)
            heads = np.float64(bits & np.uint64(1))
            bits >>= np.uint64(1)
            for column in range(changes.shape[1]):
                out[trial, column] += heads * changes[row, column]
