"""Places within groups against ranks by scipy; columns beside others against scipy's."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from runoff.arrays import frozen
from runoff.kernels.sparse_rows import beside
from runoff.kernels.within_group_ranks import beaten_shares, varieties


def csr(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    matrix = sparse.csr_array(table.astype(np.float32))
    return frozen(matrix.indptr.astype(np.int64)), frozen(matrix.indices.astype(np.int32)), frozen(matrix.data)


def by_scipy(table: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Mean ranks from 1 to k, brought to 0..1."""
    cuts = np.cumsum(sizes)[:-1]
    groups = [(rankdata(part, "average", axis=0) - 1) / (len(part) - 1) for part in np.split(table, cuts)]
    return np.concatenate(groups)


# Groups of up to 256 are counted and larger ones sorted; widths of the merge sort are powers of two.
@pytest.mark.parametrize("sizes", [[2, 3, 17], [255, 256], [257, 5, 512], [513, 1025]])
@pytest.mark.parametrize("distinct", [1, 2, 7, 10_000])
def test_places_are_ranks_brought_to_one(sizes: list[int], distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    table = (rng.integers(0, distinct, (sum(sizes), 3)) - distinct // 2).astype(np.float32)
    found = np.full(table.shape, np.nan, np.float32)
    offsets = frozen(np.cumsum([0, *sizes]))
    beaten_shares(offsets, *csr(table), frozen(np.arange(3, dtype=np.int32)), found)
    assert found == pytest.approx(by_scipy(table, sizes), abs=1e-7)


def test_a_piece_of_the_groups_and_some_of_the_columns_in_another_order() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 4)).astype(np.float32)
    slots = frozen(np.array([2, -1, 0, -1], np.int32))  # slot 1 belongs to no column
    found = np.full((20, 3), np.nan, np.float32)
    beaten_shares(frozen(np.array([10, 18, 30])), *csr(table), slots, found)
    expected = by_scipy(table[10:], [8, 12])
    assert found == pytest.approx(np.column_stack([expected[:, 2], np.full(20, 0.5), expected[:, 0]]))


@pytest.mark.parametrize("binary", [True, False])
def test_a_column_that_a_row_has_twice_counts_as_the_sum(binary: bool) -> None:
    # Rows 0: a and b and a again, 1: a, 2: nothing.
    indptr, indices = frozen(np.array([0, 3, 4, 4])), frozen(np.array([0, 1, 0, 0], np.int32))
    values = None if binary else frozen(np.array([4, -1, -3, 2], np.float32))
    found = np.empty((3, 2), np.float32)
    slots = frozen(np.array([0, 1], np.int32))
    beaten_shares(frozen(np.array([0, 3])), indptr, indices, values, slots, found)
    a, b = ([2, 1, 0], [1, 0, 0]) if binary else ([1, 2, 0], [-1, 0, 0])
    assert found == pytest.approx(by_scipy(np.column_stack([a, b]), [3]))


def test_varieties_count_groups_of_at_least_three() -> None:
    groups = [
        [[1, 0, 0], [2, 0, 0]],  # too small to tell
        [[5, 0, 0], [5, 1, 0], [5, 0, 0]],
        [[0, 1, 0], [1, 2, 0], [0, 0, 0], [-1, 2, 0]],
        [[3, 1, 0], [3, 1, 0], [4, 1, 0]],
    ]
    offsets = frozen(np.cumsum([0, *map(len, groups)]))
    two, three = varieties(offsets, *csr(np.concatenate(groups)), frozen(np.arange(3, dtype=np.int32)), 3)
    assert (two.tolist(), three.tolist()) == ([2, 2, 0], [1, 1, 0])


@pytest.mark.parametrize("binary", [True, False])
def test_columns_beside_others_as_scipy_puts_them(binary: bool) -> None:
    rng = np.random.default_rng(0)
    left = (rng.integers(0, 2, (12, 5)) * (1 if binary else rng.normal(size=(12, 5)))).astype(np.float32)
    right = (rng.integers(0, 2, (12, 3)) * rng.random((12, 3))).astype(np.float32)
    indptr, indices, values = csr(left)
    starts, columns, numbers = beside(indptr, indices, None if binary else values, 5, right)
    expected = sparse.hstack([sparse.csr_array(left), sparse.csr_array(right)], format="csr")
    assert starts.tolist() == expected.indptr.tolist()
    assert columns.tolist() == expected.indices.tolist()
    assert numbers.tolist() == expected.data.tolist()


def test_rows_of_a_part_start_where_the_part_does() -> None:
    indptr, indices, values = csr(np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 4.0]]))
    starts, columns, numbers = beside(indptr[1:], indices, values, 2, np.array([[0.5], [0.0]], np.float32))
    assert (starts.tolist(), columns.tolist(), numbers.tolist()) == ([0, 2, 3], [0, 2, 1], [3.0, 0.5, 4.0])
