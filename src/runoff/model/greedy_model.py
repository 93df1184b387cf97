"""A tagger that goes from left to right: weights of features, and of features joined with the last tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_greedy import beam_labels
from runoff.model.chain_model import pieces_of
from runoff.model.chain_shape import tokens_of
from runoff.parallel import in_threads

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats
    from runoff.features.sequences import Sequences
    from runoff.model.chain_shape import ChainShape


@dataclass(frozen=True, eq=False)
class GreedyModel:
    """Tags from left to right, each by the features of its token and the tags given before.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> from runoff.learners import GreedyChain
    >>> data = Sequences.of([[[0], [1]], [[1]]], n_features=2, tags=[[0, 1], [1]], n_tags=2)
    >>> GreedyChain(epochs=2).fit(data).model.best(data).tolist()
    [0, 1, 1]
    """

    shape: ChainShape
    vector: Floats
    modes: Columns
    is_logistic: bool = False
    beam: int = 1

    @property
    def n_tags(self) -> int:
        """Number of tags."""
        return self.shape.n_tags

    def best(self, data: Sequences) -> Columns:
        """The tags of every token. O(features x their tags x beam), on all cores."""
        out, tokens, weights = np.zeros(data.n_tokens, np.int32), tokens_of(data), self.shape.weights(self.vector)
        modes = np.array(self.modes, np.int32)

        def label(cut: tuple[int, int]) -> None:
            beam_labels(*cut, tokens, modes, weights, self.is_logistic, self.beam, out)

        in_threads(label, pieces_of(tokens))
        return out

    def without_zeros(self) -> GreedyModel:
        """The same model without weights of features that are zero. O(weights)."""
        return GreedyModel(*self.shape.without_zeros(self.vector), self.modes, self.is_logistic, self.beam)
