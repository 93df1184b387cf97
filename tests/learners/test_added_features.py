"""Ranks, leaves and products that every learner can add: kept by the model, and with missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from runoff import NBest, load
from runoff.cli import main
from runoff.features import product_names
from runoff.learners import LEARNERS, Learner, TreeBoost

if TYPE_CHECKING:
    from pathlib import Path

QUICK = {
    "trees": {"rounds": 5},
    "boost": {"rounds": 5},
    "crf": {"l2": 0.1, "temperature": 1.0},
    "listnet": {"epochs": 2, "rate": 0.1},
    "loglinear": {"sigma": 1.0},
    "perceptron": {"epochs": 2, "tau": 1.0},
    "svm": {"C": 0.01, "tolerance": 0.1},
    "mert": {"restarts": 0, "directions": 0, "max_rounds": 1},
    "pro": {"sigma": 1.0},
}


def lists(seed: int, n: int = 40, missing: float = 0.0) -> NBest:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n * 6, 3))
    quality = np.digitize(X[:, 0] * X[:, 1] + 0.5 * X[:, 2], [0.0, 1.0]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return NBest.from_arrays(X, quality=quality, sizes=[6] * n, feature_names=["lm", "bm25", "age"])


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", [name for name in LEARNERS if not LEARNERS[name].makes_features])
def test_every_learner_adds_ranks_leaves_and_products_and_its_model_keeps_them(
    name: str, missing: float, tmp_path: Path
) -> None:
    train, test = lists(0, missing=missing), lists(1, missing=missing)
    learner: Learner = LEARNERS[name](**QUICK.get(name, {}), group_ranks=True, leaves=4, products=2, calibration="none")
    model = learner.set_params(metric="map").fit(train, lists(2, 20, missing)).model
    steps = [step["step"] for step in model.preparation]
    assert steps[:3] == ["group-ranks", "leaves", "products"]
    assert ("missing-values" in steps) == (missing > 0 and not learner.keeps_missing)
    names = [source.partition(">=")[0] for source in model.names.to_pylist()]
    assert any(each.startswith("rank:lm") for each in names)
    assert any(each.startswith("leaf:") for each in names)
    assert not any(each.startswith(("rank:rank:", "rank:leaf:")) for each in names)
    assert product_names(model.preparation[2]).to_pylist() == ["lm & bm25", "lm & age", "bm25 & age"]
    assert any("lm & bm25" in each for each in names)
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    np.testing.assert_array_equal(again.scores(test), model.scores(test))
    found = again.explain(test, 0)
    lead = found.winner.score - found.rival.score
    assert sum(each.amount for each in found.contributions) == pytest.approx(lead, abs=1e-6)


def test_the_rank_of_a_missing_value_is_missing_for_trees() -> None:
    model = TreeBoost(rounds=3, group_ranks=True).fit(lists(0, missing=0.3)).model
    data = lists(1, missing=0.3)
    table = model.prepare(data).features.to_scipy().toarray()
    np.testing.assert_array_equal(np.isnan(table[:, 3:]), np.isnan(table[:, :3]))
    assert np.isnan(table).any()


def test_letor_files_with_null_values_go_to_trees_as_missing(tmp_path: Path) -> None:
    data, lines = lists(3, n=60, missing=0.2), []
    for row, (quality, group) in enumerate(zip(data.quality, data.group_of, strict=True)):
        values = data.features.to_scipy()[[row]].toarray()[0]
        told = " ".join(f"{at + 1}:{'NULL' if np.isnan(each) else repr(float(each))}" for at, each in enumerate(values))
        lines.append(f"{quality:.0f} qid:{group} {told}\n")
    (tmp_path / "lists.txt").write_text("".join(lines))
    read = runoff.read(tmp_path / "lists.txt")
    np.testing.assert_array_equal(read.features.to_scipy().toarray(), data.features.to_scipy().toarray())
    wanted = TreeBoost(rounds=10, calibration="none").fit(data).model.scores(data)
    given = ["train", str(tmp_path / "lists.txt"), "-o", str(tmp_path / "m"), "--learner", "trees"]
    done = CliRunner().invoke(main, [*given, "--set", "rounds=10", "--metric", "map"])
    assert done.exit_code == 0, done.output
    np.testing.assert_allclose(load(tmp_path / "m").scores(read), wanted)
    for command in (["eval", str(tmp_path / "m")], ["pick", str(tmp_path / "m")]):
        assert CliRunner().invoke(main, [*command, str(tmp_path / "lists.txt")]).exit_code == 0
