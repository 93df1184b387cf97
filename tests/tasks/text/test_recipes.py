"""Recipes by name, and what each makes of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from helpers.synthetic_lists import repeating_lists
from runoff.errors import UsageError
from runoff.learners.recipes import BlendRecipe
from runoff.tasks.text import RECIPES, baselines, featurize
from runoff.tasks.text.cross_fitting import FeaturizedLists
from runoff.tasks.text.families import FAMILIES
from runoff.tasks.text.recipes import select_recipes

if TYPE_CHECKING:
    from runoff import NBest


def test_names() -> None:
    assert list(select_recipes("auto")) == list(select_recipes(" auto ")) == list(RECIPES)
    assert list(select_recipes(" vote , loglinear,vote,")) == ["vote", "loglinear"]


@pytest.mark.parametrize("text", ["", " ", ","])
def test_no_recipe(text: str) -> None:
    with pytest.raises(UsageError, match="expected at least one recipe"):
        select_recipes(text)


@pytest.mark.parametrize("text", ["votes", "auto,vote", "vote loglinear", "-vote"])
def test_unknown_recipes(text: str) -> None:
    with pytest.raises(UsageError, match=r"there is no recipe .* there are: auto, bayes-risk"):
        select_recipes(text)


def test_families_that_recipes_need_exist() -> None:
    for recipe in RECIPES.values():
        assert set(recipe.families) <= set(FAMILIES)


def training_set(data: NBest) -> FeaturizedLists:
    """Lists to learn from, as if candidates had come with what says how they repeat themselves."""
    names = data.features.column_names().to_pylist()
    supplied = pa.array([name for name in names if name.startswith("repeat:")], pa.large_string())
    return FeaturizedLists(data, sum(name.startswith("word:") for name in names), supplied, None, 5)


def test_recipes_see_what_they_are_to_see() -> None:
    fitted_on = training_set(lists_with_quality())
    seen = {each: fitted_on.data(each).features.column_names().to_pylist() for each in ("supplied", "dense", "all")}
    assert {name.partition(":")[0] for name in seen["supplied"]} == {"repeat"}
    assert {name.partition(":")[0] for name in seen["dense"]} == {"repeat", "length"}
    assert {name.partition(":")[0] for name in seen["all"]} == {"repeat", "length", "word"}


@pytest.mark.parametrize("name", ["bayes-risk", "vote"])
@pytest.mark.parametrize("metric", ["wer", "chrf", "bleu"])
@pytest.mark.parametrize("base", [False, True])
def test_fixed_recipes_choose_as_the_baselines_do(name: str, metric: str, base: bool) -> None:
    data = repeating_lists(3, 25, 5, base=base)
    featurized = featurize(data, families="agreement", metric=metric)
    found = RECIPES[name].model(training_set(featurized)).pick(featurized).indices
    expected = baselines(data, metric)[name].indices
    # What is equal to nine decimals may differ in single precision; nearly all lists agree, and votes always do.
    assert np.mean(found == expected) >= (1.0 if name == "vote" else 0.9)


def lists_with_quality(families: str = "repetition,length,words", *, base: bool = False) -> NBest:
    data = repeating_lists(0, 30, base=base)
    repeated = featurize(data, families="repetition").features.to_scipy().toarray()[:, 0]
    return featurize(data, families=families, min_lists=2).replace(quality=-repeated)


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.families])
def test_learned_recipes_learn_and_are_the_same_for_a_seed(name: str) -> None:
    data = lists_with_quality()
    first, again = (RECIPES[name].model(training_set(data)) for _ in range(2))
    assert first.weights.tobytes() == again.weights.tobytes()
    rows = data.offsets[:-1] + first.pick(data).indices
    assert data.quality[rows].mean() > data.quality[data.offsets[:-1]].mean()


BLENDS = [name for name, recipe in RECIPES.items() if isinstance(recipe, BlendRecipe)]


@pytest.mark.parametrize("name", BLENDS)
@pytest.mark.parametrize("base", [False, True])
def test_a_blend_scores_as_the_mean_of_its_members_in_units_of_their_spread(name: str, base: bool) -> None:
    data = lists_with_quality(base=base)
    fitted_on, recipe = training_set(data), RECIPES[name]
    seen = fitted_on.data(recipe.columns)
    expected = np.zeros(data.n_candidates)
    for member in recipe.members:
        scores = fitted_on.fitted(member).scores(seen)
        away = [scores[a:b] - scores[a:b].mean() for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
        expected += scores / np.sqrt(np.mean(np.concatenate(away) ** 2)) / len(recipe.members)
    assert recipe.model(fitted_on).scores(seen) == pytest.approx(expected, rel=1e-6, abs=1e-9)
