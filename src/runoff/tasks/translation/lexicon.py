"""What is known of translations of words while an aligner is being trained: sparse counts and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.cooccurrence import fill_rows, sentences_of
from runoff.kernels.word_model import ADDED, PLAIN, VARIATIONAL, set_probabilities
from runoff.parallel import even_cuts
from runoff.tasks.translation.lexical_table import LexicalTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Columns, Floats, Ints
    from runoff.metrics.tokens import Tokens
    from runoff.parallel import Apply

Smoothing = Literal["none", "add", "variational"]
SMOOTHING: dict[Smoothing, int] = {"none": PLAIN, "add": ADDED, "variational": VARIATIONAL}
# Every piece has counts of its own, so that their sum does not depend on the threads.
_MOST_PIECES, _LEAST_PIECES, _COUNTS_BYTES = 8, 2, 1 << 30
_ROW_PIECES = 16


class SentencePairs(NamedTuple):
    """Word numbers of the sentence pairs of one direction, as the compiled loops take them."""

    source: Columns
    source_offsets: Ints
    target: Columns
    target_offsets: Ints

    @classmethod
    def of(cls, source: Tokens, target: Tokens) -> SentencePairs:
        """Pairs of two texts; no copy of offsets."""
        return cls(source.ids.astype(np.int32), _from_zero(source), target.ids.astype(np.int32), _from_zero(target))

    def cells(self) -> Ints:
        """Source words times target words of every pair."""
        cells: Ints = np.diff(self.source_offsets) * np.diff(self.target_offsets)
        return cells


def _from_zero(texts: Tokens) -> Ints:
    return texts.offsets.astype(np.int64)


@dataclass(eq=False)
class Lexicon:
    """p(target | source) of words that stand opposite each other somewhere; `words[starts[s + 1]:starts[s + 2]]`.

    12 bytes for a pair of words, and 8 bytes more for each of two to eight pieces that are counted apart: fewer where
    they would need more than a gigabyte.
    """

    starts: Ints
    words: Columns
    probabilities: Floats
    cuts: list[tuple[int, int]]  # of sentence pairs
    _parts: Floats

    @classmethod
    def of(cls, pairs: SentencePairs, n_source: int, n_target: int, apply: Apply) -> Lexicon:
        """All words opposite each other, every target word as likely as every other.

        O(sum over pairs of source words times target words) time.
        """
        starts, words = _rows(pairs, n_source, n_target, apply)
        n_pieces = int(np.clip(_COUNTS_BYTES // (8 * max(words.size, 1)), _LEAST_PIECES, _MOST_PIECES))
        pieces = _pieces(np.concatenate([[0], np.cumsum(pairs.cells())]), n_pieces)
        kinds = max(int(starts[1]), 1)
        return cls(starts, words, np.full(words.size, 1.0 / kinds), pieces, np.empty((len(pieces), words.size)))

    def counted(self, count: Callable[[int, int, Floats], Counted], apply: Apply) -> list[Counted]:
        """What `count(first pair, last pair, counts to add to)` gives for every piece, in their order."""

        def one(piece: int) -> Counted:
            self._parts[piece] = 0.0
            return count(*self.cuts[piece], self._parts[piece])

        return apply(one, range(len(self.cuts)))

    def learn(self, smoothing: Smoothing, alpha: float, apply: Apply) -> None:
        """Probabilities from the counts of all pieces."""

        def rows(piece: tuple[int, int]) -> None:
            set_probabilities(*piece, self.starts, self._parts, SMOOTHING[smoothing], alpha, self.probabilities)

        apply(rows, _pieces(self.starts, _ROW_PIECES))

    def table(self, source: Tokens, target: Tokens) -> LexicalTable:
        """The probabilities as they are kept."""
        return LexicalTable(
            frozen(self.starts),
            frozen(self.words),
            frozen(self.probabilities.astype(np.float32)),
            source.spelling,
            target.spelling,
        )


class Counted(NamedTuple):
    """The logarithm of the probability of some pairs, and expected counts of what the model has besides words."""

    log_likelihood: float
    statistics: tuple[Any, ...] = ()


class PositionModel(Protocol):
    """How likely the position is that a target word comes from, before one looks at the words."""

    name: str

    def count(self, pairs: SentencePairs, lexicon: Lexicon, first: int, last: int, counts: Floats) -> Counted:
        """Add expected counts of words in pairs from `first` to before `last`."""

    def learn(self, counted: Sequence[Counted]) -> None:
        """Take what was counted in all pieces as the model's own parameters."""

    def align(self, pairs: SentencePairs, lexicon: Lexicon, first: int, last: int, decoding: str, out: Columns) -> None:
        """Set the source position of target tokens, from 0; -1 for none."""


def _pieces(work: Ints, pieces: int) -> list[tuple[int, int]]:
    cuts = even_cuts(work, pieces).tolist()
    return list(pairwise(cuts))


def _rows(pairs: SentencePairs, n_source: int, n_target: int, apply: Apply) -> tuple[Ints, Columns]:
    """Sorted rows of target words for NULL and every source word."""
    sentence_starts, sentences = sentences_of(pairs.source, pairs.source_offsets, n_source)
    everything = np.unique(pairs.target)
    sizes = np.zeros(n_source + 1, np.int64)
    sizes[0] = everything.size
    pieces = _pieces(sentence_starts, _ROW_PIECES)

    def fill(starts: Ints, words: Columns) -> None:
        def rows(piece: tuple[int, int]) -> None:
            fill_rows(
                *piece, sentence_starts, sentences, pairs.target, pairs.target_offsets, n_target, sizes, starts, words
            )

        apply(rows, pieces)

    fill(np.empty(0, np.int64), np.empty(0, np.int32))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    words = np.empty(starts[-1], np.int32)
    words[: everything.size] = everything
    if words.size:
        fill(starts, words)
    return starts, words
