"""A chain of tags with weights: the best tagging, the k best, probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError, ModelError, UsageError
from runoff.kernels.chain_labels import kbest_sequences, label_sequences, tag_probabilities
from runoff.kernels.chain_scores import ChainLimits
from runoff.model.chain_shape import ChainShape, tokens_of
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Bools, Columns, Floats
    from runoff.features.sequences import Sequences
    from runoff.kernels.chain_scores import ChainTokens, ChainWeights

_TOKENS_PER_PIECE = 4096


@dataclass(frozen=True, eq=False)
class Constraints:
    """What taggings are allowed; everything where nothing is said.

    Examples
    --------
    >>> only = Constraints(transitions=np.array([[True, False], [True, True]]))  # tag 1 never follows tag 0
    """

    transitions: Bools | None = None  # tag before, tag
    starts: Bools | None = None
    ends: Bools | None = None
    sets: Bools | None = None  # set, tag
    set_of: Columns | None = None  # the set of every token; -1 for all tags
    frozen: Columns | None = None  # the tag of every token; -1 where it is free

    def arrays(self, n_tags: int, n_tokens: int) -> ChainLimits:
        """All of them, for compiled loops."""
        given = (
            ("transitions", self.transitions, (n_tags, n_tags)),
            ("starts", self.starts, (n_tags,)),
            ("ends", self.ends, (n_tags,)),
            ("sets", self.sets, (0 if self.sets is None else len(self.sets), n_tags)),
        )
        flags = []
        for name, array, shape in given:
            flags.append(np.ones(shape, bool) if array is None else np.array(array, bool))
            if flags[-1].shape != shape:
                raise UsageError(f"{name} of the constraints has the shape {flags[-1].shape}; expected {shape}.")
        codes = []
        for name, tags, most in (("set_of", self.set_of, len(flags[3])), ("frozen", self.frozen, n_tags)):
            codes.append(np.full(n_tokens, -1, np.int32) if tags is None else np.array(tags, np.int32))
            if codes[-1].shape != (n_tokens,) or (n_tokens and not -1 <= codes[-1].min() <= codes[-1].max() < most):
                raise UsageError(f"{name} of the constraints must have a number from -1 to below {most} per token.")
        return ChainLimits(*flags, *codes)


class Taggings(NamedTuple):
    """Up to k taggings of every sequence, best first, and their log-probabilities, or scores."""

    paths: list[Columns]  # of every sequence: taggings x tokens
    scores: list[Floats]


@dataclass(frozen=True, eq=False)
class ChainModel:
    """Weights of a linear chain; `is_probabilistic` where a random field has learned them.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> from runoff.learners import ChainPerceptron
    >>> data = Sequences.of([[[0], [1]], [[1]]], n_features=2, tags=[[0, 1], [1]], n_tags=2)
    >>> model = ChainPerceptron(epochs=2).fit(data).model
    >>> model.best(data).tolist(), model.kbest(data, 2).paths[0].tolist()
    ([0, 1, 1], [[0, 1], [1, 1]])
    """

    shape: ChainShape
    vector: Floats
    is_probabilistic: bool = False

    @property
    def weights(self) -> ChainWeights:
        """The weights as compiled loops take them."""
        return self.shape.weights(self.vector)

    @property
    def n_tags(self) -> int:
        """Number of tags."""
        return self.shape.n_tags

    def best(self, data: Sequences, constraints: Constraints | None = None) -> Columns:
        """The best tag of every token, by sequence. O(tokens x tags²), on all cores."""
        out = np.zeros(data.n_tokens, np.int32)
        self._each(data, constraints, label_sequences, out)
        return out

    def kbest(self, data: Sequences, k: int, constraints: Constraints | None = None) -> Taggings:
        """The k best taggings of every sequence. O(tokens x tags² + k tokens tags), on all cores."""
        if k < 1:
            raise UsageError(f"k must be a whole number of at least 1; found {k}.")
        paths, scores = np.zeros(k * data.n_tokens, np.int32), np.zeros((len(data), k))
        found, with_sums = np.zeros(len(data), np.int64), self.is_probabilistic
        self._each(data, constraints, kbest_sequences, k, with_sums, paths, scores, found)
        cuts = (k * data.offsets).tolist()
        return Taggings(
            [paths[a:b].reshape(k, -1)[:many] for (a, b), many in zip(pairwise(cuts), found.tolist(), strict=True)],
            [row[:many] for row, many in zip(scores, found.tolist(), strict=True)],
        )

    def marginals(self, data: Sequences, constraints: Constraints | None = None) -> Floats:
        """Probability of every tag at every token. O(tokens x tags²), on all cores."""
        self.check_probabilistic()
        out = np.zeros((data.n_tokens, self.n_tags))
        self._each(data, constraints, tag_probabilities, out)
        return out

    def check_probabilistic(self) -> None:
        """Raise a `ModelError` for a model that has no probabilities."""
        if not self.is_probabilistic:
            raise ModelError("a perceptron has no probabilities; train a random field (crf).")

    def limits(self, data: Sequences, constraints: Constraints | None) -> ChainLimits | None:
        """Constraints as compiled loops take them."""
        return None if constraints is None else constraints.arrays(self.n_tags, data.n_tokens)

    def _each(self, data: Sequences, constraints: Constraints | None, work: Callable[..., int], *into: Any) -> None:
        """Apply a compiled loop to pieces of the sequences; it gives the first one without any tagging, or -1."""
        limits, tokens, weights = self.limits(data, constraints), tokens_of(data), self.weights
        for stuck in in_threads(lambda cut: work(*cut, tokens, weights, limits, *into), pieces_of(tokens)):
            if stuck >= 0:
                raise DataError(f"the constraints leave no tagging of sequence {stuck + 1}.")

    def without_zeros(self) -> ChainModel:
        """The same model without weights of features that are zero. O(weights)."""
        return ChainModel(*self.shape.without_zeros(self.vector), self.is_probabilistic)


def pieces_of(tokens: ChainTokens) -> list[tuple[int, int]]:
    """Sequences cut into pieces of about equal length; their number depends on the data alone."""
    cuts = even_cuts(tokens.offsets, 1 + int(tokens.offsets[-1]) // _TOKENS_PER_PIECE)
    if tokens.offsets.size == 1:
        return []
    return list(pairwise(cuts.tolist()))
