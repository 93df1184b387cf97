"""Work on whole lists piece by piece, where what a list becomes depends on that list alone."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.nbest.joining import joined_features

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.nbest import Features, NBest


_GATHERED = 1 << 24  # stored values of pieces that are put together at a time


def in_pieces(data: NBest, change: Callable[[NBest], Features], most_stored: int) -> Features:
    """The features that `change` makes of pieces of about so many stored values, as those of all candidates.

    Takes the memory of the result twice at most, and that of the change of one piece.

    Examples
    --------
    >>> from runoff.nbest import Features, NBest
    >>> data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[1, 1, 1])
    >>> in_pieces(data, lambda piece: Features.of(2 * piece.features.to_scipy()), 1).values.tolist()
    [2.0, 4.0, 6.0]
    """
    stored = data.features.indptr[data.offsets] - data.features.indptr[0]
    if len(data) < 2 or int(stored[-1]) <= most_stored:
        return change(data)
    wanted = np.arange(most_stored, int(stored[-1]), most_stored)
    cuts = np.unique([0, *np.searchsorted(stored, wanted).tolist(), len(data)]).tolist()
    made: list[Features] = []
    waiting: list[Features] = []
    for start, stop in pairwise(cuts):
        waiting.append(change(_bare(data[start:stop])))
        if sum(each.n_stored for each in waiting) > _GATHERED:
            # Large arrays may lie in files, small ones do not.
            made, waiting = [*made, joined_features(waiting)], []
    return joined_features([*made, *waiting])


def _bare(data: NBest) -> NBest:
    """The same lists without texts, which are then not cut and checked for every piece."""
    return dataclasses.replace(data, texts=None, candidate_ids=None, stats={})
