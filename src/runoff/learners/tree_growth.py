"""Growing one decision tree of fixed depth, level by level, over binned data."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.kernels.tree_growth import (
    NEWTON,
    Z,
    best_split,
    columns_in_use,
    correct_sparse,
    fill_by_pairs,
    fill_by_weights,
    send_down,
    split_rows,
)
from runoff.parallel import cores, in_threads, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats, Ints
    from runoff.engines import Engine, Handle
    from runoff.kernels.tree_growth import BinnedRows
    from runoff.learners.binned_data import BinnedData
    from runoff.parallel import Apply

# Pieces that keep a thread busy for longer than it takes to wake it.
_STORED_PER_PIECE, _SLOTS_PER_PIECE, _ROWS_PER_PIECE, _MOST_PIECES = 1 << 17, 1 << 14, 1 << 15, 8
_NOISE = 1e-14  # share of all sums that rounding may leave of a sum that is 0


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A complete tree in heap order: node i has children 2i + 1 and 2i + 2; the last level are leaves."""

    column: Ints  # of the binned data, for every inner node; -1 where all rows go left
    cut: Ints  # bins below it go left
    missing_right: Bools
    sums: Floats  # a and b of every leaf, from the rows that the tree was grown on
    leaf_of: NDArray[np.uint8]  # of every row of the data, counted from 0


class RowStatistics:
    """The two numbers of every row, and how they are added to histograms."""

    def __init__(self, a: Floats, b: Floats, criterion: int) -> None:
        self.a, self.b, self.criterion = a, b, criterion
        self._weights: tuple[Floats, NDArray[np.uint8]] | None = None
        self.elsewhere: tuple[Engine, Handle[BinnedRows]] | None = None  # whose workers have the rows
        self._shared: Handle[Any] | None = None

    @classmethod
    def of_weights(cls, weight: Floats, is_positive: NDArray[np.uint8]) -> RowStatistics:
        """Weights of positive and of negative examples, for Schapire & Singer's Z."""
        found = cls(weight * is_positive, weight * (1 - is_positive), Z)
        found._weights = weight, 1 - is_positive  # one of the two numbers is 0
        return found

    @classmethod
    def of_derivatives(cls, gradient: Floats, hessian: Floats) -> RowStatistics:
        """First and second derivatives of a loss, for Newton steps; the first with the sign of the descent."""
        return cls(gradient, hessian, NEWTON)

    def fill(self, out: Floats, rows: Columns, pieces: tuple[Ints, Ints], data: BinnedData, apply: Apply) -> None:
        """Histograms of pieces of the rows, given by where they start and stop."""
        step = min(cores(), out.shape[0])

        def every(first: int) -> None:
            kernel = fill_by_pairs if self._weights is None else fill_by_weights
            kernel(rows, *pieces, data.rows, *self._numbers, first, step, out)

        apply(every, range(step))

    def fill_elsewhere(
        self, out: Floats, rows: Columns, pieces: tuple[Ints, Ints], engine: Engine, data: Handle[BinnedRows]
    ) -> None:
        """The same on the workers of an engine, which have the data: the same pieces, and so the same bits."""
        self._shared = self._shared or engine.share((self._weights is not None, self._numbers))
        cuts = list(zip(*(each.tolist() for each in pieces), strict=True))
        what = engine.share((rows, out.shape[1:]))
        for at, found in enumerate(engine.map(_histogram_of, cuts, data, self._shared, what)):
            out[at] = found

    @property
    def _numbers(self) -> tuple[Any, Any]:
        return (self.a, self.b) if self._weights is None else self._weights


def _histogram_of(
    cut: tuple[int, int], data: BinnedRows, numbers: tuple[bool, tuple[Any, Any]], what: tuple[Columns, tuple[int, int]]
) -> Floats:
    """The histogram of a piece of the rows, on any worker."""
    by_weights, two = numbers
    rows, shape = what
    out: Floats = np.empty((1, *shape))
    pieces = np.array(cut[:1], np.int64), np.array(cut[1:], np.int64)
    (fill_by_weights if by_weights else fill_by_pairs)(rows, *pieces, data, *two, 0, 1, out)
    found: Floats = out[0]
    return found


