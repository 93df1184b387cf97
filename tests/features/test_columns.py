"""Facts about columns and matching by name, against plain numpy."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.features import align, facts
from runoff.nbest import Features


@settings(deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_counts_and_spreads_are_those_of_the_definition(seed: int, ones: bool) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 5, 8)
    X = (rng.normal(size=(sizes.sum(), 4)) + 100) * (rng.random((sizes.sum(), 4)) < 0.5)
    X = ((X != 0).astype(float) if ones else X).astype(np.float32)
    data = NBest.from_arrays(X, sizes=sizes)
    seen, variances = np.zeros(4, int), [[] for _ in range(4)]
    for group in np.split(X.astype(np.float64), np.cumsum(sizes)[:-1]):
        for column in range(4):
            values = group[:, column]
            seen[column] += bool(np.any(values != 0))
            if len(values) and np.ptp(values) > 0:
                variances[column].append(np.var(values))
    found = facts(data)
    assert found.groups.tolist() == seen.tolist()
    expected = [np.sqrt(np.mean(each)) if each else 0.0 for each in variances]
    assert found.spread == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_large_constant_is_no_spread() -> None:
    data = NBest.from_arrays(np.full((6, 1), 0.1, np.float32) + 1e6, sizes=[3, 3])
    assert facts(data).spread.tolist() == [0.0]


def test_columns_are_matched_by_name() -> None:
    features = Features.of(np.eye(3), ["b", "new", "a"])
    assert align(features, pa.array(["a", "b"], pa.large_string())).tolist() == [1, -1, 0]
    assert align(Features.of(np.eye(2)), pa.array(["0", "1"], pa.large_string())).tolist() == [0, 1]


def test_an_index_outside_the_table_is_refused_before_compiled_code_sees_it() -> None:
    features = Features.from_csr([0, 1, 2], [0, 5], None, 3)
    with pytest.raises(ValueError, match="damaged"):
        facts(NBest.from_arrays(features, sizes=[2]))
