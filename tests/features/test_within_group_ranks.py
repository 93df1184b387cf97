"""Places within groups: what they are, of which columns, and that a model keeps them."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import rankdata

from runoff import LinearModel, ModelError, NBest, load
from runoff.features import fit_group_ranks, group_rank_names, prepare
from runoff.features.added_columns import has_columns_and_mark
from runoff.features.steps import are_steps


def step_of(*columns: str, mark: str = "") -> dict[str, Any]:
    return {"step": "group-ranks", "columns": list(columns), "mark": mark}


def table(data: NBest) -> dict[str, list[float]]:
    names = data.features.column_names().to_pylist()
    return dict(zip(names, data.features.to_scipy().toarray().T.tolist(), strict=True))


def test_places_ties_and_negative_values_by_hand() -> None:
    values = [[-3.0], [0.0], [2.0], [0.0], [7.0], [7.0], [5.0]]
    data = NBest.from_arrays(values, sizes=[4, 2, 1], feature_names=["a"])
    # Of three others: none beaten; one beaten and one tied; all beaten; the same tie. Then two equal, then one alone.
    assert table(prepare(data, [step_of("a")])) == {
        "a": [-3, 0, 2, 0, 7, 7, 5],
        "rank:a": [0, 0.5, 1, 0.5, 0.5, 0.5, 0.5],
    }


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_places_are_ranks_by_scipy_of_every_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, int(rng.integers(1, 12)))
    numbers = rng.integers(-3, 4, (sizes.sum(), 3)) * rng.choice([0.5, 1e-30, 1e30])
    data = NBest.from_arrays(numbers, sizes=sizes, feature_names=list("abc"))
    made = prepare(data, [step_of("c", "a")])
    found = table(made)
    assert list(found) == ["a", "b", "c", "rank:c", "rank:a"]
    assert made.features.values is not None
    assert made.features.values.dtype == np.float32
    for column in "ac":
        expected = []
        for group in np.split(numbers[:, "abc".index(column)], np.cumsum(sizes)[:-1]):
            expected += (
                ((rankdata(group, "average") - 1) / (group.size - 1)).tolist() if group.size > 1 else [0.5] * group.size
            )
        assert found[f"rank:{column}"] == pytest.approx(expected, abs=1e-7)
        assert found[column] == numbers[:, "abc".index(column)].astype(np.float32).tolist()


def test_many_candidates_are_cut_into_pieces_between_groups() -> None:
    rng = np.random.default_rng(0)
    sizes = [7_000, 1, 20_000, 9_000, 0, 14_000]  # more than two pieces, one group larger than a piece
    values = rng.integers(0, 500, sum(sizes)).astype(float)
    data = NBest.from_arrays(values[:, None], sizes=sizes, feature_names=["a"])
    found = np.array(table(prepare(data, [step_of("a")]))["rank:a"])
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        ranks = rankdata(values[start:stop], "average")
        assert found[start:stop] == pytest.approx((ranks - 1) / (stop - start - 1) if stop - start > 1 else 0.5 * ranks)


@pytest.mark.parametrize("size", [7, 400])  # counted, and sorted
def test_missing_values_have_no_rank_and_are_nobodys_rivals(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.integers(0, 5, 3 * size).astype(float)
    values[rng.random(values.size) < 0.3] = np.nan
    values[-size:] = np.nan
    data = NBest.from_arrays(values[:, None], sizes=[size] * 3, feature_names=["a"])
    found = np.array(table(prepare(data, [step_of("a")], keep_missing=True))["rank:a"])
    for group in range(3):
        part, ranks = values[group * size :][:size], found[group * size :][:size]
        known = ~np.isnan(part)
        assert np.isnan(ranks[~known]).all()
        # By scipy, of the values that are known alone.
        assert ranks[known] == pytest.approx((rankdata(part[known], "average") - 1) / max(known.sum() - 1, 1))
    assert fit_group_ranks(data)["columns"] == ["a"]
    # Where they are filled, the mean of the list's ranks stands in their place.
    filled = np.array(table(prepare(data, [step_of("a")]))["rank:a"])
    assert filled[: 2 * size][np.isnan(values[: 2 * size])] == pytest.approx(0.5)


@pytest.mark.parametrize("sizes", [[], [0], [0, 0, 0], [0, 2, 0]])
def test_empty_groups_and_no_groups(sizes: list[int]) -> None:
    data = NBest.from_arrays(np.arange(float(sum(sizes)))[:, None], sizes=sizes, feature_names=["a"])
    made = prepare(data, [step_of("a")])
    assert made.features.shape == (sum(sizes), 2)
    assert table(made)["rank:a"] == [0.0, 1.0][: sum(sizes)]
    assert fit_group_ranks(data) == step_of()


def test_a_group_becomes_the_same_whatever_stands_beside_it() -> None:
    data = NBest.from_arrays([[1.0], [3.0], [2.0], [9.0], [8.0]], sizes=[3, 2], feature_names=["a"])
    whole = table(prepare(data, [step_of("a")]))["rank:a"]
    assert (
        whole == table(prepare(data[:1], [step_of("a")]))["rank:a"] + table(prepare(data[1:], [step_of("a")]))["rank:a"]
    )


def test_a_column_that_is_missing_is_zero_for_all() -> None:
    data = NBest.from_arrays([[1.0], [0.0], [1.0]], sizes=[2, 1], feature_names=["b"])
    assert table(prepare(data, [step_of("a", "b")])) == {
        "b": [1, 0, 1],
        "rank:a": [0.5, 0.5, 0.5],
        "rank:b": [1, 0, 0.5],
    }
    bare = NBest.from_arrays(base=[1.0, 2.0], sizes=[2])
    assert table(prepare(bare, [step_of("a")])) == {"rank:a": [0.5, 0.5]}


def test_no_columns_change_nothing() -> None:
    data = NBest.from_arrays([[1.0]], sizes=[1], feature_names=["rank:a"])
    assert prepare(data, [step_of()]) is data


def test_interleaved_rows_keep_their_order() -> None:
    values = np.array([[5.0], [1.0], [4.0], [2.0], [6.0]])
    data = NBest.from_arrays(values, groups=["x", "y", "x", "y", "x"], feature_names=["a"])
    made = prepare(data, [step_of("a")])
    assert made.rows is data.rows
    places = made.features.to_scipy().toarray()[:, 1]
    assert made.in_input_order(places).tolist() == [0.5, 0.0, 0.0, 1.0, 1.0]


def test_the_rest_of_the_data_stays() -> None:
    data = NBest.from_arrays(
        [[1.0], [2.0]],
        [0.0, 1.0],
        sizes=[2],
        base=[3.0, 4.0],
        texts=["a", "b"],
        attributes={"doc": ["d"]},
        stats={"wer": [[1, 2], [0, 2]]},
    )
    made = prepare(data, [step_of("0")])
    for part in dataclasses.fields(data):
        if part.name not in {"features", "attributes", "stats"}:
            assert getattr(made, part.name) is getattr(data, part.name)
    assert dict(made.attributes) == dict(data.attributes)
    assert made.stats["wer"].tolist() == [[1, 2], [0, 2]]


# ---------------------------------------------------------------- names


def test_a_name_that_another_column_has_is_marked() -> None:
    numbers = [[1, 0, 3.0], [2, 1, 2.0], [4, 2, 1.0]]
    data = NBest.from_arrays(numbers, sizes=[3], feature_names=["a", "rank:a", "rank':rank:a"])
    step = fit_group_ranks(data)
    assert step == step_of("a", "rank:a", "rank':rank:a", mark="''")  # one mark would give the third name
    found = table(prepare(data, [step]))
    assert list(found)[3:] == ["rank'':a", "rank'':rank:a", "rank'':rank':rank:a"]
    assert found["rank:a"] == [0, 1, 2]
    assert list(group_rank_names(step).values()) == list(found)[3:]


def test_a_new_column_is_not_taken_for_a_place() -> None:
    names = ["rank:a", "rank:a (not a rank)", "a"]
    data = NBest.from_arrays([[9.0, 8.0, 1.0], [0.0, 0.0, 2.0]], sizes=[2], feature_names=names)
    assert table(prepare(data, [step_of("a")])) == {
        "rank:a (not a rank) (not a rank)": [9, 0],
        "rank:a (not a rank)": [8, 0],
        "a": [1, 2],
        "rank:a": [0, 1],
    }


def test_columns_without_names_go_by_their_numbers() -> None:
    data = NBest.from_arrays([[0, 5.0], [1, 6.0], [0, 7.0]], sizes=[3])
    assert fit_group_ranks(data) == step_of("1")
    assert list(table(prepare(data, [step_of("1")]))) == ["0", "1", "rank:1"]


# ---------------------------------------------------------------- which columns


def test_columns_that_vary_by_more_than_two_values() -> None:
    columns = {
        "real": [1, 2, 3, 4, 5, 6, 7, 8],
        "flag": [0, 1, 0, 0, 1, 0, 1, 1],
        "of the group": [1, 1, 1, 1, 2, 2, 3, 3],
        "three values once of twice": [0, 1, 2, 0, 1, 0, 0, 0],
        "two values in a small group": [5, 5, 5, 5, 0, 0, 3, 1],
        "nothing": [0] * 8,
    }
    names, numbers = list(columns), np.column_stack(list(columns.values()))
    data = NBest.from_arrays(numbers, sizes=[3, 3, 2], feature_names=names)
    assert fit_group_ranks(data)["columns"] == ["real", "three values once of twice"]
    # A further group in which the column has two values tips the balance.
    more = NBest.from_arrays(np.vstack([numbers, numbers[3:6]]), sizes=[3, 3, 2, 3], feature_names=names)
    assert fit_group_ranks(more)["columns"] == ["real"]


def test_columns_that_few_candidates_have_are_left_out() -> None:
    rng = np.random.default_rng(0)
    words = sparse.random_array((400, 30_000), density=0.01, rng=rng)  # real values, about four in every column
    numbers = np.zeros((400, 2))
    numbers[:40, 0], numbers[:39, 1] = rng.random(40), rng.random(39)
    data = NBest.from_arrays(sparse.hstack([words, sparse.csr_array(numbers)]).tocsr(), sizes=[20] * 20)
    step = fit_group_ranks(data)
    assert step["columns"] == ["30000"]
    made = prepare(data, [step])
    assert made.features.n_stored <= data.features.n_stored + data.n_candidates


# ---------------------------------------------------------------- in a model


def test_a_model_keeps_its_places(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(rng.normal(size=(50, 2)), sizes=[10] * 5, feature_names=["a", "b"])
    step = fit_group_ranks(data)
    assert json.loads(json.dumps(step)) == step == step_of("a", "b")
    weights, names = np.array([2.0, -1.0]), pa.array(["rank:a", "b"], pa.large_string())
    model = LinearModel(weights, names, preparation=(step,))
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.preparation == (step,)
    a, b = data.features.to_scipy().toarray().T
    ranks = np.concatenate([rankdata(part, "average") for part in np.split(a, 5)])
    expected = 2 * (ranks - 1) / 9 - b
    assert again.scores(data) == pytest.approx(expected, abs=1e-6)
    assert again.pick(data).indices.tolist() == expected.reshape(5, 10).argmax(axis=1).tolist()
    # Names decide, not the order of the columns.
    turned = NBest.from_arrays(np.column_stack([b, a]), sizes=[10] * 5, feature_names=["b", "a"])
    assert again.scores(turned).tolist() == again.scores(data).tolist()


HOSTILE = [
    {},
    {"columns": None},
    {"columns": "a"},
    {"columns": {"a": 1}},
    {"columns": ["a", 1]},
    {"columns": ["a", None]},
    {"columns": [["a"]]},
    {"columns": ["a", "a"]},
    {"columns": ["a"], "mark": 1},
    {"columns": ["a"], "mark": None},
    {"columns": ["a"], "mark": ["'"]},
]


@pytest.mark.parametrize("parts", HOSTILE)
def test_a_step_that_cannot_be_applied_is_refused(parts: dict[str, Any], tmp_path: Path) -> None:
    step = {"step": "group-ranks", **parts}
    assert not has_columns_and_mark(step)
    assert not are_steps([step])
    names = pa.array(["rank:a"], pa.large_string())
    LinearModel(np.ones(1), names, preparation=(step,)).save(tmp_path / "m.runoff")
    with pytest.raises(ModelError, match="is damaged"):
        load(tmp_path / "m.runoff")


@pytest.mark.parametrize("parts", [{"columns": []}, {"columns": ["a"]}, {"columns": ["a", ""], "mark": "'"}])
def test_a_step_that_can_be_applied_is_taken(parts: dict[str, Any]) -> None:
    step = {"step": "group-ranks", **parts}
    assert are_steps([step])
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["a"])
    assert prepare(data, [step]).features.n_columns == 1 + len(parts["columns"])
