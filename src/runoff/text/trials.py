"""Which recipe is surest to gain: all of them choose in lists that they did not learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.features.text.families import SPARSE
from runoff.nbest import Features
from runoff.nbest.grouping import folds_of
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.features.text.maker import TextFeatures
    from runoff.nbest import NBest
    from runoff.text.recipes import Recipe


@dataclass(frozen=True, eq=False)
class Views:
    """Training lists as recipes see them: with all features, or without those that come by the thousand."""

    full: NBest
    maker: TextFeatures

    @classmethod
    def of(cls, made: NBest, maker: TextFeatures) -> Views:
        """Lists with the features that the maker made for them."""
        return cls(made, maker)

    def suits(self, recipe: Recipe) -> bool:
        """Whether the features that the recipe needs are there."""
        there = set(self.maker.families)
        return (not recipe.sparse or bool(there & set(SPARSE))) and there.issuperset(recipe.families)

    def maker_for(self, recipe: Recipe) -> TextFeatures:
        """What makes the features that the recipe's model weighs, and no others."""
        if recipe.sparse:
            return self.maker
        kept = recipe.families or tuple(name for name in self.maker.families if name not in SPARSE)
        return self.maker.only(kept)

    def data_for(self, recipe: Recipe, data: NBest | None = None) -> NBest:
        """The training lists, or others with the same features, as the recipe sees them."""
        data = self.full if data is None else data
        extra = sum(len(each) for each in (self.maker.words, self.maker.characters) if each is not None)
        if recipe.sparse or not extra:
            return data
        dense = data.features.n_columns - extra  # columns by the thousand are the last ones
        table = data.features.to_scipy()
        return data.replace(features=Features.of(table[:, :dense], data.features.column_names()[:dense]))


def held_out_scores(
    views: Views,
    recipes: Mapping[str, Recipe],
    dev: NBest | None,
    *,
    metric: str | None,
    folds: int,
    seed: int,
    show: bool = False,
) -> dict[str, Floats]:
    """Scores of every recipe for all candidates of `dev`, or of the training lists, each fold by the other folds."""
    groups = len(views.full)
    if dev is None and groups < 2:
        raise UsageError("one list is too little to learn from and to judge by; give more, or dev data.")
    parts = 1 if dev is not None else min(folds, groups)
    fold_of = folds_of(groups, parts, seed)
    out: dict[str, Floats] = {}
    with progress("recipes", len(recipes) * parts, show=show) as step:
        for at, (name, recipe) in enumerate(recipes.items()):
            data = views.data_for(recipe)
            if dev is not None:
                out[name] = recipe.fit(data, metric, seed).scores(views.data_for(recipe, dev))
                step(at + 1, name)
                continue
            group_of = np.repeat(fold_of, data.sizes)
            scores = np.zeros(data.n_candidates)
            for fold in range(parts):
                model = recipe.fit(data[fold_of != fold], metric, seed)
                scores[group_of == fold] = model.scores(data[fold_of == fold])
                step(at * parts + fold + 1, name)
            out[name] = scores
    return out
