"""What is known of translations of words while an aligner is being trained: sparse counts and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.cooccurrence import fill_rows, sentences_of
from runoff.kernels.word_model import ADDED, PLAIN, VARIATIONAL, fill_slots, set_probabilities
from runoff.parallel import even_cuts
from runoff.tasks.translation.lexical_table import LexicalTable

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.metrics.tokens import Tokens
    from runoff.parallel import Apply
    from runoff.tasks.translation.word_models import PositionModel

Smoothing = Literal["none", "add", "variational"]
SMOOTHING: dict[Smoothing, int] = {"none": PLAIN, "add": ADDED, "variational": VARIATIONAL}
# Every piece has counts of its own, so that their sum does not depend on the threads.
_MOST_PIECES, _LEAST_PIECES, _COUNTS_BYTES = 8, 2, 1 << 30
_ROW_PIECES = 16
_KEPT_CELLS, _BLOCK_CELLS = 1 << 28, 1 << 22  # slots that are kept from pass to pass, and that are found at a time


class SentencePairs(NamedTuple):
    """Word numbers of the sentence pairs of one direction, as the compiled loops take them."""

    source: Columns
    source_offsets: Ints
    target: Columns
    target_offsets: Ints

    @classmethod
    def of(cls, source: Tokens, target: Tokens) -> SentencePairs:
        """Pairs of two texts; no copy of offsets."""
        return cls(source.ids.astype(np.int32), source.offsets, target.ids.astype(np.int32), target.offsets)

    def cells(self) -> Ints:
        """Number of cells before every pair, and of all: a cell is NULL or a source word, with a target word."""
        return np.concatenate([[0], np.cumsum((np.diff(self.source_offsets) + 1) * np.diff(self.target_offsets))])


class PairBlock(NamedTuple):
    """Sentence pairs from `first` to before `last`, and the places of their words' pairs in a lexicon, cell by cell."""

    first: int
    last: int
    source_offsets: Ints
    target_offsets: Ints
    slots: Columns


@dataclass(eq=False)
class WordProbabilities:
    """p(target | source) of words that stand opposite each other somewhere; `words[starts[s + 1]:starts[s + 2]]`.

    12 bytes for a pair of words, and 8 bytes more for each of two to eight pieces of the data that are counted apart:
    fewer where they would need more than a gigabyte. Up to 2**28 cells, 4 bytes are kept for each; where there are
    more, every pass looks them up anew, which takes about as long as the rest of it.
    """

    pairs: SentencePairs
    starts: Ints
    words: Columns
    probabilities: Floats
    _blocks: list[list[tuple[int, int]]]  # first and last pair, for every piece
    _cells: Ints
    _slots: Columns | None
    _counts: Floats  # of every piece

    @classmethod
    def of(cls, pairs: SentencePairs, n_source: int, n_target: int, apply: Apply) -> WordProbabilities:
        """All words opposite each other, every target word as likely as every other. O(cells log) time."""
        starts, words = _rows(pairs, n_source, n_target, apply)
        if words.size > np.iinfo(np.int32).max:
            raise UsageError(
                f"{words.size:,} pairs of words stand opposite each other, which is more than can be counted; align "
                "fewer sentence pairs, or shorter ones, at a time."
            )
        cells = pairs.cells()
        n_pieces = int(np.clip(_COUNTS_BYTES // (8 * max(words.size, 1)), _LEAST_PIECES, _MOST_PIECES))
        pieces = _pieces(cells, n_pieces)
        is_kept = cells[-1] <= _KEPT_CELLS
        blocks = [[piece] if is_kept else _blocks(cells, *piece) for piece in pieces]
        uniform = np.full(words.size, 1.0 / max(int(starts[1]), 1))
        lexicon = cls(pairs, starts, words, uniform, blocks, cells, None, np.empty((len(pieces), words.size)))
        if is_kept:
            found = np.empty(cells[-1], np.int32)
            apply(lambda piece: lexicon._fill(*piece, found[cells[piece[0]] : cells[piece[1]]]), pieces)
            lexicon._slots = found
        return lexicon

    def _fill(self, first: int, last: int, out: Columns) -> None:
        fill_slots(first, last, *self.pairs, self.starts, self.words, out)

    def _block(self, first: int, last: int) -> PairBlock:
        begin, end = self._cells[first], self._cells[last]
        if self._slots is None:
            slots = np.empty(end - begin, np.int32)
            self._fill(first, last, slots)
        else:
            slots = self._slots[begin:end]
        return PairBlock(first, last, self.pairs.source_offsets, self.pairs.target_offsets, slots)

    def train(self, model: PositionModel, smoothing: Smoothing, alpha: float, apply: Apply) -> float:
        """One pass of EM: new probabilities and a new model of positions; the old ones' log-likelihood."""

        def count(piece: int) -> tuple[float, tuple[Floats, ...]]:
            statistics, log_likelihood = model.statistics(), 0.0
            self._counts[piece] = 0.0
            for cut in self._blocks[piece]:
                log_likelihood += model.count(self._block(*cut), self.probabilities, self._counts[piece], statistics)
            return log_likelihood, statistics

        def divide(rows: tuple[int, int]) -> None:
            set_probabilities(*rows, self.starts, self._counts, SMOOTHING[smoothing], alpha, self.probabilities)

        counted = apply(count, range(len(self._blocks)))
        apply(divide, _pieces(self.starts, _ROW_PIECES))
        if counted:
            model.learn([statistics for _, statistics in counted])
        return sum(log_likelihood for log_likelihood, _ in counted)

    def align(self, model: PositionModel, posterior: bool, apply: Apply) -> Columns:
        """Source position of every target token, from 0; -1 for none."""
        out = np.full(self.pairs.target.size, -1, np.int32)

        def fill(blocks: list[tuple[int, int]]) -> None:
            for cut in blocks:
                model.align(self._block(*cut), self.probabilities, posterior, out)

        apply(fill, self._blocks)
        return out

    def table(self, source: Tokens, target: Tokens) -> LexicalTable:
        """The probabilities as they are kept."""
        return LexicalTable(
            frozen(self.starts),
            frozen(self.words),
            frozen(self.probabilities.astype(np.float32)),
            source.spelling,
            target.spelling,
        )


def _pieces(work: Ints, pieces: int) -> list[tuple[int, int]]:
    return list(pairwise(even_cuts(work, pieces).tolist()))


def _blocks(cells: Ints, first: int, last: int) -> list[tuple[int, int]]:
    work = cells[first : last + 1]
    cuts = even_cuts(work, int(-(-(work[-1] - work[0]) // _BLOCK_CELLS))) + first
    return list(pairwise(cuts.tolist()))


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
