"""A metric gives every choice a row of additive statistics and scores a sum of rows.

Corpus score, oracle, bootstrap and randomisation test are then array operations, written once for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.errors import DataError

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


class Metric(ABC):
    """What every metric can do; statistics are float64, one row per group."""

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """How the metric is written by a person: its name and cut-off."""
        return self.name

    @property
    @abstractmethod
    def signature(self) -> str:
        """Name and every option that changes the number, as `name|option:value|…`."""

    @abstractmethod
    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of what the ranking puts forward, one row per group; zeros for a group without candidates."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """Score of summed rows; works on any number of sums at once (statistics along the last axis)."""

    @abstractmethod
    def quality(self, data: NBest) -> Floats:
        """Goodness of every candidate under this metric, higher is better: what a learner trains on."""

    @abstractmethod
    def random_rows(self, data: NBest, seed: int) -> Floats:
        """Expected statistics of a choice made blindly, one row per group."""

    def __repr__(self) -> str:
        return f"<metric {self.signature}>"


class PickMetric(Metric):
    """A metric of the one candidate that is chosen in each group."""

    @property
    def key(self) -> str:
        """Name under which ready-made statistics are found in `NBest.stats`."""
        return self.label

    @abstractmethod
    def compute(self, data: NBest) -> Floats:
        """Statistics of every candidate, from its text and the references."""

    def statistics(self, data: NBest) -> Floats:
        """Statistics of every candidate: those that the data carries, else computed."""
        ready = data.stats.get(self.key)
        return self.compute(data) if ready is None else ready

    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of the winners."""
        statistics = self.statistics(data)
        out = np.zeros((len(data), statistics.shape[1]))
        out[ranking.filled] = statistics[ranking.top]
        return out

    def random_rows(self, data: NBest, seed: int) -> Floats:  # noqa: ARG002 - exact, needs no draw
        """Mean of the candidates' statistics: exact expectation of the sums."""
        statistics = self.statistics(data)
        totals = np.zeros((data.n_candidates + 1, statistics.shape[1]))
        np.cumsum(statistics, axis=0, out=totals[1:])
        sums = totals[data.offsets[1:]] - totals[data.offsets[:-1]]
        out: Floats = sums / np.maximum(data.sizes, 1)[:, None]
        return out


def required_quality(data: NBest, metric: str) -> Floats:
    """Quality as the data carries it, or a sentence that says what is missing."""
    if data.quality is None:
        raise DataError(
            f"{metric} needs the quality (or relevance) of every candidate and this data has none; "
            "add it, or give references and a metric that uses them."
        )
    return data.quality
