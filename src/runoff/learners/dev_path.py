"""The dev score of every prefix of a path, at the cost of the candidates that the path moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.features import align
from runoff.kernels.replay import replay_rounds
from runoff.metrics import Metric, PickMetric, with_statistics
from runoff.ranking import by_score, winners

if TYPE_CHECKING:
    import pyarrow as pa

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

EVERY_ROUND_UNTIL, GROWTH = 100, 1.03  # when a metric of whole rankings is taken: it must sort every group again


class DevPath:
    """Follows a path on dev data; `sums[t]` are the metric's summed statistics after t rounds.

    For metrics of the chosen candidate every prefix is exact and costs only the candidates that have the
    round's feature. Metrics of whole rankings are taken after each of the first hundred rounds, then at prefixes
    3% apart, and after the last; the prefixes between have the value of the one before.
    """

    def __init__(self, data: NBest, metric: Metric, names: pa.Array, base_weight: float) -> None:
        if base_weight and data.base is None:
            raise ModelError(
                "the training data has first-round scores and the dev data has none; add them, or set base=false."
            )
        self.metric = metric
        self.data = with_statistics(data, metric)
        features = data.features
        table = features.to_scipy().tocsc()
        self._starts, self._rows = frozen(table.indptr.astype(np.int64)), frozen(table.indices.astype(np.int32))
        places = np.full(len(names), -1, np.int64)
        mine = align(features, names)
        places[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
        self._place_of = places
        self._second = frozen(data.base if data.base is not None else np.zeros(data.n_candidates))
        self._score = base_weight * self._second if base_weight else np.zeros(data.n_candidates)
        self._group_of = frozen(data.group_of)
        if isinstance(metric, PickMetric):
            self._stats = frozen(np.ascontiguousarray(metric.statistics(self.data)))
            picks = winners(self.data, self._score)
            self._top = np.where(picks < 0, -1, data.offsets[:-1] + picks)
            first = self._stats[self._top[self._top >= 0]].sum(axis=0)
        else:
            self._stats = frozen(np.empty((data.n_candidates, 0)))
            self._top = np.zeros(len(data), np.int64)
            first = self._ranking_sums()
        self._pieces: list[Floats] = [first[None, :]]
        self._done, self._due = 0, 1
        self.best, self._best_score = 0, self._signed(first)  # the earliest prefix with the best score

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
        """Take further rounds; columns are places among the names that were given at the start."""
        if columns.size == 0:
            return
        places = self._place_of[columns]
        if isinstance(self.metric, PickMetric):
            out = np.empty((columns.size, self._stats.shape[1]))
            self._replay(places, deltas, self._pieces[-1][-1].copy(), out)
        else:
            out = np.empty((columns.size, self._pieces[0].shape[1]))
            current = self._pieces[-1][-1]
            for at in range(columns.size):
                self._move(places[at], deltas[at])
                self._done += 1
                if self._done >= self._due:
                    current = self._ranking_sums()
                    self._due = self._done + max(
                        1, int((GROWTH - 1) * self._done) if self._done >= EVERY_ROUND_UNTIL else 1
                    )
                out[at] = current
        taken = sum(map(len, self._pieces))
        self._pieces.append(out)
        self._note_best(out, taken)

    def finish(self) -> None:
        """Take the metric after the last round, where it fell between two looks."""
        if isinstance(self.metric, PickMetric) or not self._done:
            return
        last = self._ranking_sums()
        self._pieces[-1][-1] = last
        self._note_best(last[None, :], self._done)

    def _note_best(self, sums: Floats, first: int) -> None:
        scores = self._signed(sums)
        at = int(np.argmax(scores))
        if scores[at] > self._best_score:
            self.best, self._best_score = first + at, scores[at]

    def _replay(self, places: Ints, deltas: Floats, sums: Floats, out: Floats) -> None:
        replay_rounds(
            self.data.offsets,
            self._group_of,
            self._starts,
            self._rows,
            self._second,
            self._stats,
            places,
            deltas,
            self._score,
            self._top,
            sums,
            out,
        )

    def _signed(self, sums: Floats) -> Any:
        return self.metric.score(sums) * (1 if self.metric.higher_is_better else -1)

    def _move(self, place: int, delta: float) -> None:
        if place >= 0:
            self._score[self._rows[self._starts[place] : self._starts[place + 1]]] += delta

    def _ranking_sums(self) -> Floats:
        sums: Floats = self.metric.rows(self.data, by_score(self.data, self._score)).sum(axis=0)
        return sums


def best_prefix(scores: Floats, metric: Metric) -> int:
    """The earliest of the prefixes with the best score."""
    return int(np.argmax(scores if metric.higher_is_better else -scores))
