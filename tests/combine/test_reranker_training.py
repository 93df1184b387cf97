"""Combiners with rerankers of their own: what the filter learns from, what is kept, and what is refused."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.noisy_roles import SYSTEMS, noisy_lists
from runoff import metrics, tasks
from runoff.combine import Combiner, explain_combination, held_out_scores, load_combiner, train_combiner
from runoff.combine.reranker_training import best_sharpness, train_rerankers
from runoff.combine.systems import Systems
from runoff.combine.training import as_single
from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import LogLinear
from runoff.nbest import Features, NBest
from runoff.report.combination import evaluate_combination

if TYPE_CHECKING:
    from pathlib import Path

METRIC = metrics.get("srl-eval")
LEARNER = LogLinear(sigma=1.0, calibration="none")


def lists(many: int, seed: int) -> NBest:
    """Lists with a column that says something of how good a candidate is."""
    data = noisy_lists(many, seed)
    quality = metrics.grade_for(data, [METRIC]).quality
    assert quality is not None
    told = quality + np.random.default_rng(seed).normal(size=quality.size)
    names = [*data.features.column_names().to_pylist(), "told"]
    return data.replace(features=Features.of(np.column_stack([data.features.to_scipy().toarray(), told]), names))


@pytest.fixture(scope="module")
def combiner() -> Combiner:
    return train_combiner(lists(300, 1), task="roles", rerankers={"told": LEARNER})


def test_the_filter_learns_from_scores_of_other_folds() -> None:
    train, dev = lists(60, 3), lists(30, 4)
    found = train_rerankers({"told": LEARNER}, train, dev, task="roles", folds=2)
    (reranker,) = found.rerankers
    assert Systems.of(found.train).names == ("told", *SYSTEMS)
    assert "told" not in found.train.features.column_names().to_pylist()  # only columns of systems are left
    featurizer = tasks.get("roles").featurizer()
    assert featurizer is not None
    made = featurizer.fit_transform(train, METRIC)
    held_out = held_out_scores(LEARNER, made, folds=2, like=LEARNER.clone().fit(made, featurizer.transform(dev)).model)
    column = found.train.features.column_names().to_pylist().index("told:score")
    scores = found.train.features.to_scipy()[:, [column]].toarray().ravel()
    assert np.allclose(scores, reranker.sharpness * held_out, atol=1e-4)
    assert not np.allclose(scores, reranker.scores(train), atol=1e-2)
    # Dev lists are scored by the model that is kept.
    assert found.dev is not None
    dev_scores = found.dev.features.to_scipy()[:, [column]].toarray().ravel()
    assert np.allclose(dev_scores, reranker.scores(dev), atol=1e-4)


def test_a_reranker_with_something_to_say_makes_it_better(combiner: Combiner) -> None:
    test = lists(200, 2)
    plain = train_combiner(lists(300, 1), task="roles")

    def score(found: Combiner) -> float:
        single = as_single(test, [text or "" for text in found.texts(test)])
        return float(metrics.grade_for(single, [METRIC]).quality.mean())  # type: ignore[union-attr]

    assert score(combiner) > score(plain)


def test_it_is_one_more_system_in_reports_and_explanations(combiner: Combiner) -> None:
    test = lists(40, 5)
    report = evaluate_combination(test, combiner)
    assert list(report.rows)[:4] == ["told", *SYSTEMS]
    explained = explain_combination(combiner, test, test.group_ids[0].as_py())
    assert any("told" in part.systems for part in explained.parts)
    # Lists come back with their own columns, and one more candidate.
    made = combiner.append(test).features.column_names().to_pylist()
    assert "told" in made
    assert "told:score" not in made


def test_it_is_kept_with_its_rerankers(combiner: Combiner, tmp_path: Path) -> None:
    test = lists(40, 6)
    combiner.save(tmp_path / "a.runoff")
    again = load_combiner(tmp_path / "a.runoff")
    assert again.texts(test) == combiner.texts(test)
    assert [each.name for each in again.rerankers] == ["told"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ([{"name": "told", "sharpness": -1.0}], "sharp"),
        ([{"name": "nobody", "sharpness": 1.0}], "ones of its systems"),
        ("told", "its rerankers are"),
        ([{"name": "told", "sharpness": 1.0}, {"name": "one", "sharpness": 1.0}], "damaged"),
    ],
)
def test_damaged_files_are_refused(combiner: Combiner, tmp_path: Path, changed: object, said: str) -> None:
    combiner.save(tmp_path / "a.runoff")
    with zipfile.ZipFile(tmp_path / "a.runoff") as old, zipfile.ZipFile(tmp_path / "b.runoff", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "model.json":
                header = json.loads(content)
                header["provenance"]["combination"]["rerankers"] = changed
                content = json.dumps(header).encode()
            new.writestr(name, content)
    with pytest.raises(ModelError, match=said):
        load_combiner(tmp_path / "b.runoff")


def test_sharpness_is_the_most_likely_one() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2000, 4))
    # Winners drawn by softmax of 2.5 times the scores: Gumbel noise and the highest (Yellott 1977).
    winners = np.argmax(2.5 * scores + rng.gumbel(size=scores.shape), axis=1)
    quality = np.zeros(scores.shape)
    quality[np.arange(2000), winners] = 1.0
    data = NBest.from_arrays(quality=quality.ravel(), sizes=[4] * 2000)
    assert best_sharpness(data, scores.ravel()) == pytest.approx(2.5, rel=0.06)
    assert best_sharpness(data, 10 * scores.ravel()) == pytest.approx(0.25, rel=0.06)
    assert best_sharpness(data, np.zeros(8000)) == 1.0


def test_mistakes(combiner: Combiner) -> None:
    with pytest.raises(UsageError, match="at least one learner"):
        train_rerankers({}, lists(10, 0), task="roles")
    with pytest.raises(UsageError, match="a system 'one' already"):
        train_combiner(lists(40, 0), task="roles", rerankers={"one": LEARNER})
    with pytest.raises(DataError, match="reference"):
        train_combiner(dataclasses.replace(lists(40, 0), references=None), task="roles", rerankers={"told": LEARNER})
    test = lists(5, 0)
    others = test.replace(features=Features.of(test.features.to_scipy()[:, [6]].toarray(), ["told"]))
    with pytest.raises(DataError, match="was trained with the systems told, one, two, three, and this data has told"):
        combiner.texts(others)
