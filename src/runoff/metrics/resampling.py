"""How scores and differences are resampled: one object for resamples, confidence, trials, seed and blocks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import UsageError
from runoff.metrics.significance import interval, paired_bootstrap, randomisation
from runoff.nbest.blocks import blocks

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics.base import Metric
    from runoff.metrics.significance import Difference, Interval
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Resampling:
    """How bootstrap and randomisation test are run; part of the signature of every number that comes from them.

    Rows are a metric's statistics, one row per group. The same seed gives the same bits on any number of threads.
    Reports resample `over` their lists: lists that belong together are drawn and swapped as a whole.

    Parameters
    ----------
    resamples
        Number of bootstrap resamples, for intervals.
    confidence
        Share of the resampled scores that an interval covers, between 0 and 1.
    trials
        Number of trials of the randomisation test, for p-values.
    seed
        Seed of both.
    group_by
        What is drawn as a whole, see `runoff.blocks`: lists with the same value of this attribute, or "none" for every
        list by itself. Default: lists that share a reference or an input.
    blocks
        Number of every row's block, as `over` finds it; None: every row stands alone.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.metrics import Quality
    >>> a, b = np.ones((20, 2)), np.tile([0.5, 1.0], (20, 1))
    >>> resampling = Resampling(resamples=999, trials=999)
    >>> resampling.interval(b, Quality())
    Interval(low=0.5, high=0.5)
    >>> resampling.difference(a, b, Quality())
    Difference(delta=0.5, low=0.5, high=0.5, p=0.002)
    >>> resampling.p_value(a, b, Quality())
    0.001
    >>> resampling.signature
    'bootstrap:999|confidence:0.95|randomisation:999|seed:0'
    """

    resamples: int = 1_000
    confidence: float = 0.95
    trials: int = 10_000
    seed: int = 0
    group_by: str | None = None
    blocks: Ints | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.trials < 1 or not 0 < self.confidence < 1:
            raise UsageError("resamples and trials must be at least 1, and confidence between 0 and 1.")

    def over(self, data: NBest) -> Resampling:
        """The same for rows of these lists, those that belong together as one. O(characters of references and inputs).

        Examples
        --------
        >>> from runoff.nbest import NBest
        >>> data = NBest.from_arrays(texts=["a", "b", "c", "d"], sizes=[1] * 4, references=["a", "b", "a", "c"])
        >>> Resampling().over(data).signature_parts[0]
        'blocks:3'
        """
        found = blocks(data, self.group_by)
        return replace(self, blocks=found.numbers if found.count < len(data) else None)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Every setting as `name:value`; the number of blocks where that is not the number of lists."""
        drawn = () if self.blocks is None else (f"blocks:{np.unique(self.blocks).size}",)
        return (
            *drawn,
            f"bootstrap:{self.resamples}",
            f"confidence:{self.confidence:g}",
            f"randomisation:{self.trials}",
            f"seed:{self.seed}",
        )

    @property
    def signature(self) -> str:
        """The parts, joined as in the signature of a metric."""
        return "|".join(self.signature_parts)

    def interval(self, rows: Floats, metric: Metric) -> Interval:
        """Confidence interval of the score, by bootstrap over groups or blocks. O(resamples groups width)."""
        return interval(rows, metric.score, **self._bootstrap)

    def difference(self, rows_a: Floats, rows_b: Floats, metric: Metric) -> Difference:
        """How much better A is than B, by paired bootstrap; above 0 is better for every metric, error rates too.

        O(resamples groups width).
        """
        return paired_bootstrap(rows_a, rows_b, metric.signed, **self._bootstrap)

    def p_value(self, rows_a: Floats, rows_b: Floats, metric: Metric) -> float:
        """Two-sided p-value of the difference, by approximate randomisation. O(trials groups width)."""
        return randomisation(rows_a, rows_b, metric.score, trials=self.trials, seed=self.seed, blocks=self.blocks)

    @property
    def _bootstrap(self) -> dict[str, Any]:
        return {
            "resamples": self.resamples,
            "confidence": self.confidence,
            "seed": self.seed,
            "blocks": self.blocks,
        }
