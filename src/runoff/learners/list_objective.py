"""What trees are grown for where candidates stand in lists: losses of pairs and of whole lists, and a dev metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.groups import softmax
from runoff.kernels.list_gradients import (
    EQUAL,
    EXP,
    LOG,
    MAP,
    NDCG,
    QUALITY,
    list_gradients,
    pair_gradients,
    sampled_gradients,
)
from runoff.learners.feature_scaling import spread_within
from runoff.learners.tree_growth import RowStatistics, newton_steps
from runoff.metrics import with_statistics
from runoff.pairs import make_pairs
from runoff.ranking import by_score

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.tree_boost import TreeBoost
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_WEIGHTINGS = {"equal": EQUAL, "quality": QUALITY, "ndcg": NDCG, "map": MAP}


class ListObjective:
    """A loss of lists, as trees are grown for it."""

    def __init__(self, train: NBest, learner: TreeBoost, inside: Bools | None = None) -> None:
        self.ridge, self.least, self._learner = learner.ridge, learner.least, learner
        if train.quality is None:
            raise DataError("quality is needed.")
        self._offsets, self._quality = train.offsets, train.quality
        self._inside = None if inside is None else np.repeat(inside, train.sizes)
        # As LETOR's: gains of grades; of qualities in any unit, themselves.
        is_graded = bool(
            np.all((self._quality >= 0) & (self._quality == np.rint(self._quality)) & (self._quality < 32))
        )
        self._gains = np.exp2(self._quality) - 1 if is_graded else self._quality
        self._targets = _targets(train, learner.temperature) if learner.loss == "list" else None
        self._drawn = _drawn(train, learner) if learner.sample else None
        lists = len(train) if inside is None else int(inside.sum())
        self._lists = max(lists, 1)

    def statistics(self, scores: Floats) -> tuple[RowStatistics, float]:
        """Negative first and second derivatives, and the loss in the mean over the lists."""
        first, second = np.zeros(scores.size), np.zeros(scores.size)
        if self._targets is not None:
            loss = list_gradients(self._offsets, scores, self._targets, first, second)
        else:
            how = self._learner
            lists = self._offsets, scores, self._quality, self._gains
            kinds = EXP if how.loss == "exp" else LOG, _WEIGHTINGS[how.pairs]
            if self._drawn is None:
                loss = pair_gradients(*lists, *kinds, how.best, first, second)
            else:
                loss = sampled_gradients(*lists, *self._drawn, *kinds, first, second)
        if self._inside is not None:
            first, second = first * self._inside, second * self._inside
        return RowStatistics.of_derivatives(first, second), float(loss) / self._lists

    def leaf_values(self, sums: Floats) -> Floats:
        """Newton's step."""
        return newton_steps(sums, self.ridge)

    def weights(self, statistics: RowStatistics) -> Floats:
        """Second derivatives."""
        return statistics.b


class MetricCurve:
    """The metric of the choices on dev data after every round, ties in expectation."""

    def __init__(self, data: NBest, metric: Metric) -> None:
        self._data, self.metric = with_statistics(data, metric), metric.in_expectation
        self.sums: list[Floats] = []
        self.scores: list[float] = []
        self.best = 0
        self._highest = -np.inf

    @property
    def last(self) -> float:
        """The score after the last round."""
        return self.scores[-1]

    def follow(self, scores: Floats) -> None:
        """Take the scores after one more round; the first are those before any."""
        self.sums.append(self.metric.rows(self._data, by_score(self._data, scores)).sum(axis=0))
        self.scores.append(float(self.metric.score(self.sums[-1])))
        signed = float(self.metric.signed(self.sums[-1]))
        if signed > self._highest:
            self.best, self._highest = len(self.scores) - 1, signed


def _drawn(train: NBest, learner: TreeBoost) -> tuple[Ints, Ints, Ints, Floats]:
    """Where the pairs of every list start, and the better and worse candidates and weights of those that are drawn."""
    weighted = learner.pairs == "quality"
    pairs = make_pairs(train, "sample", weighted=weighted, sample=learner.sample, seed=learner.seed)
    starts = np.searchsorted(train.group_of[pairs.better], np.arange(len(train) + 1))
    return frozen(starts), pairs.better, pairs.worse, pairs.weight


def _targets(train: NBest, temperature: float) -> Floats:
    """The softmax of the qualities of every list."""
    quality = np.zeros(0) if train.quality is None else train.quality
    unit = spread_within(train, quality) or 1.0
    return softmax(train.offsets, frozen(quality / (unit * temperature)))
