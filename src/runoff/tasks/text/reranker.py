"""One learner for lists of texts: makes the features, cross-fits recipes, and switches only where it pays."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.learners import Learner
from runoff.learners.base import informative
from runoff.learners.switching import with_threshold
from runoff.parameters import flag, parameter, share, words
from runoff.progress import progress
from runoff.tasks.text.cross_fitting import CrossFitter
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.text.recipes import chosen_recipes
from runoff.tasks.text.selection import select
from runoff.tasks.text.settings import CHECKS, TextSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.model import LinearModel
    from runoff.nbest import NBest

CONFIDENCE = 0.9  # of the interval of the gain: few models of mere chance pass
NEVER = (
    "no gain over the first round is sure enough in lists that took no part in the choice; "
    "the model leaves every first choice as it is."
)


@dataclass(eq=False, repr=False)
class TextReranker(Learner):
    """Rerank lists of plain texts: it makes the features, chooses a model on held-out lists, and switches with care.

    The features are those of `runoff.tasks.text.featurize`. Every recipe (see `recipes`) learns from the training lists
    and chooses in held-out ones: `dev`, or each of `folds` folds by a model of the others. The one with the best lower
    end of its gain is fitted again on all training lists. A candidate takes the first choice's place only if it leads
    by a threshold that was chosen on the held-out lists too. That choice is judged in turn, on folds that took no part
    in it: where the interval of its gain reaches down to 0, the model keeps every first choice.

    Costs the features once, and `folds` times the learning of all recipes.

    Parameters
    ----------
    families, similarity, word_orders, character_orders, min_lists, hashed, lm_order, lm_engine, lm, encoder
        What the features are; see `runoff.tasks.text.TextSettings`.
    recipes
        Recipes that are tried, see `runoff.tasks.text.RECIPES`: names with commas between them, or "auto" for all.
    folds
        Folds of groups by which recipes are judged where there is no dev data, and of the language model.
    careful
        Whether a switch needs a lead that was seen to pay on held-out lists.
    confidence
        How sure the gain must be: the lower end of this two-sided interval must be above 0.
    metric
        What the choice is judged by: wer, bleu, chrf, rouge-l, exact, … or quality that the data carries.
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
    recipes: str = parameter("auto", words)
    folds: int = parameter(5, CHECKS["folds"])
    careful: bool = parameter(True, flag)
    confidence: float = parameter(CONFIDENCE, share)
    seconds: dict[str, float] = field(default_factory=dict, init=False)  # that features and training took

    def plain_params(self) -> dict[str, Any]:
        """Parameters by name as a record can keep them; an encoder that is an object by the name of its class."""
        plain = super().plain_params()
        named = self.encoder is None or isinstance(self.encoder, str)
        return {**plain, "encoder": self.encoder if named else type(self.encoder).__name__}

    @property
    def settings(self) -> TextSettings:
        """What the features are."""
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
            self.folds,
            self.seed,
        )

    def _first_steps(self, train: NBest) -> tuple[dict[str, Any], ...]:  # noqa: ARG002 - makes its own features
        return ()

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        settings, wanted = self.settings, chosen_recipes(self.recipes)
        if not informative(train).size:
            raise DataError("no list of the training data has a better and a worse candidate: nothing to learn.")
        began = time.monotonic()
        with progress("features of texts", 1 + (dev is not None), verbose=self.verbose) as step:
            featurizer = TextFeaturizer(settings)
            made = featurizer.fit_transform(_in_order(train), self.metric)
            step(1)
            if dev is not None:
                dev = featurizer.transform(_in_order(dev))
                step(2)
        self.seconds = {"features": time.monotonic() - began}
        began = time.monotonic()
        fitter = CrossFitter(made, featurizer, self.metric, self.seed)
        recipes = {name: recipe for name, recipe in wanted.items() if fitter.applies(recipe)}
        if not recipes:
            raise UsageError(f"none of the recipes {self.recipes!r} can do with the families {self.families!r}.")
        scores = fitter.held_out(recipes, dev, self.folds, show=self.verbose)
        judged = made if dev is None else dev
        how: dict[str, Any] = {"careful": self.careful, "confidence": self.confidence, "seed": self.seed}
        found = select(judged, scores, self.metric_for(judged), **how)
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
            judged_on="dev data" if dev is not None else f"{min(self.folds, len(made))} folds of the training lists",
            families=list(featurizer.families),
            similarity=featurizer.similarity.signature,
            features=made.features.n_columns,
            saw={"base": train.base is not None, "inputs": train.inputs is not None},
            threshold=model.provenance.get("threshold"),
            notes=list(featurizer.notes),
            warnings=[NEVER] if self.careful and found.threshold.keeps_first_choice else [],
        )
        return dataclasses.replace(model, provenance=record)


def _in_order(data: NBest) -> NBest:
    """Data that does not remember in which order its rows came: scores are then in its own."""
    return dataclasses.replace(data, rows=None)
