"""Metrics that compare texts: which texts count as the same answer, and the expected quality of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.arrays import frozen
from runoff.metrics.base import PickMetric
from runoff.metrics.expected_quality import weighted_means
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints

_PAIRS = 1 << 18  # pairs of texts that are compared at a time


@dataclass(frozen=True, repr=False)
class TextMetric(PickMetric):
    """A metric that compares the text of the chosen candidate with references.

    Examples
    --------
    >>> from runoff.metrics import WER, ExactMatch
    >>> [isinstance(metric, TextMetric) for metric in (WER(), ExactMatch(case="lower"))]
    [True, True]
    """

    compares_quickly: ClassVar[bool] = True  # whether comparing all pairs of a list is affordable

    def canonical(self, text: str) -> str:
        """Canonical form of a text: texts with the same form are the same answer to this metric and vote together.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("exact").canonical(" a   cat ")
        'a cat'
        """
        return " ".join(text.split())

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Expected quality of every text if the reference is a text of its list, drawn by weight.

        Texts of list `i` are `offsets[i]` to `offsets[i + 1]`; `weights` are not negative, with a row per text and a
        column per weighting; the result has the same shape. A text may be its own reference. The text with the highest
        value is the minimum Bayes risk choice (Kumar & Byrne 2004). O(k²) comparisons for lists of k.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> copies = np.array([[2.0], [1.0]])
        >>> get("exact").expected(["a cat", "a dog"], np.array([0, 2]), copies).round(2).tolist()
        [[0.67], [0.33]]
        """
        out = np.zeros(weights.shape)
        starts = offsets[:-1].tolist()
        squares = np.concatenate([[0], np.cumsum(np.diff(offsets) ** 2)])
        first = 0
        while first < len(starts):
            last = max(first + 1, int(np.searchsorted(squares, squares[first] + _PAIRS, side="right")) - 1)
            rows = slice(int(offsets[first]), int(offsets[last]))
            out[rows] = self._expected(
                texts[rows], frozen(offsets[first : last + 1] - offsets[first]), frozen(weights[rows])
            )
            first = last
        return out

    def _expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """The same for a few lists, by comparing every pair."""
        sizes = np.diff(offsets)
        # One group for every text as the reference, with all texts of its list as candidates.
        size_of = np.repeat(sizes, sizes)
        ends = np.concatenate([[0], np.cumsum(size_of)])
        candidate = np.arange(ends[-1]) - np.repeat(ends[:-1] - np.repeat(offsets[:-1], sizes), size_of)
        pairs = NBest.from_arrays(
            texts=[texts[row] for row in candidate.tolist()], sizes=size_of, references=[[text] for text in texts]
        )
        quality = self.quality(pairs)
        out = np.zeros(weights.shape)
        np.add.at(out, candidate, quality[:, None] * weights[np.repeat(np.arange(size_of.size), size_of)])
        return weighted_means(out, offsets, weights)
