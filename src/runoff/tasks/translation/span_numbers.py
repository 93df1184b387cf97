"""Numbers of all short spans of one side of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.span_numbers import number_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints
    from runoff.metrics.tokens import Tokens


@dataclass(frozen=True, eq=False)
class SpanNumbers:
    """Number `numbers[k, i]` for the span of k + 1 words from place i of `words` on; in lexicographic order of words.

    Span number s is `words[places[s] : places[s] + lengths[s]]`.
    """

    words: Columns
    offsets: Ints
    numbers: NDArray[np.int32]
    places: Ints
    lengths: Ints

    def __len__(self) -> int:
        return int(self.places.size)

    @classmethod
    def of(cls, tokens: Tokens, longest: int) -> SpanNumbers:
        """Number the spans of up to `longest` words. O(words * (longest + log words)); 100 bytes for every word."""
        offsets = tokens.offsets - tokens.offsets[0]
        words = tokens.ids[tokens.offsets[0] : tokens.offsets[-1]].astype(np.int32)
        room = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(words.size)  # words up to the end of the text
        columns = np.full((longest, words.size), -1, np.int32)
        for k in range(min(longest, words.size)):
            fits = np.flatnonzero(room > k)
            columns[k, fits] = words[fits + k]
        order = np.lexsort(columns[::-1])
        numbers = np.empty_like(columns)
        count = number_spans(order, columns, numbers)
        places, lengths = np.empty(count, np.int64), np.empty(count, np.int64)
        for k, row in enumerate(numbers):
            fits = np.flatnonzero(row >= 0)
            places[row[fits]], lengths[row[fits]] = fits, k + 1
        return cls(*map(frozen, (words, offsets, numbers, places, lengths)))

    def of_spans(self, sentences: Ints, starts: Columns, ends: Columns) -> Columns:
        """Numbers of spans of sentences."""
        found: Columns = self.numbers[ends - starts - 1, self.offsets[sentences] + starts]
        return found

    def spelled(self, spans: Ints) -> tuple[Ints, Columns]:
        """The words of some spans, one after the other, and where each begins."""
        lengths = self.lengths[spans]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return offsets, self.words[np.arange(offsets[-1]) + np.repeat(self.places[spans] - offsets[:-1], lengths)]
