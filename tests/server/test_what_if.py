"""What a model would choose with other weights, against models that have these weights."""

from __future__ import annotations

import numpy as np
import pytest

import runoff
from runoff.errors import UsageError
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server import family_scores
from runoff.server.family_scores import FamilyScores, family_shares
from runoff.server.study import OUTCOMES, Study
from runoff.server.what_if import WhatIf, read_factors

FEW = Resampling(resamples=50, trials=50)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 6, 60)
    table = rng.normal(size=(sizes.sum(), 3))
    return runoff.NBest.from_arrays(
        table,
        table @ [1.0, -0.5, 0.2] + rng.normal(size=len(table)),
        sizes=sizes,
        base=rng.normal(size=len(table)),
        feature_names=["lm:a", "lm:b", "length"],
    )


@pytest.fixture(scope="module")
def model():
    return LinearModel.of({"lm:a": 1.0, "lm:b": -0.5, "length": 0.3}, base_weight=0.4)


@pytest.mark.parametrize(
    ("factors", "weights", "base"),
    [
        ({}, {"lm:a": 1.0, "lm:b": -0.5, "length": 0.3}, 0.4),
        ({"lm": 3.0, "length": 0.0, "first-round score": 0.5}, {"lm:a": 3.0, "lm:b": -1.5, "length": 0.0}, 0.2),
        ({"lm:b": -2.0}, {"lm:a": 1.0, "lm:b": 1.0, "length": 0.3}, 0.4),
        ({"lm": 2.0, "lm:b": 0.5}, {"lm:a": 2.0, "lm:b": -0.5, "length": 0.3}, 0.4),
    ],
)
def test_choices_are_those_of_a_model_with_the_changed_weights(data, model, factors, weights, base):
    what_if, other = WhatIf(Study(data, model, resampling=FEW)), LinearModel.of(weights, base)
    expected = Study(data, other, resampling=FEW)
    assert what_if.ranking(factors).rows.tolist() == expected.chosen.rows.tolist()
    np.testing.assert_allclose(what_if.model(factors).scores(data), other.scores(data))
    found = what_if.answer(factors)
    assert found["outcomes"] == {name: int((expected.outcomes == at).sum()) for at, name in enumerate(OUTCOMES)}
    assert found["score"] == pytest.approx(runoff.evaluate(other, data, resampling=FEW).results[0].chosen.score)
    assert found["differ"] == int(what_if.moved(factors).sum())


def test_families_beyond_the_largest_change_together_and_so_does_the_model(data, model, monkeypatch):
    monkeypatch.setattr(family_scores, "_MOST", 1)
    what_if = WhatIf(Study(data, model, resampling=FEW))
    assert Study(data, model).families.names == ("lm", "others", "first-round score")
    other = LinearModel.of({"lm:a": 1.0, "lm:b": -0.5, "length": -0.6}, 0.4)
    assert what_if.model({"others": -2.0}).heaviest() == other.heaviest()
    assert what_if.ranking({"others": -2.0}).rows.tolist() == Study(data, other).chosen.rows.tolist()


def test_families_add_up_to_the_scores(data, model, monkeypatch):
    monkeypatch.setattr(family_scores, "_ROWS_PER_BLOCK", 7)
    found = FamilyScores.of(model, data)
    np.testing.assert_allclose(found.table.sum(axis=1), model.scores(data), atol=1e-5)


def test_shares_of_families_add_up_to_the_mean_lead(data, model):
    study = Study(data, model, resampling=FEW)
    filled = study.chosen.filled
    better, worse = (study.outcomes[filled] == OUTCOMES.index(name) for name in ("better", "worse"))
    found = family_shares(study.families, study.chosen.top, study.first.top, better, worse)
    assert sum(each["better"] for each in found) == pytest.approx(study.leads[filled][better].mean(), abs=1e-5)


def test_trees_have_no_families_to_weigh(data):
    trees = runoff.Boost(depth=2, rounds=5, calibration="none").fit(data).model
    study = Study(data, trees, resampling=FEW)
    assert study.families is None
    with pytest.raises(UsageError, match="no weighted sum"):
        WhatIf(study).answer({"lm": 2.0})


def test_mistakes_are_said(data, model):
    with pytest.raises(UsageError, match="no family or feature 'ml'"):
        WhatIf(Study(data, model)).answer({"ml": 2.0})
    for wrong in ("{", "[]", '{"lm": true}', '{"lm": "2"}'):
        with pytest.raises(UsageError):
            read_factors(wrong)
    with pytest.raises(UsageError, match="at most 200"):
        read_factors("{" + ",".join(f'"{at}": 2' for at in range(201)) + "}")
