"""The word sequence that a list agrees on, slot by slot, and how far each text is from it.

As ROVER combines the outputs of recognisers (Fiscus 1997), with one difference: the texts are not aligned one after the
other to a growing network, but each to the text in the middle of the list, so that their order does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels import consensus as kernel
from runoff.metrics.tokens import Tokens
from runoff.parallel import even_cuts, in_threads
from runoff.tasks.text.features.posteriors import text_weights

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.tasks.text.lists import TextLists

NAMES = ("consensus:edits", "consensus:edits per word", "consensus:is")
_WORK_PER_PIECE = 1 << 22  # words of a list times its texts
_CELLS = 1 << 22  # of a table of costs; texts that need more are cut in two first
_MOST_COMPARED = 200


def consensus(lists: TextLists, weights: Floats | None = None) -> tuple[tuple[str, ...], Floats]:
    """Columns that say how far each text is from the consensus of its list, see `consensus_words`; a row per text.

    `consensus:edits` counts the words to substitute, insert and delete, `consensus:edits per word` divides this by the
    words of the consensus (at least 1), and `consensus:is` is 1 where there are no edits. As slow as `consensus_words`.

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> texts = ["the cat sat", "a cat sad", "the cap sat"]
    >>> consensus(TextLists.of(NBest.from_arrays(texts=texts, sizes=[3])))[1].round(2).tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.67, 0.0], [1.0, 0.33, 0.0]]
    """
    _, lengths, edits = _found(lists, weights)
    per_word = edits / np.maximum(lengths, 1)[lists.list_of]
    return NAMES, np.column_stack([edits, per_word, edits == 0]).astype(np.float64)


def consensus_words(lists: TextLists, weights: Floats | None = None) -> Tokens:
    """Words of the consensus of every list.

    The text with the least word edit distance to the others is the base; the others are aligned to it. A word of the
    base is a slot, and words between two of them open slots, from left to right. In each slot every text votes for its
    word, or for none, by `weights`, one number per text; its copies where they are not given. Of equal votes those for
    what the base has count first, then those for a word, in the order of the texts; so with the base.
    O(k² n m / 64) for a list of k texts of n and m words to find the base, which is looked for among the 200 texts of
    most weight where there are more, and O(k n m) to align.

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> texts = ["the cat sat here", "a cat sat", "the cap sat", "the cat sad here"]
    >>> consensus_words(TextLists.of(NBest.from_arrays(texts=texts, sizes=[4]))).of(0)
    ['the', 'cat', 'sat', 'here']
    """
    words, lengths, _ = _found(lists, weights)
    return Tokens(frozen(words), frozen(np.concatenate([[0], np.cumsum(lengths)])), lists.words.spelling)


def _found(lists: TextLists, weights: Floats | None) -> tuple[Ints, Ints, Ints]:
    chosen, words = text_weights(lists, weights), lists.words
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


def _compared(lists: TextLists, weights: Floats) -> Bools:
    """Whether each text is one of those of most weight in its list, the first ones of equal weight."""
    out = np.ones(lists.n_texts, bool)
    for at in np.flatnonzero(lists.sizes > _MOST_COMPARED).tolist():
        rows = slice(int(lists.offsets[at]), int(lists.offsets[at + 1]))
        out[rows][np.argsort(-weights[rows], kind="stable")[_MOST_COMPARED:]] = False
    return frozen(out)
