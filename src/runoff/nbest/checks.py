"""What must hold for every `NBest`: parts that fit together, and finite numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.nbest.flat import NUMBERS, flat_lists

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest.core import NBest

PER_GROUP = ("group_ids", "inputs", "references", "missed")
PER_CANDIDATE = ("base", "quality", "texts", "candidate_ids")


def check(data: NBest) -> None:
    """Raise, with the place, if something does not fit. O(candidates + missed answers).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> check(NBest.from_arrays([[1.0]], quality=[0.5], sizes=[1]))
    """
    groups, candidates = data.offsets.size - 1, int(data.offsets[-1])
    if data.features.shape[0] != candidates:
        raise DataError(f"there are {candidates} candidates but {data.features.shape[0]} entries of features.")
    for names, expected, what in (((*PER_CANDIDATE, "rows"), candidates, "candidates"), (PER_GROUP, groups, "groups")):
        for name in names:
            value = getattr(data, name)
            if value is not None and len(value) != expected:
                raise DataError(f"there are {expected} {what} but {len(value)} entries of {name}.")
    for name in ("base", "quality"):
        values = getattr(data, name)
        if values is not None and not np.isfinite(values).all():
            row, group, place = _first_bad(values, data.offsets)
            raise DataError(
                f"{name} must be a finite number; candidate {place} of group {data.group_ids[group].as_py()!r} "
                f"has {values[row]}. Leave such candidates out or give them a number."
            )
    _check_missed(data)
    for key, rows in data.stats.items():
        if rows.ndim != 2 or rows.shape[0] != candidates:
            raise DataError(f"statistics for {key!r} must have one row for each of the {candidates} candidates.")


def _check_missed(data: NBest) -> None:
    if data.missed is None:
        return
    if data.missed.type != NUMBERS:
        raise DataError(f"missed must be an Arrow array of the type {NUMBERS}; found {data.missed.type}.")
    if data.missed.null_count or data.missed.flatten().null_count:
        raise DataError("missed must be lists of numbers, one per group, without gaps; a list may be empty.")
    offsets, values = flat_lists(data.missed)
    if not np.isfinite(values).all():
        row, group, place = _first_bad(values, offsets)
        group_id = data.group_ids[group].as_py()
        raise DataError(f"missed must be finite numbers; entry {place} of group {group_id!r} is {values[row]}.")


def _first_bad(values: Floats, offsets: Ints) -> tuple[int, int, int]:
    """Row, group and place within the group of the first number that is not finite."""
    row = int(np.flatnonzero(~np.isfinite(values))[0])
    group = int(np.searchsorted(offsets, row, side="right")) - 1
    return row, group, row - int(offsets[group])
