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


def in_pieces(data: NBest, change: Callable[[NBest], NBest], most_stored: int) -> NBest:
    """The data with the features that `change` gives to pieces of about so many stored values.

    Takes the memory of the result twice at most, and that of the change of one piece.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[1, 1, 1])
    >>> double = lambda piece: piece.replace(features=Features.of(2 * piece.features.to_scipy()))
    >>> in_pieces(data, double, 1).features.values.tolist()
    [2.0, 4.0, 6.0]
    """
    stored = data.features.indptr[data.offsets] - data.features.indptr[0]
    wanted = np.arange(most_stored, int(stored[-1]), most_stored)
    cuts = np.unique([0, *np.searchsorted(stored, wanted).tolist(), len(data)]).tolist()
    made: list[Features] = [change(_bare(data[start:stop])).features for start, stop in pairwise(cuts)]
    return data.replace(features=joined_features(made))


def _bare(data: NBest) -> NBest:
    """The same lists without texts, which are then not cut and checked for every piece."""
    return dataclasses.replace(data, texts=None, candidate_ids=None, stats={})
