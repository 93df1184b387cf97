"""Features as compressed rows: what is stored, what is refused, and whose memory it is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.nbest import Features, NBest


def dense(features: Features) -> list[list[float]]:
    return features.to_scipy().toarray().tolist()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_matrix_that_the_caller_can_change_is_copied(kind, dtype, index):
    matrix = kind(np.array([[1, 0, 2], [0, 3, 0]], dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    features = Features.of(matrix)
    matrix.data[:] = 9
    matrix.indices[:] = 0
    matrix.indptr[:] = 0
    assert dense(features) == [[1, 0, 2], [0, 3, 0]]


def test_a_table_that_the_caller_can_change_is_copied():
    table = np.ones((2, 2), np.float32) * 2
    features = Features.of(table)
    table[:] = 9
    assert dense(features) == [[2, 2], [2, 2]]


def test_a_matrix_that_nobody_can_change_is_shared():
    made = sparse.csr_array(np.array([[1, 0, 2], [0, 3, 0]], np.float32))
    parts = [frozen(part) for part in (made.data, made.indices.astype(np.int32), made.indptr)]
    features = Features.of(sparse.csr_array(tuple(parts), shape=made.shape))
    assert np.shares_memory(features.values, parts[0])
    assert np.shares_memory(features.indices, parts[1])


def test_zeros_are_not_stored_and_repeated_columns_are_summed_without_touching_the_callers_matrix():
    matrix = sparse.csr_array((np.array([0, 2, 1, -1, 4, 3.0]), [0, 1, 2, 2, 0, 0], [0, 4, 6]), shape=(2, 3))
    features = Features.of(matrix)
    assert (features.indices.tolist(), features.values.tolist()) == ([1, 0], [2, 7])
    assert matrix.data.tolist() == [0, 2, 1, -1, 4, 3]
    for table in (np.array([[1e-60, 1.0]]), sparse.csr_array(np.array([[1e-60, 1.0]]))):
        assert Features.of(table).n_stored == 1  # single precision cannot hold 1e-60


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "b", "a"], "names of features must differ; more than one column is called 'b'"),
        (pa.chunked_array([["a", "b"], ["b", "c"]]), "more than one column is called 'b'"),
        (["a", None, "c", "d"], "every feature column needs a name; column 1 has none"),
        ([1, 2, 3, 4], "names of features must be texts"),
        (["a"], "there are 4 feature columns but 1 feature names"),
    ],
)
def test_names_that_do_not_fit(names, message):
    with pytest.raises(DataError, match=message):
        Features.of(np.eye(4), names)
    with pytest.raises(DataError, match=message):
        Features.of(Features.of(np.eye(4)), names)


@pytest.mark.parametrize("n_columns", [2**31, 2**40, -1])
def test_more_columns_than_can_be_numbered(n_columns):
    with pytest.raises(DataError, match="up to 2,147,483,647 feature columns; found"):
        Features.from_csr([0, 1], [0], None, n_columns)
    if n_columns > 0:
        with pytest.raises(DataError, match="up to 2,147,483,647 feature columns; found"):
            Features.of(sparse.csr_array((1, n_columns)))


@pytest.mark.parametrize("indices", [[2**32], [-1], np.array([2**63], np.uint64), np.array([2**31])])
def test_column_numbers_are_never_wrapped_around(indices):
    with pytest.raises(DataError, match="points at columns that do not exist"):
        Features.from_csr([0, 1], indices, None, 3)


@pytest.mark.filterwarnings("error")
def test_numbers_that_single_precision_cannot_hold():
    with pytest.raises(DataError, match=r"feature values must be finite, .*; candidate 0 has inf in column 1"):
        Features.of([[1.0, 1e300]])


def test_columns_that_are_no_whole_numbers():
    with pytest.raises(DataError, match="columns must be whole numbers; found float64"):
        Features.from_csr([0, 1], [0.5], None, 3)


def test_names_of_numbered_columns_are_made_once():
    features = NBest.from_arrays(np.eye(3) * 2, sizes=[1, 2]).features
    assert features.column_names().to_pylist() == ["0", "1", "2"]
    assert features.rows(1, 2).column_names() is features.column_names()
    assert features.take(np.array([2, 0])).column_names() is features.column_names()
