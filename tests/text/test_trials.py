"""Held-out scores: every list by a model of other lists."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from runoff import LinearModel, NBest
from runoff.errors import UsageError
from runoff.nbest.grouping import folds_of
from runoff.text import RECIPES, TextFeatures, TextSettings
from runoff.text.trials import Views, held_out_scores

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
from little_lists import repeating


@dataclass(frozen=True)
class Spy:
    """A recipe that remembers which lists it learned from, and scores by how often it saw a list's id."""

    seen: list[list[str]]
    families: tuple[str, ...] = ()
    sparse: bool = False

    def fit(self, data: NBest, metric: str | None, seed: int) -> LinearModel:
        self.seen.append(data.group_ids.to_pylist())
        return LinearModel.of({"length:words": float(len(self.seen))})


def views(n: int = 11, families: str = "length,agreement,words") -> Views:
    maker, made = TextFeatures.learn(repeating(0, n), TextSettings(families, min_lists=1), "wer")
    return Views.of(made, maker)


@pytest.mark.parametrize(("n", "folds"), [(11, 4), (3, 5), (2, 2)])
def test_each_list_is_scored_by_a_model_that_did_not_see_it(n: int, folds: int) -> None:
    spy, seen_as = Spy([]), views(n)
    scores = held_out_scores(seen_as, {"spy": spy}, None, metric="wer", folds=folds, seed=3)["spy"]
    parts = min(n, folds)
    fold_of = folds_of(n, parts, 3)
    ids = seen_as.full.group_ids.to_pylist()
    assert len(spy.seen) == parts
    for fold, seen in enumerate(spy.seen):
        assert seen == [name for at, name in enumerate(ids) if fold_of[at] != fold]
    words = seen_as.full.features.to_scipy().toarray()[:, 0]
    assert scores == pytest.approx(words * (1 + np.repeat(fold_of, seen_as.full.sizes)))


def test_with_dev_data_one_model_of_all_lists() -> None:
    spy, seen_as = Spy([]), views(6)
    dev = seen_as.maker.make(repeating(9, 4))
    scores = held_out_scores(seen_as, {"spy": spy}, dev, metric="wer", folds=3, seed=0)["spy"]
    assert spy.seen == [seen_as.full.group_ids.to_pylist()]
    assert scores == pytest.approx(dev.features.to_scipy().toarray()[:, 0])


def test_one_list_is_too_little_without_dev_data() -> None:
    with pytest.raises(UsageError, match="one list is too little"):
        held_out_scores(views(1), {"spy": Spy([])}, None, metric="wer", folds=5, seed=0)
    dev = views(1).maker.make(repeating(1, 1))
    assert held_out_scores(views(1), {"spy": Spy([])}, dev, metric="wer", folds=5, seed=0)["spy"].size == 4


def test_dense_recipes_do_not_see_columns_by_the_thousand() -> None:
    seen_as = views()
    dense, sparse = Spy([]), Spy([], sparse=True)
    names = seen_as.data_for(dense).features.column_names().to_pylist()
    assert names
    assert not any(name.startswith("word:") for name in names)
    assert any(name.startswith("word:") for name in seen_as.data_for(sparse).features.column_names().to_pylist())
    # What is kept of the maker makes just what the recipe saw.
    for recipe in (dense, sparse):
        made = seen_as.maker_for(recipe).make(repeating(5, 3))
        expected = seen_as.data_for(recipe, seen_as.maker.make(repeating(5, 3)))
        assert made.features.column_names().equals(expected.features.column_names())
        assert np.array_equal(made.features.to_scipy().toarray(), expected.features.to_scipy().toarray())


def test_recipes_suit_where_their_features_are() -> None:
    only_length = views(families="length")
    suits = {name for name, recipe in RECIPES.items() if only_length.suits(recipe)}
    assert not {"vote", "bayes-risk", "loglinear-words"} & suits
    assert "loglinear" in suits
    assert all(views().suits(recipe) for recipe in RECIPES.values())


@pytest.mark.xfail(
    strict=True, reason="BUG: with words alone a dense recipe has no features and learns from list-features"
)
def test_dense_recipes_need_dense_features() -> None:
    assert not views(families="words").suits(RECIPES["loglinear"])
