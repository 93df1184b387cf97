"""BLEU's statistics of texts beside their references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.ngram_matches import clipped_matches, raise_to_counts

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Counts = npt.NDArray[np.int32]


@compiled
def bleu_statistics(
    offsets: Ints, n_candidates: Ints, text_offsets: Ints, numbers: Counts, found: Ints
) -> Floats:  # pragma: no cover - compiled
    """BLEU's statistics of every candidate: length, closest reference length, clipped matches, totals.

    Of the texts of a list, the first `n_candidates` are candidates and the others references; `numbers` and `found`
    come from `ngram_numbers`. Columns are in sacrebleu's order; of two reference lengths equally close the shorter
    counts. An n-gram of the text is a match while the text has had fewer of it than the reference with the most of it.
    O(tokens x orders).
    """
    orders, origin = numbers.shape[0], text_offsets[offsets[0]]
    out = np.zeros((n_candidates.sum(), 2 + 2 * orders))
    most = np.zeros(found.max() if found.size else 0, np.int32)
    counts = np.zeros(most.size, np.int32)
    first_row = 0
    for group in range(offsets.size - 1):
        first, split, last = offsets[group], offsets[group] + n_candidates[group], offsets[group + 1]
        for text in range(first, split):
            _lengths(text, split, last, text_offsets, out[first_row + text - first])
        for n in range(orders):
            for reference in range(split, last):
                theirs = numbers[n, text_offsets[reference] - origin : text_offsets[reference + 1] - origin]
                raise_to_counts(theirs, counts, most)
            for text in range(first, split):
                ours = numbers[n, text_offsets[text] - origin : text_offsets[text + 1] - origin]
                out[first_row + text - first, 2 + n] = clipped_matches(ours, most)
            most[: found[group, n]] = 0
        first_row += n_candidates[group]
    return out


@compiled
def _lengths(text: int, split: int, last: int, text_offsets: Ints, row: Floats) -> None:  # pragma: no cover - compiled
    """Write all but the matches: its length, the closest of the references `split` to `last`, and its n-grams."""
    size, orders = text_offsets[text + 1] - text_offsets[text], (row.size - 2) // 2
    closest = -1
    for reference in range(split, last):
        length = text_offsets[reference + 1] - text_offsets[reference]
        gap, least = abs(length - size), abs(closest - size)
        if closest < 0 or gap < least or (gap == least and length < closest):
            closest = length
    row[0], row[1] = size, max(closest, 0)
    for n in range(orders):
        row[2 + orders + n] = max(0, size - n)
