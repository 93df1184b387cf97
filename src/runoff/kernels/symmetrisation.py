"""One set of links from two: those of the alignment of target words, and those of the alignment of source words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints

    Marks = NDArray[np.uint8]

FORWARD, BACKWARD, CHOSEN = 1, 2, 4
# Target and source steps, in the order in which Moses looks at neighbours.
STEPS = np.array([[-1, 0], [0, -1], [1, 0], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]])


@compiled
def grown(
    first: int,
    last: int,
    source_lengths: Ints,
    target_lengths: Ints,
    forward_offsets: Ints,
    forward_source: Columns,
    forward_target: Columns,
    backward_offsets: Ints,
    backward_source: Columns,
    backward_target: Columns,
    final: bool,
    final_and: bool,
    sizes: Ints,
    out_offsets: Ints,
    out_source: Columns,
    out_target: Columns,
) -> None:  # pragma: no cover - compiled
    """Grow-diag of pairs from `first` to before `last`, with final steps if asked for.

    Links of a pair come sorted by source, then target position, from `out_offsets` on; `sizes` says how many.
    """
    for pair in range(first, last):
        n, m = target_lengths[pair], source_lengths[pair]
        marks = np.zeros((n, m), np.uint8)
        for at in range(forward_offsets[pair], forward_offsets[pair + 1]):
            marks[forward_target[at], forward_source[at]] |= FORWARD
        for at in range(backward_offsets[pair], backward_offsets[pair + 1]):
            marks[backward_target[at], backward_source[at]] |= BACKWARD
        of_target, of_source = np.zeros(n, np.bool_), np.zeros(m, np.bool_)
        for i in range(n):
            for j in range(m):
                if marks[i, j] == FORWARD | BACKWARD:
                    _choose(i, j, marks, of_target, of_source)
        while _grow(marks, of_target, of_source):
            pass
        if final:
            _finish(FORWARD, final_and, marks, of_target, of_source)
            _finish(BACKWARD, final_and, marks, of_target, of_source)
        at = out_offsets[pair]
        for j in range(m):
            for i in range(n):
                if marks[i, j] & CHOSEN:
                    out_source[at], out_target[at] = j, i
                    at += 1
        sizes[pair] = at - out_offsets[pair]


@compiled
def _choose(i: int, j: int, marks: Marks, of_target: Bools, of_source: Bools) -> None:  # pragma: no cover - compiled
    marks[i, j] |= CHOSEN
    of_target[i] = of_source[j] = True


@compiled
def _grow(marks: Marks, of_target: Bools, of_source: Bools) -> bool:  # pragma: no cover - compiled
    """Add neighbours of chosen links that connect a word without link; whether there were any.

    In the order of target, then source positions; a link that is added ahead of the place is looked at in this pass.
    """
    n, m = marks.shape
    has_grown = False
    for i in range(n):
        for j in range(m):
            if not marks[i, j] & CHOSEN:
                continue
            for step in range(STEPS.shape[0]):
                y, x = i + STEPS[step, 0], j + STEPS[step, 1]
                if 0 <= y < n and 0 <= x < m and marks[y, x] and not (of_target[y] and of_source[x]):
                    _choose(y, x, marks, of_target, of_source)
                    has_grown = True
    return has_grown


@compiled
def _finish(
    direction: int, both: bool, marks: Marks, of_target: Bools, of_source: Bools
) -> None:  # pragma: no cover - compiled
    """Add links of one direction that connect a word without link; with `both`, two such words."""
    n, m = marks.shape
    for i in range(n):
        for j in range(m):
            if marks[i, j] == direction:
                fits = not (of_target[i] or of_source[j]) if both else not (of_target[i] and of_source[j])
                if fits:
                    _choose(i, j, marks, of_target, of_source)
