"""What metrics of texts share: which texts are the same answer, and how good a text is if the others are right."""

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

_PAIRS = 1 << 18  # pairs of texts that are judged at a time


@dataclass(frozen=True, repr=False)
class TextMetric(PickMetric):
    """A metric that compares the text of the chosen candidate with references."""

    compares_quickly: ClassVar[bool] = True  # whether every two texts of many lists can be compared with each other

    def canonical(self, text: str) -> str:
        """What two texts have in common if this metric takes them for the same answer: they vote together.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("exact").canonical(" a   cat ")
        'a cat'
        """
        return " ".join(text.split())

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Quality of every text that is to be expected where one of its list is the reference, drawn by weight.

        Texts of list `i` are `offsets[i]` to `offsets[i + 1]`; `weights` has a row for each text, not negative,
        and a column for each way to weigh; so has the result. A text may be its own reference. The text with the
        highest value is the choice of least Bayes risk (Kumar & Byrne 2004). O(k²) comparisons for lists of k.

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
        """Of a few lists, by judging every pair."""
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
