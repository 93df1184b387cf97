"""How much a text repeats itself, as language models do that are caught in a loop (Holtzman et al. 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels import repetition as kernel
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.lists import TextLists

NAMES = ("repeat:words", "repeat:bigrams", "repeat:trigrams", "repeat:longest", "repeat:distinct")
_WORDS_PER_PIECE = 1 << 18


def repetition(lists: TextLists) -> tuple[tuple[str, ...], Floats]:
    """Columns that say how much each text repeats itself, with one row per text.

    `repeat:words` is the share of words that equal the word before, `repeat:bigrams` and `repeat:trigrams` the share of
    n-grams that the text had before, `repeat:longest` the logarithm of one more than the most words in a row that
    repeat the stretch just before them ("a b a b a b": 4), with stretches of up to 1,000 words, and `repeat:distinct`
    the number of different words for each word. A text without words repeats nothing: 0, and 1 for the last.
    O(words x length of the text or 1,000).

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> names, table = repetition(TextLists.of(NBest.from_arrays(texts=["a b a b a b", "no no"], sizes=[2])))
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
