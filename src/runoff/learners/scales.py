"""Units in which a learner measures features, so that one prior or one margin fits features of any unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.features import facts

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


def column_scales(data: NBest, scale: str, min_groups: int) -> Floats:
    """Units of the learner per unit of the data, for every column; 0 for a column that is left out. O(stored values).

    "spread": a column's spread within groups is 1. "none": as it is. "auto": "none" where all values are ones, else
    "spread". Columns in fewer than `min_groups` groups, and those that vary in no group, are left out.
    """
    known = facts(data)
    spread = scale == "spread" or (scale == "auto" and data.features.values is not None)
    usable = (known.groups >= min_groups) & (known.spread > 0)
    return np.where(usable, 1 / np.where(usable & spread, known.spread, 1.0), 0.0)


def spread_within(data: NBest, values: Floats) -> float:
    """Root mean square of the distance of every candidate's value from the mean of its group.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> spread_within(NBest.from_arrays([[0], [0]], quality=[0, 1], sizes=[2]), np.array([1.0, 3.0]))
    1.0
    """
    return float(np.sqrt(np.mean(centred(data, values) ** 2))) if values.size else 0.0


def centred(data: NBest, values: Floats) -> Floats:
    """Values less the mean of their group."""
    group = data.group_of
    mean = np.bincount(group, values, minlength=len(data)) / np.maximum(data.sizes, 1)
    return values - mean[group]
