"""The pairs of a feature and a tag that get a weight, and the tokens of every feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints


@compiled
def tokens_of_features(
    indptr: Ints, features: Columns, starts: Ints, tokens: Columns
) -> None:  # pragma: no cover - compiled
    """Transpose rows of features: `tokens[starts[f]:starts[f + 1]]` has the tokens of feature f. O(stored numbers)."""
    for feature in features:
        starts[feature + 1] += 1
    for feature in range(starts.size - 1):
        starts[feature + 1] += starts[feature]
    ends = starts[:-1].copy()
    for token in range(indptr.size - 1):
        for place in range(indptr[token], indptr[token + 1]):
            feature = features[place]
            tokens[ends[feature]] = token
            ends[feature] += 1


@compiled
def seen_tags(
    starts: Ints, tokens: Columns, tags: Columns, n_tags: int, rows: Ints, row_tags: Columns
) -> int:  # pragma: no cover - compiled
    """Tags that every feature occurs with, in ascending order; gives how many. O(stored numbers + features x tags)."""
    last = np.full(n_tags, -1, np.int64)
    known = 0
    for feature in range(starts.size - 1):
        rows[feature] = known
        different = 0
        for place in range(starts[feature], starts[feature + 1]):
            tag = tags[tokens[place]]
            if tag >= 0 and last[tag] != feature:
                last[tag] = feature
                different += 1
        if different:
            for tag in range(n_tags):
                if last[tag] == feature:
                    row_tags[known] = tag
                    known += 1
    rows[starts.size - 1] = known
    return known


@compiled
def place_of(first: int, last: int, codes: Ints | Columns, code: int) -> int:  # pragma: no cover - compiled
    """Place of a code in a row in ascending order; -1 where it has none. O(log)."""
    end = last
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return first if first < end and codes[first] == code else -1
