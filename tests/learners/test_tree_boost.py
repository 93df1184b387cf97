"""Trees for lists: derivatives against plain formulas, models that replay, and what they can do."""

from __future__ import annotations

import dataclasses
import itertools
import math
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import runoff
from runoff import NBest, load
from runoff.errors import ModelError, UsageError
from runoff.kernels.list_gradients import (
    EQUAL,
    EXP,
    LOG,
    MAP,
    NDCG,
    QUALITY,
    list_gradients,
    pair_gradients,
    sampled_gradients,
)
from runoff.kernels.tree_contributions import shapley_values
from runoff.learners import Boost, LogLinear, TreeBoost
from runoff.metrics import get
from runoff.model import LinearModel, TreeModel, Trees
from runoff.pairs import make_pairs

if TYPE_CHECKING:
    from pathlib import Path


def lists(seed: int, n: int = 120, *, missing: float = 0.0, base: bool = False) -> NBest:
    """Candidates that are good where two features are both high or both low: no linear model can tell."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * 6, 4))
    quality = (X[:, 0] * X[:, 1] > 0.3).astype(float) + (X[:, 2] > 0.8)
    first = quality + rng.normal(size=quality.size) if base else None
    X[rng.random(X.shape) < missing] = np.nan
    return NBest.from_arrays(X, quality=quality, sizes=[6] * n, base=first, feature_names=list("abcd"))


# ---------------------------------------------------------------- derivatives


def plain_weight(kind: int, quality: np.ndarray, order: list[int], one: int, other: int) -> float:
    """By how much the metric changes when two candidates change places, the slow way."""

    def value(places: list[int]) -> float:
        ranked = quality[places]
        if kind == NDCG:
            return sum((2**q - 1) / math.log2(at + 2) for at, q in enumerate(ranked))
        found, total = 0, 0.0
        for at, q in enumerate(ranked):
            if q > 0:
                found += 1
                total += found / (at + 1)
        return total

    if kind == EQUAL:
        return 1.0
    if kind == QUALITY:
        return quality[one] - quality[other]
    if kind == MAP and not (quality[one] > 0 >= quality[other]):
        return 0.0
    swapped = [other if each == one else one if each == other else each for each in order]
    return abs(value(order) - value(swapped))


@pytest.mark.parametrize("only_best", [False, True])
@pytest.mark.parametrize("loss", [EXP, LOG])
@pytest.mark.parametrize("kind", [EQUAL, QUALITY, NDCG, MAP])
def test_pairs_have_their_weights_and_derivatives(kind: int, loss: int, only_best: bool) -> None:
    rng = np.random.default_rng(kind)
    offsets, quality = np.array([0, 5, 6, 10]), rng.integers(0, 3, 10).astype(float)
    scores = rng.normal(size=10)
    first, second = np.zeros(10), np.zeros(10)
    total = pair_gradients(offsets, scores, quality, 2**quality - 1, loss, kind, only_best, first, second)
    expected = 0.0
    slope, curve = np.zeros(10), np.zeros(10)
    for start, stop in itertools.pairwise(offsets):
        q, s = quality[start:stop], scores[start:stop]
        order = sorted(range(len(q)), key=lambda at: -s[at])
        pairs = [
            (i, j) for i in range(len(q)) for j in range(len(q)) if q[i] > q[j] and (not only_best or q[i] == q.max())
        ]
        weights = np.array([plain_weight(kind, q, order, i, j) for i, j in pairs])
        if not weights.sum() > 0:
            continue
        for (i, j), w in zip(pairs, weights / weights.sum(), strict=True):
            d = s[i] - s[j]
            p = 1 / (1 + math.exp(d))
            value, g, h = (math.exp(-d),) * 3 if loss == EXP else (math.log1p(math.exp(-d)), p, p * (1 - p))
            expected += w * value
            slope[start + i] += w * g
            slope[start + j] -= w * g
            curve[start + i] += w * h
            curve[start + j] += w * h
    assert total == pytest.approx(expected, rel=1e-12)
    assert first == pytest.approx(slope, abs=1e-12)
    assert second == pytest.approx(curve, abs=1e-12)


@pytest.mark.parametrize("loss", [EXP, LOG])
@pytest.mark.parametrize("kind", [EQUAL, QUALITY, NDCG, MAP])
def test_pairs_that_are_drawn_stand_for_all(kind: int, loss: int) -> None:
    rng = np.random.default_rng(kind)
    data = NBest.from_arrays(quality=rng.integers(0, 3, 24).astype(float), sizes=[12, 1, 11])
    scores = rng.normal(size=24)
    lists = (data.offsets, scores, data.quality, 2**data.quality - 1)

    def by_draws(sample: int, seed: int) -> tuple[float, np.ndarray, np.ndarray]:
        pairs = make_pairs(data, "sample", weighted=kind == QUALITY, sample=sample, seed=seed)
        starts = np.searchsorted(data.group_of[pairs.better], np.arange(4))
        first, second = np.zeros(24), np.zeros(24)
        drawn = starts, pairs.better, pairs.worse, pairs.weight
        return sampled_gradients(*lists, *drawn, loss, kind, first, second), first, second

    slope, curve = np.zeros(24), np.zeros(24)
    total = pair_gradients(*lists, loss, kind, False, slope, curve)
    every, first, second = by_draws(200, 0)  # there are fewer
    assert every == pytest.approx(total, rel=1e-12)
    assert first == pytest.approx(slope, abs=1e-12)
    assert second == pytest.approx(curve, abs=1e-12)
    some = [by_draws(20, seed) for seed in range(400)]
    assert np.std([each[0] for each in some]) > 0.01
    if kind in (EQUAL, QUALITY):  # without bias; metric weights are brought to a sum of 1, by which it is a ratio
        for at, exact in enumerate((total, slope, curve)):
            errors = [each[at] - exact for each in some]
            assert np.all(np.abs(np.mean(errors, axis=0)) <= 5 * np.std(errors, axis=0) / 20 + 1e-12)


def test_the_derivatives_of_lists_are_finite_differences() -> None:
    rng = np.random.default_rng(0)
    offsets, scores = np.array([0, 4, 4, 7]), rng.normal(size=7)
    targets = np.concatenate([rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3))])

    def value(at: np.ndarray) -> float:
        return float(list_gradients(offsets, at, targets, np.zeros(7), np.zeros(7)))

    first, second = np.zeros(7), np.zeros(7)
    list_gradients(offsets, scores, targets, first, second)
    for at, step in enumerate(np.eye(7) * 1e-4):
        assert first[at] == pytest.approx((value(scores - step) - value(scores + step)) / 2e-4, abs=1e-7)
        twice = (value(scores + step) - 2 * value(scores) + value(scores - step)) / 1e-8
        assert second[at] == pytest.approx(twice, abs=1e-5)


# ---------------------------------------------------------------- Shapley values


def test_contributions_are_shapley_values_by_all_orders() -> None:
    rng = np.random.default_rng(1)
    column = rng.integers(-1, 4, (6, 7))
    trees = Trees(column, rng.normal(size=(6, 7)), rng.random((6, 7)) < 0.5, rng.normal(size=(6, 8)))
    one, other = rng.normal(size=4), rng.normal(size=4)
    one[1], other[2] = np.nan, np.nan

    def value(chosen: set[int]) -> float:
        row = np.array([one[at] if at in chosen else other[at] for at in range(4)])
        total = 0.0
        for tree in range(6):
            node = 0
            while node < 7:
                c = column[tree, node]
                x = row[c]
                right = c >= 0 and (trees.missing_right[tree, node] if np.isnan(x) else x > trees.cut[tree, node])
                node = 2 * node + 1 + int(right)
            total += trees.leaves[tree, node - 7]
        return total

    expected = np.zeros(4)
    for order in itertools.permutations(range(4)):
        for at, each in enumerate(order):
            expected[each] += (value({*order[: at + 1]}) - value({*order[:at]})) / 24
    found = np.zeros(4)
    shapley_values(trees.column, trees.cut, trees.missing_right, trees.leaves, one, other, found)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found.sum() == pytest.approx(value({0, 1, 2, 3}) - value(set()), abs=1e-12)


# ---------------------------------------------------------------- the learner


@pytest.mark.parametrize("settings", [{}, {"loss": "exp", "pairs": "quality"}, {"loss": "list"}, {"pairs": "map"}])
def test_trees_learn_what_no_linear_model_can(settings: dict[str, Any]) -> None:
    train, dev, test = lists(0, 300), lists(1), lists(2, 300)
    trees = TreeBoost(metric="ndcg", max_rounds=60, **settings).fit(train, dev)
    linear = LogLinear(sigma=1.0, metric="ndcg").fit(train, dev)
    assert trees.score(test) > linear.score(test) + 0.05
    provenance = trees.model.provenance
    scores = [entry["dev"] for entry in trees.history]
    assert provenance["dev"]["score"] == pytest.approx(max(scores))
    assert provenance["rounds"] == scores.index(max(scores)) + 1
    assert trees.model.calibration is not None


def test_boost_with_a_depth_is_the_same_trees() -> None:
    train, dev = lists(12, missing=0.1, base=True), lists(13, missing=0.1, base=True)
    one = Boost(depth=3, rounds=8, loss="log", pairs="all").fit(train, dev).model
    same = TreeBoost(depth=3, rounds=8, pairs="quality").fit(train, dev).model
    assert one.scores(dev).tobytes() == same.scores(dev).tobytes()
    assert one.provenance["learner"] == "boost"
    assert one.provenance["parameters"]["depth"] == 3
    best = Boost(depth=2, rounds=4, weighted=False).fit(train).model
    assert (
        best.scores(dev).tobytes()
        == TreeBoost(depth=2, rounds=4, loss="exp", pairs="equal", best=True).fit(train).model.scores(dev).tobytes()
    )
    drawn = Boost(depth=2, rounds=4, loss="log", pairs="sample", sample=4).fit(train).model
    assert (
        drawn.scores(dev).tobytes()
        == TreeBoost(depth=2, rounds=4, pairs="quality", sample=4).fit(train).model.scores(dev).tobytes()
    )
    for name, value in {"smoothing": 0.1, "min_groups": 2, "patience": 2.0}.items():
        with pytest.raises(UsageError, match=f"{name} is for single features"):
            Boost(depth=2, **{name: value}).fit(train)


def test_few_pairs_of_each_list_are_enough() -> None:
    train, dev, test = (in_lists_of(lists(seed, n), 60) for seed, n in ((0, 600), (1, 300), (2, 600)))
    scores = [TreeBoost(metric="ndcg", max_rounds=60, sample=sample).fit(train, dev).score(test) for sample in (0, 200)]
    linear = LogLinear(sigma=1.0, metric="ndcg").fit(train, dev).score(test)
    assert scores[1] > linear + 0.5 * (scores[0] - linear) > linear
    found = [TreeBoost(rounds=5, sample=20, seed=seed).fit(train).model.scores(test) for seed in (0, 0, 1)]
    assert found[0].tobytes() == found[1].tobytes() != found[2].tobytes()
    for wrong in ({"best": True}, {"loss": "list"}):
        with pytest.raises(UsageError, match="has no effect with"):
            TreeBoost(sample=20, **wrong).fit(train)


def in_lists_of(data: NBest, size: int) -> NBest:
    """The same candidates in longer lists."""
    sizes = [size] * (data.n_candidates // size)
    return NBest.from_arrays(data.features.to_scipy(), data.quality, sizes=sizes, feature_names=list("abcd"))


def test_the_loss_falls() -> None:
    for settings in ({"loss": "exp", "pairs": "equal"}, {"pairs": "equal", "best": True}, {"loss": "list"}):
        history = TreeBoost(rounds=15, **settings).fit(lists(3)).history
        assert np.all(np.diff([entry["loss"] for entry in history]) < 0)


def test_scores_are_those_of_training_and_prefixes_those_of_fewer_rounds(tmp_path: Path) -> None:
    train = lists(4, missing=0.2, base=True)
    learner = TreeBoost(rounds=12).fit(train)
    model = learner.model
    assert isinstance(model, TreeModel)
    fewer = TreeBoost(rounds=5).fit(train).model
    assert model.prefix(5).scores(train).tolist() == fewer.scores(train).tolist()
    assert model.base_weight > 0
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(train).tobytes() == model.scores(train).tobytes()
    assert repr(again) == repr(model)
    with pytest.raises(UsageError, match="12 trees; found 13"):
        model.prefix(13)


def test_explanations_add_up() -> None:
    data = lists(5, missing=0.1, base=True)
    model = TreeBoost(rounds=20).fit(data).model
    for group in range(5):
        found = model.explain(data, group)
        assert sum(each.amount for each in found.contributions) == pytest.approx(found.winner.score - found.rival.score)
        assert "difference in score" in str(found)


def test_rounds_are_chosen_by_folds_without_dev_data() -> None:
    train = lists(6, 60)
    learner = TreeBoost(max_rounds=30, metric="ndcg").fit(train)
    assert 0 < learner.model.provenance["rounds"] <= 30
    assert learner.model.calibration is not None
    assert learner.settled().rounds == learner.model.provenance["rounds"]


def test_the_same_bits_with_any_number_of_threads_and_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, found = lists(7), []
    how: dict[str, Any] = {"row_sample": 0.7, "column_sample": 0.7, "calibration": "none"}
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(TreeBoost(rounds=10, **how).fit(train).model.scores(train).tobytes())
    TreeBoost(rounds=4, checkpoint=str(tmp_path / "c"), **how).fit(train)
    resumed = TreeBoost(rounds=10, checkpoint=str(tmp_path / "c"), **how).fit(train)
    assert {*found, resumed.model.scores(train).tobytes()} == {found[0]}


def test_missing_values_go_to_the_better_side_and_unknown_columns_are_ignored() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(600, 1))
    quality = (X[:, 0] > 1).astype(float)
    X[rng.random(600) < 0.3] = np.nan
    quality[np.isnan(X[:, 0])] = 1.0
    train = NBest.from_arrays(X, quality=quality, sizes=[6] * 100, feature_names=["x"])
    model = TreeBoost(rounds=10, depth=2, least=0.0).fit(train).model
    test = NBest.from_arrays([[-1.0, 9.0], [np.nan, 9.0]], sizes=[2], feature_names=["x", "y"])
    assert model.pick(test)[0].index == 1


def test_a_first_round_of_another_unit_changes_nothing() -> None:
    data = lists(9, base=True)
    models = [TreeBoost(rounds=5).fit(dataclasses.replace(data, base=unit * data.base)).model for unit in (1.0, 1024.0)]
    assert models[0].base_weight == pytest.approx(1024 * models[1].base_weight, rel=0.01)


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("tree_nodes.arrow", {"column": [7, -1, -1]}, "columns that it does not have"),
        ("tree_nodes.arrow", {"cut": [math.inf, 0.0, 0.0]}, "no numbers"),
        ("tree_nodes.arrow", {"missing_right": [2, 0, 0]}, "no numbers"),
        ("tree_leaves.arrow", {"value": [0.0] * 3}, "same number of leaves"),
        ("tree_leaves.arrow", {"value": [math.nan] * 4}, "no numbers"),
        ("tree_leaves.arrow", {"value": [1, 2, 3, 4]}, "should be float64"),
    ],
)
def test_a_damaged_file_of_trees_is_refused(tmp_path: Path, table: str, change: dict[str, Any], said: str) -> None:
    import io

    import pyarrow as pa

    trees = Trees(np.array([[0, -1, -1]]), np.zeros((1, 3)), np.zeros((1, 3), bool), np.ones((1, 4)))
    path = tmp_path / "m.runoff"
    dataclasses.replace(TreeModel(np.zeros(1), pa.array(["x"], pa.large_string())), trees=trees).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with pa.ipc.open_file(io.BytesIO(parts[table])) as reader:
        columns = reader.read_all().to_pydict()
    kinds = {"column": pa.int64(), "cut": pa.float64(), "missing_right": pa.uint8()}
    changed = pa.table({k: pa.array(v, kinds.get(k)) for k, v in {**columns, **change}.items()})
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, changed.schema) as writer:
        writer.write_table(changed)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**parts, table: sink.getvalue()}.items():
            archive.writestr(name, content)
    with pytest.raises(ModelError, match=said):
        load(path)


def test_trees_are_a_model_like_any_other() -> None:
    train, test = lists(10), lists(11, 40)
    model = TreeBoost(rounds=10).fit(train).model
    assert isinstance(model, LinearModel)
    assert runoff.evaluate(model, test, "ndcg")["ndcg"].better
    assert "margin" in str(runoff.margins(model, test)).lower()
    assert [name for name, _ in model.heaviest(4)]
    ranks = model.ranks(test)
    assert ranks.min() == 1
    assert get("ndcg").rows(test, model.ranking(test)).size
