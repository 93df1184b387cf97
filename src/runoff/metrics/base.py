"""A metric gives every choice a row of additive statistics and scores a sum of rows.

Corpus score, oracle, bootstrap and randomisation test are then array operations, written once for all metrics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from runoff.errors import DataError
from runoff.metrics.options import check_choice, constructor, label

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True, repr=False)
class Metric(ABC):
    """Interface of every metric; statistics are float64, one row per group.

    A metric is a frozen dataclass whose fields are its options; from these the registry reads, checks and writes them
    as text.

    Parameters
    ----------
    ties
        What counts where neither the score nor the first round's score decides between candidates: "input-order",
        the one that comes first, which is also picked; or "expected", the mean over all orders of the tied ones
        (McSherry & Najork 2008).

    Examples
    --------
    >>> from runoff.metrics import get
    >>> metric = get("wer")
    >>> metric.label, metric.higher_is_better, metric.limit
    ('wer', False, 0.0)
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    limit: ClassVar[float | None] = None  # best possible score, if there is one
    digits: ClassVar[int] = 4  # decimals to print: two on a scale of 0 to 100
    counts: ClassVar[str] = ""  # what a score counts, such as edits per 100 words; points of the metric where empty
    quick: ClassVar[bool] = True  # whether it is computed as soon as data is read
    reads_quality: ClassVar[bool] = False  # whether it uses the quality that the data carries

    ties: Literal["input-order", "expected"] = field(default="input-order", kw_only=True)

    def __post_init__(self) -> None:
        check_choice(self, "ties")

    @property
    def in_expectation(self) -> Self:
        """The same metric with tied candidates in random order: what is chosen by it does not depend on their order.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("map").in_expectation
        MAP(ties='expected')
        """
        return replace(self, ties="expected")

    @property
    def label(self) -> str:
        """The metric as text: name, cut-off and the options that differ from their defaults."""
        return label(self)

    @property
    def unit(self) -> str:
        """What a score is, in words.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("wer").unit, get("bleu").unit, get("ndcg@10").unit
        ('word errors per 100 words', 'points of bleu', 'ndcg@10')
        """
        return self.counts or (f"points of {self.label}" if self.digits == 2 else self.label)

    @property
    @abstractmethod
    def signature(self) -> str:
        """Name and every option that changes the number, as `name|option:value|…`."""

    @abstractmethod
    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of what the ranking selects, one row per group; zeros for a group without candidates."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """Score of summed rows; works on any number of sums at once (statistics along the last axis)."""

    def signed(self, sums: Floats) -> Floats:
        """Score of summed rows, negated where lower is better, so that higher is always better.

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("wer").signed(np.array([[1.0, 0.0, 0.0, 4.0], [0.0, 2.0, 0.0, 4.0]])).tolist()
        [-25.0, -50.0]
        """
        return self.score(sums) if self.higher_is_better else -self.score(sums)

    @abstractmethod
    def quality(self, data: NBest) -> Floats:
        """Quality of every candidate under this metric, higher is better; learners train on it."""

    @abstractmethod
    def random_rows(self, data: NBest, seed: int) -> Floats:
        """Expected statistics of a random choice, one row per group."""

    def perfect(self, data: NBest) -> float | None:  # noqa: ARG002 - a metric may look at the data
        """Best possible score, whatever the candidates; None if there is no limit."""
        return self.limit

    def __repr__(self) -> str:
        return constructor(self)


@dataclass(frozen=True, repr=False)
class PickMetric(Metric):
    """A metric of the one candidate that is chosen in each group.

    Examples
    --------
    >>> @dataclass(frozen=True, repr=False)
    ... class Length(PickMetric):
    ...     name = "length"
    ...     columns = ("characters", "choices")
    ...     signature = "length|mean"
    ...
    ...     def compute(self, data):
    ...         return np.array([[len(text), 1.0] for text in data.texts.to_pylist()])
    ...
    ...     def quality_of(self, statistics):
    ...         return statistics[:, 0]
    ...
    ...     def score(self, sums):
    ...         return sums[..., 0] / sums[..., 1]
    >>> from runoff.nbest import NBest
    >>> Length().quality(NBest.from_arrays(texts=["a", "abc"], sizes=[2])).tolist()
    [1.0, 3.0]
    """

    columns: ClassVar[tuple[str, ...]]  # names of the statistics, for reports and for data that carries its own
    penalises_corpus: ClassVar[bool] = False  # whether one penalty, such as that of brevity, is for all lists together

    @property
    def key(self) -> str:
        """Name under which precomputed statistics are found in `NBest.stats`."""
        return replace(self, ties="input-order").label  # candidates have the same statistics in any order

    @abstractmethod
    def compute(self, data: NBest) -> Floats:
        """Statistics of every candidate, from its text and the references."""

    def compute_all(self, data: NBest) -> dict[str, Floats]:
        """Statistics of this metric under its `key`, and those of other metrics that the same computation yields.

        For metrics whose variants, such as cut-offs, are computed together at the cost of one.
        """
        return {self.key: self.compute(data)}

    @abstractmethod
    def quality_of(self, statistics: Floats) -> Floats:
        """Quality of every candidate from its statistics, higher is better."""

    def statistics(self, data: NBest) -> Floats:
        """Statistics of every candidate: from the data if it carries them, else computed."""
        ready = data.stats.get(self.key)
        if ready is None:
            return self.compute(data)
        if ready.shape[1] != len(self.columns):
            raise DataError(
                f"the data carries statistics for {self.key} with {ready.shape[1]} columns; "
                f"expected {len(self.columns)}: {', '.join(self.columns)}."
            )
        return ready

    def quality(self, data: NBest) -> Floats:
        """Quality of every candidate, from its statistics."""
        return self.quality_of(self.statistics(data))

    def rows(self, data: NBest, ranking: Ranking) -> Floats:
        """Statistics of the chosen candidates; their mean over tied ones, where these count as expected."""
        rows, counts = ranking.tied_tops if self.ties == "expected" else (ranking.top, ranking.filled.astype(np.int64))
        return _means(self.statistics(data)[rows], counts)

    def random_rows(self, data: NBest, seed: int) -> Floats:  # noqa: ARG002 - exact, needs no draw
        """Mean of the candidates' statistics, which is their exact expectation."""
        return _means(self.statistics(data), data.sizes)


def _means(rows: Floats, counts: Ints) -> Floats:
    """Mean of so many successive rows for every group; zeros for a group without any."""
    filled, out = counts > 0, np.zeros((counts.size, rows.shape[1]))
    if filled.any():
        out[filled] = np.add.reduceat(rows, (np.cumsum(counts) - counts)[filled], axis=0) / counts[filled, None]
    return out


def ratio(above: Floats, below: Floats | Ints) -> Floats:
    """Divide; 0 where the divisor is 0.

    Examples
    --------
    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    return np.divide(above, below, out=np.zeros(above.shape), where=below != 0)


def required_quality(data: NBest, metric: str) -> Floats:
    """Quality that the data carries; raises if there is none."""
    if data.quality is None:
        raise DataError(
            f"{metric} needs the quality (or relevance) of every candidate and this data has none; "
            "add it, or give references and a metric that uses them."
        )
    return data.quality
