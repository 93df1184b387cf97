"""Scores of phrase pairs from their counts: probabilities in both directions, lexical weights, orientations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from runoff.kernels.lexical_weights import log_lexical_weights
from runoff.kernels.phrase_pairs import SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.tasks.translation.pair_counts import PairCounts
    from runoff.tasks.translation.span_numbers import SpanNumbers

Smoothing = Literal["kneser-ney", "none"]
_FALLBACK = np.array([0.0, 0.5, 1.0, 1.5])  # discounts of counts too regular to estimate them, as for language models
_ORIENTATION_SMOOTHING = 0.5  # as in Moses


def probabilities(given: Ints, said: Ints, counts: Ints, smoothing: Smoothing) -> Floats:
    """p(said | given) of every pair, from how often each occurs. O(pairs).

    Without smoothing these are relative frequencies. Modified Kneser-Ney smoothing takes a discount from every count
    and gives what it takes from the pairs of a phrase to all phrases of the other language, by how many phrases they
    are translations of (Foster, Kuhn & Johnson 2006).

    Examples
    --------
    >>> given, said = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> probabilities(given, said, np.array([3, 1, 2]), "none").tolist()
    [0.75, 0.25, 1.0]
    """
    totals = np.bincount(given, counts)
    if smoothing == "none":
        return np.asarray(counts / totals[given])
    taken = discounts(counts)[np.minimum(counts, 3)]
    left = np.bincount(given, taken) / np.maximum(totals, 1)
    lower = np.bincount(said) / max(counts.size, 1)
    return np.asarray((counts - taken) / totals[given] + left[given] * lower[said])


def discounts(counts: Ints) -> Floats:
    """Discounts of counts of 0, 1, 2 and 3 or more (Chen & Goodman 1998, equation 26).

    Examples
    --------
    >>> discounts(np.repeat([1, 2, 3, 4], [50, 20, 10, 5])).round(3).tolist()
    [0.0, 0.556, 1.167, 1.889]
    """
    seen = np.bincount(np.minimum(counts, 5), minlength=6).astype(np.float64)
    if not seen[1:4].all():
        return _FALLBACK
    times = np.arange(1, 4)
    amounts = times - (times + 1) * seen[1] / (seen[1] + 2 * seen[2]) * seen[2:5] / seen[1:4]
    return np.append(0.0, amounts) if (amounts >= 0).all() else _FALLBACK


def orientation_logs(counts: NDArray[np.uint32]) -> Singles:
    """Log probabilities of the three orientations to what comes before, and of the three to what comes after."""
    smoothed = counts.reshape(-1, 2, 3) + _ORIENTATION_SMOOTHING
    found: Singles = np.log(smoothed / smoothed.sum(axis=2, keepdims=True)).reshape(-1, 6).astype(np.float32)
    return found


class LexicalWeights:
    """Log lexical weights of pairs in both directions (Koehn, Och & Marcu 2003), from the links of a corpus.

    w(e | f) is the number of links of the two words over that of all links of f. A word without a link counts as linked
    to NULL, and NULL explains the words of a pair that have no link in it.
    """

    def __init__(self, source: SpanNumbers, target: SpanNumbers, links: tuple[Columns, Columns, Ints]) -> None:
        self._source, self._target = source, target
        of_source, of_target = links[0].astype(np.int64), links[1].astype(np.int64)
        per_sentence = np.diff(links[2])
        of_source += np.repeat(source.offsets[:-1], per_sentence)
        of_target += np.repeat(target.offsets[:-1], per_sentence)
        alone, alone_target = (
            np.delete(side.words, np.unique(linked)) + 1 for side, linked in ((source, of_source), (target, of_target))
        )
        nothing, nothing_target = np.zeros_like(alone), np.zeros_like(alone_target)
        self._of_source = np.concatenate([source.words[of_source] + 1, alone, nothing_target]).astype(np.int64)
        self._of_target = np.concatenate([target.words[of_target] + 1, nothing, alone_target]).astype(np.int64)

    def direct(self, pairs: PairCounts) -> Floats:
        """Of the target words given the source words."""
        return _log_weights(
            self._source, pairs.source, self._target, pairs.target, pairs.masks, (1, SIDE),
            _word_probabilities(self._of_source, self._of_target, int(self._source.words.max(initial=-1)) + 2),
        )  # fmt: skip

    def inverse(self, pairs: PairCounts) -> Floats:
        """Of the source words given the target words."""
        return _log_weights(
            self._target, pairs.target, self._source, pairs.source, pairs.masks, (SIDE, 1),
            _word_probabilities(self._of_target, self._of_source, int(self._target.words.max(initial=-1)) + 2),
        )  # fmt: skip


def _log_weights(
    given: SpanNumbers,
    given_spans: Ints,
    said: SpanNumbers,
    said_spans: Ints,
    masks: NDArray[np.uint64],
    strides: tuple[int, int],
    table: tuple[Ints, Ints, Floats],
) -> Floats:
    return log_lexical_weights(
        given.words,
        given.places[given_spans],
        said.words,
        said.places[said_spans],
        said.lengths[said_spans],
        masks,
        strides,
        *table,
    )


def _word_probabilities(given: Ints, said: Ints, n_given: int) -> tuple[Ints, Ints, Floats]:
    """Rows of w(said | given) for words numbered from 1, 0 for NULL; the words said are numbered from 0 again."""
    width = int(said.max(initial=0)) + 1
    keys, counts = np.unique(given * width + said, return_counts=True)
    row, word = np.divmod(keys, width)
    totals = np.bincount(row, counts, n_given)
    is_word = word > 0
    row, word, counts = row[is_word], word[is_word] - 1, counts[is_word]
    return np.searchsorted(row, np.arange(n_given + 1)), word, counts / totals[row]
