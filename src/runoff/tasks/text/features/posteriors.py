"""Agreement of a text with its list by n-gram posteriors: the share of the list that has an n-gram.

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
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = (
    *(f"agree:{part} {order}" for order in range(1, kernel.ORDERS + 1) for part in ("precision", "recall")),
    "agree:weakest",
    "agree:unique words",
)
_WORDS_PER_PIECE = 1 << 18


def posterior_features(lists: DistinctTexts, weights: Floats | None = None) -> tuple[tuple[str, ...], Floats]:
    """Columns of n-gram posteriors; a row per text.

    The posterior of a word n-gram is the share of the texts that have it, by `weights`: one non-negative number per
    text (default: its number of copies). For n from 1 to 3, `agree:precision n` is the mean posterior of the text's
    n-grams, and `agree:recall n` the share that the text has of the summed posteriors of all n-grams in the list.
    `agree:weakest` is the lowest posterior of a word, and `agree:unique words` the number of words that no other text
    has. All are 0 for a text without words. O(words).

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["a cat", "a dog", "a cat", "a cat"], sizes=[4]))
    >>> names, table = posterior_features(lists)
    >>> dict(zip(names, table[0].round(3).tolist()))["agree:precision 1"], table[:, -2:].tolist()
    (0.875, [[0.75, 1.0], [0.25, 1.0]])
    """
    chosen = checked_weights(lists, weights)
    words, out = lists.words, np.zeros((lists.n_texts, len(NAMES)))
    before = words.offsets[lists.offsets]
    cuts = even_cuts(before, 1 + int(before[-1]) // _WORDS_PER_PIECE)

    def piece(at: int) -> None:
        offsets = lists.offsets[cuts[at] : cuts[at + 1] + 1]
        kernel.posteriors(offsets, words.offsets, words.ids, chosen, out[offsets[0] : offsets[-1]])

    in_threads(piece, range(cuts.size - 1))
    return NAMES, out


def checked_weights(lists: DistinctTexts, weights: Floats | None) -> Floats:
    """One weight per text, validated; by default its number of copies."""
    if weights is None:
        return frozen(lists.copies)
    chosen = np.ascontiguousarray(weights, np.float64)
    if chosen.shape != (lists.n_texts,):
        raise UsageError(f"there must be one weight for each of the {lists.n_texts} texts; found shape {chosen.shape}.")
    if not bool(np.all(np.isfinite(chosen) & (chosen >= 0))):
        raise UsageError("weights of texts must be finite and not negative.")
    return frozen(chosen)
