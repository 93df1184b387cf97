"""Numbers of all short spans of a corpus: equal words have equal numbers, and numbers are in lexicographic order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Ints

    Table = NDArray[np.int32]


@compiled
def number_spans(order: Ints, words: Table, numbers: Table) -> int:  # pragma: no cover - compiled
    """Number the spans that begin at every place; gives how many different ones there are.

    `words[k, i]` is the k-th word from place i on, below 0 beyond the end of its text, and `order` are the places in
    the lexicographic order of these columns. `numbers[k, i]` becomes the number of the span of k + 1 words from place
    i on, -1 where the text is shorter. A phrase comes right before those that it begins. O(words).
    """
    longest = words.shape[0]
    current = np.empty(longest, np.int32)
    count = 0
    before = np.int64(-1)
    for place in order:
        is_new = before < 0
        for length in range(longest):
            if words[length, place] < 0:
                numbers[length:, place] = -1
                break
            is_new = is_new or words[length, place] != words[length, before]
            if is_new:
                current[length] = count
                count += 1
            numbers[length, place] = current[length]
        before = place
    return count
