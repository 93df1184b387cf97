"""The consensus of a list, word by word, and the edit distance of each text to it.

As ROVER combines the outputs of speech recognisers (Fiscus 1997), with one difference: texts are not aligned one after
another to a growing network, but each to the most central text of the list, so that their order does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels import consensus as kernel
from runoff.metrics.tokens import Tokens
from runoff.parallel import even_cuts, in_threads
from runoff.tasks.text.features.posteriors import checked_weights

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = ("consensus:edits", "consensus:edits per word", "consensus:exact")
_WORK_PER_PIECE = 1 << 22  # words of a list times its texts
_CELLS = 1 << 22  # of an alignment table; longer texts are split in two first
_MOST_COMPARED = 200


def consensus_features(lists: DistinctTexts, weights: Floats | None = None) -> tuple[tuple[str, ...], Floats]:
    """Columns of edit distances to the consensus of the list, see `consensus_words`; a row per text.

    `consensus:edits` counts substitutions, insertions and deletions of words, `consensus:edits per word` divides by the
    words of the consensus (at least 1), and `consensus:exact` is 1 if there are no edits.
    Cost: that of `consensus_words`.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> texts = ["the cat sat", "a cat sad", "the cap sat"]
    >>> consensus_features(DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[3])))[1].round(2).tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.67, 0.0], [1.0, 0.33, 0.0]]
    """
    _, lengths, edits = _consensus(lists, weights)
    per_word = edits / np.maximum(lengths, 1)[lists.list_of]
    return NAMES, np.column_stack([edits, per_word, edits == 0]).astype(np.float64)


def consensus_words(lists: DistinctTexts, weights: Floats | None = None) -> Tokens:
    """Words of the consensus of every list.

    The base is the text with the lowest total word edit distance to the others, which are aligned to it. Each word of
    the base is a slot; words between two slots open new slots, from left to right. In each slot, every text votes for
    its word or for no word, with its weight (default: its number of copies). Ties go to what the base has in the slot,
    then to the word of the earliest text. The base itself is the earliest of equally central texts.
    O(k² n m / 64) to find the base of k texts of n and m words, among the 200 texts of highest weight if there are
    more; O(k n m) to align.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> texts = ["the cat sat here", "a cat sat", "the cap sat", "the cat sad here"]
    >>> consensus_words(DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[4]))).of(0)
    ['the', 'cat', 'sat', 'here']
    """
    words, lengths, _ = _consensus(lists, weights)
    return Tokens(frozen(words), frozen(np.concatenate([[0], np.cumsum(lengths)])), lists.words.spelling)


def _consensus(lists: DistinctTexts, weights: Floats | None) -> tuple[Ints, Ints, Ints]:
    chosen, words = checked_weights(lists, weights), lists.words
    longest = int(words.lengths[: lists.n_texts].max(initial=0)) + 1
    cells = min(longest * longest, _CELLS)
    compared = _compared(lists, chosen)
    work = np.concatenate([[0], np.cumsum(np.diff(words.offsets[lists.offsets]) * lists.sizes)])
    cuts = even_cuts(work, 1 + int(work[-1]) // _WORK_PER_PIECE)

    def piece(at: int) -> tuple[Ints, Ints, Ints]:
        offsets = lists.offsets[cuts[at] : cuts[at + 1] + 1]
        found: tuple[Ints, Ints, Ints] = kernel.consensus(
            offsets, words.offsets, words.ids, chosen, compared, len(words.spelling), cells
        )
        return found

    nothing = np.empty(0, np.int64)
    found = [(nothing, nothing, nothing), *in_threads(piece, range(cuts.size - 1))]
    ids, lengths, edits = zip(*found, strict=True)
    return np.concatenate(ids), np.concatenate(lengths), np.concatenate(edits)


def _compared(lists: DistinctTexts, weights: Floats) -> Bools:
    """Whether each text is among those of highest weight in its list; of equal ones the first."""
    out = np.ones(lists.n_texts, bool)
    for at in np.flatnonzero(lists.sizes > _MOST_COMPARED).tolist():
        rows = slice(int(lists.offsets[at]), int(lists.offsets[at + 1]))
        out[rows][np.argsort(-weights[rows], kind="stable")[_MOST_COMPARED:]] = False
    return frozen(out)