def grow_tree(
    data: BinnedData,
    statistics: RowStatistics,
    rows: Columns,
    depth: int,
    *,
    columns: Ints,
    ridge: float = 0.0,
    least: float = 0.0,
    apply: Apply = in_threads,
) -> GrownTree:
    """Grow a tree on some rows and columns, and find the leaves of all rows.

    Every level visits the stored values of the rows of smaller children once; their siblings are what is left of the
    parent. Sums are made in pieces whose number depends on the data alone, so that threads change nothing.
    O(depth x stored values of the rows, and 2^depth x slots).
    """
    n_inner = (1 << depth) - 1
    column, cut = np.full(n_inner, -1, np.int64), np.zeros(n_inner, np.int64)
    missing_right = np.zeros(n_inner, bool)
    node_of = np.zeros(data.n_rows, np.uint8)
    nodes = Segments(rows, np.array([0, rows.size]), _sums(statistics, rows))
    histograms = _histograms(data, statistics, nodes, [0], apply)
    columns = columns_in_use(histograms[0], data.rows, columns)
    for level in range(depth):
        first, count = (1 << level) - 1, 1 << level
        split = _splitter(data, statistics, histograms, nodes.sums, columns, ridge, least)
        found = (apply if data.n_slots * count > _SLOTS_PER_PIECE else one_by_one)(split, range(count))
        for at, (_, best, at_cut, right) in enumerate(found):
            column[first + at], cut[first + at], missing_right[first + at] = best, at_cut, right
        _send_level(data, node_of, column, cut, missing_right, first, apply)
        nodes = nodes.split(node_of, 2 * first + 1, statistics, apply)
        if level + 1 < depth:
            histograms = _children(data, statistics, histograms, column[first : 2 * first + 1], nodes, apply)
    return GrownTree(column, cut, missing_right, nodes.sums, (node_of - n_inner).astype(np.uint8))


@dataclass(frozen=True, eq=False)
class Segments:
    """The rows of every node of a level, one node after the other, and the sums of their numbers."""

    rows: Columns
    starts: Ints
    sums: Floats

    def of(self, node: int) -> Columns:
        """The rows of a node."""
        return self.rows[self.starts[node] : self.starts[node + 1]]

    def split(self, node_of: NDArray[np.uint8], first: int, statistics: RowStatistics, apply: Apply) -> Segments:
        """The rows of the children, of which the first is `first`."""
        count = self.starts.size - 1
        out, sums = np.empty_like(self.rows), np.zeros((count, 2, 2))

        def halves(at: int) -> int:
            there = out[self.starts[at] : self.starts[at + 1]]
            left: int = split_rows(self.of(at), node_of, first + 2 * at, statistics.a, statistics.b, there, sums[at])
            return left

        sizes = (apply if self.rows.size > _ROWS_PER_PIECE else one_by_one)(halves, range(count))
        starts = np.repeat(self.starts, 2)[:-1]
        starts[1::2] += sizes
        return Segments(out, starts, sums.reshape(-1, 2))


def _splitter(
    data: BinnedData,
    statistics: RowStatistics,
    histograms: list[Floats],
    sums: Floats,
    columns: Ints,
    ridge: float,
    least: float,
) -> Callable[[int], tuple[float, int, int, bool]]:
    """The best split of every node of a level; nodes that were not split have no histogram, and no split."""
    noise = _NOISE * float(np.abs(sums).sum())

    def split(at: int) -> tuple[float, int, int, bool]:
        if not histograms[at].size:
            return 0.0, -1, 0, False
        found: tuple[float, int, int, bool] = best_split(
            histograms[at], data.rows, columns, sums[at, 0], sums[at, 1], statistics.criterion, ridge, least, noise
        )
        return found

    return split


