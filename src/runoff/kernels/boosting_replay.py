"""Replaying a path of (feature, step) on held-out groups, touching only the candidates that it moves.

`data` is (offsets, group_of, starts, rows, second): `rows[starts[c] : starts[c + 1]]` are the candidates that have
column c, in rising order, and a column of -1 is in none. The order is that of `runoff.ranking`: by score, then by
`second`; rows with equal ones are tied, and come in the order of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats, Ints

    Data: TypeAlias = tuple[Ints, Ints, Ints, Columns, Floats]
    Picks: TypeAlias = tuple[Floats, Ints, Bools, Floats]
    Orders: TypeAlias = tuple[Floats, Ints, Ints, Bools, Bools, Ints]
    Snapshots: TypeAlias = tuple[Ints, Ints, Floats, Bools]


@compiled
def replay_picks(
    data: Data, stats: Floats, columns: Ints, deltas: Floats, picks: Picks, sums: Floats, out: Floats
) -> None:  # pragma: no cover - compiled
    """Move scores round by round; `out[t]` gets the summed statistics of the winners after round t.

    `picks` (see `settle_pick`) and `sums` are the state and are changed. A round costs the candidates that have its
    column, and a look at the whole group where one that was first fell, or a tie for the first place changed.
    """
    _, group_of, starts, rows, second = data
    score, top, is_alone, held = picks
    settled = np.full(top.size, -1)  # round of the last look at the whole group
    for t in range(columns.size):
        column, delta = columns[t], deltas[t]
        start, stop = (starts[column], starts[column + 1]) if column >= 0 and delta != 0 else (0, 0)
        for at in range(start, stop):
            score[rows[at]] += delta
        for at in range(start, stop):
            row = rows[at]
            group = group_of[row]
            first = top[group]
            if settled[group] == t:
                continue
            if row == first or not is_alone[group]:
                if is_alone[group] and delta > 0:
                    continue  # one that alone is first stays first when it rises
            elif delta < 0 or _above(first, row, score, second):
                continue
            for i in range(sums.size):
                sums[i] -= held[group, i]
            if delta > 0 and _above(row, first, score, second):
                top[group], is_alone[group] = row, True
                for i in range(sums.size):
                    held[group, i] = stats[row, i]
            else:
                settle_pick(group, data, stats, picks)
                settled[group] = t
            for i in range(sums.size):
                sums[i] += held[group, i]
        for i in range(sums.size):
            out[t, i] = sums[i]


@compiled
def settle_pick(group: int, data: Data, stats: Floats, picks: Picks) -> None:  # pragma: no cover - compiled
    """Find who is first in a group: `top` gets its row, the first of tied ones, and `is_alone` whether there are none.

    `held` gets the statistics of the winner, or their mean over the tied ones as a whole number. O(group).
    """
    offsets, second = data[0], data[4]
    score, top, is_alone, held = picks
    first = offsets[group]
    for row in range(offsets[group], offsets[group + 1]):
        if _above(row, first, score, second):
            first = row
    count = 0
    held[group] = 0.0
    for row in range(first, offsets[group + 1]):
        if _equal(row, first, score, second):
            count += 1
            for i in range(held.shape[1]):
                held[group, i] += stats[row, i]
    for i in range(held.shape[1] if count > 1 else 0):
        held[group, i] = np.rint(held[group, i] / count)
    top[group], is_alone[group] = first, count == 1


@compiled
def settle_picks(data: Data, stats: Floats, picks: Picks) -> None:  # pragma: no cover - compiled
    """Find who is first in every group that has candidates. O(candidates)."""
    for group in range(data[0].size - 1):
        if data[0][group] < data[0][group + 1]:
            settle_pick(group, data, stats, picks)


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
    """Move scores round by round; a snapshot is kept of every group whose grades or ties come to stand otherwise.

    `orders` is the state and is changed: scores, the rows of every group from best to worst, the place of every
    row among them, which places are tied with the one before, and room to work in (False for every row; two places for
    every candidate of the largest group). `snapshots` gets the round and the group of each, and the grades and ties of
    all in their new order, one after the other.
    `begin` is a round and a place among its candidates. Gives where to go on, (number of rounds, 0) at the end, and
    the number of snapshots; the room for their grades must hold the largest group. A round costs the candidates that
    have its column, and the size of each group in which one of them passes another, joins it or leaves it.
    """
    offsets, group_of, starts, rows, second = data
    score, order, place, tied, is_moved, spare = orders
    at_round, at_group, seen, seen_tied = snapshots
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
                if _unmoved(rows, at, last, delta, first, size, score, second, order, place, tied):
                    at = last
                    continue
                for moved in range(at, last):
                    is_moved[rows[moved]] = True
                if _merge(first, size, grades, second, score, order, place, tied, is_moved, spare):
                    at_round[count], at_group[count] = t, group
                    for i in range(size):
                        seen[used + i] = grades[order[first + i]]
                        seen_tied[used + i] = tied[first + i]
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
def _unmoved(
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
    tied: Bools,
) -> bool:  # pragma: no cover - compiled
    """Whether the group's order and ties are as before: what moved still stands so to its two neighbours."""
    for at in range(start, stop):
        here = place[rows[at]]
        # What rises leaves those below it behind, and can only have been tied with them; and the other way round.
        if here > first and (delta > 0 or tied[here]) and not _stands(here, score, second, order, tied):
            return False
        after = here + 1
        if after < first + size and (delta < 0 or tied[after]) and not _stands(after, score, second, order, tied):
            return False
    return True


@compiled
def _stands(at: int, score: Floats, second: Floats, order: Ints, tied: Bools) -> bool:  # pragma: no cover - compiled
    """Whether what is at a place is tied with the one before it, or below it, as it was."""
    one, other = order[at - 1], order[at]
    if score[one] != score[other]:
        return bool(score[one] > score[other] and not tied[at])
    return bool(second[one] == second[other] if tied[at] else second[one] > second[other])


@compiled
def _merge(
    first: int,
    size: int,
    grades: Floats,
    second: Floats,
    score: Floats,
    order: Ints,
    place: Ints,
    tied: Bools,
    is_moved: Bools,
    spare: Ints,
) -> bool:  # pragma: no cover - compiled
    """Order a group again, of which some rows moved by the same step; True if its grades or ties stand otherwise."""
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
    last_score, last_second = 0.0, 0.0
    a, b = 0, 0
    for at in range(first, first + size):
        if b == n_kept or (a < n_moved and _beats(moved[a], kept[b], score, second)):
            row = moved[a]
            a += 1
        else:
            row = kept[b]
            b += 1
        is_tied = at > first and score[row] == last_score and second[row] == last_second
        changed |= is_tied != tied[at] or grades[row] != grades[order[at]]
        last_score, last_second = score[row], second[row]
        order[at], place[row], tied[at] = row, at, is_tied
    return changed


@compiled
def _beats(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    if score[one] != score[other]:
        return bool(score[one] > score[other])
    if second[one] != second[other]:
        return bool(second[one] > second[other])
    return one < other


@compiled
def _above(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    if score[one] != score[other]:
        return bool(score[one] > score[other])
    return bool(second[one] > second[other])


@compiled
def _equal(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    return bool(score[one] == score[other] and second[one] == second[other])
