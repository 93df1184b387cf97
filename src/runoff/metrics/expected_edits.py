"""Expected number of edits if another text of the list is the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.edit_lists import edit_sums
from runoff.metrics.expected_quality import expected_in_chunks

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


def expected_edits(ids: Ints, token_offsets: Ints, offsets: Ints, weights: Floats) -> Floats:
    """Minus the expected edits between every text and one of its list, drawn by weight; see `TextMetric.expected`.

    Tokens (words, characters) of text `t` are `ids[token_offsets[t]:token_offsets[t + 1]]`, small numbers from 0;
    texts of list `i` are `offsets[i]` to `offsets[i + 1]`; `weights` has a row for each text. Distances are whole
    numbers, exact; they are multiplied by the weights and added up in the order of the texts. Bit-parallel (Myers
    1999, Hyyrö 2003), every pair of texts once: O(m n / 64) for texts of m and n tokens.

    Examples
    --------
    >>> ids, token_offsets = np.array([0, 1, 2, 0, 1, 0, 3, 2]), np.array([0, 3, 5, 8])
    >>> expected_edits(ids, token_offsets, np.array([0, 3]), np.ones((3, 1))).round(2).tolist()
    [[-0.67], [-1.0], [-1.0]]
    """
    ids = frozen(np.ascontiguousarray(ids, np.int64))
    token_offsets = np.ascontiguousarray(token_offsets, np.int64)
    n_tokens = int(ids.max(initial=-1)) + 1

    def sums(rows: slice, offsets: Ints, weights: Floats) -> Floats:
        added: Floats = edit_sums(offsets, frozen(token_offsets[rows.start : rows.stop + 1]), ids, n_tokens, weights)
        return added

    return -expected_in_chunks(sums, np.diff(token_offsets), offsets, weights)
