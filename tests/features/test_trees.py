"""Trees as arrays: sums, deeper ones, joined ones, against walking down."""

from __future__ import annotations

import numpy as np
import pytest

from runoff.features.trees import Trees
from runoff.nbest import Features
from runoff.opening.limits import DamagedFileError


def forest(seed: int, trees: int, depth: int) -> Trees:
    rng = np.random.default_rng(seed)
    shape = trees, (1 << depth) - 1
    leaves = rng.normal(size=(trees, 1 << depth))
    return Trees(rng.integers(-1, 4, shape), rng.normal(size=shape), rng.random(shape) < 0.5, leaves)


def walked(trees: Trees, row: np.ndarray) -> float:
    """The sum, node by node."""
    total = 0.0
    for tree in range(len(trees)):
        node = 0
        while node < trees.column.shape[1]:
            column, right = trees.column[tree, node], False
            if column >= 0:
                value = row[column]
                right = trees.missing_right[tree, node] if np.isnan(value) else value > trees.cut[tree, node]
            node = 2 * node + 1 + int(right)
        total += trees.leaves[tree, node - trees.column.shape[1]]
    return total


@pytest.fixture
def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(40, 4)).astype(np.float32)
    table[rng.random(table.shape) < 0.3] = 0.0
    table[rng.random(table.shape) < 0.2] = np.nan
    return table


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_deeper_trees_say_the_same(depth: int, rows: np.ndarray) -> None:
    trees, features = forest(depth, 5, depth), Features.of(rows)
    expected = [walked(trees, row) for row in rows]
    for more in range(depth, 7):
        deeper = trees.deeper(more)
        assert deeper.depth == more
        np.testing.assert_allclose(deeper.scores(features, np.arange(4))[:, 0], expected)
        np.testing.assert_allclose([walked(deeper, row) for row in rows], expected)


def test_joined_trees_are_the_sum(rows: np.ndarray) -> None:
    parts, features = [forest(1, 3, 2), Trees.none(), forest(2, 4, 3).scaled(-0.5)], Features.of(rows)
    joined = Trees.joined(parts)
    assert (len(joined), joined.depth) == (7, 3)
    expected = [walked(parts[0], row) + walked(parts[2], row) for row in rows]
    np.testing.assert_allclose(joined.scores(features, np.arange(4))[:, 0], expected)
    np.testing.assert_allclose(parts[2].leaves, -0.5 * forest(2, 4, 3).leaves)
    assert len(Trees.joined([Trees.none(), Trees.none(3)])) == 0


def test_arrays_of_a_file_are_checked() -> None:
    fine = {"column": np.array([0]), "cut": np.zeros(1), "missing_right": np.zeros(1, np.uint8), "leaves": np.zeros(2)}
    assert len(Trees.from_file(**fine, n_columns=1)) == 1
    wrong = [
        {"column": np.array([1])},
        {"column": np.array([-2])},
        {"column": np.array([0, 0])},
        {"cut": np.array([np.inf])},
        {"cut": np.zeros(2)},
        {"missing_right": np.array([2], np.uint8)},
        {"leaves": np.array([np.nan, 0.0])},
        {"leaves": np.zeros(3)},
        {"leaves": np.zeros(0)},
    ]
    for parts in wrong:
        with pytest.raises(DamagedFileError):
            Trees.from_file(**{**fine, **parts}, n_columns=1)
