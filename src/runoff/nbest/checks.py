"""What must hold for every `NBest`: parts of matching lengths and types, and finite numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import DataError
from runoff.nbest.arrow_numbers import NUMBERS, flat_lists

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest.core import NBest

KEYS = frozenset({"id", "input", "reference", "references", "candidates", "missed", "metric"})  # of a list, in JSON
PER_GROUP = ("group_ids", "inputs", "references", "missed")
PER_CANDIDATE = ("base", "quality", "texts", "candidate_ids")
_TEXT = pa.large_string()
_KINDS = {
    "group_ids": _TEXT,
    "inputs": _TEXT,
    "references": pa.large_list(_TEXT),
    "missed": NUMBERS,
    "texts": _TEXT,
    "candidate_ids": _TEXT,
}


def check(data: NBest) -> None:
    """Raise, with the place, if something is inconsistent. O(candidates + missed answers).

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
    _check_texts(data)
    _check_attributes(data, groups)
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


def _check_texts(data: NBest) -> None:
    """Only a group's input and its list of references may be missing."""
    for name, kind in _KINDS.items():
        value = getattr(data, name)
        if value is not None and getattr(value, "type", None) != kind:
            found = value.type if isinstance(value, pa.Array) else type(value).__name__
            raise DataError(f"{name} must be an Arrow array of the type {kind}; found {found}.")
    if data.group_ids.null_count:
        raise DataError(f"every group needs an id; group {_first_gap(data.group_ids)} has none.")
    for name in ("texts", "candidate_ids"):
        value = getattr(data, name)
        if value is not None and value.null_count:
            row = _first_gap(value)
            group = int(np.searchsorted(data.offsets, row, side="right")) - 1
            raise DataError(
                f"{name} must not have missing entries; candidate {row - int(data.offsets[group])} of group "
                f"{data.group_ids[group].as_py()!r} has none. Give it to all candidates or to none."
            )
    if data.references is not None and data.references.flatten().null_count:
        entries = data.references.to_pylist()
        group = next(at for at, texts in enumerate(entries) if texts is not None and None in texts)
        raise DataError(
            f"references must be lists of texts; a reference of group "
            f"{data.group_ids[group].as_py()!r} is missing. Leave it out of the list."
        )


def _check_attributes(data: NBest, groups: int) -> None:
    """Texts with names that no other part of a list has; some groups may lack them."""
    for name, value in data.attributes.items():
        if not isinstance(name, str) or not name or name in KEYS:
            raise DataError(f"{name!r} cannot be the name of an attribute; use another text, such as 'doc'.")
        if getattr(value, "type", None) != _TEXT or len(value) != groups:
            found = f"{len(value)} of {value.type}" if isinstance(value, pa.Array) else type(value).__name__
            raise DataError(f"the attribute {name!r} must have a text for each of the {groups} groups; found {found}.")


def _first_gap(array: pa.Array) -> int:
    return int(array.is_null().index(pa.scalar(True)).as_py())


def _check_missed(data: NBest) -> None:
    if data.missed is None:
        return
    if data.missed.null_count or data.missed.flatten().null_count:
        raise DataError("missed must be lists of numbers, one per group, without missing entries; a list may be empty.")
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
