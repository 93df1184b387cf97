"""Sequences of tokens with sparse features: what learners of chains learn from, whatever the task."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Ints

LAST, BEFORE_LAST, LAST_TWO = 1, 2, 3  # which of the tags before a history feature is joined with


@dataclass(frozen=True, eq=False)
class Sequences:
    """Tokens of sequences, each with the numbers of the features that it has.

    History features are joined with the tags before the token as well: `modes` says for each of them with which.
    Learners of chains know the last one only.

    Examples
    --------
    >>> two = Sequences.of([[[0, 1], [2]], [[0]]], n_features=3, tags=[[0, 1], [0]], n_tags=2)
    >>> len(two), two.n_tokens, two.features.tolist(), two.tags.tolist()
    (2, 3, [0, 1, 2, 0], [0, 1, 0])
    """

    offsets: Ints  # of the sequences, among the tokens
    indptr: Ints
    features: Columns
    n_features: int
    history_indptr: Ints
    history: Columns
    modes: Columns  # of every history feature
    transitions: bool = True  # whether pairs of neighbouring tags have weights
    tags: Columns | None = None  # of every token; -1 where it is none of the `n_tags`
    n_tags: int = 0

    @classmethod
    def of(
        cls,
        features: Sequence[Sequence[Sequence[int]]],
        n_features: int,
        *,
        history: Sequence[Sequence[Sequence[int]]] | None = None,
        modes: Sequence[int] = (),
        transitions: bool = True,
        tags: Sequence[Sequence[int]] | None = None,
        n_tags: int = 0,
    ) -> Sequences:
        """Small sequences from lists: for every sequence and token the features."""
        offsets = np.concatenate([[0], np.cumsum([len(each) for each in features])]).astype(np.int64)
        indptr, numbers = _csr([token for each in features for token in each])
        none: Any = [[()] * len(each) for each in features]
        history_indptr, history_numbers = _csr([token for each in history or none for token in each])
        codes = None if tags is None else np.array([tag for each in tags for tag in each], np.int32)
        return cls(
            offsets,
            indptr,
            numbers,
            n_features,
            history_indptr,
            history_numbers,
            np.array(modes, np.int32),
            transitions,
            codes,
            n_tags,
        )

    def __post_init__(self) -> None:
        if self.tags is not None and (self.tags.shape != (self.n_tokens,) or self.tags.max(initial=-1) >= self.n_tags):
            raise DataError("there must be one tag for every token, from 0 to below the number of tags.")

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.offsets[-1])

    def with_tags(self, tags: Columns, n_tags: int) -> Sequences:
        """The same tokens with tags."""
        return dataclasses.replace(self, tags=frozen(np.asarray(tags, np.int32)), n_tags=n_tags)

    def digest(self) -> str:
        """A text that differs for other data."""
        digest = hashlib.blake2b(repr((self.n_features, self.transitions, self.n_tags)).encode(), digest_size=16)
        arrays = (self.offsets, self.indptr, self.features, self.history_indptr, self.history, self.modes, self.tags)
        for array in arrays:
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def _csr(rows: list[Sequence[int]]) -> tuple[Ints, Columns]:
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([number for row in rows for number in row], np.int32)
