"""Lists cut into pieces for workers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from runoff.nbest.core import NBest

CANDIDATES = 25_000  # of a piece, about: so much work that handing it out costs little, and some megabytes


def list_cuts(data: NBest, candidates: int = CANDIDATES) -> list[tuple[int, int]]:
    """Ranges of lists with about so many candidates; they depend on the data alone.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> list_cuts(NBest.from_arrays([[0]] * 5, sizes=[2, 1, 2]), candidates=3)
    [(0, 2), (2, 3)]
    """
    pieces = max(1, -(-data.n_candidates // candidates))
    return [(first, last) for first, last in pairwise(even_cuts(data.offsets, pieces).tolist())] or [(0, len(data))]
