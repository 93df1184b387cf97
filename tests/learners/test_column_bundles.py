"""Columns folded within groups: scores and slopes as without folding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import runoff
from runoff.learners.column_bundles import ColumnBundles, bundle_columns
from runoff.nbest import NBest


def _random_lists(seed: int, groups: int, *, ones: bool) -> NBest:
    """Lists whose columns come in bundles, some alike by chance, with groups of zero and one candidates."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 6, groups)
    rows = []
    for size in sizes:
        patterns = draw.integers(0, 2 if ones else 3, (size, 4))
        rows.append(patterns[:, draw.integers(0, 4, 12)] * draw.integers(0, 2, 12))
    table = np.concatenate(rows) if groups else np.zeros((0, 12))
    return NBest.from_arrays(table, quality=draw.normal(size=len(table)), sizes=sizes)


def _folded(data: NBest) -> ColumnBundles:
    found = bundle_columns(data, worth=0)
    assert found is not None
    return found


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.booleans())
def test_rows_over_bundles_times_members_are_the_features(seed: int, groups: int, ones: bool) -> None:
    """The two factors multiplied give the table back, value for value."""
    data = _random_lists(seed, groups, ones=ones)
    found = _folded(data)
    values = np.ones(found.indices.size) if found.values is None else found.values
    rows = sparse.csr_array((values, found.indices, found.indptr), shape=(data.n_candidates, found.count))
    members = sparse.csr_array(
        (np.ones(found.members.size), found.members, found.member_ends), shape=(found.count, data.features.n_columns)
    )
    np.testing.assert_array_equal((rows @ members).toarray(), data.features.to_scipy().toarray())


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_bundles_are_as_few_as_the_distinct_columns_of_each_group(seed: int) -> None:
    """Counted by a set of columns per group."""
    data = _random_lists(seed, 5, ones=False)
    distinct = [
        len({tuple(column) for column in group.features.to_scipy().toarray().T if any(column)}) for group in data
    ]
    np.testing.assert_array_equal(np.diff(_folded(data).starts), distinct)


def test_weights_and_slopes_go_over_members() -> None:
    """Two bundles, {0, 1} and {2}: weights add up, slopes are handed to each member."""
    found = _folded(NBest.from_arrays([[1, 1, 0], [0, 0, 2]], quality=[1, 0], sizes=[2]))
    weights, slopes = np.empty(2), np.zeros(3)
    found.weights(np.array([0]), np.array([1.0, 10.0, 100.0]), weights)
    found.add_slopes(np.array([0]), np.array([5.0, 7.0]), slopes)
    assert weights.tolist() == [11.0, 100.0]
    assert slopes.tolist() == [5.0, 5.0, 7.0]


def test_a_part_of_the_data_folds_like_data_of_its_own() -> None:
    """A slice shares its arrays with the whole: rows then do not begin at zero."""
    data = _random_lists(3, 8, ones=False)
    part = data[3:7]
    alone = NBest.from_arrays(part.features.to_scipy().toarray(), quality=part.quality, sizes=part.sizes)
    for one, other in zip(_arrays(_folded(part)), _arrays(_folded(alone)), strict=True):
        np.testing.assert_array_equal(one, other)


def _arrays(found: ColumnBundles) -> list[object]:
    return [found.starts, found.indptr, found.indices, found.values, found.member_ends, found.members]


def test_nothing_is_folded_where_columns_differ() -> None:
    """Real-valued columns have nothing in common: twice the numbers would be no saving."""
    draw = np.random.default_rng(0)
    data = NBest.from_arrays(draw.normal(size=(600, 40)), quality=draw.normal(size=600), sizes=[6] * 100)
    assert bundle_columns(data, worth=1) is None


@pytest.mark.parametrize("right", ["best", "tied"])
def test_loglinear_learns_the_same_from_bundles(monkeypatch: pytest.MonkeyPatch, right: str) -> None:
    """Weights with and without folding agree to the solver's tolerance."""
    data = _random_lists(7, 60, ones=False)
    learner = runoff.LogLinear(sigma=1.0, scale="none", right=right, tolerance=1e-9)
    plain = learner.fit(data).model.weights
    monkeypatch.setattr("runoff.learners.loglinear_problem.bundle_columns", lambda data: bundle_columns(data, worth=0))
    np.testing.assert_allclose(learner.fit(data).model.weights, plain, atol=1e-5)
