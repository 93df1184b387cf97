"""Length of a text, absolute and relative to its input and its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = (
    "length:words",
    "length:characters",
    "length:to input",
    "length:from list",
    "length:above list",
    "length:below list",
    "length:above first",
    "length:below first",
    "length:empty",
)


def length_features(lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
    """Words and characters; log ratios to the input and to the list's mean; words more or fewer than the first choice.

    The ratio to the input is 0 if there is none. Logarithms are log(1 + words), so empty texts are fine. Copies count
    in the mean. O(characters).

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b c", "a"], sizes=[2], inputs=["x y z"])
    >>> names, table = length_features(DistinctTexts.of(data))
    >>> dict(zip(names, table[1].round(2).tolist()))["length:to input"]
    -0.69
    """
    lengths = lists.words.lengths
    words, given = lengths[: lists.n_texts].astype(np.float64), lengths[lists.n_texts :].astype(np.float64)
    characters = pc.utf8_length(lists.texts).to_numpy().astype(np.float64)
    which = lists.list_of
    total = np.bincount(which, lists.copies, len(lists))
    mean = np.divide(
        np.bincount(which, words * lists.copies, len(lists)), total, out=np.zeros(len(lists)), where=total > 0
    )
    to_input = np.where(given[which] > 0, np.log1p(words) - np.log1p(given[which]), 0.0)
    from_list = np.log1p(words) - np.log1p(mean[which])
    from_first = words - words[lists.first[which]] if lists.n_texts else words
    return NAMES, np.column_stack(
        [
            words,
            characters,
            to_input,
            np.abs(from_list),
            np.maximum(from_list, 0.0),
            np.maximum(-from_list, 0.0),
            np.maximum(from_first, 0.0),
            np.maximum(-from_first, 0.0),
            words == 0,
        ]
    ).astype(np.float64)
