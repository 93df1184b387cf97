"""Leaves as features: which leaf is reached, what they are called, and that files with wrong ones are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from runoff import LinearModel, ModelError, NBest, load
from runoff.errors import UsageError
from runoff.features import prepare
from runoff.features.leaves import apply_leaves, is_leaves, leaf_names, leaf_sources, leaves_step
from runoff.features.steps import are_steps, source_columns
from runoff.features.trees import Trees
from runoff.learners import CRF, LogLinear, fit_leaves

if TYPE_CHECKING:
    from pathlib import Path

NAMES = pa.array(["a", "b", "c"], pa.large_string())


def forest(rng: np.random.Generator, trees: int, depth: int) -> Trees:
    shape = trees, (1 << depth) - 1
    column = rng.integers(-1, 3, shape)
    return Trees(column, rng.normal(size=shape), rng.random(shape) < 0.5, np.zeros((trees, 1 << depth)))


def walked(trees: Trees, tree: int, row: np.ndarray) -> int:
    """The leaf that a row ends in, node by node."""
    node, inner = 0, trees.column.shape[1]
    while node < inner:
        column = trees.column[tree, node]
        right = False
        if column >= 0:
            value = row[column]
            right = bool(trees.missing_right[tree, node]) if np.isnan(value) else bool(value > trees.cut[tree, node])
        node = 2 * node + 1 + right
    return node - inner


def lists(seed: int, n: int = 30, missing: float = 0.2) -> NBest:
    """A candidate is good where two features have the same sign."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * 5, 3)).astype(np.float32)
    quality = (X[:, 0] * X[:, 1] > 0.2).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return NBest.from_arrays(X, quality=quality, sizes=[5] * n, feature_names=list("abc"))


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_leaves_are_those_that_walking_down_ends_in(depth: int) -> None:
    rng = np.random.default_rng(depth)
    data = lists(1)
    forests = [forest(rng, 4, depth), forest(rng, 3, depth)]
    trees = Trees.joined(forests)
    table = data.features.to_scipy().toarray()
    expected = [[walked(trees, tree, row) for tree in range(7)] for row in table]
    assert trees.reached(data.features, np.arange(3)).tolist() == expected
    made = apply_leaves(data, leaves_step(forests, NAMES))
    added = made.features.to_scipy().toarray()[:, 3:]
    # Every tree whose root looks at a column has one leaf for each candidate, of half the value as there are two.
    looking = int((trees.column[:, 0] >= 0).sum()) + sum(
        bool((trees.column[tree, 1::2] >= 0).any() and trees.column[tree, 0] < 0 and _left_looks(trees, tree))
        for tree in range(7)
    )
    assert set(np.unique(added)) == {0.0, 0.5}
    assert (added.sum(axis=1) == 0.5 * looking).all()
    # Two candidates have the same leaves just where they end in the same ones.
    leaves = np.array(expected)
    for one, other in [(0, 1), (3, 9), (7, 100)]:
        same = (leaves[one] == leaves[other]).sum() - (7 - looking)
        assert int(np.sum((added[one] > 0) & (added[other] > 0))) == same


def _left_looks(trees: Trees, tree: int) -> bool:
    """Whether a node on the way that everything goes looks at a column."""
    node = 0
    while node < trees.column.shape[1]:
        if trees.column[tree, node] >= 0:
            return True
        node = 2 * node + 1
    return False