def _send_level(
    data: BinnedData,
    node_of: NDArray[np.uint8],
    column: Ints,
    cut: Ints,
    missing_right: Bools,
    first: int,
    apply: Apply,
) -> None:
    """Move all rows of a level's nodes to their children. O(rows, and stored values of the sparse columns)."""
    level = slice(first, 2 * first + 1)
    edges = np.linspace(0, data.n_rows, 1 + min(_MOST_PIECES, 1 + data.n_rows // _ROWS_PER_PIECE)).astype(np.int64)

    def send(at: int) -> None:
        split = column[level], cut[level], missing_right[level]
        send_down(data.rows, node_of, first, *split, edges[at], edges[at + 1])

    def correct(node: int) -> None:
        correct_sparse(data.rows, node_of, node, int(column[node]), int(cut[node]), bool(missing_right[node]))

    apply(send, range(edges.size - 1))
    corrected = [at for at in range(first, 2 * first + 1) if 0 <= column[at] < data.bins.n_sparse]
    (apply if data.n_rows > _ROWS_PER_PIECE else one_by_one)(correct, corrected)


def _sums(statistics: RowStatistics, rows: Columns) -> Floats:
    """Sums of both numbers over the rows of the root."""
    out = np.empty((1, 2, 2))
    split_rows(rows, np.zeros(statistics.a.size, np.uint8), 0, statistics.a, statistics.b, np.empty_like(rows), out[0])
    return out[:, 0]


def _histograms(
    data: BinnedData, statistics: RowStatistics, nodes: Segments, wanted: list[int], apply: Apply
) -> list[Floats]:
    """Sums of both numbers for every slot, over the rows of each of some nodes."""
    per_row = data.n_stored / max(data.n_rows, 1)
    least = max(_STORED_PER_PIECE, 8 * data.n_slots)  # so that adding up pieces costs little beside making them
    edges: list[tuple[int, int]] = []
    first = [0]
    for node in wanted:
        start, stop = int(nodes.starts[node]), int(nodes.starts[node + 1])
        pieces = int(min(_MOST_PIECES, 1 + (stop - start) * per_row // least))
        cuts = [start + (stop - start) * at // pieces for at in range(pieces + 1)]
        edges += itertools.pairwise(cuts)
        first.append(len(edges))
    starts, stops = np.array(edges, np.int64).reshape(-1, 2).T.copy()
    out = np.empty((len(edges), data.n_slots, 2))
    is_small = (stops - starts).sum() * per_row < _STORED_PER_PIECE
    if statistics.elsewhere is None or is_small:
        statistics.fill(out, nodes.rows, (starts, stops), data, one_by_one if is_small else apply)
    else:
        statistics.fill_elsewhere(out, nodes.rows, (starts, stops), *statistics.elsewhere)
    for start, stop in itertools.pairwise(first):
        for piece in range(start + 1, stop):
            out[start] += out[piece]
    return [out[start] for start in first[:-1]]


def _children(
    data: BinnedData, statistics: RowStatistics, parents: list[Floats], split: Ints, nodes: Segments, apply: Apply
) -> list[Floats]:
    """Histograms of the next level: the smaller child's by its rows, its sibling's by subtraction."""
    out = [np.empty((0, 2))] * (2 * len(parents))  # where no split was found none will be
    wanted = [at for at in range(len(parents)) if split[at] >= 0]
    smaller = [2 * at + int(nodes.of(2 * at + 1).size < nodes.of(2 * at).size) for at in wanted]
    for at, child, found in zip(wanted, smaller, _histograms(data, statistics, nodes, smaller, apply), strict=True):
        parents[at] -= found
        out[child], out[child ^ 1] = found, parents[at]
    return out


def newton_steps(sums: Floats, ridge: float) -> Floats:
    """The values of leaves that minimise the loss to the second order: first by second derivatives."""
    below = sums[:, 1] + ridge
    values: Floats = np.where(below > 0, sums[:, 0] / np.where(below > 0, below, 1.0), 0.0)
    return values


def leaves_of(data: BinnedData, column: Ints, cut: Ints, missing_right: Bools) -> NDArray[np.uint8]:
    """The leaf in which every row ends, of a tree that was grown elsewhere. O(depth x rows)."""
    node_of, first = np.zeros(data.n_rows, np.uint8), 0
    while first < column.size:
        _send_level(data, node_of, column, cut, missing_right, first, one_by_one)
        first = 2 * first + 1
    return (node_of - column.size).astype(np.uint8)
