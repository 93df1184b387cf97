"""Lexical weights of phrase pairs: how well the words of one side explain those of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.phrase_pairs import SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints

    Masks = NDArray[np.uint64]

_ONE = np.uint64(1)


@compiled
def _probability(  # pragma: no cover - compiled
    starts: Ints, words: Ints, probabilities: Floats, given: int, said: int
) -> float:
    row = words[starts[given] : starts[given + 1]]
    return float(probabilities[starts[given] + np.searchsorted(row, said)])


@compiled
def log_lexical_weights(  # pragma: no cover - compiled
    given: Columns,
    given_starts: Ints,
    said: Columns,
    said_starts: Ints,
    said_lengths: Ints,
    masks: Masks,
    strides: tuple[int, int],
    rows: Ints,
    words: Ints,
    probabilities: Floats,
) -> Floats:
    """Logarithm of the product, over the words said, of the mean probability under the words they are linked to.

    A word without links is explained by NULL, which is row 0 of the table; word w is row w + 1. The probabilities of
    row r are those of `words[rows[r] : rows[r + 1]]`, in order, and have every pair that is linked. Pairs begin at
    their starts in the two texts; the link of given word i and said word j is bit `i * strides[0] + j * strides[1]` of
    its mask. Koehn, Och & Marcu (2003), section 4.4. O(links * log row).
    """
    found = np.zeros(masks.size)
    for pair in range(masks.size):
        for j in range(said_lengths[pair]):
            word = said[said_starts[pair] + j]
            total, count = 0.0, 0
            for i in range(SIDE):
                if masks[pair] & (_ONE << np.uint64(i * strides[0] + j * strides[1])):
                    total += _probability(rows, words, probabilities, given[given_starts[pair] + i] + 1, word)
                    count += 1
            mean = total / count if count else _probability(rows, words, probabilities, 0, word)
            found[pair] += np.log(mean)
    return found
