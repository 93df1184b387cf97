"""The n-grams of a language model with their probabilities, as in an ARPA file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

    from runoff.arrays import Singles

WordNumbers: TypeAlias = NDArray[np.int32]

UNKNOWN, START, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")  # the spelling of numbers 0, 1 and 2 in ARPA files
MAX_ORDER = 6
NEVER = -99.0  # log10 of a probability of 0, as SRILM writes it


@dataclass(frozen=True, eq=False)
class NgramTable:
    """N-grams by length: word numbers, log10 probabilities and log10 back-offs.

    `words[i]` is the spelling of word number `len(SPECIAL) + i`. A word in a text that is spelled like a special word
    is an ordinary word. The longest n-grams have back-offs of 0.

    Examples
    --------
    >>> from runoff.features.lm.kneser_ney import estimate
    >>> from runoff.metrics.tokens import tokenised
    >>> grams = estimate(tokenised(["a b", "a"], lambda piece: [piece]), order=2)
    >>> grams.order, [rows.tolist() for rows in grams.rows]
    (2, [[[0], [1], [2], [3], [4]], [[1, 3], [3, 2], [3, 4], [4, 2]]])
    """

    words: pa.Array
    rows: tuple[WordNumbers, ...]
    probabilities: tuple[Singles, ...]
    backoffs: tuple[Singles, ...]
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> int:
        """Length of the longest n-grams."""
        return len(self.rows)
