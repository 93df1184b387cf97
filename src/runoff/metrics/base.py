"""A metric gives every choice a row of additive statistics and scores a sum of rows.

Corpus score, oracle, bootstrap and randomisation test are then array operations, written once for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.errors import DataError
from runoff.metrics.options import constructor, label

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True, repr=False)
class Metric(ABC):
    """What every metric can do; statistics are float64, one row per group.

    A metric is a frozen dataclass whose fields are its options: that is all the registry needs to read
    them from text, to check them and to write them back.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    limit: ClassVar[float | None] = None  # best score there can be, where there is one
    digits: ClassVar[int] = 4  # decimals that people write: two on a scale of a hundred
    quick: ClassVar[bool] = True  # whether it is computed as soon as data is read
    reads_quality: ClassVar[bool] = False  # whether it judges by the quality that the data carries

    @property
    def label(self) -> str:
        """How the metric is written by a person: its name, cut-off and options that are not the default."""
        return label(self)

    @property
    @abstractmethod
    def signature(self) -> str:
        """Name and every option that changes the number, as `name|option:value|…`."""

    @abstractmethod
    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of what the ranking puts forward, one row per group; zeros for an empty group."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """Score of summed rows; works on any number of sums at once (statistics along the last axis)."""

    def signed(self, sums: Floats) -> Floats:
        """Score of summed rows, turned so that higher is always better.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("wer").signed(np.array([[1.0, 0.0, 0.0, 4.0], [0.0, 2.0, 0.0, 4.0]])).tolist()
        [-25.0, -50.0]
        """
        return self.score(sums) if self.higher_is_better else -self.score(sums)

    @abstractmethod
    def quality(self, data: NBest) -> Floats:
        """Goodness of every candidate under this metric, higher is better: what a learner trains on."""

    @abstractmethod
    def random_rows(self, data: NBest, seed: int) -> Floats:
        """Mean statistics of a choice made blindly, one row per group."""

    def perfect(self, data: NBest) -> float | None:  # noqa: ARG002 - a metric may look at the data
        """Score that no choice could beat, whatever the candidates; None where there is no such limit."""
        return self.limit

    def __repr__(self) -> str:
        return constructor(self)


@dataclass(frozen=True, repr=False)
class PickMetric(Metric):
    """A metric of the one candidate that is chosen in each group."""

    columns: ClassVar[tuple[str, ...]]  # what the statistics are, for reports and for data that brings its own

    @property
    def key(self) -> str:
        """Name under which ready-made statistics are found in `NBest.stats`."""
        return self.label

    @abstractmethod
    def compute(self, data: NBest) -> Floats:
        """Statistics of every candidate, from its text and the references."""

    def compute_all(self, data: NBest) -> dict[str, Floats]:
        """Statistics of this metric by its `key`, and of others that the same computation yields, by theirs.

        For metrics whose variants (cut-offs, say) are found together at the cost of one.
        """
        return {self.key: self.compute(data)}

    @abstractmethod
    def quality_of(self, statistics: Floats) -> Floats:
        """Quality of every candidate from its statistics, higher is better."""

    def statistics(self, data: NBest) -> Floats:
        """Statistics of every candidate: those that the data carries, else computed."""
        ready = data.stats.get(self.key)
        if ready is None:
            return self.compute(data)
        if ready.shape[1] != len(self.columns):
            raise DataError(
                f"the data brings statistics for {self.key} with {ready.shape[1]} columns; "
                f"expected {len(self.columns)}: {', '.join(self.columns)}."
            )
        return ready

    def quality(self, data: NBest) -> Floats:
        """Goodness of every candidate, from its statistics."""
        return self.quality_of(self.statistics(data))

    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of the winners."""
        statistics = self.statistics(data)
        out = np.zeros((len(data), statistics.shape[1]))
        out[ranking.filled] = statistics[ranking.top]
        return out

    def random_rows(self, data: NBest, seed: int) -> Floats:  # noqa: ARG002 - exact, needs no draw
        """Mean of the candidates' statistics: exact expectation of the sums."""
        statistics = self.statistics(data)
        filled = data.sizes > 0
        out = np.zeros((len(data), statistics.shape[1]))
        if filled.any():
            out[filled] = np.add.reduceat(statistics, data.offsets[:-1][filled], axis=0) / data.sizes[filled, None]
        return out


def ratio(above: Floats, below: Floats | Ints) -> Floats:
    """Divide, with 0 where there is nothing to divide by.

    Examples
    --------
    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def required_quality(data: NBest, metric: str) -> Floats:
    """Quality as the data carries it, or a sentence that says what is missing."""
    if data.quality is None:
        raise DataError(
            f"{metric} needs the quality (or relevance) of every candidate and this data has none; "
            "add it, or give references and a metric that uses them."
        )
    return data.quality
