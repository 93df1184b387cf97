"""Lists as lines over their columns, and one search from one starting point through many directions."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.expected_arrays import Expected, check_arrays
from runoff.learners.feature_scaling import column_scales, spread_within
from runoff.learners.mert_search import LineSearch, by_slope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.metrics import Metric
    from runoff.nbest import NBest

MOST_COLUMNS = 200
_MOST_CELLS = 1 << 28  # two GiB
_MOST_SORTED = 1 << 26  # half a GiB
_LEAST_GAIN = 1e-9  # relative to the size of the score


@dataclass(frozen=True)
class MertProblem:
    """A dense table, one row per column that differs within lists: its values, each minus that of the list's first.

    The last row may be the first round's score. Values are in units of the column's spread within lists, so that random
    directions mean the same for features of any unit.
    """

    data: NBest
    search: LineSearch
    table: Floats
    columns: Ints  # the column of every row; -1 is the first round's score
    scale: Floats  # factor from weights of rows to those of columns
    orders: list[Ints] | None  # rows of the data by ascending value, for every row of the table

    @classmethod
    def of(cls, data: NBest, metric: Metric, *, base: bool, min_groups: int, smooth: int) -> MertProblem:
        """Set up scales, the table and its orders. O(columns * candidates * log k)."""
        scales = column_scales(data, "spread", min_groups)
        columns = np.flatnonzero(scales)
        scale = scales[columns]
        spread = spread_within(data, data.base) if base and data.base is not None else 0.0
        if spread > 0:
            columns, scale = np.append(columns, -1), np.append(scale, 1 / spread)
        if columns.size > MOST_COLUMNS:
            raise UsageError(
                f"MERT searches along every feature, and {columns.size:,} features that differ within lists are too "
                f"many for it (at most {MOST_COLUMNS}); take another learner, such as crf or pro, or leave out rare "
                "ones by min_groups."
            )
        if columns.size * data.n_candidates > _MOST_CELLS:
            raise UsageError(
                f"MERT keeps {columns.size} features of {data.n_candidates:,} candidates as a table, which is too "
                "large; train on fewer lists, or take another learner, such as crf."
            )
        table = _centred_table(data, columns, scale)
        if not np.isfinite(table).all():
            raise DataError("the values of a feature differ too much, or too little, to be measured by their spread.")
        search = LineSearch(data, metric, smooth)
        is_small = columns.size * data.n_candidates <= _MOST_SORTED
        orders = [by_slope(data.offsets, row) for row in table] if is_small else None
        return cls(data, search, frozen(table), frozen(columns), frozen(scale), orders)

    @property
    def size(self) -> int:
        """Number of weights."""
        return self.columns.size

    @property
    def is_used(self) -> Floats:
        """1 for every column of the data that is searched along, else 0."""
        used = np.zeros(self.data.features.n_columns)
        used[self.columns[self.columns >= 0]] = 1.0
        return used

    def scores(self, point: Floats) -> Floats:
        """Score of every candidate, up to a constant per list. O(weights * candidates)."""
        out = np.zeros(self.data.n_candidates)
        for weight, row in zip(point, self.table, strict=True):  # BLAS would add in an order that depends on threads
            if weight:
                out += weight * row
        return out

    def in_data_units(self, point: Floats, otherwise: Floats) -> tuple[Floats, float]:
        """Weights of the data's columns, `otherwise` for those that are the same within all lists; and of the base."""
        weights, scaled, is_feature = otherwise.copy(), point * self.scale, self.columns >= 0
        weights[self.columns[is_feature]] = scaled[is_feature]
        return weights, float(scaled[~is_feature].sum())

    def point_of(self, weights: Floats, base_weight: float) -> Floats:
        """The point of these weights of the data's columns."""
        whole = np.append(weights, base_weight)
        with np.errstate(over="ignore"):
            point: Floats = whole[self.columns] / self.scale
        if not np.isfinite(point).all():
            raise DataError("a weight to start from is too large for the values of its feature.")
        return point


