"""Scaling of features, so that one prior or one margin fits features of any unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.features import facts
from runoff.kernels.sparse_rows import row_products

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.nbest import Features, NBest


_CHUNK = 1 << 20  # values that are held in 64 bits at a time
_LARGEST_POWER = np.finfo(np.float64).maxexp
_LEAST_SPREAD = 1e-300  # below it the reciprocal overflows


def column_scales(data: NBest, scale: str, min_groups: int) -> Floats:
    """Scale of every column, by which its values are multiplied; 0 for a column that is left out. O(stored values).

    "spread": a column's spread within groups becomes 1. "none": as it is. "auto": "none" where all values are ones,
    else "spread". Columns in fewer than `min_groups` groups, and those that vary in no group, are left out.
    """
    known = facts(data)
    spread = scale == "spread" or (scale == "auto" and data.features.values is not None)
    usable = (known.groups >= min_groups) & (known.spread > 0)
    return np.where(usable, 1 / np.where(usable & spread, known.spread, 1.0), 0.0)


def scaled_rows(features: Features, scale: Floats) -> tuple[Ints, Columns, Singles | None]:
    """CSR rows times `scale`, without the columns of scale 0 where that saves space. O(stored values).

    Nothing is copied where all scales are 1.
    """
    start, stop = int(features.indptr[0]), int(features.indptr[-1])
    if features.values is None and bool(np.all(scale == 1)):
        return features.indptr, features.indices, None
    indptr, indices = frozen(features.indptr - start), features.indices[start:stop]
    if features.values is None and bool(np.all((scale == 0) | (scale == 1))):
        left = np.empty(indptr.size - 1)
        row_products(indptr, indices, None, scale, 0, left)  # all scales are 0 or 1: this counts
        is_kept = scale > 0
        kept = frozen(indices[is_kept[indices]])
        return frozen(np.append(0, np.cumsum(left.astype(np.int64)))), kept, None
    values = np.empty(indices.size, np.float32)
    for first in range(0, indices.size, _CHUNK):
        # In double precision: the scale of a column of tiny values may be too large for single.
        part = slice(first, first + _CHUNK)
        factor = scale[indices[part]]
        values[part] = factor if features.values is None else features.values[start:stop][part] * factor
    return indptr, indices, frozen(values)


def warn_of_unused_features(scale: Floats, min_groups: int) -> list[str]:
    """A warning where the data has features and none of them can be used.

    Examples
    --------
    >>> warn_of_unused_features(np.zeros(2), 1)
    ['none of the 2 features differs between the candidates of a group: nothing was learned from them.']
    """
    if scale.size == 0 or scale.any():
        return []
    rare = f", but for those in fewer than min_groups={min_groups} groups" if min_groups > 1 else ""
    verb = "the only feature differs in no group" if scale.size == 1 else ""
    what = verb or f"none of the {scale.size:,} features differs between the candidates of a group"
    return [f"{what}{rare}: nothing was learned from {'it' if verb else 'them'}."]


def scaled_base(data: NBest, *, used: bool, scale: float = 1.0) -> tuple[Floats, float]:
    """First-round scores minus the mean of their group, scaled to a spread of `scale`; and the factor.

    Zeros, and 0, where they are not used, absent, or equal within every group.
    """
    spread = spread_within(data, data.base) if used and data.base is not None else 0.0
    if data.base is None or spread == 0.0:
        return frozen(np.zeros(data.n_candidates)), 0.0
    if not _LEAST_SPREAD < spread < np.inf:
        size = "little to be weighed; multiply" if spread < 1 else "much to be weighed; divide"
        raise DataError(f"first-round scores differ by too {size} them by a constant, or set base=false.")
    power = _power(data.base)
    apart = centred(data, np.ldexp(data.base, -power))
    return frozen(apart * (scale / np.ldexp(spread, -power))), scale / spread


def spread_within(data: NBest, values: Floats) -> float:
    """Root mean square, over the groups in which the values differ, of their standard deviation within the group.

    The one meaning of "spread" in the package: `runoff.features.facts` has the same of every column. 0 where the values
    differ in no group; infinite where it overflows. O(n).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0]] * 5, quality=[0, 1, 0, 0, 0], sizes=[2, 3])
    >>> spread_within(data, np.array([1.0, 3.0, 5.0, 5.0, 5.0]))
    1.0
    """
    power = _power(values)  # taken out, so that no sum or square overflows or underflows
    scaled = np.ldexp(values, -power)
    filled = data.sizes > 0
    sizes, starts = data.sizes[filled], data.offsets[:-1][filled]
    apart = scaled - np.repeat(scaled[starts], sizes)  # exactly 0 where values are equal
    largest = np.maximum.reduceat(np.abs(apart), starts) if starts.size else apart
    varies = largest > 0
    if not varies.any():
        return 0.0
    means = np.repeat(np.add.reduceat(apart, starts) / sizes, sizes)
    unit = float(largest.max())
    variances = np.add.reduceat(((apart - means) / unit) ** 2, starts) / sizes
    spread = unit * float(np.sqrt(np.mean(variances[varies])))
    if math.frexp(spread)[1] + power > _LARGEST_POWER:
        return math.inf
    return max(math.ldexp(spread, power), math.ulp(0.0))  # values that differ have a spread, however small


def _power(values: Floats) -> int:
    """Exponent of the power of two next above all values."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


def centred(data: NBest, values: Floats) -> Floats:
    """Values minus the mean of their group."""
    group = data.group_of
    mean = np.bincount(group, values, minlength=len(data)) / np.maximum(data.sizes, 1)
    return values - mean[group]
