"""Columns of features that several systems bring: joined by name, or kept apart where they differ."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from runoff.errors import UsageError, brief
from runoff.nbest import Features
from runoff.nbest.arrow_numbers import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.combine.joined_candidates import JoinedCandidates

_MISSING = 1e300  # stands for NaN where columns are compared; single precision has no such number


def join_columns(joined: JoinedCandidates, added: Mapping[str, Floats]) -> tuple[Features, list[str]]:
    """All columns with those that are added, and the names of the columns that differ for a shared candidate.

    A candidate has 0 in the columns of systems that lack it. O(stored values) for every pair of systems.
    """
    systems, count = joined.systems, joined.count
    number, names = numbered([data.features.column_names() for data in systems.values()])
    every = names.to_pylist()
    found = [np.flatnonzero(each) for each in joined.found]
    tables = [
        data.features.take(rows[at]).to_scipy().tocoo()
        for data, rows, at in zip(systems.values(), joined.rows, found, strict=True)
    ]
    has = np.zeros((len(tables), len(every)), bool)
    for at, columns in enumerate(number):
        has[at, columns] = True
    entries = [
        (at[table.row], columns[table.col], table.data)
        for at, columns, table in zip(found, number, tables, strict=True)
    ]
    differ = _differing(joined.found, has, entries, count)
    place, kept = _places(list(systems), every, has, differ)
    rows, cols, values = [], [], []
    before: list[int] = []
    for at, (row, column, value) in enumerate(entries):
        told = np.zeros(row.size, bool)  # by a system before, which agrees
        for other in before:
            told |= joined.found[other][row] & has[other, column] & ~differ[column]
        rows.append(row[~told])
        cols.append(place[at, column[~told]])
        values.append(value[~told])
        before.append(at)
    kept_values = _with(added, (rows, cols, values), kept)
    shape = (count, len(kept))
    where = np.concatenate(rows), np.concatenate(cols)
    table = sparse.coo_array((np.concatenate(values), where), shape=shape).tocsr()
    return Features.of(table, kept_values), [name for name, is_own in zip(every, differ, strict=True) if is_own]


def _differing(found: Sequence[Bools], has: Bools, entries: Sequence[tuple[Ints, Ints, Floats]], count: int) -> Bools:
    """Columns of which two systems say something else for a candidate that both have."""
    differ = np.zeros(has.shape[1], bool)
    for one, other in combinations(range(len(entries)), 2):
        both = []
        for at in (one, other):
            row, column, value = entries[at]
            shared = found[one][row] & found[other][row] & has[one, column] & has[other, column]
            numbers = np.nan_to_num(value[shared].astype(np.float64), nan=_MISSING)
            both.append(sparse.csr_array((numbers, (row[shared], column[shared])), shape=(count, has.shape[1])))
        apart = (both[0] - both[1]).tocoo()
        differ[apart.col[apart.data != 0]] = True
    return differ


def _places(systems: list[str], every: list[str], has: Bools, differ: Bools) -> tuple[Ints, list[str]]:
    """Number of every system's columns among the merged ones, and the names of these."""
    place = np.full(has.shape, -1, np.int64)
    kept: list[str] = []
    for column, name in enumerate(every):
        if not differ[column]:
            place[:, column] = len(kept)
            kept.append(name)
            continue
        for at, system in enumerate(systems):
            if has[at, column]:
                place[at, column] = len(kept)
                kept.append(f"{system}:{name}")
    return place, kept


def _with(
    added: Mapping[str, Floats], entries: tuple[list[Ints], list[Ints], list[Floats]], names: list[str]
) -> list[str]:
    """Add dense columns."""
    rows, cols, values = entries
    for name, column in added.items():
        stored = np.flatnonzero(column)
        rows.append(stored)
        cols.append(np.full(stored.size, len(names)))
        values.append(column[stored])
        names.append(name)
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise UsageError(f"there is a column {brief(twice)} already; give the systems other names.")
    return names
