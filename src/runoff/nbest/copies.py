"""Copies: candidates of one list that say the same and are one choice, whatever their scores."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from runoff.arrays import frozen

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.nbest.core import NBest


_BLOCK = 1 << 18  # candidates that are compared at once


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
    wanted = np.arange(_BLOCK, data.n_candidates, _BLOCK)
    cuts = np.unique([0, *data.offsets[np.searchsorted(data.offsets, wanted)].tolist(), data.n_candidates])
    blocks = [_in_block(data, int(start), int(stop)) for start, stop in itertools.pairwise(cuts)]
    if all(block is None for block in blocks):
        return None
    rows = (np.arange(start, stop) for start, stop in itertools.pairwise(cuts))
    parts = (alone if block is None else block for block, alone in zip(blocks, rows, strict=True))
    return frozen(np.concatenate(list(parts)))


def _in_block(data: NBest, start: int, stop: int) -> Ints | None:
    """The same for the candidates of some whole lists; memory is that of their texts."""
    assert data.texts is not None  # noqa: S101 - the caller has looked
    texts = data.texts[start:stop]
    encoded = texts.dictionary_encode()
    if len(encoded.dictionary) == stop - start:
        return None
    groups = np.searchsorted(data.offsets, np.arange(start, stop), side="right")
    number = _numbered(groups, encoded.indices.to_numpy().astype(np.int64))
    if data.quality is not None:
        number = _numbered(number, np.unique(data.quality[start:stop], return_inverse=True)[1])
    empty = pc.equal(texts, "").to_numpy(zero_copy_only=False)
    number[empty] = stop - start + np.flatnonzero(empty)
    base = np.zeros(stop - start) if data.base is None else data.base[start:stop]
    order = np.lexsort((-base, number))  # stable: of equal scores the earlier comes first
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    if starts.size == order.size:
        return None
    first = np.empty(order.size, np.int64)
    first[order] = np.repeat(order[starts], np.diff(np.append(starts, order.size)))
    return first + start


def _numbered(first: Ints, second: Ints) -> Ints:
    """Numbers from 0 of pairs, equal for equal pairs."""
    numbers: Ints = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return numbers
