"""A reranker for plain texts: makes features, cross-fits recipes, and changes first choices only where that pays."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.learners import Learner
from runoff.learners.calibrate import with_calibration
from runoff.learners.recipes import FixedRecipe
from runoff.learners.switching import with_threshold
from runoff.parameters import flag, parameter, share, words
from runoff.progress import progress
from runoff.ranking import informative
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.text.recipes import select_recipes
from runoff.tasks.text.selection import FIRST_ROUND, select
from runoff.tasks.text.settings import CHECKS, TextSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Ints
    from runoff.model import LinearModel
    from runoff.nbest import NBest

CONFIDENCE = 0.9  # of the interval of the gain
NO_SURE_GAIN = "no recipe has a sure gain over the first round on held-out lists; the model keeps every first choice."
UNTRAINED = "no trained recipe has a sure gain on held-out lists that is above that of {}; the model chooses by that."


@dataclass(eq=False, repr=False)
class TextReranker(Learner):
    """Rerank lists of plain texts: make features, select a model on held-out lists, and switch only where it pays.

    The features are those of `runoff.tasks.text.featurize`. Every recipe is trained on the training lists and evaluated
    on held-out ones: on `dev`, or on each of `folds` folds by a model of the others. The recipe whose gain has the best
    lower bound is fitted again on all training lists. A candidate replaces the first choice only if it leads by a
    threshold, which is chosen on the held-out lists too. The selection itself is cross-validated. If its gain is not
    above its standard error, or not above that of a choice that needs no training (vote, Bayes risk) and is surely
    better than the first round, the model chooses by the latter; without one, it keeps every first choice.

    Cost: the features once, and training all recipes `folds` times.

    Parameters
    ----------
    families, similarity, word_orders, character_orders, min_lists, hashed, lm_order, lm_engine, lm, encoder
    neural, prompt, device
        Settings of the features; see `runoff.tasks.text.TextSettings`.
    recipes
        Recipes to try, see `runoff.tasks.text.RECIPES`: comma-separated names, or "auto" for all.
    folds
        Folds for evaluating recipes if there is no dev data, and for the language model.
    careful
        Whether a candidate must lead by a threshold that pays on held-out lists, and a recipe gain more than is chance.
    confidence
        Confidence of the interval of the gain; of a choice that needs no training it must be above 0.
    group_by
        What folds keep together, see `runoff.blocks`: the name of an attribute of the lists, or "none". Default: lists
        that share a reference or an input.
    group_ranks, leaves, products
        Add features to those that came with the candidates: the ranks within the group of dense columns, see
        `runoff.features.fit_group_ranks`; the leaves of so many boosted trees, see `runoff.learners.fit_leaves`; the
        products of features that are there together in so many groups, see `runoff.features.fit_products`.
    missing
        What stands in place of missing values of these features: the "mean" of the list; what the other columns say
        ("regress"); or "auto", the second where columns go together, see `runoff.features.fit_estimates`.
    metric
        Metric of the choices: wer, bleu, chrf, rouge-l, exact, … or the quality in the data.
    seed, verbose
        Seed of everything random; whether to show progress.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["so it is is", "so it is"] * 40
    >>> train = NBest.from_arrays(texts=texts, sizes=[2] * 40, references=["so it is"] * 40, metric="wer")
    >>> learner = TextReranker(families="position,repetition,length", recipes="loglinear", metric="wer").fit(train)
    >>> [choice.text for choice in learner.model.pick(train)[:2]]
    ['so it is', 'so it is']
    """

    name = "text"
    makes_features = True
    families: str = parameter("usual", CHECKS["families"])
    similarity: str | None = parameter(None, CHECKS["similarity"])
    word_orders: Sequence[int] = parameter((1, 2), CHECKS["word_orders"])
    character_orders: Sequence[int] = parameter((3, 4), CHECKS["character_orders"])
    min_lists: int = parameter(5, CHECKS["min_lists"])
    hashed: int = parameter(0, CHECKS["hashed"])
    lm_order: int = parameter(3, CHECKS["lm_order"])
    lm_engine: str = parameter("auto", CHECKS["lm_engine"])
    lm: str | None = parameter(None, CHECKS["lm"])
    encoder: Any = None
    neural: str | None = parameter(None, CHECKS["neural"])
    prompt: str | None = parameter(None, CHECKS["prompt"])
    device: str = parameter("auto", CHECKS["device"])
    recipes: str = parameter("auto", words)
    folds: int = parameter(5, CHECKS["folds"])
    careful: bool = parameter(True, flag)
    confidence: float = parameter(CONFIDENCE, share)
    seconds: dict[str, float] = field(default_factory=dict, init=False)  # for features and for training

    def plain_params(self) -> dict[str, Any]:
        """Parameters as plain values; an encoder object becomes the name of its class."""
        plain = super().plain_params()
        named = self.encoder is None or isinstance(self.encoder, str)
        return {**plain, "encoder": self.encoder if named else type(self.encoder).__name__}

    @property
    def settings(self) -> TextSettings:
        """Settings of the features."""
        return TextSettings(
            self.families,
            self.similarity,
            tuple(self.word_orders),
            tuple(self.character_orders),
            self.min_lists,
            self.hashed,
            self.lm_order,
            self.lm_engine,
            self.lm,
            self.encoder,
            self.neural,
            self.prompt,
            self.device,
            self.folds,
            self.seed,
            self.group_by,
        )

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        settings, wanted = self.settings, select_recipes(self.recipes)
        if not informative(train).size:
            raise DataError("there is nothing to learn: no training list has candidates of different quality.")
        began = time.monotonic()
        has_own = settings.neural is not None  # progress of neural models is shown instead
        with progress("text features", 1 + (dev is not None), verbose=self.verbose and not has_own) as step:
            featurizer = TextFeaturizer(settings)
            featurizer.verbose = self.verbose
            featurized = featurizer.fit_transform(_without_row_order(train), self.metric)
            step(1)
            if dev is not None:
                dev = featurizer.transform(_without_row_order(dev))
                step(2)
        self.seconds = {"features": time.monotonic() - began}
        began = time.monotonic()
        fitter = CrossFitter(featurized, featurizer, self.metric, self.seed, self.group_by)
        recipes = {name: recipe for name, recipe in wanted.items() if fitter.applies(recipe)}
        if not recipes:
            raise UsageError(f"none of the recipes {self.recipes!r} works with the families {self.families!r}.")
        if dev is not None:
            self._choose_on(dev)
        folds = None if dev is not None else self._folds(featurized)
        scores = fitter.held_out_scores(recipes, dev=dev, folds=folds, verbose=self.verbose)
        judged = featurized if dev is None else dev
        found = select(
            judged,
            scores,
            self.metric_for(train),
            untrained=[name for name, recipe in recipes.items() if isinstance(recipe, FixedRecipe)],
            careful=self.careful,
            confidence=self.confidence,
            folds=self.folds,
            seed=self.seed,
            group_by=self.group_by,
        )
        best = recipes[found.recipe]
        model = best.model(fitter.training_set())
        if self.careful:
            model = with_threshold(model, found.threshold)
        if model.weights.size:
            preparation = (*steps, fitter.featurizer_for(best).to_step(), *model.preparation)
            model = dataclasses.replace(model, preparation=preparation)
        self.seconds["training"] = time.monotonic() - began
        record = self._provenance(
            train,
            task="text",
            **found.to_dict(),
            judged_on="dev data" if folds is None else f"{folds.max() + 1} folds of the training lists",
            families=list(featurizer.families),
            similarity=featurizer.similarity.signature,
            features=featurized.features.n_columns,
            saw={"base": train.base is not None, "inputs": train.inputs is not None},
            threshold=model.provenance.get("threshold"),
            notes=list(featurizer.notes),
            warnings=_told(found.fallback),
        )
        model = dataclasses.replace(model, provenance=record)
        if self.calibration == "none":
            return model
        return with_calibration(
            model, judged, found.scores(judged, scores), self.metric_for(train), record["judged_on"]
        )

    def _calibrated(self, model: LinearModel, train: NBest, dev: NBest | None) -> LinearModel:  # noqa: ARG002
        """As it is: held-out scores calibrated it where there are enough of them."""
        return model

    def _folds(self, train: NBest) -> Ints:
        fold_of = self.folds_within(train, self.folds)
        if fold_of.max() < 1:
            few = "one list is" if len(train) < 2 else f"{len(train):,} lists that all belong together are"
            raise UsageError(f"{few} too few for training and evaluation; give more lists, or dev data.")
        return fold_of


def _told(fallback: str | None) -> list[str]:
    """What the user should know if no trained recipe was kept."""
    if fallback is None:
        return []
    return [NO_SURE_GAIN if fallback == FIRST_ROUND else UNTRAINED.format(fallback)]


def _without_row_order(data: NBest) -> NBest:
    """The data without the order its rows came in, so that scores are in its own order."""
    return dataclasses.replace(data, rows=None)
