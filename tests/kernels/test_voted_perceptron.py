"""Loops behind exact voting, each against its definition written out."""

import numpy as np
import pytest

from runoff.arrays import frozen
from runoff.kernels.voted_perceptron import differences, gather, release, weighted_sum


def updates(rng: np.random.Generator, n: int, n_columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Updates with a column that nearly all of them move, and many that few do."""
    lists = [np.unique(np.append(rng.integers(0, n_columns, 3), rng.integers(0, 2))) for _ in range(n)]
    starts = np.concatenate([[0], np.cumsum([each.size for each in lists])])
    columns = np.concatenate(lists).astype(np.int32)
    return frozen(starts), frozen(columns), frozen(rng.integers(-3, 4, columns.size).astype(float))


@pytest.mark.parametrize(("first", "last"), [(0, 40), (3, 4), (7, 31), (5, 5)])
def test_a_block_has_every_change_of_its_updates_once(first: int, last: int) -> None:
    rng = np.random.default_rng(first)
    starts, columns, deltas = updates(rng, 40, 60)
    # The data has its columns in another order, and lacks some of the model's.
    place_of = frozen(np.where(rng.random(60) < 0.2, -1, rng.permutation(60)).astype(np.int32))
    spans = np.zeros((60, 2), np.int32)
    block = gather(first, last, starts, columns, deltas, place_of, spans)
    expected = np.zeros((60, last - first))
    for update in range(first, last):
        for at in range(starts[update], starts[update + 1]):
            if place_of[columns[at]] >= 0:
                expected[place_of[columns[at]], update - first] += deltas[at]
    found = np.zeros_like(expected)
    for column in block.touched:
        start, stop = spans[column]
        if start < 0:
            found[column] = block.table[-1 - start]
        else:
            assert (np.diff(block.when[start:stop]) > 0).all()
            found[column, block.when[start:stop]] = block.changes[start:stop]
    assert found.tolist() == expected.tolist()
    assert sorted(block.touched) == np.flatnonzero(spans[:, 1]).tolist()
    release(block)
    assert not spans.any()


def test_both_ways_to_keep_a_column_are_used() -> None:
    starts, columns, deltas = updates(np.random.default_rng(0), 40, 60)
    spans = np.zeros((60, 2), np.int32)
    block = gather(0, 40, starts, columns, deltas, frozen(np.arange(60, dtype=np.int32)), spans)
    # A column takes a whole row of the table where at least one in eight updates moves it.
    counts = np.bincount(columns, minlength=60)
    assert (spans[counts > 0, 0] < 0).tolist() == (counts[counts > 0] >= 5).tolist()
    assert 0 < len(block.table) < block.touched.size


def test_a_weighted_sum_adds_to_what_is_there() -> None:
    out = np.array([1.0, 0.0, 0.0])
    starts, columns, weight = (
        frozen(np.array([0, 2, 3])),
        frozen(np.array([0, 2, 0], np.int32)),
        frozen(np.array([2, 5])),
    )
    weighted_sum(starts, columns, frozen(np.array([1.0, 3.0, -1.0])), weight, out)
    assert out.tolist() == [1 + 2 - 5, 0.0, 6.0]


@pytest.mark.parametrize("binary", [True, False])
def test_differences_leave_out_what_adds_up_to_nothing(binary: bool) -> None:
    # Rows {0, 1}, {1, 2}, {}; the first update is row 0 minus row 1, the second row 2, the third row 1 and row 1 again.
    table = frozen(np.array([0, 2, 4, 4])), frozen(np.array([0, 1, 1, 2], np.int32))
    values = None if binary else frozen(np.array([5, 3, 3, 7], np.float32))
    row, amount = frozen(np.array([0, 1, 2, 1, 1])), frozen(np.array([1.0, -1.0, 4.0, 1.0, 0.5]))
    base = frozen(np.array([10.0, 1.0, 2.0]))
    starts, columns, deltas, bases, times = differences(
        row, amount, frozen(np.array([4, 4, 6, 9, 9])), *table, values, base, 3, 8
    )
    assert starts.tolist() == [0, 2, 2, 4]
    assert columns.tolist() == [0, 2, 1, 2]
    assert deltas.tolist() == ([1, -1, 1.5, 1.5] if binary else [5, -7, 4.5, 10.5])
    assert bases.tolist() == [9, 8, 1.5]
    assert times.tolist() == [4, 6, 9]


def test_an_empty_log_has_no_updates() -> None:
    none = frozen(np.empty(0, np.int64))
    table = frozen(np.zeros(2, np.int64)), frozen(np.empty(0, np.int32)), None
    starts, columns, _, _, times = differences(none, frozen(np.empty(0)), none, *table, frozen(np.zeros(1)), 3, 0)
    assert (starts.tolist(), columns.size, times.size) == ([0], 0, 0)
