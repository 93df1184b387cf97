"""Mean quality of the chosen candidates, as the data carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.base import PickMetric, ratio, required_quality

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class Quality(PickMetric):
    """Mean quality of the chosen candidates; groups without candidates do not count.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> Quality().statistics(NBest.from_arrays(quality=[0.5, 1.0], sizes=[2])).tolist()
    [[0.5, 1.0], [1.0, 1.0]]
    """

    name = "quality"
    reads_quality = True
    columns = ("quality", "choices")

    @property
    def signature(self) -> str:
        """There are no options."""
        return "quality|mean"

    def perfect(self, data: NBest) -> float | None:
        """0 if quality is a negated loss (nothing above 0), 1 if it is a share (0 to 1), else unknown."""
        quality = data.quality
        if quality is None or not quality.size or quality.max() > 1:
            return None
        if quality.max() <= 0:
            return 0.0
        return 1.0 if quality.min() >= 0 else None

    def compute(self, data: NBest) -> Floats:
        """Quality and 1."""
        quality = required_quality(data, self.name)
        return np.column_stack([quality, np.ones(quality.size)])

    def quality(self, data: NBest) -> Floats:
        """That of the data, without a copy."""
        return super().quality(data) if self.key in data.stats else required_quality(data, self.name)

    def quality_of(self, statistics: Floats) -> Floats:
        """Quality itself."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Mean; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])
