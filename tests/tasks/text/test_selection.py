"""The choice of a recipe, and what it is worth in lists that took no part in it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from runoff import NBest
from runoff.learners.switching import SwitchThreshold, choose_threshold
from runoff.metrics import Difference, get
from runoff.nbest.blocks import blocks
from runoff.ranking import first_round, winners
from runoff.tasks.text.selection import Selection, select

QUALITY = get("quality")
HOW = {"confidence": 0.68, "folds": 5, "seed": 2}


def lists(seed: int, n: int = 60, signal: float = 1.0) -> tuple[NBest, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=4 * n)
    data = NBest.from_arrays(quality=quality, base=rng.normal(size=4 * n), sizes=[4] * n)
    return data, {
        "noise": rng.normal(size=4 * n),
        "weak": signal * quality + 2 * rng.normal(size=4 * n),
        "strong": signal * quality + rng.normal(size=4 * n),
    }


def plain_gain(data: NBest, scores: dict[str, np.ndarray], *, careful: bool) -> float:
    """List by list: the recipe and the threshold that the other folds prefer."""
    fold_of = blocks(data).folds(5, 2)
    first = first_round(data).indices
    won = 0.0
    for at in range(len(data)):
        outside = fold_of != fold_of[at]
        rows = np.repeat(outside, data.sizes)
        trials = {name: choose_threshold(data[outside], each[rows], QUALITY, seed=2) for name, each in scores.items()}
        best = max(trials, key=lambda name: trials[name].gain_low if careful else trials[name].gain_without_threshold)
        own = slice(int(data.offsets[at]), int(data.offsets[at + 1]))
        score, quality = scores[best][own], data.quality[own]
        pick = int(winners(data[at], score)[0])
        if careful and not score[pick] - score[first[at]] > trials[best].threshold:
            pick = int(first[at])
        won += quality[pick] - quality[first[at]]
    return won / len(data)


@pytest.mark.parametrize("careful", [True, False])
@pytest.mark.parametrize("signal", [1.0, 0.3, 0.0])
def test_the_gain_is_that_of_choosing_on_the_other_folds(signal: float, careful: bool) -> None:
    data, scores = lists(1, 40, signal)
    found = select(data, scores, QUALITY, careful=careful, **HOW)
    assert found.gain.delta == pytest.approx(plain_gain(data, scores, careful=careful), abs=1e-12)
    assert set(found.by_recipe) == set(scores)


def test_the_surest_is_chosen() -> None:
    data, scores = lists(0)
    found = select(data, scores, QUALITY, **HOW)
    assert found.recipe == "strong"
    assert found.threshold == found.by_recipe["strong"]
    assert found.gain.low > 0


def test_chance_alone_does_not_pass_the_folds_that_it_was_not_chosen_on() -> None:
    # Of twenty recipes of noise the best looks sure to gain; on other folds it gains nothing.
    passed = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        data = NBest.from_arrays(quality=rng.normal(size=240), sizes=[4] * 60)
        scores = {str(at): rng.normal(size=240) for at in range(20)}
        found = select(data, scores, QUALITY, **HOW)
        assert not found.by_recipe[found.recipe].keeps_first_choice
        passed += not found.threshold.keeps_first_choice
    assert passed <= 1


def test_not_sure_outside_means_never() -> None:
    sure = SwitchThreshold(0.5, 0.2, 0.1, 7, 0.15)
    for low, careful, never in ((0.01, True, False), (0.0, True, True), (-0.1, True, True), (-0.1, False, False)):
        found = Selection("a", {"a": sure}, Difference(0.05, low, 0.3, 0.4), careful)
        assert found.threshold.keeps_first_choice == never
        assert math.isinf(found.threshold.threshold) == never


def test_one_list_has_no_folds() -> None:
    data, scores = lists(0, 1)
    found = select(data, scores, QUALITY, **HOW)
    assert found.gain.delta == 0
    assert found.threshold.keeps_first_choice


def test_lists_without_candidates() -> None:
    data = NBest.from_arrays(quality=[0.0, 1.0] * 20, sizes=[2, 0] * 20)
    found = select(data, {"good": np.tile([0.0, 1.0], 20)}, QUALITY, **HOW)
    assert found.gain.delta == pytest.approx(1.0)
