"""Estimates of what is still to come: the best score of every span if it were translated by itself from left to right.

Koehn, Och & Marcu (2003). Spans inside a sentence are needed up to the width of the window in which gaps can lie; every
other gap lasts to the end of the sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats


@compiled
def future_scores(
    estimates: Floats, first: Columns, last: Columns, window: int
) -> tuple[Floats, Floats]:  # pragma: no cover - compiled
    """Scores of the spans of up to `window` words, by start and length; and of all words from each one to the end.

    `first` and `last` are those of `Options`. O(words x window x longest phrase) time, O(words x window) memory.
    """
    n_words, longest = first.shape
    inner, to_end = np.full((n_words + 1, window + 1), -np.inf), np.full(n_words + 1, -np.inf)
    to_end[n_words] = 0.0
    inner[:, 0] = 0.0
    for start in range(n_words - 1, -1, -1):
        for length in range(1, min(longest, n_words - start) + 1):
            if first[start, length - 1] == last[start, length - 1]:
                continue
            best = estimates[first[start, length - 1]]
            to_end[start] = max(to_end[start], best + to_end[start + length])
            for wide in range(length, min(window, n_words - start) + 1):
                inner[start, wide] = max(inner[start, wide], best + inner[start + length, wide - length])
    return inner, to_end
