"""Cut points: what they are, what they do, and that a model keeps them."""

import cProfile
import pstats
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from runoff import Boost, NBest, load
from runoff.features import fit_thresholds, prepare


def table(data: NBest) -> dict[str, list[float]]:
    names = data.features.column_names().to_pylist()
    return dict(zip(names, data.features.to_scipy().toarray().T.tolist(), strict=True))


def test_counts_and_signed_values_by_hand() -> None:
    data = NBest.from_arrays(
        [[1, 0, -2.0], [0, 1, 0.0], [1, 3, 0.5]], sizes=[3], feature_names=["flag", "count", "signed"]
    )
    step = fit_thresholds(data)
    assert step["cuts"] == {"count": [1.0, 3.0], "signed": [-2.0, 0.5]}
    assert table(prepare(data, [step])) == {
        "flag": [1, 0, 1],
        "count>=1.0": [0, 1, 1],
        "count>=3.0": [0, 0, 1],
        "signed<=-2.0": [1, 0, 0],
        "signed>=0.5": [0, 0, 1],
    }


def test_binary_data_needs_none_and_stays_as_it_is() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1]], sizes=[2])
    assert fit_thresholds(data)["cuts"] == {}
    assert prepare(data, [fit_thresholds(data)]) is data
    assert fit_thresholds(NBest.from_arrays([[0.0, 0.0]], sizes=[1]))["cuts"] == {}


def test_a_group_becomes_the_same_whatever_stands_beside_it() -> None:
    train = NBest.from_arrays([[1, 2.0], [0, 5.0]], sizes=[2], feature_names=["flag", "cnt"])
    step = fit_thresholds(train)
    both = NBest.from_arrays([[1, 0], [0, 1], [2, 0], [0.5, 9]], sizes=[2, 2], feature_names=["flag", "cnt"])
    assert table(prepare(both, [step]))["flag"] == [1, 0, 1, 0]
    assert table(prepare(both[:1], [step]))["flag"] == [1, 0]


@pytest.mark.parametrize("size", [3, 6, 7])
def test_rounding_of_the_mean_does_not_hide_a_value_from_its_own_cut_point(size: int) -> None:
    rng = np.random.default_rng(0)
    marks = np.concatenate([rng.permutation([1.0] + [0.0] * (size - 1)) for _ in range(60)])
    column = marks + np.repeat(rng.integers(0, 1000, 60), size)
    data = NBest.from_arrays(column[:, None], quality=marks, sizes=[size] * 60, feature_names=["a"])
    step = fit_thresholds(data)
    assert step["relative"] == ["a"]
    fired = table(prepare(data, [step]))
    assert any(values == marks.tolist() for values in fired.values())


def test_a_column_that_varies_between_groups_is_measured_from_the_mean_of_its_group() -> None:
    values = np.array([[100.0], [101.0], [500.0], [501.0]])
    data = NBest.from_arrays(values, sizes=[2, 2], feature_names=["lm"])
    step = fit_thresholds(data)
    assert step["relative"] == ["lm"]
    assert table(prepare(data, [step])) == {"lm-mean<=-0.5": [1, 0, 1, 0], "lm-mean>=0.5": [0, 1, 0, 1]}


