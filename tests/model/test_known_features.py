"""Data of which a model knows no feature is refused; data with no feature, or some, is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from runoff import LinearModel, ModelError, NBest
from runoff.cli.main import main
from runoff.learners.switching import SwitchThreshold, with_threshold
from runoff.model import check_features

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODEL = LinearModel.of({"lm": 1.0, "length": -3.0, "unused": 0.0})
CAREFUL = with_threshold(MODEL, SwitchThreshold(0.5, 0.1, 0.1, 1, 0.1))
NONE_KNOWN = r"none of the features of this data: it weighs 2 features \(length, lm\), and the data has {}\. Give"


def lists(*names: str) -> NBest:
    X = np.arange(4.0 * len(names)).reshape(4, len(names)) + 1
    return NBest.from_arrays(X, quality=[0, 1, 1, 0], sizes=[2, 2], feature_names=names)


@pytest.mark.parametrize("model", [MODEL, CAREFUL], ids=["plain", "with a threshold"])
@pytest.mark.parametrize(
    "use",
    [
        lambda model, data: model.pick(data),
        lambda model, data: model.top(data, 2),
        lambda model, data: model.scores(data),
        lambda model, data: model.explain(data, 0),
        runoff.evaluate,
        lambda model, data: runoff.compare(model, MODEL, data),
        runoff.margins,
    ],
)
def test_features_that_are_all_unknown(model: LinearModel, use: Callable[[LinearModel, NBest], object]) -> None:
    with pytest.raises(ModelError, match=NONE_KNOWN.format(r"4 features \(a, b, c, …\)")):
        use(model, lists("a", "b", "c", "d"))
    use(model, lists("a", "lm"))


def test_names_are_those_of_the_data_before_it_was_prepared() -> None:
    X = np.random.default_rng(0).normal(size=(80, 1))
    train = NBest.from_arrays(X, (X[:, 0] > 0).astype(float), sizes=[4] * 20, feature_names=["lm"])
    model = runoff.Boost(rounds=5).fit(train).model
    with pytest.raises(ModelError, match=r"weighs 1 feature \(lm\), and the data has 1 feature \(other\)"):
        model.pick(lists("other"))


def test_voting_models() -> None:
    model = runoff.Perceptron(epochs=2, average="voted").fit(lists("lm")).model
    assert model.votes is not None
    with pytest.raises(ModelError, match="knows none of the features"):
        model.pick(lists("other"))


@pytest.mark.parametrize("model", [MODEL, CAREFUL], ids=["plain", "with a threshold"])
def test_a_list_may_have_nothing_but_zeros(model: LinearModel) -> None:
    record = {"candidates": [{"text": "a", "features": {}}, {"text": "b", "features": {}}]}
    assert model.pick([record])[0].text == "a"
    with pytest.raises(ModelError, match=NONE_KNOWN.format("none")):
        check_features(model, NBest.from_records([record]))


def test_a_model_that_weighs_nothing_takes_anything() -> None:
    for model in (LinearModel.of({}), LinearModel.of({"lm": 0.0})):
        assert model.pick(lists("a")).indices.tolist() == [0, 0]
        check_features(model, lists("a"))


@pytest.mark.parametrize("command", ["pick", "eval"])
@pytest.mark.parametrize("names", [(), ("other",)], ids=["no features", "another feature"])
def test_commands(tmp_path: Path, command: str, names: tuple[str, ...]) -> None:
    MODEL.save(tmp_path / "m.runoff")
    candidates = [{"quality": quality, "features": dict.fromkeys(names, 1 + quality)} for quality in (1, 0)]
    (tmp_path / "lists.jsonl").write_text(json.dumps({"candidates": candidates}))
    done = CliRunner().invoke(main, [command, str(tmp_path / "m.runoff"), str(tmp_path / "lists.jsonl")])
    assert done.exit_code != 0
    assert "the model knows none of the features of this data: it weighs 2 features" in done.stderr
    assert not done.stdout
