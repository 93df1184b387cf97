"""The featurizer of plain texts: fitted on training lists, applied to any lists, kept by models."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.engines import current
from runoff.errors import DataError, UsageError
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.nbest.joining import joined_features
from runoff.nbest.list_pieces import list_cuts
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.families import FAMILIES
from runoff.tasks.text.features.agreement import agreement_features
from runoff.tasks.text.features.consensus import consensus_features
from runoff.tasks.text.features.embedding import (
    embedding_features,
    encoder_files,
    fingerprint,
    is_encoder_step,
    load_encoder,
    restore_encoder,
)
from runoff.tasks.text.features.language_model import (
    LanguageModelFeatures,
    cross_fitted_features,
    has_references,
    is_valid_step,
)
from runoff.tasks.text.features.length import length_features
from runoff.tasks.text.features.neural import NeuralFeatures, is_neural_step
from runoff.tasks.text.features.ngrams import NgramVocabulary, fit_vocabulary, ngram_features
from runoff.tasks.text.features.overlap import overlap_features
from runoff.tasks.text.features.position import position_features
from runoff.tasks.text.features.posteriors import posterior_features
from runoff.tasks.text.features.repetition import repetition_features
from runoff.tasks.text.features.shape import shape_features
from runoff.tasks.text.settings import SETTINGS, TextSettings, settings_from, similarity_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.metrics.text_metric import TextMetric
    from runoff.nbest import NBest

    Dense = tuple[Sequence[str], Floats]
    Piece = tuple[int, int, int, int]  # its lists, and their distinct texts

STEP = "text"
_NO_NAMES = pa.array([], pa.large_string())
_PER_TEXT: dict[str, Callable[[DistinctTexts], Dense]] = {
    "length": length_features,
    "posteriors": posterior_features,
    "consensus": consensus_features,
    "repetition": repetition_features,
    "shape": shape_features,
    "overlap": overlap_features,
}


class TextFeaturizer(Featurizer):
    """Features of plain texts, by families. Settings are those of `TextSettings`, by keyword or as one object.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays(texts=["a cat", "a cut"], sizes=[2], references=["a cat"])
    >>> featurizer = TextFeaturizer(families="length,agreement")
    >>> featurizer.fit_transform(train, "wer").features.column_names().to_pylist()[-2:]
    ['agree:copies', 'agree:with first']
    >>> featurizer.transform(train).features.n_columns
    15
    """

    step = STEP
    settings = SETTINGS

    def __init__(self, text_settings: TextSettings | None = None, **settings: Any) -> None:
        self.text_settings = text_settings or settings_from(settings)
        self.families: tuple[str, ...] = self.text_settings.names
        self._similarity: TextMetric | None = None
        self.words: NgramVocabulary | None = None
        self.characters: NgramVocabulary | None = None
        self.language_model: LanguageModelFeatures | None = None
        self.encoder: Any = None
        self.encoder_name: str | None = None
        self.encoder_files: str | None = None  # fingerprint of the encoder's folder, if it was given by one
        self.neural: NeuralFeatures | None = None
        self.verbose = False  # whether neural models show their progress
        # Names of the training candidates' own features, if the family `scores` uses them.
        self.supplied_names: pa.Array | None = None

    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Fit vocabularies and the language model, and return the training lists with their features.

        They differ from those of `transform` in the language model alone, which is cross-fitted here.
        """
        settings, lists = self.text_settings, DistinctTexts.of(train)
        self.families, lm_columns = settings.names, None
        self.language_model, self.notes = None, ()
        if "lm" in self.families:
            self.language_model, lm_columns, self.notes = _language_model(lists, settings)
        if self.language_model is None:
            self.families = tuple(name for name in self.families if name != "lm")
        self._similarity = settings.similarity_for(train, metric)
        self.words = _vocabulary(lists, "words", settings)
        self.characters = _vocabulary(lists, "characters", settings)
        encoder = settings.encoder if "embedding" in self.families else None
        self.encoder_name = encoder if isinstance(encoder, str) else None
        self.encoder_files = None if self.encoder_name is None else encoder_files(self.encoder_name)
        self.encoder = load_encoder(encoder, settings.device) if isinstance(encoder, str) else encoder
        self.neural = None
        if settings.neural is not None:
            self.neural = NeuralFeatures.of_setting(settings.neural, settings.prompt, settings.device)
        self.supplied_names = train.features.column_names() if "scores" in self.families else None
        made = self._transform(lists, lm_columns)
        self.notes = (*self.notes, *(self.neural.notes() if self.neural is not None else ()))
        return made

    @property
    def similarity(self) -> TextMetric:
        """The metric that compares the texts of a list."""
        if self._similarity is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        return self._similarity

    def transform(self, data: NBest) -> NBest:
        """The lists with the features of all families; candidates keep their own if `scores` is a family."""
        return self._transform(DistinctTexts.of(data))

    def _transform(self, lists: DistinctTexts, lm_columns: Dense | None = None) -> NBest:
        """`lm_columns` replace those of the language model."""
        engine, cuts = current(), list_cuts(lists.data)
        # Neural models are on a device of this process.
        if engine.is_here or len(cuts) == 1 or self.encoder is not None or self.neural is not None:
            return lists.data.replace(features=self._features(lists, lm_columns))
        texts = lists.offsets
        pieces = [(first, last, int(texts[first]), int(texts[last])) for first, last in cuts]
        found = engine.map(
            _features_of,
            pieces,
            engine.share(_what_features_see(lists.data)),
            engine.share(self),
            engine.share(lm_columns),
        )
        return lists.data.replace(features=joined_features(list(found)))

    def features_of(self, piece: Piece, data: NBest, lm_columns: Dense | None) -> Features:
        """Features of some of the lists; the language model's columns are those of all texts."""
        first, last, start, stop = piece
        own = None if lm_columns is None else (lm_columns[0], lm_columns[1][start:stop])
        return self._features(DistinctTexts.of(data[first:last]), own)

    def _features(self, lists: DistinctTexts, lm_columns: Dense | None) -> Features:
        per_candidate: list[Dense] = []
        per_text: list[Dense] = []
        for name in self.families:
            if name == "position":
                per_candidate.append(position_features(lists))
            elif name == "agreement":
                per_text.append(agreement_features(lists, self.similarity))
            elif name == "lm" and self.language_model is not None:
                per_text.append(lm_columns or self.language_model.features(lists))
            elif name == "embedding":
                per_text.append(embedding_features(lists, self.encoder))
            elif name == "neural" and self.neural is not None:
                per_text.append(self.neural.features(lists, verbose=self.verbose))
            elif name in _PER_TEXT:
                per_text.append(_PER_TEXT[name](lists))
        names = [column for columns, _ in (*per_candidate, *per_text) for column in columns]
        tables = [table for _, table in per_candidate] + [table[lists.text_of] for _, table in per_text]
        blocks = [_dense(names, tables, lists.data.n_candidates)]
        blocks += [
            ngram_features(lists, vocabulary).take(lists.text_of)
            for vocabulary in (self.words, self.characters)
            if vocabulary is not None
        ]
        supplied = lists.data.features
        if "scores" in self.families and supplied.n_columns:
            _check_new(blocks, supplied)
            blocks.insert(0, supplied)
        return concat_columns(*blocks)

    def supplied(self, data: NBest) -> pa.Array:
        """Names of the features that candidates must have; any are accepted if none are used."""
        return data.features.column_names() if self.supplied_names is None else self.supplied_names

    def only(self, families: Sequence[str]) -> TextFeaturizer:
        """A copy with these families alone."""
        found = self.clone()
        found.families = kept = tuple(name for name in self.families if name in families)
        found.words = self.words if "words" in kept else None
        found.characters = self.characters if "characters" in kept else None
        found.language_model = self.language_model if "lm" in kept else None
        found.encoder = self.encoder if "embedding" in kept else None
        found.neural = self.neural if "neural" in kept else None
        found.supplied_names = self.supplied_names if "scores" in kept else None
        return found

    # ---------------------------------------------------------------- in models

    def to_step(self) -> dict[str, Any]:
        """A preparation step for a model: plain values and arrays."""
        step: dict[str, Any] = {"step": STEP, "families": list(self.families), "similarity": self.similarity.label}
        for name, vocabulary in (("words", self.words), ("characters", self.characters)):
            if vocabulary is not None:
                step[name] = vocabulary.to_arrays()
        if self.supplied_names is not None:
            step["supplied"] = self.supplied_names
        if self.language_model is not None:
            step["lm"] = self.language_model.to_step()
        if self.encoder is not None:
            step["encoder"] = {
                "name": self.encoder_name,
                "fingerprint": fingerprint(self.encoder),
                "files": self.encoder_files,
            }
            if self.encoder_name is None:
                step["encoder"]["object"] = self.encoder
        if self.neural is not None:
            step["neural"] = self.neural.to_step()
        return step

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TextFeaturizer:
        """The featurizer that a model keeps."""
        found, kept = cls(), step.get("encoder")
        found.families = tuple(step["families"])
        found._similarity = similarity_metric(step["similarity"])
        found.words = NgramVocabulary.from_arrays(step["words"]) if "words" in step else None
        found.characters = NgramVocabulary.from_arrays(step["characters"]) if "characters" in step else None
        found.language_model = LanguageModelFeatures.from_step(step["lm"]) if "lm" in step else None
        found.encoder = None if kept is None else restore_encoder(kept)
        found.encoder_name, found.encoder_files = (None, None) if kept is None else (kept["name"], kept["files"])
        found.neural = NeuralFeatures.from_step(step["neural"]) if "neural" in step else None
        found.supplied_names = step.get("supplied")
        return found

    @classmethod
    def externals(cls, step: Mapping[str, Any]) -> tuple[str, ...]:
        """A language model that is a file of its own, an encoder, and other neural models."""
        found: list[str] = []
        if is_valid_step(step.get("lm")) and "file" in step["lm"]:
            found.append(f"the language model {step['lm']['file']['path']}")
        if is_encoder_step(step.get("encoder")):
            found.append(f"the sentence encoder {step['encoder']['name']}")
        if is_neural_step(step.get("neural")):
            found += [f"the neural model {each['folder']}" for each in step["neural"]]
        return tuple(found)

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step from a file is complete.

        Examples
        --------
        >>> fine = {"step": "text", "families": ["length"], "similarity": "wer"}
        >>> TextFeaturizer.is_step(fine), TextFeaturizer.is_step({"step": "text"})
        (True, False)
        """
        families = step.get("families")
        return (
            isinstance(families, list)
            and all(name in FAMILIES for name in families)
            and isinstance(step.get("similarity"), str)
            and all(isinstance(step.get(name, {}), dict) for name in ("words", "characters"))
            and all(name not in families or name in step for name in ("words", "characters", "lm"))
            and ("lm" not in step or is_valid_step(step["lm"]))
            and isinstance(step.get("supplied", _NO_NAMES), pa.Array)
            and ("encoder" in step or "embedding" not in families)
            and ("encoder" not in step or is_encoder_step(step["encoder"]))
            and ("neural" in step) == ("neural" in families)
            and ("neural" not in step or is_neural_step(step["neural"]))
        )


def featurize(
    data: NBest, *, like: TextFeaturizer | None = None, metric: str | Metric | None = None, **options: Any
) -> NBest:
    """Lists of texts with features, ready for any learner.

    Vocabularies and the language model are fitted on these lists; no list is scored by a language model of its own
    references. To make the same features for other lists, fit a `TextFeaturizer` once and pass it as `like`. `metric`
    compares texts (default: the data's own metric, else chrF). Options are those of `TextSettings`:
    `families="length,agreement"`, `lm_order=4` and so on.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["so so", "so"], sizes=[2])
    >>> featurized = featurize(data, families="repetition", metric="wer")
    >>> featurized.features.column_names()[0].as_py(), featurized.features.to_scipy().toarray()[:, 0].tolist()
    ('repeat:words', [0.5, 0.0])
    """
    if like is not None:
        if options or metric is not None:
            raise UsageError("`like` determines the features; leave out the metric and all other options.")
        return like.transform(data)
    return TextFeaturizer(**options).fit_transform(data, metric)


def _features_of(piece: Piece, data: NBest, featurizer: TextFeaturizer, lm_columns: Dense | None) -> Features:
    return featurizer.features_of(piece, data, lm_columns)


def _what_features_see(data: NBest) -> NBest:
    """The lists without what workers have no use for."""
    return dataclasses.replace(data, references=None, missed=None, attributes={}, stats={}, quality=None, rows=None)


def _vocabulary(
    lists: DistinctTexts, kind: Literal["words", "characters"], settings: TextSettings
) -> NgramVocabulary | None:
    orders = settings.word_orders if kind == "words" else settings.character_orders
    if kind not in settings.names:
        return None
    return fit_vocabulary(lists, kind, orders, settings.min_lists, hashed=settings.hashed)


def _language_model(
    lists: DistinctTexts, settings: TextSettings
) -> tuple[LanguageModelFeatures | None, tuple[Sequence[str], Floats] | None, tuple[str, ...]]:
    """The language model, its cross-fitted columns for the training lists, and notes."""
    if settings.lm is not None:
        model = LanguageModelFeatures.of_file(settings.lm)
        return model, None, model.model.notes
    if not has_references(lists.data):
        return None, None, ("there are no references to train a language model on; the family lm is left out.",)
    order, engine = settings.lm_order, settings.lm_engine
    model = LanguageModelFeatures.of_references(lists.data, order, engine)
    kept = blocks(lists.data, settings.group_by)
    fold_of = kept.folds_up_to(settings.folds, settings.seed)
    return (
        model,
        cross_fitted_features(lists, order, fold_of, engine),
        (*model.model.notes, *filter(None, [kept.note()])),
    )


def _check_new(blocks: Sequence[Features], supplied: Features) -> None:
    for block in blocks:
        known = pc.is_in(supplied.column_names(), value_set=block.column_names())
        if pc.any(known).as_py():
            name = supplied.column_names().filter(known)[0].as_py()
            raise DataError(
                f"the candidates already have a feature {name!r}, as if text features had been made before; leave out "
                "--task text to learn from them, or leave them out by families=-scores."
            )


def _dense(names: Sequence[str], tables: Sequence[Floats], rows: int) -> Features:
    table = np.column_stack([each.astype(np.float32) for each in tables]) if tables else np.zeros((rows, 0), np.float32)
    return Features.of(table, list(names))
