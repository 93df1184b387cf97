"""Products of columns: against sums over all pairs, with missing values, and files with wrong steps are refused."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from runoff import LinearModel, ModelError, NBest, load
from runoff.errors import DataError, UsageError
from runoff.features import prepare
from runoff.features.products import apply_products, fit_products, is_products, product_names, product_sources
from runoff.features.steps import are_steps, source_columns
from runoff.nbest import Features

if TYPE_CHECKING:
    from pathlib import Path


def lists(seed: int, *, binary: bool = True, n: int = 12) -> NBest:
    rng = np.random.default_rng(seed)
    X = (rng.random((n * 3, 7)) < 0.3).astype(np.float32)
    if not binary:
        X *= rng.normal(size=X.shape).astype(np.float32)
    sizes = [0, *[3] * n, 0]
    return NBest.from_arrays(sparse.csr_array(X), quality=rng.random(n * 3), sizes=sizes, feature_names=list("abcdefg"))


def all_products(data: NBest, least: int, *, squares: bool = False) -> dict[str, np.ndarray]:
    """By going through all pairs of columns of a dense table: the definition."""
    X, names, found = data.features.to_scipy().toarray(), data.features.column_names().to_pylist(), {}
    for i, j in combinations_with_replacement(range(X.shape[1]), 2):
        if i == j and (not squares or set(np.unique(X[:, i])) <= {0, 1}):
            continue
        together = (X[:, i] != 0) & (X[:, j] != 0)
        if np.unique(data.group_of[together]).size >= least:
            found[f"{names[i]} & {names[j]}"] = X[:, i] * X[:, j]
    return found


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("squares", [True, False])
@pytest.mark.parametrize("least", [1, 3])
def test_products_are_those_of_all_pairs_that_occur_often_enough(binary: bool, squares: bool, least: int) -> None:
    data = lists(least, binary=binary)
    step = fit_products(data, min_groups=least, squares=squares)
    expected = all_products(data, least, squares=squares)
    assert product_names(step).to_pylist() == list(expected)
    made = apply_products(data, step).features
    assert made.column_names().to_pylist() == [*"abcdefg", *expected]
    own = data.features.to_scipy().toarray()
    np.testing.assert_array_equal(made.to_scipy().toarray(), np.column_stack([own, *expected.values()]))
    assert (made.values is None) == binary
    assert made.to_scipy().has_sorted_indices


def test_the_order_in_which_a_row_stores_its_columns_does_not_matter() -> None:
    data = lists(5, binary=False)
    table = data.features.to_scipy().copy()
    for row in range(table.shape[0]):
        part = slice(table.indptr[row], table.indptr[row + 1])
        table.indices[part], table.data[part] = table.indices[part][::-1].copy(), table.data[part][::-1].copy()
    features = Features.from_csr(table.indptr, table.indices, table.data, 7, data.features.column_names())
    backwards = data.replace(features=features)
    one, other = (fit_products(each, squares=True) for each in (data, backwards))
    assert product_names(one).equals(product_names(other))
    tables = [apply_products(each, one).features.to_scipy().toarray() for each in (data, backwards)]
    np.testing.assert_array_equal(*tables)


def test_slices_have_the_products_of_the_whole() -> None:
    data = lists(2, binary=False)
    step = fit_products(data)
    whole = apply_products(data, step)[4:9].features.to_scipy().toarray()
    np.testing.assert_array_equal(apply_products(data[4:9], step).features.to_scipy().toarray(), whole)
    assert fit_products(data[4:9], min_groups=1)["left"].size


def test_only_named_columns_are_multiplied_and_names_must_exist() -> None:
    data = lists(3)
    assert product_names(fit_products(data, ["c", "a"], min_groups=1)).to_pylist() == ["a & c"]
    assert product_names(fit_products(data, [], min_groups=1)).to_pylist() == []
    with pytest.raises(UsageError, match="there is no feature 'z' to make products of"):
        fit_products(data, ["a", "z"])


def test_the_product_with_a_missing_value_is_missing() -> None:
    data = NBest.from_arrays([[np.nan, 2.0, 0.0], [3.0, 2.0, np.nan]], sizes=[2], feature_names=["a", "b", "c"])
    made = apply_products(data, fit_products(data, min_groups=1)).features.to_scipy().toarray()[:, 3:]
    np.testing.assert_array_equal(made, [[np.nan, 0.0, 0.0], [6.0, np.nan, np.nan]])
    filled = prepare(data, [fit_products(data, min_groups=1)])
    assert not filled.features.has_missing


def test_new_data_may_have_other_columns_in_another_order() -> None:
    step = fit_products(NBest.from_arrays([[1, 1, 1]], sizes=[1], feature_names=["a", "b", "c"]), min_groups=1)
    new = NBest.from_arrays([[2, 3, 5, 7]], sizes=[1], feature_names=["c", "z", "a", "a & c"])
    made = apply_products(new, step).features
    assert made.column_names().to_pylist() == ["c", "z", "a", "a & c (not a product)", "a & c"]
    assert made.to_scipy().toarray().tolist() == [[2, 3, 5, 7, 10]]
    without = NBest.from_arrays([[2.0]], sizes=[1], feature_names=["z"])
    assert apply_products(without, step) is without
    nothing = NBest.from_arrays(quality=[1, 0], sizes=[2])
    assert apply_products(nothing, step) is nothing
    assert fit_products(nothing)["columns"] == []


def test_names_differ_from_those_of_columns_and_of_other_products() -> None:
    taken = NBest.from_arrays([[1, 1, 1]], sizes=[1], feature_names=["a", "b", "a & b"])
    assert product_names(fit_products(taken, ["a", "b"], min_groups=1)).to_pylist() == ["a &' b"]
    # Of these, two pairs would be called `x & y & z`.
    odd = NBest.from_arrays([[1, 1, 1, 1]], sizes=[1], feature_names=["x", "y & z", "x & y", "z"])
    names = product_names(fit_products(odd, min_groups=1)).to_pylist()
    assert len(set(names)) == 6
    assert "x &' y & z" in names
    assert product_sources(fit_products(odd, min_groups=1))["x & y &' z"] == ["x & y", "z"]


def test_sources_are_the_columns_of_the_pair() -> None:
    data = NBest.from_arrays([[2.0, 3.0]], sizes=[1], feature_names=["a", "b"])
    step = fit_products(data, min_groups=1, squares=True)
    assert source_columns(["a & b", "b & b", "c"], [step]) == ["a", "b", "c"]


def test_values_that_are_too_large_are_said() -> None:
    data = NBest.from_arrays([[1e30, 2e30]], sizes=[1], feature_names=["huge", "vast"])
    with pytest.raises(DataError, match="'huge & vast' are too large to be multiplied"):
        apply_products(data, fit_products(data, min_groups=1))


def _step() -> dict[str, Any]:
    return fit_products(NBest.from_arrays([[1, 1, 1]], sizes=[1], feature_names=["a", "b", "c"]), min_groups=1)


def _ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


HOSTILE: list[dict[str, Any]] = [
    {"columns": ["a", "a", "b"]},
    {"columns": ["a", "b"]},
    {"left": _ints(0, 0)},
    {"left": _ints(0, 0, -1)},
    {"left": _ints(0, 1, 1)},
    {"left": _ints(0, 0, 3)},
    {"left": [0, 0, 1]},
    {"left": np.array([0, 0, 1])},
    {"left": np.zeros((3, 1), np.int32)},
    {"right": _ints(1, 2, 3)},
    {"right": _ints(2, 1, 2)},
    {"right": _ints(1, 1, 2)},
    {"mark": 1},
    {"columns": ["x & y", "z", "x", "y & z"], "left": _ints(0, 2), "right": _ints(1, 3)},
]


@pytest.mark.parametrize("parts", HOSTILE)
def test_a_step_that_cannot_be_applied_is_refused(parts: dict[str, Any], tmp_path: Path) -> None:
    step = {**_step(), **parts}
    assert not is_products(step)
    assert not are_steps([step])
    names = pa.array(["a"], pa.large_string())
    if not isinstance(step["left"], np.ndarray) or step["left"].ndim == 1:
        LinearModel(np.ones(1), names, preparation=(step,)).save(tmp_path / "m.runoff")
        with pytest.raises(ModelError, match="is damaged"):
            load(tmp_path / "m.runoff")


@pytest.mark.parametrize("name", ["left", "right", "columns"])
def test_a_step_with_a_part_missing_is_refused(name: str) -> None:
    assert is_products(_step())
    assert not is_products({key: value for key, value in _step().items() if key != name})


def test_a_model_keeps_its_products(tmp_path: Path) -> None:
    data = lists(7, binary=False)
    step = fit_products(data)
    names = pa.concat_arrays([data.features.column_names(), product_names(step)])
    model = LinearModel(np.arange(len(names), dtype=float), names, preparation=(step,))
    model.save(tmp_path / "m.runoff")
    np.testing.assert_array_equal(load(tmp_path / "m.runoff").scores(data), model.scores(data))
    with pytest.raises(ModelError, match="knows none of the features"):
        model.scores(NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["z"]))