@dataclass
class MertRun:
    """One search: every round goes along all coordinates, some random directions and the last round's whole move.

    They come in random order, and each starts where the one before has ended. It ends where a round gains nothing.
    The numbers of a round depend on the seed, the number of the run and that of the round alone.
    """

    problem: MertProblem
    point: Floats  # of length 1, or 0 where all candidates tie
    seed: int
    number: int
    directions: int
    stop: threading.Event
    name: str = field(init=False)
    failed: str = field(default="", init=False)  # a search cannot fail
    history: list[float] = field(default_factory=list, init=False)  # the metric after each round, higher is better
    ended: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.name, self._lock = f"search {self.number}", threading.Lock()
        self.point = _unit(self.point)
        self._scores = self.problem.scores(self.point)
        self.score = self.start_score = self.problem.search.score(self._scores)
        self._move = np.zeros(self.point.size)

    @property
    def done(self) -> int:
        """Rounds so far."""
        return len(self.history)

    def limit(self, most: int) -> int:
        """It ends by itself, see `advance`."""
        return most

    def advance(self, steps: int) -> bool:
        """Do so many further rounds; False after one without a gain."""
        return all(not self.ended and self._round() for _ in range(steps))

    def words(self) -> str:
        """The metric so far."""
        metric = self.problem.search.metric
        return f"{metric.label} {abs(self.score):.{metric.digits}f}"

    def kept(self) -> tuple[int, Arrays]:
        """Everything that the next round depends on."""
        with self._lock:
            return self.done, {"point": self.point, "move": self._move, "history": np.array(self.history)}

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Continue from there, unless that is further than asked for."""
        like = Expected.like(self.point)
        check_arrays(kept, {"point": like, "move": like, "history": Expected(np.float64, (done,))})
        if done <= most:
            self.point, self._move, self.history = kept["point"], kept["move"], kept["history"].tolist()
            self._scores = self.problem.scores(self.point)
            self.score = self.problem.search.score(self._scores)

    def _round(self) -> bool:
        search, table = self.problem.search, self.problem.table
        before, score = self.point, self.score
        point, scores = self.point.copy(), self._scores
        for direction, row in self._directions():
            if self.stop.is_set():
                return False  # the round does not count, as if it had not begun
            slope = table[row] if row >= 0 else self.problem.scores(direction)
            orders = self.problem.orders
            found = search.best(scores, slope, orders[row] if orders is not None and row >= 0 else None)
            if not _is_gain(found.score, score) or not np.isfinite(found.length):
                continue
            moved = point + found.length * direction
            if not moved.any():
                continue
            # Rounding may undo what hangs by a hair: what counts is what the point itself chooses.
            there = self.problem.scores(moved)
            reached = search.score(there)
            if _is_gain(reached, score):
                point, scores, score = moved, there, reached
        end = _unit(point)
        scores = self.problem.scores(end)
        score = search.score(scores)
        with self._lock:
            gained = _is_gain(score, self.score)
            if gained:
                self.point, self._scores, self.score, self._move = end, scores, score, end - before
            self.history.append(self.score)
            self.ended = not gained
        return gained

    def _directions(self) -> Iterator[tuple[Floats, int]]:
        """Directions of length 1, and the row of the table where one is a coordinate (else -1)."""
        rng = np.random.default_rng([self.seed, self.number, self.done])
        size = self.problem.size
        drawn = rng.normal(size=(self.directions, size))
        move = [self._move] if self._move.any() else []
        others = [_unit(each) for each in [*drawn, *move]]
        for at in rng.permutation(size + len(others)):
            yield (others[at - size], -1) if at >= size else (np.eye(1, size, at)[0], int(at))


def _is_gain(score: float, over: float) -> bool:
    return score > over + _LEAST_GAIN * max(1.0, abs(over))


def _unit(point: Floats) -> Floats:
    """The point at a distance of 1 from zero; zero stays."""
    largest = float(np.abs(point).max(initial=0.0))
    if largest == 0.0:
        return point
    scaled = point / largest  # no square overflows or underflows
    return scaled / float(np.sqrt(np.sum(scaled**2)))


def _centred_table(data: NBest, columns: Ints, scale: Floats) -> Floats:
    """Values of the columns minus those of each list's first candidate, times their scale, one row per column."""
    table = np.zeros((columns.size, data.n_candidates))
    place = np.full(data.features.n_columns + 1, -1)
    place[columns] = np.arange(columns.size)
    features = data.features.check()
    first, last = int(features.indptr[0]), int(features.indptr[-1])
    stored = place[:-1][features.indices[first:last]]
    row = np.repeat(np.arange(data.n_candidates), np.diff(features.indptr))
    values = np.ones(stored.size) if features.values is None else features.values[first:last].astype(np.float64)
    is_used = stored >= 0
    table[stored[is_used], row[is_used]] = values[is_used]
    if place[-1] >= 0 and data.base is not None:
        table[place[-1]] = data.base
    filled = data.sizes > 0
    starts, sizes = data.offsets[:-1][filled], data.sizes[filled]
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large is refused by the caller
        for at in range(columns.size):
            table[at] = (table[at] - np.repeat(table[at][starts], sizes)) * scale[at]
    return table
