"""Votes of all the weight vectors that a perceptron passed through, kept as sparse differences.

Update u of a run of updates changed the weights of `columns[starts[u] : starts[u + 1]]` by the `deltas` there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints, Singles

_CROWDED = 8  # a column that at least one in so many updates of a block moves is kept as a whole row


class Block(NamedTuple):
    """Some updates, by column of the data.

    `spans[column]` says where the changes of a column lie among `changes`, with the updates `when` they were made:
    from its first number to before its second. A negative first number is -1 minus the row of `table` that has a change
    for every update.
    """

    spans: npt.NDArray[np.int32]
    touched: Columns  # columns that have a span
    table: npt.NDArray[np.float64]
    when: Columns
    changes: Floats


@compiled
def gather(
    first: int,
    last: int,
    starts: Ints,
    columns: Columns,
    deltas: Floats,
    place_of: Columns,
    spans: npt.NDArray[np.int32],
) -> Block:  # pragma: no cover - compiled
    """Updates first..last by column of the data; `spans` must be 0 throughout, as `release` leaves it.

    `place_of` has the data's column for every column of the model, -1 for none. O(stored differences), in memory
    `_CROWDED` times that at most.
    """
    n_updates = last - first
    touched = np.empty(min(starts[last] - starts[first], len(spans)), np.int32)
    n = 0
    for at in range(starts[first], starts[last]):
        column = place_of[columns[at]]
        if column >= 0:
            if spans[column, 1] == 0:
                touched[n] = column
                n += 1
            spans[column, 1] += 1
    whole, listed = 0, 0
    for column in touched[:n]:
        count = spans[column, 1]
        if count * _CROWDED >= n_updates:
            whole += 1
            spans[column, 0] = -whole
        else:
            spans[column] = listed
            listed += count
    table = np.zeros((whole, n_updates))
    when, changes = np.empty(listed, np.int32), np.empty(listed)
    for update in range(n_updates):
        for at in range(starts[first + update], starts[first + update + 1]):
            column = place_of[columns[at]]
            if column < 0:
                continue
            row = -1 - spans[column, 0]
            if row >= 0:
                table[row, update] += deltas[at]
            else:
                to = spans[column, 1]
                when[to], changes[to] = update, deltas[at]
                spans[column, 1] += 1
    return Block(spans, touched[:n], table, when, changes)


@compiled
def release(block: Block) -> None:  # pragma: no cover - compiled
    """Clear the spans for the next block."""
    for column in block.touched:
        block.spans[column] = 0


@compiled
def vote(
    first_group: int,
    last_group: int,
    offsets: Ints,
    order: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    block: Block,
    base_deltas: Floats,
    counts: Ints,
    scores: Floats,
    tallies: Ints,
) -> None:  # pragma: no cover - compiled
    """Make the updates of a block one after the other, and after each give its count to the winner of every group.

    Groups from the first to before the last; `order` has the rows of each as the first round ranked them, so
    that the first of the highest scores wins; an empty `base` weighs nothing. `scores` and `tallies` are the state.
    A score moves by `Σ value * delta` of each update in turn, whatever the blocks: where these are whole numbers
    (up to 2**53) all is exact, and otherwise it is rounded as one who updates the scores in turn rounds it.
    O(updates) a row and a column of the table, O(stored values) a block beside.
    """
    n_updates = counts.size
    spans, table, when, changes = block.spans, block.table, block.when, block.changes
    path, highest, winner = np.empty(n_updates), np.empty(n_updates), np.empty(n_updates, np.int64)
    for group in range(first_group, last_group):
        start, stop = offsets[group], offsets[group + 1]
        if start == stop:
            continue
        for update in range(n_updates):
            highest[update], winner[update] = -np.inf, order[start]
        for place in range(start, stop):
            row = order[place]
            for update in range(n_updates):
                path[update] = base_deltas[update] * base[row] if base.size else 0.0
            for at in range(indptr[row], indptr[row + 1]):
                first, last = spans[indices[at], 0], spans[indices[at], 1]
                if last == 0:
                    continue
                value = 1.0 if values is None else np.float64(values[at])
                if first < 0:
                    moves = table[-1 - first]
                    for update in range(n_updates):
                        path[update] += value * moves[update]
                else:
                    for change in range(first, last):
                        path[when[change]] += value * changes[change]
            score = scores[row]
            for update in range(n_updates):
                score += path[update]
                path[update] = score
            scores[row] = score
            for update in range(n_updates):
                is_higher = path[update] > highest[update]
                highest[update] = path[update] if is_higher else highest[update]
                winner[update] = row if is_higher else winner[update]
        for update in range(n_updates):
            tallies[winner[update]] += counts[update]


@compiled
def weighted_sum(
    starts: Ints, columns: Columns, deltas: Floats, weight: Ints, out: Floats
) -> None:  # pragma: no cover - compiled
    """Add to `out[column]` every delta times the weight of its update. O(stored differences)."""
    for update in range(weight.size):
        for at in range(starts[update], starts[update + 1]):
            out[columns[at]] += deltas[at] * weight[update]


@compiled
def differences(
    row: Ints,
    amount: Floats,
    time: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    n_columns: int,
    room: int,
) -> tuple[Ints, Columns, Floats, Floats, Ints]:  # pragma: no cover - compiled
    """What a log of changes adds up to: `amount` times the features of `row`; the same time is the same update.

    Gives starts, columns (of each update in the order in which it touches them; what adds up to zero is left out),
    deltas, the change of the base weight and the time of every update. `room` is the number of stored values of all
    rows of the log. O(room), and room for a number per column.
    """
    n_updates = 0
    for entry in range(row.size):
        n_updates += entry == 0 or time[entry] != time[entry - 1]
    starts, times, bases = np.zeros(n_updates + 1, np.int64), np.empty(n_updates, np.int64), np.zeros(n_updates)
    columns, deltas = np.empty(room, np.int32), np.empty(room)
    place_of = np.full(n_columns, -1, np.int64)  # within the update
    update, entry = 0, 0
    while entry < row.size:
        now, start = time[entry], starts[update]
        end = start
        while entry < row.size and time[entry] == now:
            at_row, by = row[entry], amount[entry]
            bases[update] += by * base[at_row]
            for at in range(indptr[at_row], indptr[at_row + 1]):
                column = indices[at]
                to = place_of[column]
                if to < 0:
                    to = place_of[column] = end
                    columns[to], deltas[to] = column, 0.0
                    end += 1
                deltas[to] += by if values is None else by * values[at]
            entry += 1
        kept = start
        for at in range(start, end):
            place_of[columns[at]] = -1
            if deltas[at] != 0.0:
                columns[kept], deltas[kept] = columns[at], deltas[at]
                kept += 1
        times[update] = now
        update += 1
        starts[update] = kept
    stored = starts[-1]
    return starts, columns[:stored].copy(), deltas[:stored].copy(), bases, times
