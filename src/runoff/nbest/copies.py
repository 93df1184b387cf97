"""Copies: candidates of one list that say the same and are one choice, whatever their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from runoff.arrays import frozen

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.nbest.core import NBest


def first_copies(data: NBest) -> Ints | None:
    """Row of the copy that the first round ranks first, for every candidate; None where there are no copies.

    Copies have the same text, and the same quality where the data has one: a text can stand for several things, such as
    segmentations of different quality. An empty text has no copies. O(characters).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "a", "b"], base=[1, 2, 3, 0], sizes=[4])
    >>> first_copies(data).tolist()
    [2, 1, 2, 1]
    """
    if data.texts is None:
        return None
    encoded = data.texts.dictionary_encode()
    if len(encoded.dictionary) == data.n_candidates:
        return None
    number = _numbered(data.group_of, encoded.indices.to_numpy().astype(np.int64))
    if data.quality is not None:
        number = _numbered(number, np.unique(data.quality, return_inverse=True)[1])
    empty = pc.equal(data.texts, "").to_numpy(zero_copy_only=False)
    number[empty] = data.n_candidates + np.flatnonzero(empty)
    base = np.zeros(data.n_candidates) if data.base is None else data.base
    order = np.lexsort((-base, number))  # stable: of equal scores the earlier comes first
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    if starts.size == order.size:
        return None
    first = np.empty(order.size, np.int64)
    first[order] = np.repeat(order[starts], np.diff(np.append(starts, order.size)))
    return frozen(first)


def _numbered(first: Ints, second: Ints) -> Ints:
    """Numbers from 0 of pairs, equal for equal pairs."""
    numbers: Ints = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return numbers
