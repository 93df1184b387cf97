"""Values of candidates in two parts: how far each lies from the mean that its list knows, and that mean, the level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

_ROUNDING = 1e-6  # share of a column's largest value below which differences are none


def apart_and_level(values: Floats, offsets: Ints) -> Floats:
    """Distance from the mean of what the list knows, and beside these columns the means; NaN where nothing is known.

    Examples
    --------
    >>> apart_and_level(np.array([[1.0], [3.0], [np.nan], [np.nan]]), np.array([0, 3, 4])).T.tolist()
    [[-1.0, 1.0, nan, nan], [2.0, 2.0, 2.0, nan]]
    """
    sizes = np.diff(offsets)
    starts, sizes = offsets[:-1][sizes > 0] - offsets[0], sizes[sizes > 0]
    known = ~np.isnan(values)
    counts = np.add.reduceat(known.astype(np.int64), starts, axis=0)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts, axis=0)
    means = np.repeat(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), sizes, axis=0)
    return np.hstack([values - means, means])


def column_units(rows: Floats) -> Floats:
    """Standard deviation of what is known of every column; 1 for those that are constant but for rounding."""
    known = np.maximum((~np.isnan(rows)).sum(axis=0), 1)
    mean = np.nansum(rows, axis=0) / known
    spread = np.sqrt(np.nansum((rows - mean) ** 2, axis=0) / known)
    size = np.fmax.reduce(np.abs(rows), axis=0, initial=0.0)
    half = rows.shape[1] // 2
    size = np.maximum(size, np.tile(size[half:], 2))  # differences are rounded as the values are
    return np.where(spread > _ROUNDING * size, spread, 1.0)


def dense_columns(table: Any, slots: Ints, width: int) -> Floats:
    """A dense table with the columns of the slots, that of -1 left out; what is not stored is a known zero."""
    out = np.zeros((table.shape[0], width))
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    slot = slots[table.indices]
    out[row[slot >= 0], slot[slot >= 0]] = table.data[slot >= 0]
    return out
