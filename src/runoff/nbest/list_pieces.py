"""Lists cut into pieces for workers, and the features of the pieces put together again."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.nbest.csr import Features
from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def stacked(parts: Sequence[Features]) -> Features:
    """The rows of several tables over the same columns. O(stored values).

    Examples
    --------
    >>> one, two = Features.of(np.array([[1.0, 0.0]])), Features.of(np.array([[0.0, 2.0]]))
    >>> stacked([one, two]).to_scipy().toarray().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    sizes = np.concatenate([np.diff(part.indptr) for part in parts])
    stored = [slice(int(part.indptr[0]), int(part.indptr[-1])) for part in parts]
    values = None
    if any(part.values is not None for part in parts):
        values = np.concatenate(
            [
                np.ones(cut.stop - cut.start, np.float32) if part.values is None else part.values[cut]
                for part, cut in zip(parts, stored, strict=True)
            ]
        )
    indices = np.concatenate([part.indices[cut] for part, cut in zip(parts, stored, strict=True)])
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Features.from_csr(indptr, indices, values, parts[0].n_columns, parts[0].names)
