"""The share of trees in a blend: taken where held-out lists speak for it, else nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from runoff import Blend, NBest, load, write
from runoff.cli import main
from runoff.learners import blend, tree_share
from runoff.learners.tree_share import choose_share, too_much_for_trees
from runoff.metrics import get
from runoff.model import LinearModel, TreeModel

if TYPE_CHECKING:
    from pathlib import Path


def lists(seed: int, *, together: bool, n: int = 120) -> NBest:
    """Good are candidates with two features of the same sign, or with a high sum."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * 6, 3))
    score = X[:, 0] * X[:, 1] if together else X[:, 0] + 0.5 * X[:, 1]
    quality = np.digitize(score + 0.3 * rng.normal(size=n * 6), [0.5, 1.2]).astype(float)
    return NBest.from_arrays(X, quality=quality, sizes=[6] * n, feature_names=["lm", "bm25", "age"])


@pytest.mark.parametrize("with_dev", [True, False])
def test_trees_join_in_where_features_act_together(with_dev: bool, tmp_path: Path) -> None:
    train, test = lists(0, together=True), lists(1, together=True, n=300)
    learner = Blend(metric="map").fit(train, lists(2, together=True) if with_dev else None)
    model, metric = learner.model, get("map")
    assert isinstance(model, TreeModel)
    told = model.provenance["trees"]
    assert told["share"] > 0
    assert told["gain"] > told["gain_low"] > 0
    assert told["judged_on"] == ("dev data" if with_dev else "5 folds of the training lists")
    plain = LinearModel(model.weights, model.names)
    trees, linear = (metric.rows(test, each.ranking(test)).sum(axis=0) for each in (model, plain))
    assert metric.score(trees) > metric.score(linear) + 0.1
    assert model.calibration is not None
    model.save(tmp_path / "m.runoff")
    np.testing.assert_array_equal(load(tmp_path / "m.runoff").scores(test), model.scores(test))
    settled = learner.settled().fit(train)
    if not with_dev:  # with dev data the settled learner has none to stop by, and takes the rounds that were chosen
        np.testing.assert_allclose(settled.model.scores(test), model.scores(test))
    assert isinstance(settled.model, TreeModel)


@pytest.mark.parametrize("with_dev", [True, False])
def test_where_a_linear_model_is_enough_nothing_changes(with_dev: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(3, together=False), lists(4, together=False) if with_dev else None
    found = Blend(metric="map", calibration="none").fit(train, dev).model
    assert type(found) is LinearModel
    assert found.provenance["trees"]["share"] == 0
    assert found.provenance["trees"]["why"] == "no share of them gains reliably"
    monkeypatch.setattr(blend, "too_much_for_trees", lambda *_: "not now")
    without = Blend(metric="map", calibration="none").fit(train, dev).model
    np.testing.assert_array_equal(found.weights, without.weights)
    assert without.provenance["trees"] == {"share": 0.0, "gain": 0.0, "gain_low": 0.0, "tried": False, "why": "not now"}


def test_lists_that_all_belong_together_leave_nothing_to_judge_by() -> None:
    data = lists(5, together=True)
    one = data.replace(attributes={"doc": ["d"] * len(data)})
    told = Blend(metric="map", group_by="doc").fit(one).model.provenance["trees"]
    assert (told["share"], told["tried"]) == (0.0, False)
    assert "belong together" in told["why"]


def test_the_share_is_that_with_the_best_lower_bound() -> None:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=600)
    data = NBest.from_arrays(quality=quality, sizes=[3] * 200)
    noise = [quality + rng.normal(size=600) for _ in range(2)]
    found = choose_share(data, noise[0], noise[1], get("quality"))
    # Two scores with errors of their own: their mean is better than either, and so a share between is best.
    assert found.share in (0.25, 0.5, 0.75)
    assert choose_share(data, noise[0], rng.normal(size=600), get("quality")).share == 0
    assert choose_share(data, noise[0], noise[0], get("quality")).share == 0


def test_few_lists_no_features_and_much_work_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists(0, together=False)
    assert too_much_for_trees(data, 300) == ""
    assert "49 lists are too few" in too_much_for_trees(data[:49], 300)
    bare = NBest.from_arrays(base=np.arange(120.0), quality=[0, 1] * 60, sizes=[2] * 60)
    assert "no features" in too_much_for_trees(bare, 300)
    monkeypatch.setattr(tree_share, "MOST_WORK", 1000)
    assert "300 rounds over 2,160 values would take long" in too_much_for_trees(data, 300)


def test_the_shell_says_what_trees_add(tmp_path: Path) -> None:
    write(lists(0, together=True, n=80), tmp_path / "lists.jsonl")
    given = ["train", str(tmp_path / "lists.jsonl"), "-o", str(tmp_path / "m"), "--metric", "map"]
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 0, done.output
    told = load(tmp_path / "m").provenance["trees"]
    assert f"trees, of the blend: {told['share']:.0%} of the scores by {told['rounds']} trees" in done.stdout
