"""Models of where a target word comes from: all that an aligner knows besides words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from runoff.kernels import diagonal_alignment, hmm_alignment, word_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Floats
    from runoff.tasks.translation.word_probabilities import PairBlock, SentencePairs

_REACH = 15  # jumps that are wider share a weight
_LEAST_WEIGHT = 1e-12  # of a jump, beside the most likely one
_TENSIONS = 0.1, 14.0  # as in fast_align


class PositionModel(Protocol):
    """How likely the position is that a target word comes from, before one looks at the words."""

    name: str

    def statistics(self) -> tuple[Floats, ...]:
        """Zeros, one array for each kind of expected counts of positions."""

    def count(self, block: PairBlock, probabilities: Floats, counts: Floats, statistics: tuple[Floats, ...]) -> float:
        """Add expected counts of words and positions in a block of pairs; the logarithm of their probability."""

    def learn(self, counted: Sequence[tuple[Floats, ...]]) -> None:
        """Take the expected counts of all pieces of the data as the model's own parameters."""

    def align(self, block: PairBlock, probabilities: Floats, posterior: bool, out: Columns) -> None:
        """Set the source position of target tokens, from 0; -1 for none."""


class UniformPositions:
    """IBM model 1 (Brown et al. 1993): every position of the source sentence, NULL included, is as likely."""

    name = "model1"

    def statistics(self) -> tuple[Floats, ...]:
        """Nothing about positions."""
        return ()

    def count(
        self,
        block: PairBlock,
        probabilities: Floats,
        counts: Floats,
        statistics: tuple[Floats, ...],  # noqa: ARG002 - the interface of all models
    ) -> float:
        """See `PositionModel`. O(cells), a cell being a source word or NULL with a target word."""
        return word_model.add_counts(*block, probabilities, counts)

    def learn(self, counted: Sequence[tuple[Floats, ...]]) -> None:
        """There is nothing to learn about positions."""

    def align(
        self,
        block: PairBlock,
        probabilities: Floats,
        posterior: bool,  # noqa: ARG002 - the best alignment has each word's best position
        out: Columns,
    ) -> None:
        """See `PositionModel`."""
        word_model.best_positions(*block, probabilities, out)


class JumpPositions:
    """HMM alignment (Vogel et al. 1996; Och and Ney 2003); see `kernels.hmm_alignment`.

    A pass costs O(cells times the smaller of source words and 31).
    """

    name = "hmm"

    def __init__(self, null: float) -> None:
        self.null = null
        self.weights = np.ones(2 * _REACH + 3)

    def statistics(self) -> tuple[Floats, ...]:
        """Expected jumps of every width, and what they would be with a weight of 1."""
        return np.zeros(self.weights.size), np.zeros(self.weights.size)

    def count(self, block: PairBlock, probabilities: Floats, counts: Floats, statistics: tuple[Floats, ...]) -> float:
        """See `PositionModel`."""
        jumps, chances = statistics
        return hmm_alignment.add_counts(*block, probabilities, self.weights, self.null, counts, jumps, chances)

    def learn(self, counted: Sequence[tuple[Floats, ...]]) -> None:
        """See `PositionModel`."""
        jumps, chances = (np.sum(parts, axis=0) for parts in zip(*counted, strict=True))
        self.weights = hmm_alignment.new_weights(jumps, chances, _LEAST_WEIGHT)

    def align(self, block: PairBlock, probabilities: Floats, posterior: bool, out: Columns) -> None:
        """See `PositionModel`."""
        hmm_alignment.align(*block, probabilities, self.weights, self.null, posterior, out)


class DiagonalPositions:
    """The reparameterised model 2 of fast_align (Dyer et al. 2013); see `kernels.diagonal_alignment`.

    A pass costs O(cells); 4 bytes more are held for each target token.
    """

    name = "diagonal"

    def __init__(self, pairs: SentencePairs, null: float, tension: float = 4.0) -> None:
        self.null, self.tension = null, tension
        lengths = np.diff(pairs.target_offsets)
        pair_of = np.repeat(np.arange(lengths.size), lengths)
        at = np.arange(pairs.target.size) - pairs.target_offsets[pair_of] + 1
        kinds = np.stack([np.diff(pairs.source_offsets)[pair_of], lengths[pair_of], at])
        widths = kinds.max(axis=1, initial=0) + 1
        keys, place_of = np.unique((kinds[0] * widths[1] + kinds[1]) * widths[2] + kinds[2], return_inverse=True)
        self._place_of = place_of.astype(np.int32)
        self._lengths = keys // (widths[1] * widths[2])
        self._places = keys % widths[2] / (keys // widths[2] % widths[1])

    def statistics(self) -> tuple[Floats, ...]:
        """Expected words not from NULL in every kind of place, and the sum of their distances from the diagonal."""
        return np.zeros(self._lengths.size), np.zeros(1)

    def count(self, block: PairBlock, probabilities: Floats, counts: Floats, statistics: tuple[Floats, ...]) -> float:
        """See `PositionModel`."""
        masses, distances = statistics
        return diagonal_alignment.add_counts(
            *block, probabilities, self.tension, self.null, self._place_of, counts, masses, distances
        )

    def learn(self, counted: Sequence[tuple[Floats, ...]]) -> None:
        """See `PositionModel`."""
        masses, distances = (np.sum(parts, axis=0) for parts in zip(*counted, strict=True))
        self.tension = diagonal_alignment.best_tension(
            self._places, self._lengths, masses, float(distances[0]), *_TENSIONS
        )

    def align(
        self,
        block: PairBlock,
        probabilities: Floats,
        posterior: bool,  # noqa: ARG002 - the best alignment has each word's best position
        out: Columns,
    ) -> None:
        """See `PositionModel`."""
        diagonal_alignment.align(*block, probabilities, self.tension, self.null, out)