def test_in_training_a_list_has_the_leaves_of_its_own_forest() -> None:
    rng = np.random.default_rng(0)
    data, forests = lists(2, n=6), [forest(rng, 2, 2), forest(rng, 2, 2)]
    forests = [Trees(np.abs(each.column), each.cut, each.missing_right, each.leaves) for each in forests]
    step = leaves_step(forests, NAMES)
    of = np.array([0, 1, 1, 0, 1, 0])
    added = apply_leaves(data, step, of).features.to_scipy().toarray()[:, 3:]
    tree_of = np.array([int(name.split(":")[1]) for name in leaf_names(step)])
    for group, mine in enumerate(of):
        rows = added[5 * group : 5 * group + 5]
        assert (rows[:, tree_of // 2 != mine] == 0).all()
        assert (rows.sum(axis=1) == 2).all()


def test_names_say_the_conditions_and_sources_the_columns() -> None:
    trees = Trees(
        np.array([[1, -1, 0]]), np.array([[0.5, 0.0, -2.0]]), np.array([[False, False, True]]), np.zeros((1, 4))
    )
    step = leaves_step([trees], NAMES)
    assert leaf_names(step) == ["leaf:0:b<=0.5", "leaf:0:b>0.5,a<=-2", "leaf:0:b>0.5,a>-2 or missing"]
    assert leaf_sources(step)["leaf:0:b>0.5,a<=-2"] == ["b", "a"]
    assert source_columns(["leaf:0:b>0.5,a<=-2", "c"], [step]) == ["b", "a", "c"]
    taken = leaves_step([trees], pa.array(["a", "b", "leaf:0:b<=0.5"], pa.large_string()))
    assert leaf_names(taken)[0] == "leaf':0:b<=0.5"
    odd = NBest.from_arrays([[1.0, 2.0]], sizes=[1], feature_names=["leaf:0:b<=0.5", "b"])
    assert prepare(odd, [step]).features.column_names()[0].as_py() == "leaf:0:b<=0.5 (not a leaf)"


@pytest.mark.parametrize("learner", [CRF("ml", l2=0.01), LogLinear(sigma=1.0)])
def test_a_linear_learner_sees_features_that_act_together(learner: Any, tmp_path: Path) -> None:
    train, test = lists(3, n=200, missing=0.1), lists(4, n=200, missing=0.1)
    plain = learner.clone().fit(train)
    model = learner.clone().set_params(leaves=30).fit(train).model
    right = np.mean(test.quality[test.offsets[:-1] + model.pick(test).indices])
    assert right > np.mean(test.quality[test.offsets[:-1] + plain.predict(test)]) + 0.2
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    np.testing.assert_array_equal(again.scores(test), model.scores(test))
    for group in range(5):
        found = again.explain(test, group)
        lead = found.winner.score - found.rival.score
        assert sum(each.amount for each in found.contributions) == pytest.approx(lead, abs=1e-9)
    assert any(name.startswith("leaf:") for name, _ in again.heaviest(5))


def test_leaves_of_one_half_are_grown_on_the_other() -> None:
    train = lists(5, n=40)
    _, ready = fit_leaves(train, 5)
    assert ready.quality is train.quality
    with pytest.raises(UsageError, match="all belong together"):
        fit_leaves(train[:1])


def test_data_without_the_features_of_the_trees_is_refused() -> None:
    model = LogLinear(sigma=1.0, leaves=5, group_ranks=True).fit(lists(6, n=60)).model
    other = NBest.from_arrays([[1.0], [2.0]], sizes=[2], feature_names=["z"])
    with pytest.raises(ModelError, match="knows none of the features"):
        model.scores(other)


def _step() -> dict[str, Any]:
    trees = Trees(np.array([[0], [1]]), np.array([[0.5], [1.0]]), np.zeros((2, 1), bool), np.zeros((2, 2)))
    return leaves_step([trees.prefix(1), trees.prefix(1)], NAMES)


HOSTILE: list[dict[str, Any]] = [
    {"columns": ["a", "a"]},
    {"columns": "a"},
    {"depth": 0},
    {"depth": 7},
    {"depth": True},
    {"depth": 2},
    {"column": np.array([1, 0])},
    {"column": np.array([-2, 0])},
    {"column": np.array([0.0, 0.0])},
    {"column": [0, 0]},
    {"cut": np.array([np.nan, 0.0])},
    {"cut": np.array([0.0])},
    {"missing_right": np.array([2, 0], np.uint8)},
    {"missing_right": np.zeros(3, np.uint8)},
    {"sizes": np.array([1, 2])},
    {"sizes": np.array([-1, 3])},
    {"sizes": np.zeros(0, np.int64)},
    {"sizes": np.array([2**62, 2**62, 2**62, 2**62 + 2])},
    {"mark": 1},
]


@pytest.mark.parametrize("parts", HOSTILE)
def test_a_step_that_cannot_be_applied_is_refused(parts: dict[str, Any], tmp_path: Path) -> None:
    assert is_leaves(_step())
    step = {**_step(), **parts}
    assert not is_leaves(step)
    assert not are_steps([step])
    LinearModel(np.ones(1), pa.array(["a"], pa.large_string()), preparation=(step,)).save(tmp_path / "m.runoff")
    with pytest.raises(ModelError, match="is damaged"):
        load(tmp_path / "m.runoff")
    fine = LinearModel(np.ones(1), pa.array(["a"], pa.large_string()), preparation=(_step(),))
    fine.save(tmp_path / "m.runoff")
    assert load(tmp_path / "m.runoff").scores(lists(0)).size == 150


@pytest.mark.parametrize("name", ["depth", "column", "cut", "missing_right", "sizes", "columns"])
def test_a_step_with_a_part_missing_is_refused(name: str) -> None:
    assert not is_leaves({key: value for key, value in _step().items() if key != name})
