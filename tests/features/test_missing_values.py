"""Missing values: read, kept, filled by the list they are in, weighed by models, and counted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import runoff
from runoff import DataError, LinearModel, NBest, load
from runoff.features import facts, fit_missing_values, prepare, source_columns
from runoff.features.missing_values import fill_missing_values
from runoff.features.steps import are_steps
from runoff.learners import LEARNERS
from runoff.nbest import Features

if TYPE_CHECKING:
    from pathlib import Path

STEP = {"step": "missing-values", "columns": ["a", "b"], "mark": ""}


def table(data: NBest) -> dict[str, list[float]]:
    names = data.features.column_names().to_pylist()
    return dict(zip(names, data.features.to_scipy().toarray().T.tolist(), strict=True))


def lists(seed: int, groups: int = 12, columns: int = 3) -> NBest:
    """Lists of 0 to 5 candidates with zeros and missing values; ids are those that every format keeps."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, groups)
    X = rng.integers(-3, 4, (sizes.sum(), columns)).astype(np.float64)
    quality = rng.integers(0, 3, sizes.sum()) + 0.0
    X[:, 0] += quality
    X[rng.random(X.shape) < 0.3] = np.nan
    return NBest.from_arrays(X, quality, sizes=sizes, base=rng.normal(size=sizes.sum()), feature_names=list("abc"))


# ---------------------------------------------------------------- filling


def test_filled_by_hand() -> None:
    nan = np.nan
    #    a mean of known values, of which one is not stored; nothing known; one known, alone
    X = [[nan, 1], [6, 0], [0, nan], [nan, nan], [nan, nan], [4, 0]]
    data = NBest.from_arrays(X, sizes=[3, 2, 1], feature_names=["a", "b"])
    filled = prepare(data, [STEP])
    assert table(filled) == {
        "a": [3, 6, 0, 0, 0, 4],
        "b": [1, 0, 0.5, 0, 0, 0],
        "a missing": [1, 0, 0, 1, 1, 0],
        "b missing": [0, 0, 1, 1, 1, 0],
    }
    assert filled.features.n_stored == 11  # no zeros
    assert not filled.features.has_missing


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_filled_as_by_a_slow_loop_and_group_by_group(seed: int) -> None:
    data = lists(seed)
    known = prepare(data, fit_missing_values(data))
    X, rows = data.features.to_scipy().toarray().astype(np.float64), []
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        part = X[start:stop]
        means = [np.mean(each[~np.isnan(each)]) if (~np.isnan(each)).any() else 0.0 for each in part.T]
        rows.append(np.where(np.isnan(part), means, part))
    found = table(known)
    np.testing.assert_allclose(np.column_stack([found[name] for name in "abc"]), np.concatenate(rows), rtol=1e-6)
    for at, name in enumerate("abc"):
        if f"{name} missing" in found:
            np.testing.assert_array_equal(found[f"{name} missing"], np.isnan(X[:, at]))
        else:
            assert not np.isnan(X[:, at]).any()
    some = data[3:7]  # shares its arrays with the whole
    again = prepare(some, fit_missing_values(data))
    for name, values in table(again).items():
        np.testing.assert_array_equal(values, np.array(found[name])[data.offsets[3] : data.offsets[7]])


def test_data_without_missing_values_is_not_touched() -> None:
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["a"])
    assert fit_missing_values(data) == ()
    assert prepare(data, [STEP]) is data
    assert prepare(data, []) is data


def test_what_was_seen_once_is_not_searched_again() -> None:
    class Counted(np.ndarray):
        searched = 0

        def min(self, *args: Any, **options: Any) -> Any:
            Counted.searched += self.size
            return super().min(*args, **options)

    values = np.arange(1, 101, dtype=np.float32)
    data = NBest.from_arrays(Features.from_csr(np.arange(101), np.zeros(100, np.int32), values, 1), sizes=[10] * 10)
    object.__setattr__(data.features, "values", values.view(Counted))
    assert not data.features.has_missing
    assert Counted.searched == 100
    assert not any(part.features.has_missing for part in data)
    assert prepare(data[2:5], [STEP]).features.check().n_stored == 30
    assert Counted.searched == 100


def test_a_part_without_missing_values_has_none() -> None:
    data = NBest.from_arrays([[1.0], [np.nan], [3.0]], sizes=[1, 1, 1])
    assert [part.features.has_missing for part in data] == [False, True, False]
    assert data[2].features.check().n_stored == 1


