"""Repetition within a text, as by language models that are caught in a loop (Holtzman et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels import repetition as kernel
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = ("repeat:words", "repeat:bigrams", "repeat:trigrams", "repeat:longest", "repeat:distinct")
_WORDS_PER_PIECE = 1 << 18


def repetition_features(lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
    """Columns that measure repetition; a row per text.

    `repeat:words` is the share of words that equal the previous word. `repeat:bigrams` and `repeat:trigrams` are the
    shares of n-grams that occurred before in the text. `repeat:longest` is log(1 + n), where n is the longest run of
    words that repeats what comes immediately before it ("a b a b a b": 4), with a period of up to 1,000 words.
    `repeat:distinct` is the ratio of distinct words to words. A text without words has 0, and 1 for the last.
    O(words x min(words, 1,000)).

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b a b a b", "no no"], sizes=[2])
    >>> names, table = repetition_features(DistinctTexts.of(data))
    >>> np.expm1(table[:, 3]).round(9).tolist(), table[:, [0, 1, 4]].round(2).tolist()
    ([4.0, 1.0], [[0.0, 0.6, 0.33], [0.5, 0.0, 0.5]])
    """
    words, out = lists.words, np.zeros((lists.n_texts, len(NAMES)))
    before = words.offsets[: lists.n_texts + 1]
    cuts = even_cuts(before, 1 + int(before[-1]) // _WORDS_PER_PIECE).tolist()

    def piece(at: int) -> None:
        kernel.repetition(cuts[at], cuts[at + 1], words.offsets, words.ids, out[cuts[at] : cuts[at + 1]])

    in_threads(piece, range(len(cuts) - 1))
    return NAMES, out
