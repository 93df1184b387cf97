"""Data that is not like what was learned from: more columns, other scores, other features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from helpers.synthetic_lists import repeating_lists
from runoff import DataError, LinearModel, LogLinear, NBest, formats, grade
from runoff.cli import main
from runoff.report.data_warnings import data_warnings
from runoff.tasks.text import RECIPES, TextReranker
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.text.settings import TextSettings

if TYPE_CHECKING:
    from pathlib import Path

QUICK = {"families": "scores,position,length,repetition", "recipes": "loglinear", "metric": "wer"}


def with_columns(data: NBest, n: int, names: str = "extra") -> NBest:
    table = np.random.default_rng(0).normal(size=(data.n_candidates, n))
    features = NBest.from_arrays(table, sizes=data.sizes, feature_names=[f"{names}:{at}" for at in range(n)]).features
    return data.replace(features=features)


def test_dev_data_with_more_columns_is_scored_as_the_model_scores_it() -> None:
    train = grade(repeating_lists(0, 40), "wer")
    featurizer = TextFeaturizer(families="scores,position,length,lm,words", min_lists=2)
    featurized = featurizer.fit_transform(train, "wer")
    fitter = CrossFitter(featurized, featurizer, "wer", 0)
    dev = featurizer.transform(with_columns(grade(repeating_lists(1, 20, base=True), "wer"), 3))
    assert dev.features.n_columns > featurized.features.n_columns
    recipe = RECIPES["loglinear"]
    scores = fitter.held_out_scores({"one": recipe}, dev=dev)["one"]
    assert scores == pytest.approx(recipe.model(fitter.training_set()).scores(dev), abs=1e-9)


def test_scores_of_every_learner_have_the_same_spread() -> None:
    for n in (40, 120):
        train = grade(repeating_lists(0, n), "wer")
        featurizer = TextFeaturizer(families="position,length,repetition")
        featurized = featurizer.fit_transform(train, "wer")
        training_set = CrossFitter(featurized, featurizer, "wer", 0).training_set()
        for name in ("loglinear", "crf", "perceptron"):
            scores = RECIPES[name].model(training_set).scores(featurized).reshape(n, -1)
            assert np.sqrt(np.mean((scores - scores.mean(axis=1, keepdims=True)) ** 2)) == pytest.approx(1.0)


def test_features_that_candidates_bring_are_told_apart_from_those_that_are_made() -> None:
    train = with_columns(repeating_lists(0, 40), 2, "acoustic")
    for recipe in ("loglinear", "boost"):
        model = TextReranker(**{**QUICK, "recipes": recipe}).fit(train).model
        assert model.preparation
        assert model.unseen(train).columns == 0
        assert data_warnings(model, train) == []
        other = with_columns(repeating_lists(1, 5), 2, "other")
        assert model.unseen(other).columns == 2
    model = TextReranker(**{**QUICK, "families": "position,repetition"}).fit(train).model
    assert model.unseen(with_columns(repeating_lists(1, 5), 2, "other")).columns == 0


def test_scores_and_inputs_that_training_had_not_are_said() -> None:
    model = TextReranker(**QUICK).fit(repeating_lists(0, 40)).model
    assert data_warnings(model, repeating_lists(1, 5)) == []
    said = data_warnings(model, repeating_lists(1, 5, base=True).replace(inputs=["x"] * 5))
    assert len(said) == 2
    assert "trained without scores of the first round, and this data has some" in said[0]
    assert "trained without inputs" in said[1]


def test_data_without_features_is_said() -> None:
    said = data_warnings(LinearModel.of({"a": 1.0}), repeating_lists(0, 5))
    assert "has none of the features that the model weighs" in said[0]


def test_dev_data_with_other_supplied_features() -> None:
    train, dev = with_columns(repeating_lists(0, 40), 2, "mine"), with_columns(repeating_lists(1, 20), 2, "theirs")
    model = TextReranker(**{**QUICK, "families": "position,repetition"}).fit(train, dev).model
    assert model.preparation  # made features are in both
    with pytest.raises(DataError, match=r"dev data has none of the features .* \(such as mine:0, not theirs:0\)"):
        LogLinear(sigma=1.0, metric="wer").fit(train, dev)


def test_slow_metrics_leave_the_comparison_to_chrf() -> None:
    assert TextSettings().similarity_for(repeating_lists(0, 2), "ter").name == "chrf"
    assert TextSettings(similarity="ter").similarity_for(repeating_lists(0, 2), "ter").name == "ter"


def test_the_same_features_for_other_lists(tmp_path: Path) -> None:
    paths = [tmp_path / f"{part}.jsonl" for part in ("train", "test")]
    for seed, path in enumerate(paths):
        runoff.write(repeating_lists(seed, 30), path)

    def run(*words: object) -> str:
        done = CliRunner().invoke(main, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return done.stderr

    how = ("--families", "length,lm,words", "--set", "min_lists=2", "--metric", "wer")
    said = run("features", paths[0], *how, "-o", tmp_path / "a.arrow")
    assert "--keep FILE here and --like FILE there" in said
    said = run("features", paths[0], *how, "-o", tmp_path / "a.arrow", "--keep", tmp_path / "f.runoff")
    assert "--keep FILE" not in said
    run("features", paths[1], "-o", tmp_path / "b.arrow", "--metric", "wer", "--like", tmp_path / "f.runoff")
    featurizer = TextFeaturizer(families="length,lm,words", min_lists=2)
    featurizer.fit_transform(repeating_lists(0, 30), "wer")
    expected, found = featurizer.transform(repeating_lists(1, 30)).features, runoff.read(tmp_path / "b.arrow").features
    assert found.column_names().equals(expected.column_names())
    assert np.array_equal(found.to_scipy().toarray(), expected.to_scipy().toarray())
    refused = CliRunner().invoke(main, ["features", str(paths[0]), "-o", "c.arrow", "--like", "f", "--keep", "g"])
    assert "leave one out" in refused.stderr


def test_lists_without_references_keep_their_features(tmp_path: Path) -> None:
    data = repeating_lists(0, 6)
    runoff.write(data.replace(references=[*data.references.to_pylist()[:4], [], []]), tmp_path / "some.jsonl")
    done = CliRunner().invoke(
        main,
        ["features", str(tmp_path / "some.jsonl"), "-o", str(tmp_path / "f.arrow"), "--metric", "wer"],
    )
    assert done.exit_code == 0, done.output
    assert len(formats.read(tmp_path / "f.arrow")) == 6