def test_names_that_are_taken() -> None:
    X = [[1.0, np.nan], [2.0, 5.0]]
    data = NBest.from_arrays(X, sizes=[2], feature_names=["a missing", "a"])
    (step,) = fit_missing_values(data)
    assert list(table(prepare(data, [step]))) == ["a missing", "a", "a missing'"]
    other = NBest.from_arrays(X, sizes=[2], feature_names=["a missing'", "b"])
    assert list(table(prepare(other, [step]))) == ["a missing' (as given)", "b", "a missing'"]
    plain = NBest.from_arrays([[1.0]], sizes=[1], feature_names=["a missing'"])
    assert list(table(prepare(plain, [step]))) == ["a missing' (as given)"]


def test_steps_from_files_are_checked() -> None:
    assert are_steps([STEP])
    assert not are_steps([{"step": "missing-values"}])
    assert not are_steps([{"step": "missing-values", "columns": ["a", "a"]}])
    assert source_columns(["a missing", "c"], [STEP]) == ["a", "c"]


# ---------------------------------------------------------------- what stays refused


def test_loops_refuse_missing_values_that_nobody_filled() -> None:
    data = lists(0)
    with pytest.raises(DataError, match="feature values are missing; fill them in"):
        facts(data)


@pytest.mark.parametrize("part", ["base", "quality"])
def test_scores_and_quality_cannot_be_missing(part: str) -> None:
    with pytest.raises(DataError, match=f"{part} must be a finite number"):
        NBest.from_arrays([[np.nan]], sizes=[1], **{part: [np.nan]})
    record = {"candidates": [{part: None, "features": {"a": None}}, {part: 1.0}]}
    with pytest.raises(DataError, match=f"has no '{part}', but others have"):
        NBest.from_records([record])


# ---------------------------------------------------------------- files and tables


def same(a: NBest, b: NBest) -> bool:
    """Whether two have the same features by name, missing ones included."""
    ours, theirs = table(a), table(b)
    names = ours.keys() | theirs.keys()
    zeros = [0.0] * a.n_candidates
    return all(np.array_equal(ours.get(name, zeros), theirs.get(name, zeros), equal_nan=True) for name in names)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from([".arrow", ".parquet", ".jsonl"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int, ending: str) -> None:
    data, path = lists(seed), tmp_path_factory.mktemp("missing") / f"lists{ending}"
    runoff.write(data, path)
    again = runoff.read(path)
    assert same(data, again)
    assert again.features.has_missing == data.features.has_missing


def test_from_letor_to_arrow_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "mq.txt").write_text("1 qid:1 1:NULL 2:3\n0 qid:1 1:2 2:0\n")
    data = runoff.read(tmp_path / "mq.txt")
    assert data.features.has_missing
    for name in ("mq.arrow", "mq.jsonl"):
        runoff.write(data, tmp_path / name)
        assert same(data, runoff.read(tmp_path / name))


@pytest.mark.parametrize("features", ["", ",features=x+y"])
def test_empty_cells_of_tables(tmp_path: Path, features: str) -> None:
    (tmp_path / "t.csv").write_text("qid,label,x,y\n1,2,,3\n1,0,5,NA\n1,1,0,NULL\n")
    data = runoff.read(tmp_path / "t.csv", columns=f"group=qid,quality=label{features}")
    np.testing.assert_array_equal(list(table(data).values()), [[np.nan, 5, 0], [3, np.nan, np.nan]])