def test_new_data_gets_the_old_cut_points_and_other_columns_fire_from_one_on() -> None:
    train = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["a"])
    step = fit_thresholds(train)
    new = NBest.from_arrays([[7.5, 1.5, 1.0]], sizes=[1], feature_names=["new", "a", "flag"])
    assert table(prepare(new, [step])) == {"new": [1], "a>=1.0": [1], "a>=2.0": [0], "flag": [1]}


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_every_threshold_is_what_its_name_says(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    # Ten values of thirty: a column with values in half of the rows could be measured from the group's mean.
    X = np.zeros((30, 3), np.float32)
    for column in range(3):
        X[rng.choice(30, 10, replace=False), column] = rng.normal(size=10)
    data = NBest.from_arrays(X, sizes=[10] * 3, feature_names=["a", "b", "c"])
    step = fit_thresholds(data, most)
    for name, fired in table(prepare(data, [step])).items():
        if not X[:, "abc".index(name[0])].any():
            assert fired == [0] * 30  # nothing to cut: the column stays as it is
            continue
        column, point = name.split(">=") if ">=" in name else name.split("<=")
        values = X[:, "abc".index(column)]
        expected = values >= np.float32(point) if ">=" in name else values <= np.float32(point)
        assert fired == pytest.approx(expected.astype(float))
    assert all(len(points) <= 2 * most for points in step["cuts"].values())


def test_a_name_that_another_column_has_is_marked() -> None:
    data = NBest.from_arrays(
        [[1, 0, 1], [2, 1, 0], [0, 1, 1]], sizes=[3], feature_names=["count", "count>=1.0", "count'>=2.0"]
    )
    step = fit_thresholds(data)
    assert step["mark"] == "''"  # one mark would give the third column's name
    assert table(prepare(data, [step])) == {
        "count''>=1.0": [1, 1, 0],
        "count''>=2.0": [0, 1, 0],
        "count>=1.0": [0, 1, 1],
        "count'>=2.0": [1, 0, 1],
    }


def test_two_columns_whose_cut_points_would_share_a_name_are_told_apart() -> None:
    # "lm" is measured from the mean of its group, so that its cut points are called lm-mean; so is another column.
    values = np.array([[100.0, 0.5], [101.0, 0.0], [500.0, 0.0], [501.0, 0.0], [0.0, 0.0]])
    data = NBest.from_arrays(values, sizes=[2, 2, 1], feature_names=["lm", "lm-mean"])
    step = fit_thresholds(data)
    assert step["relative"] == ["lm"]
    found = table(prepare(data, [step]))
    assert found["lm'-mean'>=0.5"] == [0, 1, 0, 1, 0]
    assert found["lm-mean'>=0.5"] == [1, 0, 0, 0, 0]


def test_a_new_column_is_not_taken_for_a_cut_point() -> None:
    train = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["a"])
    step = fit_thresholds(train)
    both = NBest.from_arrays([[1, 1]], sizes=[1], feature_names=["a", "a>=2.0"])
    assert table(prepare(both, [step])) == {"a>=1.0": [1], "a>=2.0": [0], "a>=2.0 (not of a cut point)": [1]}
    alone = NBest.from_arrays([[1]], sizes=[1], feature_names=["a>=2.0"])
    assert table(prepare(alone, [step])) == {"a>=2.0 (not of a cut point)": [1]}


def test_a_model_whose_names_collide_learns_is_kept_and_chooses(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, 200)
    flags = rng.random(200) < 0.5
    data = NBest.from_arrays(
        np.column_stack([counts, flags]), quality=counts - 5 * flags, sizes=[5] * 40, feature_names=["n", "n>=2.0"]
    )
    model = Boost(rounds=60, smoothing=0.0025).fit(data[:30]).model
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    held_out = data[30:]
    best = np.maximum.reduceat(held_out.quality, held_out.offsets[:-1]).mean()
    picks = held_out.offsets[:-1] + again.pick(held_out).indices
    assert held_out.quality[picks].mean() > best - 0.2
    weights = dict(again.heaviest(20))
    assert weights["n>=2.0"] < 0 < weights["n'>=2.0"]


def test_binary_columns_beside_a_count_cost_no_call_each() -> None:
    rng = np.random.default_rng(0)
    columns = 20_000
    flags = sparse.random_array((200, columns), density=0.01, rng=rng, data_sampler=lambda size: np.ones(size))
    counts = rng.integers(0, 3, (200, 1)).astype(float)
    data = NBest.from_arrays(sparse.hstack([flags, counts]).tocsr(), sizes=[10] * 20)
    profile = cProfile.Profile(builtins=False)
    profile.enable()
    step = fit_thresholds(data)
    made = prepare(data, [step])
    profile.disable()
    assert made.features.n_columns == columns + 2
    assert list(step["cuts"].values()) == [[1.0, 2.0]]
    assert pstats.Stats(profile).total_calls < 5_000


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_all_columns_together_become_what_each_becomes_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 30))
    kinds = [np.ones(rows), rng.integers(-3, 4, rows), rng.normal(size=rows), 100 * rng.random(rows)]
    numbers = np.column_stack([kinds[rng.integers(4)] * (rng.random(rows) < rng.choice([0.2, 0.9])) for _ in range(5)])
    names = list("abcde")
    sizes = [rows // 2, rows - rows // 2]
    train = NBest.from_arrays(numbers, sizes=sizes, feature_names=names)
    new = NBest.from_arrays(rng.permutation(numbers) * rng.choice([-1, 1, 2]), sizes=sizes, feature_names=names)
    step = fit_thresholds(train, int(rng.integers(1, 5)))
    for data in (train, new):
        together, alone = table(prepare(data, [step])), {}
        whole = data.features.to_scipy().toarray()
        for at, name in enumerate(names):
            one = NBest.from_arrays(whole[:, [at]], sizes=sizes, feature_names=[name])
            if name in step["cuts"]:
                values = whole[:, at].astype(float)
                if name in step["relative"]:
                    values = values - np.repeat([values[: sizes[0]].mean(), values[sizes[0] :].mean()], sizes)
                for point in step["cuts"][name]:
                    shown = f"{name}-mean" if name in step["relative"] else name
                    sign = ">=" if point > 0 else "<="
                    passes = values >= point if point > 0 else (values <= point)
                    alone[f"{shown}{sign}{np.float32(point)!s}"] = passes.astype(float).tolist()
            else:
                alone |= table(prepare(one, [step]))
        assert together == alone
