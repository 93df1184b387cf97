"""Recipes by name, and what each makes of lists."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from runoff.errors import UsageError
from runoff.features.text.families import FAMILIES
from runoff.text import RECIPES, baselines, featurize
from runoff.text.recipes import chosen_recipes

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from little_lists import repeating


def test_names() -> None:
    assert list(chosen_recipes("auto")) == list(chosen_recipes(" auto ")) == list(RECIPES)
    assert list(chosen_recipes(" vote , loglinear,vote,")) == ["vote", "loglinear"]


@pytest.mark.parametrize("text", ["", " ", ","])
def test_no_recipe(text: str) -> None:
    with pytest.raises(UsageError, match="expected a recipe at least"):
        chosen_recipes(text)


@pytest.mark.parametrize("text", ["votes", "auto,vote", "vote loglinear", "-vote"])
def test_unknown_recipes(text: str) -> None:
    with pytest.raises(UsageError, match="there is no recipe .* there are: auto, bayes-risk"):
        chosen_recipes(text)


def test_families_that_recipes_need_exist() -> None:
    for recipe in RECIPES.values():
        assert set(recipe.families) <= set(FAMILIES)


@pytest.mark.parametrize("name", ["bayes-risk", "vote"])
@pytest.mark.parametrize("metric", ["wer", "chrf", "bleu"])
@pytest.mark.parametrize("base", [False, True])
def test_fixed_recipes_choose_as_the_baselines_do(name: str, metric: str, base: bool) -> None:
    data = repeating(3, 25, 5, base=base)
    model = RECIPES[name].fit(featurize(data, families="agreement", metric=metric), metric, 0)
    found = model.pick(featurize(data, families="agreement", metric=metric)).indices
    expected = baselines(data, metric)[name].indices
    # Equal values in single precision may be equal only there; nearly all lists agree, and votes always do.
    assert np.mean(found == expected) >= (1.0 if name == "vote" else 0.9)


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.families])
def test_learned_recipes_learn_and_are_the_same_for_a_seed(name: str) -> None:
    data = featurize(repeating(0, 30), families="repetition,length,words", min_lists=2)
    data = data.replace(quality=-data.features.to_scipy().toarray()[:, 0])
    first, again = (RECIPES[name].fit(data, None, 5) for _ in range(2))
    assert first.weights.tobytes() == again.weights.tobytes()
    rows = data.offsets[:-1] + first.pick(data).indices
    assert data.quality[rows].mean() > data.quality[data.offsets[:-1]].mean()
