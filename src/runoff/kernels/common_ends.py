"""What two sequences have in common at their beginnings and at their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Ints


@compiled
def differing(one: Ints, other: Ints) -> tuple[int, int, int]:  # pragma: no cover - compiled
    """Where the sequences begin to differ, and where that ends in the one and in the other. O(n)."""
    start, stop, end = 0, one.size, other.size
    while start < min(stop, end) and one[start] == other[start]:
        start += 1
    while stop > start and end > start and one[stop - 1] == other[end - 1]:
        stop -= 1
        end -= 1
    return start, stop, end