def test_a_mistake_is_found_behind_an_empty_cell(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("qid,x,y\n1,,3\n1,5,oops\n")
    with pytest.raises(DataError, match="line 3: expected a number in column 'y', found 'oops'"):
        runoff.read(tmp_path / "t.csv", columns="group=qid,features=x+y")


def test_nulls_of_arrow_tables() -> None:
    columns = {
        "q": ["a"] * 3,
        "i": [1, None, 3],
        "f": [None, np.nan, 2.0],
        "b": [True, None, False],
        "t": ["4", None, ""],
    }
    data = NBest.from_table(pa.table(columns), group="q", features=["i", "f", "b", "t"])
    expected = [[1, np.nan, 3], [np.nan, np.nan, 2], [1, np.nan, 0], [4, np.nan, np.nan]]
    np.testing.assert_array_equal(list(table(data).values()), expected)
    import pandas as pd

    frame = pd.DataFrame({"q": ["a", "a"], "f": [np.nan, 1.0]})
    np.testing.assert_array_equal(list(table(NBest.from_table(frame, group="q")).values()), [[np.nan, 1]])


def test_records_and_sparse_matrices() -> None:
    given = [{"a": None, "b": 2}, {"a": float("nan")}, {"b": np.float32("nan"), "a": 1}]
    data = NBest.from_records([{"candidates": [{"features": each} for each in given]}])
    np.testing.assert_array_equal(list(table(data).values()), [[np.nan, np.nan, 1], [2, 0, np.nan]])
    matrix = sparse.csr_array(np.array([[np.nan, 0.0], [0.0, 1.0]]))
    assert NBest.from_arrays(matrix, sizes=[2]).features.has_missing


# ---------------------------------------------------------------- models and reports


def telling(seed: int = 0, groups: int = 60) -> NBest:
    """The best candidate of every list is the one whose `x` is missing; `y` is noise."""
    rng = np.random.default_rng(seed)
    X, quality = rng.normal(size=(groups * 4, 2)), np.zeros(groups * 4)
    best = np.arange(groups) * 4 + rng.integers(0, 4, groups)
    X[best, 0], quality[best] = np.nan, 1.0
    return NBest.from_arrays(X, quality, sizes=[4] * groups, feature_names=["x", "y"])


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_learner_weighs_that_a_value_is_missing(tmp_path: Path, name: str) -> None:
    train, test = telling(0), telling(1, 20)
    model = LEARNERS[name]().fit(train, telling(2, 20)).model
    assert (test.quality[test.offsets[:-1] + model.pick(test).indices] == 1).all()
    if name != "trees":  # which look at missing values as they are
        assert model.provenance["notes"][0].startswith("1 of 2 columns have missing values: x. The mean of the list")
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    np.testing.assert_array_equal(model.scores(test), again.scores(test))
    explained = again.explain(test, 0)
    assert explained.difference == pytest.approx(explained.winner.score - explained.rival.score)
    assert again.unseen(test).columns == 0


def test_missing_only_when_picking() -> None:
    """Data of a model that never met a missing value: it counts as the list's mean, and no column says where."""
    model = LinearModel.of({"x": 1.0})
    data = NBest.from_arrays([[np.nan], [5.0], [2.0]], sizes=[3], feature_names=["x"])
    np.testing.assert_allclose(model.scores(data), [3.5, 5, 2])
    assert model.unseen(data).columns == 0
    cut = runoff.Boost(rounds=5).fit(fill_missing_values(telling())).model
    assert np.isfinite(cut.scores(telling(3))).all()


def test_missing_only_in_dev_data() -> None:
    train = fill_missing_values(telling())
    model = runoff.LogLinear(sigma=1.0).fit(train, telling(1)).model
    assert "notes" not in model.provenance


def test_supplied_features_of_texts() -> None:
    """Learners that make features beside the supplied ones: the pick does not depend on how often data was seen."""
    train = dataclasses.replace(telling(), texts=pa.array([f"t {at % 4}" for at in range(240)], pa.large_string()))
    for learner in (
        runoff.tasks.get("text").learner("perceptron", families="length,scores", epochs=2),
        runoff.tasks.get("text").learner(families="length,scores", recipes="loglinear", folds=2),
    ):
        model = learner.fit(train).model
        assert "x missing" in model.names.to_pylist()
        assert model.pick(train).indices.tolist() == (train.quality.reshape(-1, 4)).argmax(axis=1).tolist()
        assert model.unseen(train).columns == 0


def test_describe_counts_them() -> None:
    found = runoff.describe(lists(1))
    X = lists(1).features.to_scipy().toarray()
    assert (found.missing_values, found.missing_columns) == (np.isnan(X).sum(), 3)
    assert f"missing      {np.isnan(X).sum()} values of 3 of 3 features" in str(found)
    assert "missing " not in str(runoff.describe(fill_missing_values(lists(1))))
    negative = np.array([[np.nan], [-np.nan], [1.0]])  # one missing value, whatever its sign
    assert runoff.describe(NBest.from_arrays(negative, quality=[0, 0, 1], sizes=[3])).duplicates == 1
