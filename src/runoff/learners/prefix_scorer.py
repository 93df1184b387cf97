"""The dev score of every prefix of a training path, at the cost of the candidates whose scores change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.features import align
from runoff.kernels.boosting_replay import replay_picks, replay_rankings, settle, settle_picks
from runoff.metrics import PickMetric, RankingMetric, with_statistics
from runoff.ranking import by_score

if TYPE_CHECKING:
    import pyarrow as pa

    from runoff.arrays import Floats, Ints
    from runoff.kernels.boosting_replay import Data
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_BATCH = 1 << 17  # grades that snapshots of rankings may hold before the metric judges them
_UNIT_BITS = 40  # values of rankings are whole multiples of 2**-40: sums of them up to 8,000,000 groups fit 64 bits


class PrefixScorer:
    """Follows a training path on dev data; `sums[t]` are the metric's summed statistics after t rounds.

    Tied candidates count in expectation, whatever the metric's own `ties`: early prefixes leave many, and the best one
    must not depend on the order of the file. Every prefix is exact. A round costs the candidates that have its
    feature, and the size of every group in which it changes who is first; under a metric of whole rankings that of
    every group whose order or ties it changes, and the metric of these. Statistics are rounded to multiples of a power
    of two, so fine that no score changes by 1e-9, so that sums are exact: prefixes that make the same choices have the
    same sums, whatever lies between them.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> dev = NBest.from_arrays([[0, 1], [1, 0], [1, 1]], quality=[0, 1, 1], sizes=[3])
    >>> path = PrefixScorer(dev, get("mrr"), dev.features.column_names(), base_weight=0.0)
    >>> path.advance(np.array([1, 0, 1]), np.array([1.0, 1.0, -3.0]))
    >>> path.scores.round(6).tolist(), path.best
    ([0.833333, 0.75, 1.0, 1.0], 2)
    """

    def __init__(self, data: NBest, metric: Metric, names: pa.Array, base_weight: float) -> None:
        if base_weight and data.base is None:
            raise ModelError(
                "the training data has first-round scores and the dev data has none; add them, or set base=false."
            )
        self.metric = metric = metric.in_expectation
        self._place_of = np.full(len(names), -1, np.int64)
        mine = align(data.features, names)
        self._place_of[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
        self._scorer = _scorer(with_statistics(data, metric), metric, base_weight)
        self._pieces: list[Floats] = [self._scorer.first[None, :]]
        self.best, self._best_score = 0, metric.signed(self._scorer.first)  # the earliest prefix with the best score

    @property
    def sums(self) -> Floats:
        """Summed statistics after 0, 1, 2, … rounds."""
        return np.concatenate(self._pieces)

    @property
    def scores(self) -> Floats:
        """Metric after 0, 1, 2, … rounds."""
        return self.metric.score(self.sums)

    @property
    def last(self) -> float:
        """Metric after the last round."""
        return float(self.metric.score(self._pieces[-1][-1]))

    def advance(self, columns: Ints, deltas: Floats) -> None:
        """Follow further rounds; columns are indices into the names that were given at the start."""
        if columns.size == 0:
            return
        taken = sum(map(len, self._pieces))
        found = self._scorer.advance(self._place_of[columns], deltas)
        self._pieces.append(found)
        at = earliest_best(found, self.metric)
        score = self.metric.signed(found[at])
        if score > self._best_score:
            self.best, self._best_score = taken + at, score


class _PickScorer:
    """The winner of every group, or the tied ones, for a metric of the chosen candidate."""

    def __init__(self, data: NBest, metric: PickMetric, base_weight: float) -> None:
        self._data = _by_column(data)
        groups, largest = len(data), int(data.sizes.max(initial=0))
        stats, self._exponents = _whole_statistics(metric.statistics(data), max(groups, largest))
        self._stats = frozen(stats)
        held = np.zeros((groups, stats.shape[1]))
        self._picks = (_start(data, base_weight), np.full(groups, -1), np.ones(groups, bool), held)
        settle_picks(self._data, self._stats, self._picks)
        self._sums: Floats = held.sum(axis=0)
        self.first: Floats = np.ldexp(self._sums, self._exponents)

    def advance(self, columns: Ints, deltas: Floats) -> Floats:
        """Summed statistics after each of these rounds."""
        out = np.empty((columns.size, self._sums.size))
        replay_picks(self._data, self._stats, columns, deltas, self._picks, self._sums, out)
        sums: Floats = np.ldexp(out, self._exponents)
        return sums


class _RankingScorer:
    """The order and the ties of every group, for a metric of whole rankings.

    Rounds leave snapshots of the groups whose grades they reorder, tie or part, and the metric scores a batch of them
    at a time. Memory beside the data: 26 bytes for every candidate, and about 2 MB for a batch.
    """

    def __init__(self, data: NBest, metric: RankingMetric, base_weight: float) -> None:
        self._metric = metric
        self._data = _by_column(data)
        self._grades = frozen(metric.quality(data))
        score = _start(data, base_weight)
        ranking = by_score(data, score)
        order, tied = ranking.rows.copy(), np.array(ranking.tied)
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        largest = int(data.sizes.max(initial=0))
        self._orders = (score, order, place, tied, np.zeros(order.size, bool), np.empty(2 * largest, np.int64))
        room = max(_BATCH, largest, 2)
        # The order of a single candidate cannot change, so that every snapshot has two grades or more.
        rounds, groups = np.empty(room // 2, np.int64), np.empty(room // 2, np.int64)
        self._snapshots = (rounds, groups, np.empty(room), np.empty(room, bool))
        self._graded = metric.graded(data, self._grades, ranking)
        filled = data.sizes > 0
        self._value_of = np.where(filled, _whole(metric.values(self._graded)), 0)
        self._total, self._groups = int(self._value_of.sum()), int(filled.sum())
        self.first = self._as_sums(np.array([self._total]))[0]

    def advance(self, columns: Ints, deltas: Floats) -> Floats:
        """Summed statistics after each of these rounds."""
        changes = np.zeros(columns.size, np.int64)
        done, within = 0, 0
        while done < columns.size:
            done, within, count = replay_rankings(
                self._data, self._grades, columns, deltas, (done, within), self._orders, self._snapshots
            )
            self._judge(count, changes)
        totals = self._total + np.cumsum(changes)
        self._total = int(totals[-1])
        return self._as_sums(totals)

    def _judge(self, count: int, changes: Ints) -> None:
        at_round, at_group, grades, tied = self._snapshots
        at_round, at_group = at_round[:count], at_group[:count]
        values = self._metric.values(self._graded.reordered(at_group, grades, tied))
        settle(at_round, at_group, _whole(values), self._value_of, changes)

    def _as_sums(self, totals: Ints) -> Floats:
        return np.column_stack([np.ldexp(totals.astype(np.float64), -_UNIT_BITS), np.full(totals.size, self._groups)])


def earliest_best(sums: Floats, metric: Metric) -> int:
    """Index of the best score among summed statistics; of equal ones the earliest.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> earliest_best(np.array([[1.0, 4.0], [2.0, 4.0], [2.0, 4.0]]), get("map"))
    1
    """
    return int(np.argmax(metric.signed(sums)))


def _scorer(data: NBest, metric: Metric, base_weight: float) -> _PickScorer | _RankingScorer:
    if isinstance(metric, PickMetric):
        return _PickScorer(data, metric, base_weight)
    if isinstance(metric, RankingMetric):
        return _RankingScorer(data, metric, base_weight)
    raise TypeError(f"a metric must be a PickMetric or a RankingMetric to be scored; found {type(metric).__name__}.")


def _by_column(data: NBest) -> Data:
    """The candidates of every column, and what ties are broken by, as the compiled loops read them."""
    table = data.features.to_scipy().tocsc()
    second = data.base if data.base is not None else np.zeros(data.n_candidates)
    starts, rows = table.indptr.astype(np.int64), table.indices.astype(np.int32)
    return data.offsets, frozen(data.group_of), frozen(starts), frozen(rows), frozen(second)


def _start(data: NBest, base_weight: float) -> Floats:
    """Scores before the first round."""
    return np.zeros(data.n_candidates) if data.base is None or not base_weight else base_weight * data.base


def _whole_statistics(statistics: Floats, most: int) -> tuple[Floats, Ints]:
    """Statistics as whole multiples of powers of two, as fine as exact sums of `most` rows allow, and the exponents."""
    exponents = np.frexp(np.abs(statistics).max(axis=0, initial=0.0))[1] + most.bit_length() - 52
    return np.ascontiguousarray(np.rint(np.ldexp(statistics, -exponents))), exponents


def _whole(values: Floats) -> Ints:
    """Values between 0 and 1 as integer multiples of 2**-40."""
    return np.rint(np.ldexp(values, _UNIT_BITS)).astype(np.int64)
