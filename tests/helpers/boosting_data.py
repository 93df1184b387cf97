"""Synthetic lists with binary features, for boosting."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from runoff import NBest


def binary(seed: int, groups: int = 60, columns: int = 40, *, base: bool = True) -> NBest:
    """Groups of up to 8 candidates; a few features tell the quality, in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, groups)
    rows = int(sizes.sum())
    X = (rng.random((rows, columns)) < 0.25).astype(float)
    weights = np.where(np.arange(columns) < 8, np.linspace(2, -2, columns), 0.0)
    quality = np.round(X @ weights + rng.normal(size=rows), 1)
    return NBest.from_arrays(
        sparse.csr_array(X), quality, sizes=sizes, base=quality + 2 * rng.normal(size=rows) if base else None
    )
