"""Stretches of tokens with a label: phrases of a tagging, or nested constituents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Columns, Ints


class Span(NamedTuple):
    """One stretch: tokens from `start` up to, not including, `stop`, counted from the beginning of its sentence.

    Examples
    --------
    >>> Span(2, 0, 3, "NP").stop
    3
    """

    sentence: int
    start: int
    stop: int
    label: str


@dataclass(frozen=True, eq=False)
class Spans:
    """All stretches of a corpus as arrays, in the order of their starts, longer ones first.

    Examples
    --------
    >>> spans = Spans(np.array([0, 3]), np.array([2, 4]), np.array([0, 1], np.int32), ("NP", "VP"))
    >>> list(spans.of(np.array([0, 2, 4])))
    [Span(sentence=0, start=0, stop=2, label='NP'), Span(sentence=1, start=1, stop=2, label='VP')]
    """

    starts: Ints  # tokens are counted from the beginning of the corpus
    stops: Ints
    codes: Columns  # of labels
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.starts.size)

    def of(self, offsets: Ints) -> Iterator[Span]:
        """Every stretch by itself, in sentences that begin at these offsets."""
        sentences = np.searchsorted(offsets, self.starts, side="right") - 1
        first = offsets[sentences]
        for sentence, start, stop, code in zip(
            sentences.tolist(),
            (self.starts - first).tolist(),
            (self.stops - first).tolist(),
            self.codes.tolist(),
            strict=True,
        ):
            yield Span(sentence, start, stop, self.labels[code])

    def texts(self) -> list[str]:
        """The label of every stretch."""
        return [self.labels[code] for code in self.codes.tolist()]
