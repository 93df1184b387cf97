"""A queue of numbered items, the one of highest priority first; of equals the lowest number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats


@compiled
def push(queue: Columns, size: int, item: int, priority: Floats) -> int:  # pragma: no cover - compiled
    """Put an item into the first `size` places of a binary heap; the new size. O(log size)."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if not _comes_before(item, queue[above], priority):
            break
        queue[at] = queue[above]
        at = above
    queue[at] = item
    return size + 1


@compiled
def pop(queue: Columns, size: int, priority: Floats) -> int:  # pragma: no cover - compiled
    """Take the first item, `queue[0]`, out of the heap; the new size. O(log size)."""
    size -= 1
    item, at = queue[size], 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _comes_before(queue[below + 1], queue[below], priority):
            below += 1
        if not _comes_before(queue[below], item, priority):
            break
        queue[at] = queue[below]
        at = below
    queue[at] = item
    return size


@compiled
def _comes_before(one: int, other: int, priority: Floats) -> bool:  # pragma: no cover - compiled
    return priority[one] > priority[other] or (priority[one] == priority[other] and one < other)
