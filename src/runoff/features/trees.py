"""Decision trees as arrays: what boosting over trees leaves, and how it is applied."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.tree_scores import NodesByColumn, reached_leaves, score_rows
from runoff.opening.limits import DamagedFileError
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Bools, Columns, Floats, Ints
    from runoff.nbest import Features

MOST_DEPTH = 6
_WORK_PER_PIECE = 1 << 22


@dataclass(frozen=True, eq=False)
class Trees:
    """Complete binary trees of one depth in heap order: node i has children 2i + 1 and 2i + 2; leaves come last.

    A row goes right where its value is above the cut; one that has no value counts as 0, and one whose value is missing
    (NaN) goes where `missing_right` says. A node with column -1 sends everything left.

    Examples
    --------
    >>> from runoff.nbest import Features
    >>> trees = Trees(np.array([[0]]), np.array([[0.5]]), np.array([[False]]), np.array([[-1.0, 1.0]]))
    >>> trees.scores(Features.of(np.array([[0.0], [2.0], [np.nan]], np.float32)), np.array([0]))[:, 0].tolist()
    [-1.0, 1.0, -1.0]
    """

    column: Ints  # (trees, inner nodes)
    cut: Floats
    missing_right: Bools
    leaves: Floats  # (trees, leaves)
    output_of: Columns | None = None  # of every tree, where there are several outputs

    @classmethod
    def none(cls, depth: int = 1) -> Trees:
        """No tree at all."""
        inner = (1 << depth) - 1
        column, leaves = np.zeros((0, inner), np.int64), np.zeros((0, inner + 1))
        return cls(column, np.zeros((0, inner)), np.zeros((0, inner), bool), leaves)

    @classmethod
    def from_file(cls, column: Ints, cut: Floats, missing_right: Any, leaves: Floats, n_columns: int) -> Trees:
        """Trees from flat arrays of an opened file, checked in full; raises DamagedFileError where they are none."""
        trees = leaves.size - column.size  # a tree has one leaf more than inner nodes
        if trees == 0 and not leaves.size:
            return cls.none()
        each = leaves.size // trees if trees > 0 else 0
        if each * trees != leaves.size or each not in [1 << depth for depth in range(1, MOST_DEPTH + 1)]:
            raise DamagedFileError("its trees do not all have the same number of leaves")
        if not column.size == cut.size == missing_right.size:
            raise DamagedFileError("its trees have nodes that are not all there")
        if not (np.isfinite(cut).all() and np.isfinite(leaves).all() and missing_right.max() <= 1):
            raise DamagedFileError("its trees have values that are no numbers")
        if column.min() < -1 or column.max() >= n_columns:
            raise DamagedFileError("its trees look at columns that it does not have")
        shape = trees, each - 1
        return cls(
            frozen(column.reshape(shape)),
            frozen(cut.reshape(shape)),
            frozen(missing_right.reshape(shape) == 1),
            frozen(leaves.reshape(trees, each)),
        )

    def __len__(self) -> int:
        return int(self.column.shape[0])

    @property
    def depth(self) -> int:
        """Levels of inner nodes."""
        return int(self.leaves.shape[1]).bit_length() - 1

    @property
    def n_outputs(self) -> int:
        """Number of sums that the trees add to."""
        last: int = 0 if self.output_of is None else int(self.output_of.max(initial=0))
        return last + 1

    def prefix(self, count: int) -> Trees:
        """The first trees."""
        output_of = None if self.output_of is None else self.output_of[:count]
        return Trees(self.column[:count], self.cut[:count], self.missing_right[:count], self.leaves[:count], output_of)

    def first_rounds(self, count: int) -> Trees:
        """The first trees of every output: the sums as they were after so many rounds. O(trees log)."""
        if self.output_of is None:
            return self.prefix(count)
        order = np.argsort(self.output_of, kind="stable")
        sizes = np.bincount(self.output_of)
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        names = [each.name for each in dataclasses.fields(self)]
        return Trees(*(frozen(getattr(self, name)[place < count]) for name in names))

    def scaled(self, factor: float) -> Trees:
        """The same trees with the values of their leaves times a factor."""
        return dataclasses.replace(self, leaves=frozen(factor * self.leaves))

    def deeper(self, depth: int) -> Trees:
        """The same trees, of a depth that is not less: further nodes send everything left."""
        more = depth - self.depth
        if not more or not len(self):
            return self if len(self) else Trees.none(depth)
        shape, inner, new = (len(self), (1 << depth) - 1), self.column.shape[1], 1 << depth
        column, cut, right = np.full(shape, -1, np.int64), np.zeros(shape), np.zeros(shape, bool)
        leaves = np.zeros((len(self), new))
        column[:, :inner], cut[:, :inner], right[:, :inner] = self.column, self.cut, self.missing_right
        leaves[:, :: 1 << more] = self.leaves
        return dataclasses.replace(
            self, column=frozen(column), cut=frozen(cut), missing_right=frozen(right), leaves=frozen(leaves)
        )

    @classmethod
    def joined(cls, parts: Sequence[Trees]) -> Trees:
        """All trees of several sums over the same columns, with one output, as one sum."""
        filled = [part for part in parts if len(part)]
        if not filled:
            return cls.none()
        same = [part.deeper(max(each.depth for each in filled)) for part in filled]
        names = ("column", "cut", "missing_right", "leaves")
        return cls(*(frozen(np.concatenate([getattr(part, name) for part in same])) for name in names))

    def scores(self, features: Features, column_of: Ints) -> Floats:
        """Sums of the trees' values for every row and output; `column_of` says which column of the trees each one is.

        O(trees x rows), and the nodes that stored values send the other way.
        """
        out = np.zeros((features.indptr.size - 1, self.n_outputs))
        self._apply(score_rows, features, column_of, out)
        return out

    def reached(self, features: Features, column_of: Ints) -> Columns:
        """The number of the leaf that every row ends in, from left to right, one column for each tree."""
        out = np.zeros((features.indptr.size - 1, len(self)), np.int32)
        self._numbered._apply(reached_leaves, features, column_of, out)  # noqa: SLF001 - the same trees
        return out

    @cached_property
    def _numbered(self) -> Trees:
        """The same trees, the values of their leaves being the leaves' numbers."""
        numbers = np.tile(np.arange(float(self.leaves.shape[1])), (len(self), 1))
        return dataclasses.replace(self, leaves=frozen(numbers))

    def _apply(self, loop: Callable[..., None], features: Features, column_of: Ints, out: Any) -> None:
        """Run a loop over pieces of the rows."""
        rows, known = features.indptr.size - 1, self.forest.above_start.size - 1
        column_of = np.where(column_of < known, column_of, -1)  # later ones are in no tree
        work = np.arange(rows + 1) * len(self) + (features.indptr - features.indptr[0])
        cuts = even_cuts(work, int(1 + work[-1] // _WORK_PER_PIECE)) if rows else np.zeros(1, np.int64)

        def piece(at: int) -> None:
            arrays = features.indptr, features.indices, features.values, column_of, self.forest
            loop(*arrays, cuts[at], out[cuts[at] : cuts[at + 1]])

        in_threads(piece, range(cuts.size - 1))

    @cached_property
    def forest(self) -> NodesByColumn:
        """The nodes by column, as `score_rows` needs them. O(nodes log nodes), once."""
        first_bit, size = self._bits()
        tree, node = np.nonzero(self.column >= 0)
        column, cut = self.column[tree, node], self.cut[tree, node]
        zero_right = cut < 0
        # Leaves of the child that a zero goes to come first; a row that goes the other way cannot end in them.
        start, half = first_bit[tree, node].astype(np.uint64), (size[node] // 2).astype(np.uint64)
        masks = ~(((np.uint64(1) << half) - np.uint64(1)) << start)
        count = int(self.column.max(initial=-1)) + 1
        above = _by_column(column, cut, tree, masks, ~zero_right, count, rising=True)
        below = _by_column(column, cut, tree, masks, zero_right, count, rising=False)
        missing = _by_column(column, cut, tree, masks, self.missing_right[tree, node] != zero_right, count, rising=True)
        outputs = np.zeros(len(self), np.int32) if self.output_of is None else self.output_of
        return NodesByColumn(*above, *below, missing[0], *missing[2:], self._leaves_by_bit(first_bit), outputs)

    def _bits(self) -> tuple[Ints, Ints]:
        """The first bit of every node's leaves in every tree, and how many leaves a node of the heap has."""
        inner, leaves = self.column.shape[1], self.leaves.shape[1]
        first = np.zeros((len(self), inner + leaves), np.int64)
        size = np.array([leaves >> ((node + 1).bit_length() - 1) for node in range(inner + leaves)])
        for node in range(inner):
            zero_right = (self.column[:, node] >= 0) & (self.cut[:, node] < 0)
            half = size[node] // 2
            first[:, 2 * node + 1] = first[:, node] + np.where(zero_right, half, 0)
            first[:, 2 * node + 2] = first[:, node] + np.where(zero_right, 0, half)
        return first, size

    def _leaves_by_bit(self, first_bit: Ints) -> Floats:
        out = np.empty_like(self.leaves)
        inner = self.column.shape[1]
        np.put_along_axis(out, first_bit[:, inner:], self.leaves, axis=1)
        return frozen(out)


def _by_column(
    column: Ints, cut: Floats, tree: Ints, masks: Any, wanted: Bools, count: int, *, rising: bool
) -> tuple[Ints, Floats, Columns, Any]:
    """Wanted nodes by column, then by cut: where each column's start, their cuts, trees and masks."""
    column, cut, tree, masks = column[wanted], cut[wanted], tree[wanted], masks[wanted]
    order = np.lexsort((cut if rising else -cut, column))
    starts = np.searchsorted(column[order], np.arange(count + 1)).astype(np.int64)
    return starts, frozen(cut[order]), frozen(tree[order].astype(np.int32)), frozen(masks[order])
