"""One run of boosting over trees: its rounds, its losses on training and dev data, and where it stops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from runoff.arrays import frozen
from runoff.engines import current
from runoff.expected_arrays import Expected, check_arrays
from runoff.features.trees import Trees
from runoff.learners.tree_growth import grow_tree, leaves_of
from runoff.parallel import one_pool

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.learners.binned_data import BinnedData
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.tree_growth import GrownTree, RowStatistics
    from runoff.parallel import Apply

_SMALLEST = 2.0**-1000  # exponents of weights are counted from here on


class TreeObjective(Protocol):
    """What the trees are grown for."""

    ridge: float
    least: float  # weight, or second derivative, that a leaf must have

    def statistics(self, scores: Floats) -> tuple[RowStatistics, float]:
        """The two numbers of every row given the scores so far, and the loss."""

    def leaf_values(self, sums: Floats) -> Floats:
        """What leaves with these sums add to the score."""

    def weights(self, statistics: RowStatistics) -> Floats:
        """How much every row matters, for trimming."""


class DevCurve(Protocol):
    """Follows the scores on dev data, and knows after how many rounds they were best."""

    @property
    def best(self) -> int:
        """The round after which they were best."""

    @property
    def last(self) -> float:
        """How good they are now."""

    def follow(self, scores: Floats) -> None:
        """Take the scores after one more round."""


@dataclass(frozen=True)
class TreeSettings:
    """How trees are grown."""

    depth: int
    rate: float = 1.0  # by which the values of leaves are multiplied
    trim: float = 0.0  # share of the weight that the lightest rows may have together to be left out of a round
    row_sample: float = 1.0
    column_sample: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Patience:
    """When to stop early: once the best round lies `times` further back than it took, but not before `least` rounds."""

    times: float
    least: int

    def latest(self, best: int) -> float:
        """The round at which to stop if no better one has come by then."""
        return max(self.least, (1 + self.times) * best)


class TreeRun:
    """A growing sum of trees."""

    failed = ""  # rounds cannot fail

    def __init__(
        self,
        name: str,
        data: BinnedData,
        objective: TreeObjective,
        settings: TreeSettings,
        *,
        start: Floats | None = None,
        dev: tuple[BinnedData, DevCurve, Floats] | None = None,
        patience: Patience | None = None,
        threads: bool = True,
    ) -> None:
        self.name, self.data, self.objective, self.settings = name, data, objective, settings
        self.scores = np.zeros(data.n_rows) if start is None else start.copy()
        self.losses: list[float] = []  # before every round
        self.used: list[int] = []  # rows that every tree was grown on
        self.dev = dev
        self._dev_scores = None if dev is None else dev[2].copy()
        self._patience, self._threads = patience, threads
        self._trees: list[tuple[Ints, Ints, Any, Floats]] = []
        self.exhausted = False
        self._shared: list[Any] = []  # an engine, and its handle of the rows: given to its workers once

    # ---------------------------------------------------------------- what `run_all` uses

    @property
    def done(self) -> int:
        """Rounds so far."""
        return len(self._trees)

    def limit(self, most: int) -> int:
        """Rounds at which it ends, given the dev scores so far."""
        if self.exhausted:
            return min(most, self.done)
        if self._patience is None or self.dev is None:
            return most
        return int(min(most, self._patience.latest(self.dev[1].best)))

    def advance(self, steps: int) -> bool:
        """Grow so many further trees; False when no split gains anything."""
        with one_pool(threads=self._threads) as apply:
            for _ in range(steps):
                if not self._grow(apply):
                    self.exhausted = True
                    return False
        return True

    def _grow(self, apply: Apply) -> bool:
        statistics, loss = self.objective.statistics(self.scores)
        rows, engine = self._rows(statistics), current()
        if not engine.is_here and self._threads:
            if self._shared[:1] != [engine]:
                self._shared = [engine, engine.share(self.data.rows)]
            statistics.elsewhere = engine, self._shared[1]
        tree = grow_tree(
            self.data,
            statistics,
            rows,
            self.settings.depth,
            columns=self._columns(),
            ridge=self.objective.ridge,
            least=self.objective.least,
            apply=apply,
        )
        if np.all(tree.column < 0):
            return False
        self.losses.append(loss)
        self.used.append(rows.size)
        self._add(tree, self.settings.rate * self.objective.leaf_values(tree.sums))
        return True

    def words(self) -> str:
        """Loss and dev score."""
        dev = "" if self.dev is None else f"dev {self.dev[1].last:.4f}, "
        return f"{self.name}: {dev}loss {self.losses[-1]:,.6g}" if self.losses else self.name

    def kept(self) -> tuple[int, Arrays]:
        """The trees, from which everything else follows bit for bit."""
        trees = self._trees[: len(self._trees)]
        inner = (1 << self.settings.depth) - 1
        parts = [np.array([each[at] for each in trees]).reshape(len(trees), -1) for at in range(4)]
        shapes = {"column": np.int64, "cut": np.int64, "missing_right": np.bool_, "leaves": np.float64}
        kept: Arrays = {
            name: part.reshape(len(trees), inner + (name == "leaves")).astype(kind)
            for (name, kind), part in zip(shapes.items(), parts, strict=True)
        }
        return len(trees), {**kept, "loss": np.array(self.losses[: len(trees)])}

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Repeat the rounds of an earlier run."""
        inner, columns = (1 << self.settings.depth) - 1, self.data.n_columns
        expected = {
            "column": Expected(np.int64, (done, inner), -1, columns - 1),
            "cut": Expected(np.int64, (done, inner), 0, 256),
            "missing_right": Expected(np.bool_, (done, inner), 0, 1),
            "leaves": Expected(np.float64, (done, inner + 1)),
            "loss": Expected(np.float64, (done,)),
        }
        check_arrays(kept, expected)
        most_cuts = np.append(self.data.n_cuts, 0)
        if np.any(kept["cut"] > most_cuts[kept["column"]]):
            raise ValueError("a tree has a cut that the data has not.")
        for at in range(min(done, most)):
            column, cut, right = (kept[name][at] for name in ("column", "cut", "missing_right"))
            self._trees.append((column, cut, right, kept["leaves"][at]))
            self.losses.append(float(kept["loss"][at]))
            self.scores += kept["leaves"][at][leaves_of(self.data, column, cut, right)]
            self._follow()

    # ---------------------------------------------------------------- the trees

    def trees(self, rounds: int | None = None, output: int | None = None) -> Trees:
        """The trees so far, or the first ones, with the data's own columns and cuts between their values."""
        chosen = self._trees[: self.done if rounds is None else rounds]
        inner = (1 << self.settings.depth) - 1
        column, cut = np.full((len(chosen), inner), -1, np.int64), np.zeros((len(chosen), inner))
        right, leaves = np.zeros((len(chosen), inner), bool), np.zeros((len(chosen), inner + 1))
        for at, (columns, cuts, missing_right, values) in enumerate(chosen):
            right[at], leaves[at] = missing_right, values
            for node in np.flatnonzero(columns >= 0).tolist():
                column[at, node] = self.data.source[columns[node]]
                cut[at, node] = self.data.cuts(columns[node])[cuts[node] - 1]
        output_of = None if output is None else frozen(np.full(len(chosen), output, np.int32))
        return Trees(frozen(column), frozen(cut), frozen(right), frozen(leaves), output_of)

    def _add(self, tree: GrownTree, values: Floats) -> None:
        self._trees.append((tree.column, tree.cut, tree.missing_right, values))
        self.scores += values[tree.leaf_of]
        self._follow()

    def _follow(self) -> None:
        if self.dev is None or self._dev_scores is None:
            return
        column, cut, right, values = self._trees[-1]
        self._dev_scores += values[leaves_of(self.dev[0], column, cut, right)]
        self.dev[1].follow(self._dev_scores)

    def _rows(self, statistics: RowStatistics) -> Columns:
        rows = np.arange(self.data.n_rows, dtype=np.int32)
        if self.settings.row_sample < 1:
            drawn = self._random(0).random(rows.size) < self.settings.row_sample
            rows = rows[drawn]
        if self.settings.trim > 0:
            rows = rows[heavy(self.objective.weights(statistics)[rows], self.settings.trim)]
        return rows

    def _columns(self) -> Ints:
        count = self.data.n_columns
        if self.settings.column_sample >= 1:
            return np.arange(count)
        wanted = max(1, round(self.settings.column_sample * count))
        return np.sort(self._random(1).permutation(count)[:wanted])

    def _random(self, stream: int) -> np.random.Generator:
        # Of the round alone, so that a resumed run draws what an uninterrupted one does.
        return np.random.default_rng([self.settings.seed, stream, self.done])


def heavy(weights: Floats, trim: float) -> Any:
    """Which rows are left after the lightest are dropped that have up to a share `trim` of the weight together.

    By powers of two of the weights, so that it costs O(n) and keeps a little more than it could.

    Examples
    --------
    >>> heavy(np.array([0.5, 0.495, 0.004, 0.001]), 0.01).tolist()
    [True, True, False, False]
    """
    _, exponents = np.frexp(np.maximum(weights, _SMALLEST))
    lowest = int(exponents.min(initial=0))
    mass = np.cumsum(np.bincount(exponents - lowest, weights))
    return exponents > lowest + int(np.searchsorted(mass, trim * mass[-1], side="right")) - 1
