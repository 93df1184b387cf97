"""Which features have a weight with which tags, and one vector of all weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.features.sequences import BEFORE_LAST, LAST
from runoff.kernels.chain_rows import seen_tags, tokens_of_features
from runoff.kernels.chain_scores import ChainTokens, ChainWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats, Ints, Scalar
    from runoff.features.sequences import Sequences


@dataclass(frozen=True, eq=False)
class ChainShape:
    """Rows of tags of features, of contexts and tags of history features; and the parts of a vector of weights."""

    rows: Ints
    row_tags: Columns
    history_rows: Ints
    history_codes: Ints
    n_tags: int

    @classmethod
    def of(cls, data: Sequences, transposed: tuple[Ints, Columns], *, all_pairs: bool = False) -> ChainShape:
        """Pairs that occur in the data or, for features without tags, all. O(stored numbers)."""
        starts, tokens = transposed
        tags, n_tags = tags_of(data), data.n_tags
        rows = np.zeros(data.n_features + 1, np.int64)
        if all_pairs:
            rows = np.arange(data.n_features + 1) * n_tags
            row_tags = np.tile(np.arange(n_tags, dtype=np.int32), data.n_features)
        else:
            bound = int(np.minimum(np.diff(starts), n_tags).sum())
            row_tags = np.empty(bound, np.int32)
            row_tags = row_tags[: seen_tags(starts, tokens, tags, n_tags, rows, row_tags)].copy()
        return cls(rows, row_tags, *_history_rows(data), n_tags)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of the parts of a vector of weights."""
        n = self.n_tags
        return self.row_tags.size, self.history_codes.size, n * n, n, n

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(self.sizes)

    def parts(self, vector: Floats) -> list[Floats]:
        """Weights of features, of history features, of pairs of tags, of first and of last tags, as views."""
        cuts = np.cumsum(self.sizes)
        parts = np.split(vector, cuts[:-1])
        parts[2] = parts[2].reshape(self.n_tags, self.n_tags)
        return parts

    def weights(self, vector: Floats) -> ChainWeights:
        """A vector as weights of a chain, without a copy."""
        own, history, *rest = self.parts(vector)
        return ChainWeights(self.rows, self.row_tags, own, self.history_rows, self.history_codes, history, *rest)

    def without_zeros(self, vector: Floats) -> tuple[ChainShape, Floats]:
        """Rows and weights of features without those that are zero. O(weights)."""
        own, history, *rest = self.parts(vector)
        kept, kept_history = own != 0, history != 0
        shape = ChainShape(
            _rows_without(self.rows, kept),
            self.row_tags[kept],
            _rows_without(self.history_rows, kept_history),
            self.history_codes[kept_history],
            self.n_tags,
        )
        return shape, np.concatenate([own[kept], history[kept_history], *(each.ravel() for each in rest)])


def _rows_without(rows: Ints, kept: Bools) -> Ints:
    return np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)[rows]


def tokens_of(data: Sequences) -> ChainTokens:
    """Arrays for compiled loops."""
    # Read-only arrays are of another type to the compiler, which would compile everything twice.
    return ChainTokens(
        writeable(data.offsets),
        writeable(data.indptr),
        writeable(data.features),
        writeable(data.history_indptr),
        writeable(data.history),
    )


def writeable(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The array itself, or a copy of one that is read-only."""
    return array if array.flags.writeable else array.copy()


def tags_of(data: Sequences) -> Columns:
    """The right tags, or an error."""
    if data.tags is None:
        raise ValueError("the sequences have no tags.")
    return writeable(data.tags)


def transposed(data: Sequences) -> tuple[Ints, Columns]:
    """Tokens of every feature. O(stored numbers)."""
    starts, tokens = np.zeros(data.n_features + 1, np.int64), np.empty(data.features.size, np.int32)
    each = tokens_of(data)
    tokens_of_features(each.indptr, each.features, starts, tokens)
    return starts, tokens


def context_codes(mode: Columns, last: Columns, before_last: Columns, n_tags: int) -> Ints:
    """Numbers of contexts: the last tag, the one before, or both; `n_tags` stands for none."""
    one, two = last.astype(np.int64), before_last.astype(np.int64)
    both: Ints = np.where(mode == LAST, one, np.where(mode == BEFORE_LAST, two, one * (n_tags + 1) + two))
    return both


def _history_rows(data: Sequences) -> tuple[Ints, Ints]:
    n_history, n_tags = data.modes.size, data.n_tags
    tags = tags_of(data)
    tokens = np.repeat(np.arange(data.n_tokens), np.diff(data.history_indptr))
    inside = tokens - np.repeat(data.offsets[:-1], np.diff(data.offsets))[tokens] if tokens.size else tokens
    last, before = (np.where(inside >= back, tags[tokens - back], n_tags) for back in (1, 2))
    codes = context_codes(data.modes[data.history], last, before, n_tags) * n_tags + tags[tokens]
    order = np.lexsort((codes, data.history))
    feature, code = data.history[order], codes[order]
    is_new = np.ones(code.size, bool)
    is_new[1:] = (feature[1:] != feature[:-1]) | (code[1:] != code[:-1])
    rows = np.concatenate([[0], np.cumsum(np.bincount(feature[is_new], minlength=n_history))]).astype(np.int64)
    return rows, code[is_new]
