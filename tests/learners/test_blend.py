"""The blend: its members, their mean, and what it says of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from helpers.graded_lists import graded
from runoff import CRF, Blend, DataError, LogLinear, NBest, Perceptron
from runoff.cli import main
from runoff.learners import AdaRank, blend
from runoff.learners.blend import members
from runoff.metrics import get

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.model import LinearModel


def spread(data: NBest, model: LinearModel) -> float:
    """Root mean square of the standard deviations within lists, the slow and obvious way."""
    scores, offsets = model.scores(data), data.offsets
    deviations = [np.std(scores[first:last]) for first, last in pairwise(offsets)]
    return float(np.sqrt(np.mean([each**2 for each in deviations if each > 0])))


@pytest.mark.parametrize("metric", ["quality", "map"])
@pytest.mark.parametrize("with_dev", [True, False])
def test_the_mean_of_its_members_in_the_units_of_the_first(metric: str, with_dev: bool) -> None:
    data, dev = graded(0, groups=30, base=True), graded(1, groups=20, base=True) if with_dev else None
    kinds = [LogLinear(right="tied"), CRF(objective="ml"), CRF(objective="el"), Perceptron()]
    kinds += [AdaRank()] if metric == "map" else []
    models = [
        each.set_params(metric=metric, seed=3, calibration="none", missing="mean").fit(data, dev).model
        for each in kinds
    ]
    unit = spread(data, models[0])
    expected = np.mean([model.weights * unit / spread(data, model) for model in models], axis=0)
    learner = Blend(metric=metric, seed=3).fit(data, dev)
    np.testing.assert_allclose(learner.model.weights, expected, rtol=1e-9)
    of_base = np.mean([model.base_weight * unit / spread(data, model) for model in models])
    assert learner.model.base_weight == pytest.approx(of_base)
    provenance = learner.model.provenance
    assert [each["parameters"] for each in provenance["members"].values()] == [each.plain_params() for each in kinds]
    assert provenance["members"]["loglinear"]["sigma"] == models[0].provenance["sigma"]
    assert provenance["chosen_on"] == ("20 lists of dev data" if with_dev else "5 folds of 30 training lists")
    if dev is not None:
        assert provenance["dev"]["score"] == pytest.approx(learner.score(dev), abs=1e-9)


def test_adarank_is_for_rankings_that_are_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    data, always = graded(0), ["loglinear", "crf-ml", "crf-el", "perceptron"]
    assert list(members(data, get("ndcg@5"))) == [*always, "adarank"]
    assert list(members(data, get("quality"))) == always
    same = NBest.from_arrays(np.ones((4, 1)), quality=[0, 1, 1, 0], sizes=[2, 2])
    assert list(members(same, get("map"))) == always
    monkeypatch.setattr(blend, "_MOST_CELLS", 39)  # the data has ten groups and four features
    assert list(members(data, get("map"))) == always


def test_rows_in_any_order_give_the_same_model() -> None:
    data = graded(2, groups=20)
    groups, table = data.group_of, data.features.to_scipy().toarray()
    order = np.argsort(np.random.default_rng(0).permutation(data.n_candidates) % 3, kind="stable")  # interleaved
    ids = groups[order]
    mixed = NBest.from_arrays(table[order], data.quality[order], groups=ids)
    assert mixed.rows is not None
    sorted_again = NBest.from_arrays(
        mixed.features.to_scipy().toarray(), mixed.quality, sizes=mixed.sizes, group_ids=mixed.group_ids
    )
    np.testing.assert_array_equal(Blend().fit(mixed).model.weights, Blend().fit(sorted_again).model.weights)


def test_a_member_that_orders_nothing_adds_nothing() -> None:
    data = NBest.from_arrays(np.ones((8, 1)), quality=[0, 1] * 4, base=[0.0, 1.0] * 4, sizes=[2] * 4)
    model = Blend().fit(data).model
    assert model.weights.tolist() == [0.0]
    assert model.base_weight > 0
    constant = NBest.from_arrays(np.ones((8, 1)), quality=[0, 1] * 4, sizes=[2] * 4)
    unable = Blend().fit(constant).model
    assert unable.weights.tolist() == [0.0]
    assert [each["share"] for each in unable.provenance["members"].values()] == [0.0] * 4
    assert unable.provenance["warnings"]


def test_nothing_to_learn_is_said() -> None:
    with pytest.raises(DataError, match="nothing to learn"):
        Blend().fit(NBest.from_arrays([[1.0], [2.0]], quality=[1, 1], sizes=[2]))


def test_interrupted_members_leave_no_blend(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = Perceptron.fit

    def interrupted(self: Perceptron, train: NBest, dev: NBest | None = None) -> Perceptron:
        fit(self, train, dev)
        self.model.provenance["finished"] = False
        return self

    monkeypatch.setattr(Perceptron, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Blend().fit(graded(0))


def test_the_shell_takes_it_without_a_name_and_says_so(tmp_path: Path) -> None:
    runoff.write(graded(0, groups=30).replace(metric="map"), tmp_path / "lists.jsonl")

    def train(*more: str) -> tuple[LinearModel, str, str]:
        done = CliRunner().invoke(main, ["train", str(tmp_path / "lists.jsonl"), "-o", str(tmp_path / "m"), *more])
        assert done.exit_code == 0, done.output
        return runoff.load(tmp_path / "m"), done.stdout, done.stderr

    model, said, noted = train()
    assert (
        "learner: blend. The mean of models that differ: log-linear, two random fields, a perceptron, and AdaRank"
        in noted
    )
    assert "chosen by: map on 5 folds of 30 training lists\nloglinear, of the blend: best by folds: sigma " in said
    rounds = model.provenance["members"]["adarank"]["rounds"]
    assert f"adarank, of the blend: {rounds} round" in said
    assert "trees, of the blend: none, as 30 lists are too few for them" in said
    named, _, noted = train("--learner", "blend")
    assert "learner:" not in noted
    assert named.weights.tobytes() == model.weights.tobytes()
    assert model.weights.tobytes() == Blend().fit(runoff.read(tmp_path / "lists.jsonl")).model.weights.tobytes()


def test_a_parameter_that_it_lacks_is_answered_by_naming_a_learner(tmp_path: Path) -> None:
    runoff.write(graded(0), tmp_path / "lists.jsonl")
    given = ["train", str(tmp_path / "lists.jsonl"), "-o", str(tmp_path / "m"), "--set", "sigma=1"]
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 2
    assert (
        "Blend has no parameter 'sigma'; it has: metric, group_by, group_ranks, leaves, products, missing, bags, "
        "seed, verbose, calibration. It was taken because" in done.stderr
    )
    assert CliRunner().invoke(main, [*given, "--learner", "loglinear"]).exit_code == 0
