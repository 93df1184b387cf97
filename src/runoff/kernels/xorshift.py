"""Random numbers that compiled loops draw from a state of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Seeds: TypeAlias = npt.NDArray[np.uint64]


@compiled
def uniform(state: Seeds) -> float:  # pragma: no cover - compiled
    """A number between 0 and 1 (xorshift64*, Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53
