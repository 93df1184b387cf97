"""F-measure of the overlap of texts, with references and with each other; ROUGE and F1 share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.arrays import frozen
from runoff.kernels.overlap import best_overlap, summed_overlap
from runoff.metrics.expected_quality import expected_in_chunks
from runoff.metrics.texts_and_references import offsets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.metrics.tokens import Tokens


def best_f(words: Tokens, offsets: Ints, references: Sequence[Sequence[str]], kind: int, *, empty: float) -> Floats:
    """F-measure of every text against the best of its group's references.

    `words` has those of all texts, and then those of all references. `kind` says what is counted (see the kernel), and
    `empty` is the value of a text without words against a reference without words.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.kernels.overlap import WORDS
    >>> from runoff.metrics.tokens import tokenised
    >>> words = tokenised(["a cat", "b", "a dog"], str.split)
    >>> best_f(words, np.array([0, 2]), [["a dog"]], WORDS, empty=0.0).tolist()
    [0.5, 0.0]
    """
    texts = int(offsets[-1])
    found: Floats = best_overlap(
        frozen(offsets),
        words.offsets[: texts + 1],
        words.ids,
        offsets_of(references),
        words.offsets[texts:],
        words.ids,
        kind,
        len(words.spelling),
        empty,
    )
    return found


def mean_f(words: Tokens, offsets: Ints, weights: Floats, kind: int, *, empty: float) -> Floats:
    """Mean F-measure of every text against the texts of its list, by their weights; see `best_f`.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.kernels.overlap import WORDS
    >>> from runoff.metrics.tokens import tokenised
    >>> words = tokenised(["a cat", "a dog"], str.split)
    >>> mean_f(words, np.array([0, 2]), np.array([[1.0], [3.0]]), WORDS, empty=0.0).tolist()
    [[0.625], [0.875]]
    """

    def sums(rows: slice, lists: Ints, some: Floats) -> Floats:
        found: Floats = summed_overlap(
            lists, words.offsets[rows.start : rows.stop + 1], words.ids, some, kind, len(words.spelling), empty
        )
        return found

    return expected_in_chunks(sums, words.lengths, offsets, weights)
