"""Agreement of a text with its list, by posteriors of n-grams: the share of the list that has each of them.

Zens & Ney (2006) rescore n-best lists of translations by such posteriors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels import posteriors as kernel
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.lists import TextLists

NAMES = (
    *(f"agree:{part} {order}" for order in range(1, kernel.ORDERS + 1) for part in ("precision", "recall")),
    "agree:weakest",
    "agree:strangers",
)
_WORDS_PER_PIECE = 1 << 18


def posteriors(lists: TextLists, weights: Floats | None = None) -> tuple[tuple[str, ...], Floats]:
    """Columns that say how much of the list has the n-grams of words of each text, with one row per text.

    The posterior of an n-gram is the share of the weights whose texts have it; every text weighs by its copies where
    `weights`, one number per text and not negative, does not say otherwise. For n of 1 to 3, `agree:precision n` is
    the mean posterior of the text's n-grams and `agree:recall n` the share of the posteriors of all the list's n-grams
    that the text has; `agree:weakest` is the lowest posterior of a word, and `agree:strangers` the number of words
    that no other text has. All are 0 for a text without words. O(words).

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> lists = TextLists.of(NBest.from_arrays(texts=["a cat", "a dog", "a cat", "a cat"], sizes=[4]))
    >>> names, table = posteriors(lists)
    >>> dict(zip(names, table[0].round(3).tolist()))["agree:precision 1"], table[:, -2:].tolist()
    (0.875, [[0.75, 1.0], [0.25, 1.0]])
    """
    chosen = text_weights(lists, weights)
    words, out = lists.words, np.zeros((lists.n_texts, len(NAMES)))
    before = words.offsets[lists.offsets]
    cuts = even_cuts(before, 1 + int(before[-1]) // _WORDS_PER_PIECE)

    def piece(at: int) -> None:
        offsets = lists.offsets[cuts[at] : cuts[at + 1] + 1]
        kernel.posteriors(offsets, words.offsets, words.ids, chosen, out[offsets[0] : offsets[-1]])

    in_threads(piece, range(cuts.size - 1))
    return NAMES, out


def text_weights(lists: TextLists, weights: Floats | None) -> Floats:
    """One weight for each text, checked; the number of its copies where none are given."""
    if weights is None:
        return frozen(lists.copies)
    chosen = np.ascontiguousarray(weights, np.float64)
    if chosen.shape != (lists.n_texts,):
        raise UsageError(f"there must be one weight for each of the {lists.n_texts} texts; found shape {chosen.shape}.")
    if not bool(np.all(np.isfinite(chosen) & (chosen >= 0))):
        raise UsageError("weights of texts must be finite numbers that are not negative.")
    return frozen(chosen)
