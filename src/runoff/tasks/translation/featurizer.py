"""The featurizer of translations: fitted on training lists, applied to any lists, kept by models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, ModelError, UsageError
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.translation.bitext import read_parallel
from runoff.tasks.translation.families import FAMILIES, OWN
from runoff.tasks.translation.feature_settings import SETTINGS, FeatureSettings
from runoff.tasks.translation.features.columns import OwnColumns, cross_fitted_columns, own_columns
from runoff.tasks.translation.features.translated_texts import TranslatedTexts
from runoff.tasks.translation.parallel_knowledge import ParallelKnowledge, TrainingPairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.nbest import NBest

STEP = "translation"
_LEFT_OUT = "there {}, so the families that compare translations with their sources are left out."


class TranslationFeaturizer(Featurizer):
    """Features of translations, by families. Settings are those of `FeatureSettings`, by keyword or as one object.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays(
    ...     texts=["ein Hund", "Hund", "eine Katze", "ein Katze"], sizes=[2, 2], inputs=["a dog", "a cat"],
    ...     references=["ein Hund", "eine Katze"])
    >>> featurizer = TranslationFeaturizer(families="coverage", source_text=["a dog", "a cat", "a bird", "the bird"],
    ...     target_text=["ein Hund", "eine Katze", "ein Vogel", "der Vogel"])
    >>> made = featurizer.fit_transform(train, "bleu").features
    >>> made.column_names()[0].as_py(), made.n_columns
    ('coverage:left out', 21)
    """

    step = STEP
    settings = SETTINGS

    def __init__(self, feature_settings: FeatureSettings | None = None, **settings: Any) -> None:
        self.feature_settings = feature_settings or FeatureSettings.of(settings)
        self.families: tuple[str, ...] = self.feature_settings.names
        self.texts: TextFeaturizer | None = None
        self.knowledge: ParallelKnowledge | None = None
        self.made: tuple[str, ...] | None = None  # dense columns, none of them of the candidates' own

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Learn from parallel text and training lists, and return these with their features.

        No list is measured by what was learned from its own source sentence or reference.
        """
        settings = self.feature_settings
        self.families, self.notes = settings.names, ()
        of_texts = settings.of_texts()
        self.texts = None if of_texts is None else TextFeaturizer(of_texts)
        with_texts = self.texts.fit_transform(train, metric) if self.texts is not None else train
        lists = DistinctTexts.of(train)
        own = self._learn(lists)
        if self.texts is not None:
            self.notes = (*self.texts.notes, *self.notes)
        kept = () if self.texts is None else self.texts.families
        self.families = tuple(name for name in self.families if name in kept or (own is not None and name in OWN))
        return self._joined(with_texts, lists, own)

    def transform(self, data: NBest) -> NBest:
        """The lists with the features of all families; those that have them already stay as they are."""
        if self.made is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        if self.made and set(self.made) <= set(data.features.column_names().to_pylist()):
            return data
        with_texts = data if self.texts is None else self.texts.transform(data)
        lists, own = DistinctTexts.of(data), None
        if self.knowledge is not None:
            own = own_columns(self._texts(lists, self.knowledge), self.families, self.knowledge)
        return self._joined(with_texts, lists, own)

    def supplied(self, data: NBest) -> Any:
        """Names of the features that candidates must have."""
        return data.features.column_names() if self.texts is None else self.texts.supplied(data)

    # ---------------------------------------------------------------- parts

    def _learn(self, lists: DistinctTexts) -> OwnColumns | None:
        """Learn from parallel text; the columns of the training lists, None if there is nothing to compare."""
        settings, data = self.feature_settings, lists.data
        self.knowledge = None
        if not any(name in OWN for name in self.families):
            return None
        if data.inputs is None:
            self.notes = (_LEFT_OUT.format("are no source sentences in the lists"),)
            return None
        pairs = self._pairs(data)
        if pairs is None:
            self.notes = (_LEFT_OUT.format("is no parallel text, and there are no references"),)
            return None
        kept = blocks(data, settings.group_by)
        fold_of = kept.folds_up_to(settings.folds, settings.seed)
        self.knowledge, apart = pairs.learn_without(data, fold_of, settings.lm_order)
        return cross_fitted_columns(self._texts(lists, self.knowledge), self.families, data, fold_of, apart)

    def _pairs(self, data: NBest) -> TrainingPairs | None:
        source, target = self.feature_settings.source_text, self.feature_settings.target_text
        if source is None or target is None:
            return TrainingPairs.of_lists(data)
        if isinstance(source, list | tuple) and isinstance(target, list | tuple):
            if len(source) != len(target):
                raise UsageError(f"source_text has {len(source):,} sentences, but target_text has {len(target):,}.")
            return TrainingPairs(source, target)
        return TrainingPairs(*read_parallel(source, target))  # type: ignore[arg-type]

    @staticmethod
    def _texts(lists: DistinctTexts, knowledge: ParallelKnowledge) -> TranslatedTexts:
        return TranslatedTexts.of(lists, knowledge.lexicon.source, knowledge.lexicon.target)

    def _joined(self, with_texts: NBest, lists: DistinctTexts, own: OwnColumns | None) -> NBest:
        features = with_texts.features
        if own is not None:
            table = own.table.astype(np.float32)[lists.text_of]
            features = concat_columns(features, Features.of(table, list(own.names)))
        if self.made is None:
            given = set(lists.data.features.column_names().to_pylist())
            sparse = () if self.texts is None else (self.texts.words, self.texts.characters)
            counted = {name for each in sparse if each is not None for name in each.names.to_pylist()}
            names = features.column_names().to_pylist()
            self.made = tuple(name for name in names if name not in given and name not in counted)
        return with_texts.replace(features=features)

    # ---------------------------------------------------------------- in models

    def to_step(self) -> dict[str, Any]:
        """A preparation step for a model: plain values and arrays."""
        if self.made is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        step: dict[str, Any] = {"step": STEP, "families": list(self.families), "made": list(self.made)}
        if self.texts is not None:
            step["texts"] = self.texts.to_step()
        if self.knowledge is not None:
            step["knowledge"] = self.knowledge.to_step()
        return step

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TranslationFeaturizer:
        """The featurizer that a model keeps."""
        found = cls()
        found.families, found.made = tuple(step["families"]), tuple(step["made"])
        found.texts = TextFeaturizer.from_step(step["texts"]) if "texts" in step else None
        found.knowledge = ParallelKnowledge.from_step(step["knowledge"]) if "knowledge" in step else None
        return found

    @classmethod
    def externals(cls, step: Mapping[str, Any]) -> tuple[str, ...]:
        """Those of the families that texts have."""
        texts = step.get("texts")
        return TextFeaturizer.externals(texts) if isinstance(texts, dict) else ()

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step from a file is complete.

        Examples
        --------
        >>> TranslationFeaturizer.is_step({"step": "translation", "families": [], "made": []})
        True
        >>> TranslationFeaturizer.is_step({"step": "translation", "families": ["lexicon"], "made": []})
        False
        """
        families, made = step.get("families"), step.get("made")
        if not (isinstance(families, list) and all(name in FAMILIES for name in families)):
            return False
        if not (isinstance(made, list) and all(isinstance(name, str) for name in made)):
            return False
        if "texts" in step and not (isinstance(step["texts"], dict) and TextFeaturizer.is_step(step["texts"])):
            return False
        if "knowledge" not in step:
            return not any(name in OWN for name in families)
        try:
            ParallelKnowledge.from_step(step["knowledge"])
        except (ModelError, DataError):
            return False
        return True
