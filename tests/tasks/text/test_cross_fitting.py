"""Held-out scores: every list by a model of other lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.synthetic_lists import repeating_lists
from runoff import LinearModel, LogLinear, grade
from runoff.learners.feature_scaling import spread_within
from runoff.learners.recipes import LearnerRecipe
from runoff.model import TreeModel
from runoff.nbest.blocks import Blocks
from runoff.tasks.text import RECIPES, TextFeaturizer
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.recipes import select_recipes

if TYPE_CHECKING:
    from runoff.learners.recipes import TrainingSet


@dataclass(frozen=True)
class Spy:
    """A recipe that remembers which lists it learned from, and weighs words by how many models it gave."""

    seen: list[list[str]]
    families: tuple[str, ...] = ()
    columns: str = "dense"
    least_lists: int = 0

    def model(self, training_set: TrainingSet) -> LinearModel:
        self.seen.append(training_set.data(self.columns).group_ids.to_pylist())
        return LinearModel.of({"length:words": float(len(self.seen))})


def fitter(n: int = 11, families: str = "length,agreement,words", seed: int = 3) -> CrossFitter:
    featurizer = TextFeaturizer(families=families, min_lists=1)
    return CrossFitter(featurizer.fit_transform(grade(repeating_lists(0, n), "wer"), "wer"), featurizer, "wer", seed)


@pytest.mark.parametrize(("n", "parts"), [(11, 4), (3, 3), (2, 2)])
def test_each_list_is_scored_by_a_model_that_did_not_see_it(n: int, parts: int) -> None:
    spy, cross_fitter = Spy([]), fitter(n)
    fold_of = Blocks(np.arange(n)).folds(parts, 3)
    scores = cross_fitter.held_out_scores({"spy": spy}, folds=fold_of)["spy"]
    ids = cross_fitter.lists.group_ids.to_pylist()
    assert len(spy.seen) == parts
    for fold, seen in enumerate(spy.seen):
        assert seen == [name for at, name in enumerate(ids) if fold_of[at] != fold]
    words = cross_fitter.lists.features.to_scipy().toarray()[:, 0]
    assert scores == pytest.approx(words * (1 + np.repeat(fold_of, cross_fitter.lists.sizes)))


def test_with_dev_data_one_model_of_all_lists() -> None:
    spy, cross_fitter = Spy([]), fitter(6)
    dev = cross_fitter.featurizer.transform(repeating_lists(9, 4))
    scores = cross_fitter.held_out_scores({"spy": spy}, dev=dev)["spy"]
    assert spy.seen == [cross_fitter.lists.group_ids.to_pylist()]
    assert scores == pytest.approx(dev.features.to_scipy().toarray()[:, 0])


def test_one_list_is_enough_with_dev_data() -> None:
    dev = fitter(1).featurizer.transform(repeating_lists(1, 1))
    assert fitter(1).held_out_scores({"spy": Spy([])}, dev=dev)["spy"].size == 4


def test_dense_recipes_do_not_see_columns_by_the_thousand() -> None:
    cross_fitter = fitter()
    for recipe in (Spy([]), Spy([], columns="all")):
        seen = cross_fitter.training_set().data(recipe.columns).features
        names = seen.column_names().to_pylist()
        assert "length:words" in names
        assert any(name.startswith("word:") for name in names) == (recipe.columns == "all")
        # The featurizer that its model keeps makes just these features.
        featurized = cross_fitter.featurizer_for(recipe).transform(repeating_lists(0, 11)).features
        assert featurized.column_names().equals(seen.column_names())
        assert np.array_equal(featurized.to_scipy().toarray(), seen.to_scipy().toarray())


def test_what_two_recipes_share_is_learned_once() -> None:
    training_set, way = fitter(10).training_set(), LearnerRecipe(LogLinear, {"sigma": 0.3})
    data = training_set.data("dense")
    cross_fitter = fitter(10)
    cross_fitter.lists = data.replace(quality=np.arange(data.n_candidates) % 4)
    training_set = cross_fitter.training_set()
    assert training_set.fitted(way) is training_set.fitted(way)
    part = cross_fitter.training_set(np.arange(10) < 5)
    assert part.data("all").group_ids.to_pylist() == cross_fitter.lists.group_ids.to_pylist()[:5]


def test_recipes_suit_where_their_features_are() -> None:
    only_length = fitter(families="length")
    applicable = {name for name, recipe in RECIPES.items() if only_length.applies(recipe)}
    assert not {"vote", "bayes-risk"} & applicable
    assert all(RECIPES[name].columns == "dense" for name in applicable)
    assert "loglinear" in applicable
    few = {name for name, recipe in RECIPES.items() if recipe.least_lists}
    assert few == {"trees", "blend-trees"}
    all_families = fitter()
    for name, recipe in RECIPES.items():
        assert all_families.applies(recipe) == (recipe.columns != "supplied" and name not in few)


def test_trees_are_for_many_lists_and_their_scores_have_the_spread_of_others() -> None:
    cross_fitter = fitter(500)
    assert not cross_fitter.applies(RECIPES["trees"])
    assert cross_fitter.applies(select_recipes("trees")["trees"])  # asked for by name
    rng = np.random.default_rng(0)
    data = cross_fitter.training_set().data("dense")
    cross_fitter.lists = data.replace(quality=rng.integers(0, 3, data.n_candidates).astype(float))
    training_set = cross_fitter.training_set()
    model = RECIPES["blend-trees"].model(training_set)
    assert isinstance(model, TreeModel)
    members = [training_set.fitted(member) for member in RECIPES["blend-trees"].members]
    lists = training_set.data("dense")
    np.testing.assert_allclose(
        model.scores(lists), np.mean([member.scores(lists) for member in members], axis=0), atol=1e-9
    )
    assert [round(spread_within(lists, member.scores(lists)), 9) for member in members] == [1.0] * 6


def test_dense_recipes_need_dense_features() -> None:
    assert not fitter(families="words").applies(RECIPES["loglinear"])
