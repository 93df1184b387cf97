"""The distinct texts of every list: what depends on the text alone is computed once for all copies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.metrics.tokens import Tokens, tokenised
from runoff.ranking import first_round
from runoff.tasks.text.tokenizer import tokenize

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False)
class DistinctTexts:
    """The distinct texts of every list, in order of first appearance.

    The texts of list `i` are rows `offsets[i]` to `offsets[i + 1]` of every array with one entry per text. Candidate
    `row` of the data has text `text_of[row]`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["a cat", "a dog", "a cat", "a dog"], sizes=[3, 1]))
    >>> lists.texts.to_pylist(), lists.offsets.tolist(), lists.text_of.tolist(), lists.copies.tolist()
    (['a cat', 'a dog', 'a dog'], [0, 2, 3], [0, 1, 0, 2], [2.0, 1.0, 1.0])
    """

    data: NBest
    texts: pa.Array
    offsets: Ints
    text_of: Ints
    copies: Floats

    @classmethod
    def of(cls, data: NBest) -> DistinctTexts:
        """Find the distinct texts of every list. O(characters)."""
        if data.texts is None:
            raise DataError("text features need candidates with texts; these candidates have no texts.")
        code = data.texts.dictionary_encode().indices.to_numpy().astype(np.int64)
        pair = data.group_of * (int(code.max(initial=0)) + 1) + code
        _, first_row, inverse, copies = np.unique(pair, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first_row)  # in order of appearance, not of their codes
        place_of = np.empty(order.size, np.int64)
        place_of[order] = np.arange(order.size)
        rows = first_row[order]
        return cls(
            data,
            data.texts.take(pa.array(rows)),
            frozen(np.searchsorted(rows, data.offsets).astype(np.int64)),
            frozen(place_of[inverse]),
            frozen(copies[order].astype(np.float64)),
        )

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def n_texts(self) -> int:
        """Number of distinct texts, summed over lists."""
        return int(self.offsets[-1])

    @property
    def sizes(self) -> Ints:
        """Number of distinct texts of every list."""
        return np.diff(self.offsets)

    @cached_property
    def list_of(self) -> Ints:
        """List of every text."""
        return frozen(np.repeat(np.arange(len(self)), self.sizes))

    @cached_property
    def first(self) -> Ints:
        """The first round's choice of every list, as a row of the texts; -1 for an empty list."""
        ranked = first_round(self.data)
        out = np.full(len(self), -1, np.int64)
        out[ranked.filled] = self.text_of[ranked.top]
        return frozen(out)

    @cached_property
    def words(self) -> Tokens:
        """Words of the texts, followed by those of the inputs: text `n_texts + i` is the input of list `i`."""
        inputs = pa.array([""] * len(self), pa.large_string())
        if self.data.inputs is not None:
            inputs = self.data.inputs.cast(pa.large_string()).fill_null("")
        return tokenised(pa.concat_arrays([self.texts.cast(pa.large_string()), inputs]), tokenize)
