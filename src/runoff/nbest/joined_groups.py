"""Groups whose parts came apart in a file: those with the same id become one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.nbest.core import NBest


def joined(data: NBest) -> NBest:
    """Join groups with the same id, in the order of their first appearance; candidates keep their order.

    What belongs to a group (input, references, attributes) is that of the first part that has it; a note says where
    others differ. O(candidates log candidates) if groups came apart, else O(groups).

    Examples
    --------
    >>> from dataclasses import replace
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "c"], sizes=[1, 1, 1])
    >>> whole = joined(replace(data, group_ids=pa.array(["x", "y", "x"], pa.large_string())))
    >>> whole.group_ids.to_pylist(), whole.texts.to_pylist()
    (['x', 'y'], ['a', 'c', 'b'])
    """
    encoded = data.group_ids.dictionary_encode()
    if len(encoded.dictionary) == len(data):
        return data
    codes = encoded.indices.to_numpy().astype(np.int64)
    groups, rows_of = len(encoded.dictionary), np.repeat(codes, data.sizes)
    order = np.argsort(rows_of, kind="stable")
    offsets = np.zeros(groups + 1, np.int64)
    np.cumsum(np.bincount(rows_of, minlength=groups), out=offsets[1:])
    notes = []
    if data.sizes.max(initial=0) > 1:  # else candidates came one by one, which is nothing to say
        notes = [f"Groups that came in parts were joined by their ids: {len(data):,} parts make {groups:,} groups."]

    def of_groups(column: pa.Array | None, name: str) -> pa.Array | None:
        return None if column is None else _first(column, codes, groups, name, notes)

    at = pa.array(order)
    return type(data)(
        offsets=frozen(offsets),
        features=data.features.take(order),
        group_ids=encoded.dictionary.cast(pa.large_string()),
        base=None if data.base is None else frozen(data.base[order]),
        quality=None if data.quality is None else frozen(data.quality[order]),
        texts=None if data.texts is None else data.texts.take(at),
        candidate_ids=None if data.candidate_ids is None else data.candidate_ids.take(at),
        inputs=of_groups(data.inputs, "input"),
        references=of_groups(data.references, "references"),
        attributes={name: _first(column, codes, groups, name, notes) for name, column in data.attributes.items()},
        stats={key: frozen(value[order]) for key, value in data.stats.items()},
        rows=None if (np.diff(order) > 0).all() else frozen(order),
        metric=data.metric,
        notes=(*data.notes, *notes),
    )


def _first(column: pa.Array, codes: Ints, groups: int, name: str, notes: list[str]) -> pa.Array:
    """Entry of every group's first part that has one."""
    there = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    first = np.full(groups, -1, np.int64)
    first[codes[there[::-1]]] = there[::-1]
    chosen = column.take(pa.array(first, mask=first < 0))
    numbered = _comparable(column).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    differing = np.unique(codes[there][numbered[there] != numbered[first[codes[there]]]]).size
    if differing:
        notes.append(f"The {name} of parts of a group differ in {differing:,} group(s); those of the first were used.")
    return chosen


def _comparable(column: pa.Array) -> pa.Array:
    """Lists of texts as texts, which Arrow can number."""
    if not pa.types.is_large_list(column.type):
        return column
    return pa.array([None if texts is None else "\0".join(texts) for texts in column.to_pylist()], pa.large_string())
