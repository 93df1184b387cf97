"""Learning curves, against evaluations and comparisons of models that are trained one by one."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

import runoff
from runoff.errors import ModelError, UsageError
from runoff.metrics import Resampling
from runoff.model.learning_curve import LearningCurve
from runoff.report.training_size import _nested

FEW = Resampling(resamples=200, trials=50, seed=3)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    words = [f"w{at}" for at in range(30)]
    lists = []
    for at in range(400):
        right = " ".join(rng.choice(words, 5))
        texts = [right, *(" ".join([*right.split()[:-1], str(rng.choice(words))]) for _ in range(3))]
        candidates = [
            {"text": text, "features": {"lm": rng.normal() + (text == right), "noise": rng.normal()}} for text in texts
        ]
        # Every fourth reference comes twice.
        shared = lists[-1]["reference"] if at % 4 == 3 else right
        lists.append({"id": str(at), "reference": shared, "candidates": candidates, "input": f"question {at}"})
    return runoff.grade(runoff.NBest.from_records(lists), "wer")


class Recording(runoff.LogLinear):
    """A learner that tells what it was trained on, whoever cloned it."""

    seen: list = []  # noqa: RUF012 - of all copies

    def fit(self, train, dev=None):
        self.seen.append(train)
        return super().fit(train, dev)


@pytest.fixture(scope="module")
def found(data):
    Recording.seen.clear()
    curve = runoff.learning_curve(Recording(sigma=1.0, metric="wer"), data, resampling=FEW)
    return curve, list(Recording.seen)


def test_points_are_evaluations_of_models_of_the_parts(data, found):
    curve, parts = found
    learned = {name for part in parts for name in part.group_ids.to_pylist()}
    held_out = data[np.array([name not in learned for name in data.group_ids.to_pylist()])]
    assert len(held_out) == curve.held_out
    models = [runoff.LogLinear(sigma=1.0, metric="wer", calibration="none").fit(part).model for part in parts]
    for point, part, model in zip(curve.points, parts, models, strict=True):
        expected = runoff.evaluate(model, held_out, "wer", resampling=FEW).results[0]
        assert point.lists == len(part)
        assert (point.score, point.low, point.high) == (
            expected.chosen.score,
            expected.chosen.low,
            expected.chosen.high,
        )
        assert (curve.first_round, curve.signature) == (expected.first.score, expected.signature)
    lead = runoff.compare(models[-1], models[-2], held_out, "wer", resampling=FEW).duels[0].lead
    assert (curve.gain, curve.gain_low, curve.gain_high) == (lead.delta, lead.low, lead.high)


def test_parts_grow_and_never_share_a_reference_with_held_out_lists(data, found):
    _, parts = found
    names = [set(part.group_ids.to_pylist()) for part in parts]
    assert all(small < large for small, large in itertools.pairwise(names))
    assert [round(len(part) / len(parts[-1]), 2) for part in parts] == pytest.approx(
        [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1], abs=0.02
    )
    learned = set(map(str, parts[-1].references.to_pylist()))
    others = data[np.array([name not in names[-1] for name in data.group_ids.to_pylist()])]
    assert learned.isdisjoint(map(str, others.references.to_pylist()))


@pytest.mark.parametrize("seed", range(20))
def test_no_block_is_cut(seed):
    block_of = np.random.default_rng(seed).integers(0, 15, 100)
    _, block_of = np.unique(block_of, return_inverse=True)
    before: set[int] = set()
    for part in _nested(block_of, (0.1, 0.3, 1.0), seed):
        inside = set(part.tolist())
        assert before <= inside
        assert inside == {at for at, block in enumerate(block_of) if block in set(block_of[part])}
        before = inside
    assert len(before) == 100


def test_the_same_seed_gives_the_same_curve(data, found):
    learner = runoff.LogLinear(sigma=1.0, metric="wer")
    assert runoff.learning_curve(learner, data, resampling=FEW) == found[0]
    other = runoff.learning_curve(learner, data, resampling=dataclasses.replace(FEW, seed=4))
    assert other.points != found[0].points


def test_given_held_out_lists_judge(data):
    curve = runoff.learning_curve(
        runoff.LogLinear(sigma=1.0), data[:300], data[300:], metric="wer", shares=(0.5, 1.0), resampling=FEW
    )
    assert (curve.points[-1].lists, curve.held_out) == (300, 100)


def test_training_lists_that_share_something_with_held_out_ones_are_left_out(data):
    learner = runoff.LogLinear(sigma=1.0, metric="wer")
    held_out = data[3:103]  # the first shares its reference with the list before, the last with the one after
    curve = runoff.learning_curve(learner, data, held_out, shares=(0.5, 1.0), resampling=FEW)
    assert (curve.points[-1].lists, curve.held_out) == (400 - 102, 100)
    assert curve.notes[0].startswith("102 training lists left out")


def test_a_model_keeps_its_curve(data, found, tmp_path):
    curve = found[0]
    model = curve.stored_in(runoff.LogLinear(sigma=1.0, metric="wer").fit(data).model)
    model.save(tmp_path / "m.runoff")
    again = runoff.load(tmp_path / "m.runoff")
    assert again.learning_curve == curve
    assert curve.verdict in again._repr_html_()
    with pytest.raises(ModelError, match="learning curve is damaged"):
        LearningCurve.from_dict({**curve.to_dict(), "points": [{"lists": 1}]})
    with pytest.raises(ModelError, match="learning curve is damaged"):
        LearningCurve.from_dict({**curve.to_dict(), "gain": float("nan")})


def test_what_cannot_be_a_curve_is_said(data):
    learner = runoff.LogLinear(sigma=1.0, metric="wer")
    with pytest.raises(UsageError, match="needs two parts of at least 10 lists"):
        runoff.learning_curve(learner, data[:12])
    with pytest.raises(UsageError, match="shares grow"):
        runoff.learning_curve(learner, data, shares=(1.0, 0.5))
    curve = runoff.learning_curve(learner, data[:100], resampling=FEW)
    assert curve.notes[0] == "2 parts with too few lists to learn from: left out."
