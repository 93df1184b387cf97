"""Held-out scores: every list by a model of other lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.little_lists import repeating
from runoff import LinearModel, LogLinear, grade
from runoff.errors import UsageError
from runoff.nbest.grouping import folds_of
from runoff.tasks.text import RECIPES, TextFeatures, TextSettings
from runoff.tasks.text.cross_fitting import Trainer
from runoff.tasks.text.recipes import Learned

if TYPE_CHECKING:
    from runoff.tasks.text.recipes import Lesson


@dataclass(frozen=True)
class Spy:
    """A recipe that remembers which lists it learned from, and weighs words by how many models it gave."""

    seen: list[list[str]]
    families: tuple[str, ...] = ()
    sees: str = "dense"

    def model(self, lesson: Lesson) -> LinearModel:
        self.seen.append(lesson.data(self.sees).group_ids.to_pylist())
        return LinearModel.of({"length:words": float(len(self.seen))})


def trainer(n: int = 11, families: str = "length,agreement,words", seed: int = 3) -> Trainer:
    maker, made = TextFeatures.learn(grade(repeating(0, n), "wer"), TextSettings(families, min_lists=1), "wer")
    return Trainer(made, maker, "wer", seed)


@pytest.mark.parametrize(("n", "folds"), [(11, 4), (3, 5), (2, 2)])
def test_each_list_is_scored_by_a_model_that_did_not_see_it(n: int, folds: int) -> None:
    spy, taught = Spy([]), trainer(n)
    scores = taught.held_out({"spy": spy}, None, folds)["spy"]
    parts = min(n, folds)
    fold_of = folds_of(n, parts, 3)
    ids = taught.made.group_ids.to_pylist()
    assert len(spy.seen) == parts
    for fold, seen in enumerate(spy.seen):
        assert seen == [name for at, name in enumerate(ids) if fold_of[at] != fold]
    words = taught.made.features.to_scipy().toarray()[:, 0]
    assert scores == pytest.approx(words * (1 + np.repeat(fold_of, taught.made.sizes)))


def test_with_dev_data_one_model_of_all_lists() -> None:
    spy, taught = Spy([]), trainer(6)
    dev = taught.maker.make(repeating(9, 4))
    scores = taught.held_out({"spy": spy}, dev, 3)["spy"]
    assert spy.seen == [taught.made.group_ids.to_pylist()]
    assert scores == pytest.approx(dev.features.to_scipy().toarray()[:, 0])


def test_one_list_is_too_little_without_dev_data() -> None:
    with pytest.raises(UsageError, match="one list is too little"):
        trainer(1).held_out({"spy": Spy([])}, None, 5)
    dev = trainer(1).maker.make(repeating(1, 1))
    assert trainer(1).held_out({"spy": Spy([])}, dev, 5)["spy"].size == 4


def test_dense_recipes_do_not_see_columns_by_the_thousand() -> None:
    taught = trainer()
    for recipe in (Spy([]), Spy([], sees="all")):
        seen = taught.lesson().data(recipe.sees).features
        names = seen.column_names().to_pylist()
        assert "length:words" in names
        assert any(name.startswith("word:") for name in names) == (recipe.sees == "all")
        # What is kept of the maker makes just what the recipe saw.
        made = taught.maker_for(recipe).make(repeating(0, 11)).features
        assert made.column_names().equals(seen.column_names())
        assert np.array_equal(made.to_scipy().toarray(), seen.to_scipy().toarray())


def test_what_two_recipes_share_is_learned_once() -> None:
    lesson, way = trainer(10).lesson(), Learned(LogLinear, {"sigma": 0.3})
    data = lesson.data("dense")
    taught = trainer(10)
    taught.made = data.replace(quality=np.arange(data.n_candidates) % 4)
    lesson = taught.lesson()
    assert lesson.learned(way) is lesson.learned(way)
    part = taught.lesson(np.arange(10) < 5)
    assert part.data("all").group_ids.to_pylist() == taught.made.group_ids.to_pylist()[:5]


def test_recipes_suit_where_their_features_are() -> None:
    only_length = trainer(families="length")
    suits = {name for name, recipe in RECIPES.items() if only_length.suits(recipe)}
    assert not {"vote", "bayes-risk"} & suits
    assert all(RECIPES[name].sees == "dense" for name in suits)
    assert "loglinear" in suits
    assert all(trainer().suits(recipe) for recipe in RECIPES.values() if recipe.sees != "carried")


def test_dense_recipes_need_dense_features() -> None:
    assert not trainer(families="words").suits(RECIPES["loglinear"])
