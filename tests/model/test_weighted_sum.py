"""Sums of models: scores add up, whatever the models are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.graded_lists import graded
from runoff import LogLinear, Perceptron, UsageError, load
from runoff.learners import TreeBoost
from runoff.model import LinearModel, TreeModel, scaled, weighted_sum

if TYPE_CHECKING:
    from pathlib import Path


def test_scores_add_up_and_survive_a_file(tmp_path: Path) -> None:
    data = graded(0, groups=40, base=True)
    kinds = [LogLinear(sigma=1.0), TreeBoost(rounds=5, depth=2), TreeBoost(rounds=3, depth=4, least=0.0)]
    models = [each.fit(data).model for each in kinds]
    both = weighted_sum(models, [0.5, -2.0, 1.0])
    assert isinstance(both, TreeModel)
    expected = 0.5 * models[0].scores(data) - 2 * models[1].scores(data) + models[2].scores(data)
    np.testing.assert_allclose(both.scores(data), expected, atol=1e-12)
    both.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    np.testing.assert_array_equal(again.scores(data), both.scores(data))
    found = again.explain(data, 0)
    assert sum(each.amount for each in found.contributions) == pytest.approx(found.winner.score - found.rival.score)
    linear = weighted_sum(models[:1], [2.0])
    assert type(linear) is LinearModel
    np.testing.assert_allclose(linear.scores(data), 2 * models[0].scores(data))


@pytest.mark.parametrize("learner", [LogLinear(sigma=1.0), TreeBoost(rounds=4, depth=2)])
def test_a_scaled_model_scores_in_another_unit(learner: LogLinear | TreeBoost) -> None:
    data = graded(1, groups=30, base=True)
    model = learner.clone().set_params(calibration="folds").fit(data).model
    half = scaled(model, 0.5)
    np.testing.assert_allclose(half.scores(data), 0.5 * model.scores(data), atol=1e-12)
    assert model.calibration is not None
    assert half.calibration is None
    assert half.provenance == model.provenance
    np.testing.assert_array_equal(half.uses, model.uses)


def test_what_cannot_be_added_is_said() -> None:
    data = graded(2)
    voted = Perceptron(epochs=2, average="voted").fit(data).model
    for models in ([LinearModel.of({"a": 1.0}), LinearModel.of({"b": 1.0})], [voted, voted]):
        with pytest.raises(UsageError, match="same columns"):
            weighted_sum(models, [1.0, 1.0])
