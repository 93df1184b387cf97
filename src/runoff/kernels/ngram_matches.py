"""Matches of the n-grams of a text with those of references, each counted no more often than these have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.int32]


@compiled
def raise_to_counts(ngrams: Counts, counts: Counts, most: Counts) -> None:  # pragma: no cover - compiled
    """Let `most` be no less than how often each n-gram is there; `counts` is empty before and after."""
    for ngram in ngrams:
        if ngram >= 0:
            counts[ngram] += 1
            most[ngram] = max(most[ngram], counts[ngram])
    for ngram in ngrams:
        if ngram >= 0:
            counts[ngram] = 0


@compiled
def clipped_matches(ngrams: Counts, most: Counts) -> int:  # pragma: no cover - compiled
    """How many of the n-grams are there at most so often as each may be; `most` is the same after as before."""
    matches = 0
    for ngram in ngrams:
        if ngram >= 0:
            matches += most[ngram] > 0
            most[ngram] -= 1
    for ngram in ngrams:
        if ngram >= 0:
            most[ngram] += 1
    return matches
