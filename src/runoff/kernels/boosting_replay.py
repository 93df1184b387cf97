"""Replaying a path of (feature, step) on held-out groups, touching only the candidates that it moves.

`data` is (offsets, group_of, starts, rows, second): `rows[starts[c] : starts[c + 1]]` are the candidates that have
column c, in rising order, and a column of -1 is in none. The order is that of `runoff.ranking`: by score, then by
`second`, then by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints

    Data: TypeAlias = tuple[Ints, Ints, Ints, Columns, Floats]
    Orders: TypeAlias = tuple[Floats, Ints, Ints, Bools, Ints]
    Snapshots: TypeAlias = tuple[Ints, Ints, Floats]


@compiled
def replay_picks(
    data: Data, stats: Floats, columns: Ints, deltas: Floats, score: Floats, top: Ints, sums: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Move scores round by round; `out[t]` gets the summed statistics of the winners after round t.

    `score`, `top` (row of each group's winner) and `sums` are the state and are changed. A round costs the
    candidates that have its column, and a look at the whole group where the winner itself fell.
    """
    offsets, group_of, starts, rows, second = data
    width = sums.size
    for t in range(columns.size):
        column, delta = columns[t], deltas[t]
        if column >= 0:
            for at in range(starts[column], starts[column + 1]):
                score[rows[at]] += delta
            for at in range(starts[column], starts[column + 1]):
                row = rows[at]
                group = group_of[row]
                old = top[group]
                new = old
                if delta > 0:
                    if _beats(row, old, score, second):
                        new = row
                elif row == old:
                    for other in range(offsets[group], offsets[group + 1]):
                        if _beats(other, new, score, second):
                            new = other
                if new != old:
                    top[group] = new
                    for i in range(width):
                        sums[i] += stats[new, i] - stats[old, i]
        for i in range(width):
            out[t, i] = sums[i]


@compiled
def replay_rankings(
    data: Data,
    grades: Floats,
    columns: Ints,
    deltas: Floats,
    begin: tuple[int, int],
    orders: Orders,
    snapshots: Snapshots,
) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Move scores round by round; a snapshot is kept of every group whose grades come to stand in another order.

    `orders` is the state and is changed: scores, the rows of every group from best to worst, the place of every
    row among them, and room to work in (False for every row; two places for every candidate of the largest group).
    `snapshots` gets the round and the group of each, and the grades of all in their new order, one after the other.
    `begin` is a round and a place among its candidates. Gives where to go on, (number of rounds, 0) at the end, and
    the number of snapshots; the room for their grades must hold the largest group. A round costs the candidates that
    have its column, and the size of each group in which one of them passes another.
    """
    offsets, group_of, starts, rows, second = data
    score, order, place, is_moved, spare = orders
    at_round, at_group, seen = snapshots
    count, used = 0, 0
    t, skip = begin
    while t < columns.size:
        column, delta = columns[t], deltas[t]
        if column >= 0 and delta != 0:
            at, stop = starts[column] + skip, starts[column + 1]
            while at < stop:
                group = group_of[rows[at]]
                first, size = offsets[group], offsets[group + 1] - offsets[group]
                if used + size > seen.size or count == at_round.size:
                    return t, at - starts[column], count
                last = at
                while last < stop and group_of[rows[last]] == group:
                    score[rows[last]] += delta
                    last += 1
                if _in_order(rows, at, last, delta, first, size, score, second, order, place):
                    at = last
                    continue
                for moved in range(at, last):
                    is_moved[rows[moved]] = True
                if _merge(first, size, grades, second, score, order, place, is_moved, spare):
                    at_round[count], at_group[count] = t, group
                    for i in range(size):
                        seen[used + i] = grades[order[first + i]]
                    count += 1
                    used += size
                for moved in range(at, last):
                    is_moved[rows[moved]] = False
                at = last
        t, skip = t + 1, 0
    return t, 0, count


@compiled
def settle(
    at_round: Ints, at_group: Ints, values: Ints, value_of: Ints, changes: Ints
) -> None:  # pragma: no cover - compiled
    """Add to `changes[t]` by how much the snapshots of round t change the values of their groups."""
    for at in range(values.size):
        group = at_group[at]
        changes[at_round[at]] += values[at] - value_of[group]
        value_of[group] = values[at]


@compiled
def _in_order(
    rows: Columns,
    start: int,
    stop: int,
    delta: float,
    first: int,
    size: int,
    score: Floats,
    second: Floats,
    order: Ints,
    place: Ints,
) -> bool:  # pragma: no cover - compiled
    """Whether the group still is in order: what rose does not beat its forerunner, what fell beats its follower."""
    for at in range(start, stop):
        here = place[rows[at]]
        if delta > 0:
            if here > first and _beats(order[here], order[here - 1], score, second):
                return False
        elif here < first + size - 1 and _beats(order[here + 1], order[here], score, second):
            return False
    return True


@compiled
def _merge(
    first: int,
    size: int,
    grades: Floats,
    second: Floats,
    score: Floats,
    order: Ints,
    place: Ints,
    is_moved: Bools,
    spare: Ints,
) -> bool:  # pragma: no cover - compiled
    """Order a group again, of which some rows moved by the same step; True if its grades are in another order."""
    n_moved, n_kept = 0, 0
    moved, kept = spare[:size], spare[size : 2 * size]
    for at in range(first, first + size):
        row = order[at]
        if not is_moved[row]:
            kept[n_kept] = row
            n_kept += 1
            continue
        # Moved rows stay in order among themselves, save that rounding can make two scores equal.
        to = n_moved
        while to > 0 and _beats(row, moved[to - 1], score, second):
            moved[to] = moved[to - 1]
            to -= 1
        moved[to] = row
        n_moved += 1
    changed = False
    a, b = 0, 0
    for at in range(first, first + size):
        if b == n_kept or (a < n_moved and _beats(moved[a], kept[b], score, second)):
            row = moved[a]
            a += 1
        else:
            row = kept[b]
            b += 1
        changed |= grades[row] != grades[order[at]]
        order[at], place[row] = row, at
    return changed


@compiled
def _beats(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    if score[one] != score[other]:
        return bool(score[one] > score[other])
    if second[one] != second[other]:
        return bool(second[one] > second[other])
    return one < other
