"""Exact line search under a metric of additive statistics (Och 2003): where along a line of weights it is best."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.mert import changes_along, sums_of_leaders
from runoff.kernels.mert_orders import crossings, orders_between
from runoff.kernels.ordering import best_first
from runoff.metrics import PickMetric, RankingMetric, with_statistics
from runoff.ranking import by_score

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_EQUAL = 1e-10  # scores that differ by less, relative to their size, are equal: sums of statistics are rounded
_NARROW = 1e-9  # intervals below this width, relative to where they are, may be rounding errors of one crossing
_GRADES_AT_ONCE = 1 << 20  # of the orders that a metric of whole rankings judges together
_MOST_CROSSINGS = 1 << 26  # half a gigabyte


class Changes(NamedTuple):
    """Summed statistics along a line: far to the left, and by how much they change where. Places are in any order."""

    sums: Floats
    where: Floats
    changes: Floats


class LineStep(NamedTuple):
    """How far to go along a direction, and the metric there, higher being better."""

    length: float
    score: float


class Judge(Protocol):
    """Statistics of what scores choose."""

    def sums(self, scores: Floats) -> Floats:
        """Summed statistics of what these scores choose."""

    def along(self, scores: Floats, slope: Floats, rows: Ints | None = None) -> Changes:
        """Summed statistics of what `scores + t * slope` choose, for all t; `rows` are `by_slope`, if known."""


class PickJudge:
    """The leaders of all lists, for a metric of the one candidate that is chosen. O(n log k) for lists of k.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> judge = PickJudge(NBest.from_arrays(quality=[0, 1, 5], sizes=[3]), get("quality"))
    >>> found = judge.along(np.array([0.0, 1.0, 0.0]), np.array([-1.0, 0.0, 2.0]))
    >>> found.sums.tolist(), found.where.tolist(), found.changes[:, 0].tolist()
    ([0.0, 1.0], [-1.0, 0.5], [1.0, 4.0])
    """

    def __init__(self, data: NBest, metric: PickMetric) -> None:
        self._offsets, self._second = frozen(data.offsets), _first_round(data)
        statistics = metric.statistics(with_statistics(data, metric))
        self._statistics = frozen(np.ascontiguousarray(statistics, np.float64))

    def sums(self, scores: Floats) -> Floats:
        """Of the leader of every list; ties count in expectation."""
        found: Floats = sums_of_leaders(self._offsets, frozen(scores), self._second, self._statistics)
        return found

    def along(self, scores: Floats, slope: Floats, rows: Ints | None = None) -> Changes:
        """By the upper envelope of every list."""
        rows = by_slope(self._offsets, slope) if rows is None else rows
        parts = (frozen(scores), frozen(slope), self._second, self._statistics)
        return Changes(*changes_along(self._offsets, rows, *parts))


class RankingJudge:
    """All orders of all lists, for a metric of whole rankings. O(k² log k + orders * k log k) for a list of k."""

    def __init__(self, data: NBest, metric: RankingMetric) -> None:
        self._data, self._metric, self._second = data, metric, _first_round(data)
        self._grades = frozen(metric.quality(data))
        self._graded = metric.graded(data, self._grades, by_score(data, np.zeros(data.n_candidates)))
        pairs = int((data.sizes * (data.sizes - 1) // 2).sum())
        if pairs > _MOST_CROSSINGS:
            raise UsageError(
                f"MERT follows every pair of candidates under {metric.label}, a metric of whole rankings, and "
                f"{pairs:,} pairs are too many; name a metric of the choice alone, such as quality, or take crf."
            )

    def sums(self, scores: Floats) -> Floats:
        """Of the order of every list; ties count in expectation."""
        sums: Floats = self._metric.rows(self._data, by_score(self._data, scores)).sum(axis=0)
        return sums

    def along(self, scores: Floats, slope: Floats, rows: Ints | None = None) -> Changes:  # noqa: ARG002 - not by slope
        """By the order of every list between all crossings of different grades."""
        offsets, scores, slope = self._data.offsets, frozen(scores), frozen(slope)
        ends, where = crossings(offsets, self._grades, scores, slope)
        orders = np.diff(ends) + 1
        values = np.empty(int(orders.sum()))
        cuts = _cuts(orders * self._data.sizes)
        to = 0
        for first, last in pairwise(cuts):
            parts = (offsets, ends, where, self._grades, scores, slope, self._second)
            groups, grades, tied = orders_between(int(first), int(last), *parts)
            values[to : to + groups.size] = self._metric.values(self._graded.reordered(groups, grades, tied))
            to += groups.size
        starts = np.cumsum(orders) - orders
        filled = self._data.sizes > 0
        changes = np.zeros((where.size, 2))
        is_first = np.zeros(values.size, bool)
        is_first[starts] = True
        changes[:, 0] = np.diff(values, prepend=0.0)[~is_first]
        changed = changes[:, 0] != 0
        sums = np.array([values[starts[filled]].sum(), filled.sum()], np.float64)
        return Changes(sums, where[changed], changes[changed])


class LineSearch:
    """The best place along a line of weights, exactly: the metric changes only where a choice does.

    Of all intervals between two changes the best is taken, and its middle; among neighbouring ones that are equally
    good, and among several such runs, the widest, then the one nearest to where the search starts. With `smooth` each
    interval counts as the mean of itself and so many on either side (Cer, Jurafsky & Manning 2008), but none is taken
    that is worse than the start. Costs `Judge.along`, and O(c log c) for c changes.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 5, 1], sizes=[3])
    >>> LineSearch(data, get("quality")).best(np.array([0.0, 1.0, 0.0]), np.array([-1.0, 0.0, 2.0]))
    LineStep(length=-0.25, score=5.0)
    """

    def __init__(self, data: NBest, metric: Metric, smooth: int = 0) -> None:
        self.metric = metric.in_expectation
        self.judge = judge_of(data, self.metric)
        self._smooth = smooth

    def score(self, scores: Floats) -> float:
        """The metric of what these scores choose, higher being better."""
        return float(self.metric.signed(self.judge.sums(scores)))

    def best(self, scores: Floats, slope: Floats, rows: Ints | None = None) -> LineStep:
        """The best place along `scores + t * slope`."""
        found = self.judge.along(scores, slope, rows)
        order = np.argsort(found.where)
        ends = np.concatenate([[-np.inf], found.where[order], [np.inf]])
        sums = np.cumsum(np.concatenate([found.sums[None, :], found.changes[order]]), axis=0)
        low, high = ends[:-1], ends[1:]
        counts = high - low > _NARROW * (1.0 + np.minimum(np.abs(low), np.abs(high)))
        low, high = low[counts], high[counts]
        exact = np.asarray(self.metric.signed(sums[counts]), np.float64)
        if exact.size == 0:  # nothing changes
            return LineStep(0.0, self.score(scores))
        judged = exact
        if self._smooth:
            start = min(int(np.searchsorted(high, 0.0)), exact.size - 1)
            judged = np.where(exact >= exact[start] - _slack(exact[start]), _means(exact, self._smooth), -np.inf)
        is_best = judged >= judged.max() - _slack(judged.max())
        return _widest(low, high, exact, is_best)


def by_slope(offsets: Ints, slope: Floats) -> Ints:
    """Rows of every group by ascending slope. O(n log k)."""
    rows: Ints = frozen(best_first(offsets, frozen(-slope), frozen(np.zeros(slope.size))))
    return rows


def judge_of(data: NBest, metric: Metric) -> Judge:
    """What follows the choices under this metric."""
    if isinstance(metric, PickMetric):
        return PickJudge(data, metric)
    if isinstance(metric, RankingMetric):
        return RankingJudge(data, metric)
    raise UsageError(
        f"MERT needs a metric of the choice or of whole rankings (a PickMetric or a RankingMetric), and {metric.label} "
        "is neither."
    )


def _widest(low: Floats, high: Floats, exact: Floats, is_best: Floats) -> LineStep:
    """The middle of the widest run of the best intervals; of equally wide ones the nearest to zero."""
    edges = np.diff(np.concatenate([[0], is_best.astype(np.int8), [0]]))
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    width = high[last] - low[first]
    middles = np.array([_middle(*each) for each in zip(low[first], high[last], strict=True)])
    at = int(np.lexsort((np.abs(middles), -width))[0])
    middle = float(middles[at])
    there = int(np.searchsorted(high, middle))  # intervals whose means are equal need not be
    if min(middle - low[there], high[there] - middle) <= _NARROW * (1.0 + abs(middle)):
        middle = _middle(low[there], high[there])  # where two equally good intervals meet, candidates tie
    return LineStep(middle, float(exact[there]))


def _middle(low: float, high: float) -> float:
    """Middle of an interval; in one without an end as far from the other end as that is from zero, at least 1."""
    if np.isinf(low) and np.isinf(high):
        return 0.0
    if np.isinf(low):
        return high - max(1.0, abs(high))
    return low + max(1.0, abs(low)) if np.isinf(high) else low + 0.5 * (high - low)


def _means(scores: Floats, reach: int) -> Floats:
    """Mean of every score and of `reach` neighbours on either side, as far as there are any."""
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    at = np.arange(scores.size)
    first, last = np.maximum(at - reach, 0), np.minimum(at + reach + 1, scores.size)
    means: Floats = (sums[last] - sums[first]) / (last - first)
    return means


def _slack(score: float) -> float:
    return _EQUAL * max(1.0, abs(float(score)))


def _first_round(data: NBest) -> Floats:
    return frozen(data.base if data.base is not None else np.zeros(data.n_candidates))


def _cuts(work: Ints) -> Ints:
    """Boundaries of runs of groups that are judged together."""
    batch = np.cumsum(work) // _GRADES_AT_ONCE
    return np.concatenate([[0], np.flatnonzero(np.diff(batch)) + 1, [work.size]])
