"""Features that any list of texts has: position, duplicates and length of a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from runoff.errors import DataError
from runoff.features.columns import concat_columns
from runoff.nbest import Features

if TYPE_CHECKING:
    from runoff.nbest import NBest

NAMES = (
    "list:position",
    "list:first",
    "list:copies",
    "list:distinct_before",
    "length:words",
    "length:from_mean",
    "length:below_first",
)


def list_features(data: NBest) -> NBest:
    """Add the features of the list itself to candidates that have texts.

    `list:position` is log(1 + position), `list:first` marks the first candidate, `list:copies` is the share of
    the list with the same text, `list:distinct_before` the share of the list that is distinct and came
    earlier; `length:words` counts words, `length:from_mean` is the distance from the list's mean length and
    `length:below_first` the words that the candidate has less than the first one. O(characters).
    """
    if data.texts is None:
        if data.features.n_columns:
            raise DataError("this data has no texts, which the model's features are made from.")
        raise DataError("this data has neither features nor texts, so there is nothing to learn from.")
    group = data.group_of
    size = data.sizes[group]
    place = np.arange(data.n_candidates) - data.offsets[group]
    stripped = pc.utf8_trim_whitespace(data.texts)
    words = pc.list_value_length(pc.utf8_split_whitespace(stripped)).to_numpy().astype(np.float64)
    words[pc.equal(pc.utf8_length(stripped), 0).to_numpy(zero_copy_only=False)] = 0
    text = stripped.dictionary_encode().indices.to_numpy().astype(np.int64)
    pair = group * (int(text.max(initial=0)) + 1) + text
    _, first_row, code, copies = np.unique(pair, return_index=True, return_inverse=True, return_counts=True)
    is_new = np.zeros(data.n_candidates)
    is_new[first_row] = 1
    news = np.concatenate([[0.0], np.cumsum(is_new)])
    before = news[first_row[code]] - news[data.offsets[group]]
    mean = np.bincount(group, words, minlength=len(data)) / np.maximum(data.sizes, 1)
    columns = (
        np.log1p(place),
        place == 0,
        copies[code] / size,
        before / size,
        words,
        np.abs(words - mean[group]),
        np.maximum(words[data.offsets[group]] - words, 0),
    )
    table = np.column_stack(columns) if data.n_candidates else np.empty((0, len(NAMES)))
    return data.replace(features=concat_columns(data.features, Features.of(table, NAMES)))
