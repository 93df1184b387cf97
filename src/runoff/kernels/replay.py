"""Replaying a path of (feature, step) on held-out groups, touching only the candidates that it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import njit

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints


@njit(cache=True, nogil=True)
def replay_rounds(
    offsets: Ints,
    group_of: Ints,
    starts: Ints,
    rows: npt.NDArray[np.int32],
    second: Floats,
    stats: Floats,
    columns: Ints,
    deltas: Floats,
    score: Floats,
    top: Ints,
    sums: Floats,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Move scores round by round; `out[t]` gets the summed statistics of the winners after round t.

    `rows[starts[c] : starts[c + 1]]` are the candidates that have column c (a column of -1 is in none).
    `score`, `top` (row of each group's winner) and `sums` are the state and are changed. A round costs the
    candidates that have its column, and a look at the whole group where the winner itself fell.
    """
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


@njit(cache=True, nogil=True)
def _beats(one: int, other: int, score: Floats, second: Floats) -> bool:  # pragma: no cover - compiled
    if score[one] != score[other]:
        return bool(score[one] > score[other])
    if second[one] != second[other]:
        return bool(second[one] > second[other])
    return one < other
