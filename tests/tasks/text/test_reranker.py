"""The reranker of texts: finds what there is to find, does no harm where there is nothing, and keeps its promises."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.synthetic_lists import gain, noise_lists, number_lists, repeating_lists
from runoff import NBest, load
from runoff.features.first_choice import COLUMN
from runoff.metrics import get
from runoff.ranking import first_round
from runoff.tasks.text import TextReranker

if TYPE_CHECKING:
    from pathlib import Path

FEW: dict[str, Any] = {"families": "position,length,repetition,agreement", "recipes": "vote,loglinear"}


# ---------------------------------------------------------------- signals


@functools.cache
def by_default(*, base: bool) -> TextReranker:
    """All usual families, all recipes."""
    return TextReranker(metric="wer").fit(repeating_lists(0, base=base))


@pytest.mark.parametrize("base", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_words_said_twice_are_found(base: bool) -> None:
    learner = by_default(base=base)
    fresh = repeating_lists(100, 80, base=base)
    # By construction: a wrong text has one edit in 7 words and the first is wrong in 3 of 4 lists: 10.7 points of WER.
    assert gain(learner, fresh, "wer") > 9.5
    assert not learner.model.provenance["threshold"]["keeps_first_choice"]
    # The reported gain is on held-out lists: near the gain on fresh ones.
    assert learner.model.provenance["threshold"]["gain"] == pytest.approx(gain(learner, fresh, "wer"), abs=2.5)


def test_numbers_of_the_input_are_found() -> None:
    learner = TextReranker(metric="exact", recipes="vote,loglinear,blend").fit(number_lists(0))
    # By construction: the first of four is right in a quarter of the lists, the best always.
    assert gain(learner, number_lists(100, 80), "exact") > 0.65


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge-l", "exact", "cer"])
def test_other_metrics_gain_too(metric: str) -> None:
    learner = TextReranker(**{**FEW, "metric": metric}).fit(repeating_lists(0))
    assert gain(learner, repeating_lists(100), metric) > 0
    assert not learner.model.provenance["threshold"]["keeps_first_choice"]


def test_quality_that_the_data_carries() -> None:
    data = repeating_lists(0)
    rated = data.replace(references=None, quality=get("wer").quality(data))
    learner = TextReranker(families="usual", recipes="loglinear").fit(rated)
    assert gain(learner, repeating_lists(100), "wer") > 9


# ---------------------------------------------------------------- no signal


SEEDS = range(12)


@pytest.fixture(scope="module")
def on_noise() -> list[tuple[TextReranker, float]]:
    found = []
    for seed in SEEDS:
        learner = TextReranker(families="dense", recipes="vote,bayes-risk,loglinear", seed=seed).fit(noise_lists(seed))
        found.append((learner, gain(learner, noise_lists(1000 + seed, 300), "quality")))
    return found


def test_noise_does_no_harm(on_noise: list[tuple[TextReranker, float]]) -> None:
    # Quality has a standard deviation of 1; the mean over 12 x 300 fresh lists is known to about 0.02.
    assert np.mean([lost for _, lost in on_noise]) > -0.04


def test_most_models_of_noise_never_switch(on_noise: list[tuple[TextReranker, float]]) -> None:
    assert sum(learner.model.provenance["threshold"]["keeps_first_choice"] for learner, _ in on_noise) > len(SEEDS) / 2


def test_what_is_reported_of_noise_is_honest(on_noise: list[tuple[TextReranker, float]]) -> None:
    # A lower end of a 68% interval should be above the true gain, which is 0, in about one of six cases.
    above = sum(learner.model.provenance["threshold"]["gain_low"] > 0 for learner, _ in on_noise)
    assert above <= len(SEEDS) / 3


def test_a_first_round_that_is_right_is_left_alone() -> None:
    for seed in range(3):
        data = noise_lists(seed)
        quality = np.array(data.quality)
        quality[data.offsets[:-1]] += 4.0
        learner = TextReranker(**FEW).fit(data.replace(quality=quality))
        fresh = noise_lists(500 + seed, 100)
        assert np.mean(learner.predict(fresh) != 0) < 0.05


# ---------------------------------------------------------------- never


def uninformed() -> NBest:
    """Lists in which the first is always best, by nothing that later lists share."""
    data = noise_lists(3, 40)
    return data.replace(quality=np.tile([1.0, 0.0, 0.0, 0.0], 40))


def test_where_nothing_gains_every_first_choice_stays_and_that_is_said(tmp_path: Path) -> None:
    learner = TextReranker(families="length,shape", recipes="loglinear").fit(uninformed())
    assert learner.model.provenance["threshold"]["keeps_first_choice"]
    assert any("keeps every first choice" in said for said in learner.model.provenance["warnings"])
    fresh = noise_lists(9, 30, base=True)
    assert learner.predict(fresh).tolist() == first_round(fresh).indices.tolist()
    learner.model.save(tmp_path / "m")
    assert load(tmp_path / "m").pick(fresh).indices.tolist() == first_round(fresh).indices.tolist()


def test_without_caution_it_always_goes_by_its_scores() -> None:
    learner = TextReranker(families="length,shape", recipes="loglinear", careful=False).fit(uninformed())
    assert learner.model.provenance["threshold"] is None
    assert COLUMN not in learner.model.names.to_pylist()


# ---------------------------------------------------------------- the same for a seed


def weights(**how: Any) -> bytes:
    return (
        TextReranker(metric="wer", recipes="loglinear,perceptron", **how)
        .fit(repeating_lists(0, 30))
        .model.weights.tobytes()
    )


def test_the_same_seed_gives_the_same_model() -> None:
    assert weights(seed=3) == weights(seed=3)


def test_the_number_of_threads_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(weights())
    assert found[0] == found[1]


def test_a_saved_model_chooses_alike(tmp_path: Path) -> None:
    learner = by_default(base=True)
    learner.model.save(tmp_path / "m")
    again, fresh = load(tmp_path / "m"), repeating_lists(7, base=True)
    assert again.scores(fresh).tobytes() == learner.model.scores(fresh).tobytes()
    assert again.provenance["recipe"] == learner.model.provenance["recipe"]


def test_lists_too_few_for_a_confidence_still_give_a_model() -> None:
    learner = TextReranker(metric="wer", families=FEW["families"]).fit(repeating_lists(0, 12))
    assert learner.model.calibration is None
    assert learner.model.n_active
