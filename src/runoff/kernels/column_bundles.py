"""Columns that are alike within a group, folded into one.

Features of the candidates of one list come in bundles: whatever a place in the list's trees or texts gives rise to
is there or not there together. Within a group such columns cannot be told apart, and one of them can stand for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.hashing import GOLDEN, mixed, slot_of, table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Bits = NDArray[np.uint32]
    Words = NDArray[np.uint64]


@compiled
def fold(
    offsets: Ints,
    indptr: Ints,
    indices: Columns,
    bits: Bits | None,
    n_columns: int,
    bundles: Ints,
    rows: Ints,
    cells: Columns,
    sources: Ints,
    members: Columns,
    member_ends: Ints,
) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Bundles of columns that have the same values in a group: how many bundles, cells and members there are.

    Fills `bundles` (where each group's begin), and, unless `cells` is empty, `rows` (where each row's cells begin),
    `cells` (the bundle of each), `sources` (where its value is stored), and `members` (columns of every bundle, up
    to its `member_ends`). Values are compared by a hash of 64 bits over the group. O(stored values).
    """
    fills = cells.size > 0
    place = np.full(n_columns, -1, np.int32)
    widest = 0
    for group in range(offsets.size - 1):
        widest = max(widest, indptr[offsets[group + 1]] - indptr[offsets[group]])
    columns, bundle_of = np.empty(widest, np.int32), np.empty(widest, np.int32)
    hashes = np.empty(widest, np.uint64)
    is_first = np.empty(widest, np.uint8)
    counts = np.empty(widest + 1, np.int64)
    slots = np.zeros(table_size(widest), np.int32)
    n_bundles, n_cells, n_members = 0, 0, 0
    for group in range(offsets.size - 1):
        bundles[group] = n_bundles
        known = 0
        for row in range(offsets[group], offsets[group + 1]):
            for at in range(indptr[row], indptr[row + 1]):
                column = indices[at]
                if place[column] < 0:
                    place[column] = known
                    columns[known], hashes[known] = column, np.uint64(0)
                    known += 1
                cell = np.uint64(row - offsets[group] + 1) * GOLDEN
                if bits is not None:
                    cell ^= np.uint64(bits[at]) << np.uint64(32)
                hashes[place[column]] += mixed(cell)
        table = slots[: table_size(known)]
        table[:] = 0
        found = 0
        for local in range(known):
            slot = slot_of(hashes[local], table, hashes)
            is_first[local] = table[slot] == 0
            if is_first[local]:
                table[slot] = local + 1
                bundle_of[local] = found
                found += 1
            else:
                bundle_of[local] = bundle_of[table[slot] - 1]
        for row in range(offsets[group], offsets[group + 1]):
            if fills:
                rows[row] = n_cells
            for at in range(indptr[row], indptr[row + 1]):
                local = place[indices[at]]
                if is_first[local]:
                    if fills:
                        cells[n_cells] = n_bundles + bundle_of[local]
                        sources[n_cells] = at
                    n_cells += 1
        if fills:
            counts[: found + 1] = 0
            for local in range(known):
                counts[bundle_of[local] + 1] += 1
            for bundle in range(found):
                counts[bundle + 1] += counts[bundle]
                member_ends[n_bundles + bundle + 1] = n_members + counts[bundle + 1]
            for local in range(known):
                members[n_members + counts[bundle_of[local]]] = columns[local]
                counts[bundle_of[local]] += 1
        for local in range(known):
            place[columns[local]] = -1
        n_bundles += found
        n_members += known
    bundles[offsets.size - 1] = n_bundles
    if fills:
        rows[offsets[offsets.size - 1]] = n_cells
    return n_bundles, n_cells, n_members


@compiled
def bundle_weights(
    groups: Ints, bundles: Ints, member_ends: Ints, members: Columns, weights: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Weight of every bundle of some groups: the sum of its columns'. O(members)."""
    for group in groups:
        for bundle in range(bundles[group], bundles[group + 1]):
            total = 0.0
            for at in range(member_ends[bundle], member_ends[bundle + 1]):
                total += weights[members[at]]
            out[bundle] = total


@compiled
def add_to_columns(
    groups: Ints, bundles: Ints, member_ends: Ints, members: Columns, slopes: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Add the slope of every bundle of some groups to each of its columns. O(members)."""
    for group in groups:
        for bundle in range(bundles[group], bundles[group + 1]):
            slope = slopes[bundle]
            for at in range(member_ends[bundle], member_ends[bundle + 1]):
                out[members[at]] += slope
