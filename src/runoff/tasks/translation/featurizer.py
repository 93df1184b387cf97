"""The featurizer of translations: fitted on training lists, applied to any lists, kept by models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, ModelError, UsageError
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.features.on_workers import made_on_workers
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.featurizer import TextFeaturizer
from runoff.tasks.translation.bitext import read_parallel
from runoff.tasks.translation.families import COMPARING, FAMILIES, TAGS
from runoff.tasks.translation.feature_settings import SETTINGS, FeatureSettings
from runoff.tasks.translation.features.columns import OwnColumns, cross_fitted_columns, own_columns
from runoff.tasks.translation.features.pair_vocabulary import PairVocabulary
from runoff.tasks.translation.features.tag_vocabulary import TagVocabulary, tagger_of_words
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
        self.pairs: PairVocabulary | None = None
        self.tags: TagVocabulary | None = None
        self.made: tuple[str, ...] | None = None  # dense columns, none of them of the candidates' own

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Learn from parallel text and training lists, and return these with their features.

        No list is measured by what was learned from its own source sentence or reference.
        """
        settings = self.feature_settings
        self.families, self.notes = settings.names, ()
        self.made = self.pairs = self.tags = self.knowledge = None
        of_texts = settings.of_texts()
        self.texts = None if of_texts is None else TextFeaturizer(of_texts)
        with_texts = _bare(train) if self.texts is None else self.texts.fit_transform(train, metric)
        lists = DistinctTexts.of(train)
        texts, own = self._learn(lists)
        if own is not None and texts is not None and "pairs" in self.families:
            self.pairs = PairVocabulary.fit(texts, own.links, settings.min_lists)
        if TAGS in self.families:
            self.tags = TagVocabulary.fit(lists, tagger_of_words(settings.target_tagger), settings.min_lists)
        if self.texts is not None:
            self.notes = (*self.texts.notes, *self.notes)
        kept = {*(() if self.texts is None else self.texts.families), *(() if own is None else COMPARING), TAGS}
        self.families = tuple(name for name in self.families if name in kept)
        return self._joined(with_texts, lists, texts, own)

    def transform(self, data: NBest) -> NBest:
        """The lists with the features of all families; those that have them already stay as they are."""
        if self.made is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        if self._has_features(data):
            return data
        # Neural models are on a device of this process.
        is_neural = self.texts is not None and (self.texts.encoder is not None or self.texts.neural is not None)
        made = None if is_neural else made_on_workers(self, data)
        if made is not None:
            return made
        with_texts = _bare(data) if self.texts is None else self.texts.transform(data)
        lists, texts, own = DistinctTexts.of(data), None, None
        if self.knowledge is not None:
            texts = _texts(lists, self.knowledge)
            own = own_columns(texts, self.families, self.knowledge)
        return self._joined(with_texts, lists, texts, own)

    def supplied(self, data: NBest) -> Any:
        """Names of the features that candidates must have, and of those that they have from here already."""
        if self.texts is None or not self._has_features(data):
            return data.features.column_names() if self.texts is None else self.texts.supplied(data)
        own = [*(self.made or ()), *sorted(self._sparse_names())]
        return pa.concat_arrays([self.texts.supplied(data), pa.array(own, pa.large_string())])

    # ---------------------------------------------------------------- parts

    def _learn(self, lists: DistinctTexts) -> tuple[TranslatedTexts | None, OwnColumns | None]:
        """Learn from parallel text; tokens and columns of the training lists, None if there is nothing to compare."""
        settings, data = self.feature_settings, lists.data
        if not any(name in COMPARING for name in self.families):
            return None, None
        if data.inputs is None:
            self.notes = (_LEFT_OUT.format("are no source sentences in the lists"),)
            return None, None
        pairs = self._training_pairs(data)
        if pairs is None:
            self.notes = (_LEFT_OUT.format("is no parallel text, and there are no references"),)
            return None, None
        kept = blocks(data, settings.group_by)
        fold_of = kept.folds_up_to(settings.folds, settings.seed)
        self.knowledge, apart = pairs.learn_without(data, fold_of, settings.lm_order)
        texts = _texts(lists, self.knowledge)
        return texts, cross_fitted_columns(texts, self.families, data, fold_of, apart)

    def _training_pairs(self, data: NBest) -> TrainingPairs | None:
        source, target = self.feature_settings.source_text, self.feature_settings.target_text
        if source is None or target is None:
            return TrainingPairs.of_lists(data)
        if isinstance(source, str | Path) and isinstance(target, str | Path):
            return TrainingPairs(*read_parallel(source, target))
        if isinstance(source, str | Path) or isinstance(target, str | Path):
            raise UsageError("source_text and target_text must both be files, or both be sentences.")
        if len(source) != len(target):
            raise UsageError(f"source_text has {len(source):,} sentences, but target_text has {len(target):,}.")
        return TrainingPairs(source, target)

    def _joined(
        self, with_texts: NBest, lists: DistinctTexts, texts: TranslatedTexts | None, own: OwnColumns | None
    ) -> NBest:
        """Features of texts with those of translations; dense columns come first."""
        blocks = [with_texts.features]
        if own is not None and texts is not None:
            blocks.append(Features.of(own.table.astype(np.float32)[lists.text_of], list(own.names)))
            if self.pairs is not None:
                blocks.append(self.pairs.features(texts, own.links).take(lists.text_of))
        if self.tags is not None:
            blocks.append(self.tags.features(lists).take(lists.text_of))
        features = concat_columns(*blocks)
        if self.made is None:
            given = set(lists.data.features.column_names().to_pylist())
            self.made = tuple(
                name for name in features.column_names().to_pylist() if name not in given | self._sparse_names()
            )
        return with_texts.replace(features=features)

    def _has_features(self, data: NBest) -> bool:
        """Whether lists come with the features that this makes."""
        return bool(self.made) and set(self.made or ()) <= set(data.features.column_names().to_pylist())

    def _sparse_names(self) -> set[str]:
        found = {name for each in (self.pairs, self.tags) if each is not None for name in each.names}
        vocabularies = () if self.texts is None else (self.texts.words, self.texts.characters)
        return found.union(*(each.names.to_pylist() for each in vocabularies if each is not None))

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
        if self.pairs is not None:
            step["pairs"] = self.pairs.to_step()
        if self.tags is not None:
            step["tags"] = self.tags.to_step()
        return step

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TranslationFeaturizer:
        """The featurizer that a model keeps."""
        found = cls()
        found.families, found.made = tuple(step["families"]), tuple(step["made"])
        found.texts = TextFeaturizer.from_step(step["texts"]) if "texts" in step else None
        found.knowledge = ParallelKnowledge.from_step(step["knowledge"]) if "knowledge" in step else None
        found.pairs = PairVocabulary.from_step(step["pairs"]) if "pairs" in step else None
        found.tags = TagVocabulary.from_step(step["tags"]) if "tags" in step else None
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
        if "knowledge" not in step and any(name in COMPARING for name in families):
            return False
        if any((name in step) != (name in families) for name in ("pairs", TAGS)):
            return False
        try:
            cls.from_step(step)
        except (ModelError, DataError, KeyError):
            return False
        return True


def _bare(data: NBest) -> NBest:
    """The lists without features."""
    return data.replace(features=Features.of(np.zeros((data.n_candidates, 0), np.float32), []))


def _texts(lists: DistinctTexts, knowledge: ParallelKnowledge) -> TranslatedTexts:
    return TranslatedTexts.of(lists, knowledge.lexicon.source, knowledge.lexicon.target)
