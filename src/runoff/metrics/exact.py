"""Share of choices that say exactly what a reference says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.base import ratio
from runoff.metrics.texts import judged_texts
from runoff.metrics.textual import TextMetric

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class Exact(TextMetric):
    """Share (0 to 1) of chosen texts that equal a reference but for white space.

    Runs of white space count as one space and white space at the ends does not count.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a  b ", "a c"], sizes=[2], references=[["a b", "b"]])
    >>> Exact().quality(data).tolist()
    [1.0, 0.0]
    """

    name = "exact"
    limit = 1.0
    columns = ("hit", "choices")

    @property
    def signature(self) -> str:
        """White space and case are told because other tools differ in them."""
        return "exact|space:normalised|case:mixed"

    def compute(self, data: NBest) -> Floats:
        """Hit and 1. O(total length of the texts)."""
        texts, references = judged_texts(data, self.name)
        right = [{_plain(reference) for reference in group} for group in references]
        out = np.ones((data.n_candidates, 2))
        for group, (start, stop) in enumerate(zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)):
            out[start:stop, 0] = [_plain(text) in right[group] for text in texts[start:stop]]
        return out

    def goodness(self, statistics: Floats) -> Floats:
        """1 for a hit, else 0."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Share of hits; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])


def _plain(text: str) -> str:
    return " ".join(text.split())
