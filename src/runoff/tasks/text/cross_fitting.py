"""Cross-fitting of recipes: scores by models that were not trained on the lists they score."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.features import align
from runoff.learners.feature_scaling import spread_within
from runoff.model import scaled
from runoff.nbest import Features
from runoff.progress import progress
from runoff.ranking import informative
from runoff.tasks.text.families import SPARSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.recipes import Columns, LearnerRecipe, Recipe
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.text.featurizer import TextFeaturizer

_NO_NAMES = pa.array([], pa.large_string())


class CrossFitter:
    """Fits recipes on featurized training lists, and scores held-out lists with them."""

    def __init__(
        self,
        lists: NBest,
        featurizer: TextFeaturizer,
        metric: str | Metric | None,
        seed: int,
        group_by: str | None = None,
    ) -> None:
        self.lists, self.featurizer = lists, featurizer
        self._metric, self._seed, self._group_by = metric, seed, group_by

    def applies(self, recipe: Recipe) -> bool:
        """Whether the lists have the features that the recipe needs, and are enough for it."""
        families = set(self.featurizer.families)
        has_columns = {
            "supplied": bool(self.featurizer.supplied_names is not None and len(self.featurizer.supplied_names)),
            "dense": self.lists.features.n_columns > self.n_sparse,
            "all": bool(families & set(SPARSE)),
        }
        enough = len(self.lists) >= recipe.least_lists
        return enough and has_columns[recipe.columns] and families.issuperset(recipe.families)

    def featurizer_for(self, recipe: Recipe) -> TextFeaturizer:
        """The featurizer that makes just the features which the recipe's model uses."""
        dense = [name for name in self.featurizer.families if name not in SPARSE]
        families = {"supplied": ["scores"], "dense": recipe.families or dense, "all": self.featurizer.families}
        return self.featurizer.only(families[recipe.columns])

    def training_set(self, groups: Bools | None = None) -> FeaturizedLists:
        """The training lists, or some of them."""
        return self.with_columns(self.lists if groups is None else self.lists[groups])

    @property
    def n_sparse(self) -> int:
        """Number of sparse columns; they come last."""
        return sum(len(each) for each in (self.featurizer.words, self.featurizer.characters) if each is not None)

    def with_columns(self, data: NBest) -> FeaturizedLists:
        """Other lists with the same features, so that the models of recipes can score them."""
        supplied = self.featurizer.supplied_names
        return FeaturizedLists(data, self.n_sparse, supplied, self._metric, self._seed, self._group_by)

    def held_out_scores(
        self,
        recipes: Mapping[str, Recipe],
        *,
        dev: NBest | None = None,
        folds: Ints | None = None,
        verbose: bool = False,
    ) -> dict[str, Floats]:
        """Scores of every recipe for all candidates of `dev`; without, of the training lists, by their folds."""
        lists = self.lists if dev is None else dev
        fold_of = np.zeros(len(lists), np.int64) if folds is None else folds
        parts, row_fold = int(fold_of.max(initial=0)) + 1, np.repeat(fold_of, lists.sizes)
        out = {name: np.zeros(lists.n_candidates) for name in recipes}
        with progress("recipes", len(recipes) * parts, verbose=verbose) as step:
            for fold in range(parts):
                training_set = self.training_set(None if dev is not None else fold_of != fold)
                if informative(training_set.data("all")).size == 0:
                    continue  # nothing to learn from the other folds: the first choices stay
                test = self.with_columns(lists[fold_of == fold])
                for at, (name, recipe) in enumerate(recipes.items()):
                    out[name][row_fold == fold] = recipe.model(training_set).scores(test.data(recipe.columns))
                    step(fold * len(recipes) + at + 1, name)
        return out


class FeaturizedLists:
    """Featurized lists that recipes are fitted on; a learner that several recipes share is fitted once."""

    def __init__(
        self,
        data: NBest,
        n_sparse: int,
        supplied: pa.Array | None,
        metric: str | Metric | None,
        seed: int,
        group_by: str | None = None,
    ) -> None:
        self._full, self._n_sparse, self._supplied = data, n_sparse, supplied
        self._metric, self._seed, self._group_by = metric, seed, group_by
        self._models: dict[LearnerRecipe, LinearModel] = {}

    def data(self, columns: Columns) -> NBest:
        """The lists with these columns."""
        if columns == "all":
            return self._full
        return self._dense if columns == "dense" else self._only_supplied

    def fitted(self, recipe: LearnerRecipe) -> LinearModel:
        """The model that the learner fits, with scores divided by their spread within lists.

        Scores of perceptrons grow with the number of training lists, so without this a threshold would mean something
        else in every fold.
        """
        if recipe not in self._models:
            data = self.data(recipe.columns)
            model = recipe.fit(data, self._metric, self._seed, self._group_by)
            unit = spread_within(data, model.scores(data)) or 1.0
            self._models[recipe] = scaled(model, 1 / unit)
        return self._models[recipe]

    @cached_property
    def _dense(self) -> NBest:
        # Sparse columns come last.
        return self._with(np.arange(self._full.features.n_columns - self._n_sparse))

    @cached_property
    def _only_supplied(self) -> NBest:
        names = _NO_NAMES if self._supplied is None else self._supplied
        return self._with(np.flatnonzero(align(self._full.features, names) >= 0))

    def _with(self, columns: Ints) -> NBest:
        features = self._full.features
        if columns.size == features.n_columns:
            return self._full
        names = features.column_names().take(pa.array(columns))
        return self._full.replace(features=Features.of(features.to_scipy()[:, columns], names))
