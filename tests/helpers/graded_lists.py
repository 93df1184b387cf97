"""Synthetic graded documents, for the baselines."""

from __future__ import annotations

import numpy as np

from runoff import NBest


def graded(seed: int, *, groups: int = 10, columns: int = 4, highest: int = 2, base: bool = False) -> NBest:
    """Groups of 2 to 7 documents; feature values are eighths, so that they are the same in 32 and in 64 bits."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, groups)
    rows = int(sizes.sum())
    quality = rng.integers(0, highest + 1, rows)
    X = np.round(8 * (rng.normal(size=(rows, columns)) + 0.5 * quality[:, None])) / 8
    return NBest.from_arrays(
        X, quality, sizes=sizes, base=np.round(rng.normal(size=rows) + quality, 3) if base else None
    )


def table(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray().astype(float)


def without_equals(data: NBest) -> NBest:
    return data[[at for at, group in enumerate(data) if group.quality.min() < group.quality.max()]]
