"""Features of texts: learned from training lists, made for any lists, remembered by models."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, ModelError
from runoff.features.columns import concat_columns
from runoff.nbest import Features
from runoff.tasks.text.families import FAMILIES
from runoff.tasks.text.features.agreement import agreement
from runoff.tasks.text.features.consensus import consensus
from runoff.tasks.text.features.embedding import embedding_features, fingerprint, load_encoder
from runoff.tasks.text.features.fluency import Fluency, across_folds, has_references, is_kept
from runoff.tasks.text.features.length import length
from runoff.tasks.text.features.ngrams import Vocabulary, learn_ngrams, ngram_features
from runoff.tasks.text.features.overlap import overlap
from runoff.tasks.text.features.position import position
from runoff.tasks.text.features.posteriors import posteriors
from runoff.tasks.text.features.repetition import repetition
from runoff.tasks.text.features.shape import shape
from runoff.tasks.text.lists import TextLists
from runoff.tasks.text.settings import TextSettings, similarity_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.metrics.textual import TextMetric
    from runoff.nbest import NBest

    Dense = tuple[Sequence[str], Floats]

STEP = "text"
_NO_NAMES = pa.array([], pa.large_string())
_OF_TEXTS: dict[str, Callable[[TextLists], Dense]] = {
    "length": length,
    "posteriors": posteriors,
    "consensus": consensus,
    "repetition": repetition,
    "shape": shape,
    "overlap": overlap,
}


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """What is needed to make the same features for other lists as for those of training.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays(texts=["a cat", "a cut"], sizes=[2], references=["a cat"])
    >>> maker, made = TextFeatures.learn(train, TextSettings("length,agreement"), "wer")
    >>> made.features.column_names().to_pylist()[-2:]
    ['agree:copies', 'agree:with first']
    >>> maker.make(train).features.n_columns
    15
    """

    families: tuple[str, ...]
    similarity: TextMetric
    words: Vocabulary | None = None
    characters: Vocabulary | None = None
    fluency: Fluency | None = None
    encoder: Any = None
    encoder_name: str | None = None
    carried: pa.Array | None = None  # names of the features that the candidates of training had, where they are used
    notes: tuple[str, ...] = ()

    @classmethod
    def learn(
        cls, train: NBest, settings: TextSettings | None = None, metric: str | Metric | None = None
    ) -> tuple[TextFeatures, NBest]:
        """Learn vocabularies and the language model; gives also the training lists with their features.

        These differ from what `make` gives for the same lists in the language model alone, see `across_folds`.
        """
        settings = settings or TextSettings()
        lists, families = TextLists.of(train), settings.names
        fluency, fluent, notes = _fluency(lists, settings) if "lm" in families else (None, None, ())
        if fluency is None:
            families = tuple(name for name in families if name != "lm")
        encoder = settings.encoder if "embedding" in families else None
        maker = cls(
            families,
            settings.compares_by(train, metric),
            _vocabulary(lists, "words", settings),
            _vocabulary(lists, "characters", settings),
            fluency,
            load_encoder(encoder) if isinstance(encoder, str) else encoder,
            encoder if isinstance(encoder, str) else None,
            train.features.column_names() if "scores" in families else None,
            notes,
        )
        return maker, maker.make(lists, fluent)

    def make(self, data: NBest | TextLists, fluent: Dense | None = None) -> NBest:
        """Lists with the features of all families; those that candidates carry stay where `scores` is a family.

        `fluent` are columns of the language model, where they were made in another way.
        """
        lists = data if isinstance(data, TextLists) else TextLists.of(data)
        per_candidate: list[Dense] = []
        per_text: list[Dense] = []
        for name in self.families:
            if name == "position":
                per_candidate.append(position(lists))
            elif name == "agreement":
                per_text.append(agreement(lists, self.similarity))
            elif name == "lm" and self.fluency is not None:
                per_text.append(fluent or self.fluency.features(lists))
            elif name == "embedding":
                per_text.append(embedding_features(lists, self.encoder))
            elif name in _OF_TEXTS:
                per_text.append(_OF_TEXTS[name](lists))
        names = [column for columns, _ in (*per_candidate, *per_text) for column in columns]
        tables = [table for _, table in per_candidate] + [table[lists.text_of] for _, table in per_text]
        blocks = [_dense(names, tables, lists.data.n_candidates)]
        blocks += [
            ngram_features(lists, vocabulary).take(lists.text_of)
            for vocabulary in (self.words, self.characters)
            if vocabulary is not None
        ]
        carried = lists.data.features
        if "scores" in self.families and carried.n_columns:
            _check_new(blocks, carried)
            blocks.insert(0, carried)
        return lists.data.replace(features=concat_columns(*blocks))

    def only(self, families: Sequence[str]) -> TextFeatures:
        """The same without the other families."""
        kept = tuple(name for name in self.families if name in families)
        return dataclasses.replace(
            self,
            families=kept,
            words=self.words if "words" in kept else None,
            characters=self.characters if "characters" in kept else None,
            fluency=self.fluency if "lm" in kept else None,
            encoder=self.encoder if "embedding" in kept else None,
            carried=self.carried if "scores" in kept else None,
        )

    # ---------------------------------------------------------------- in models

    def to_step(self) -> dict[str, Any]:
        """A step of preparation that a model can remember; numbers are arrays."""
        step: dict[str, Any] = {"step": STEP, "families": list(self.families), "similarity": self.similarity.label}
        for name, vocabulary in (("words", self.words), ("characters", self.characters)):
            if vocabulary is not None:
                step[name] = vocabulary.to_arrays()
        if self.carried is not None:
            step["carried"] = self.carried
        if self.fluency is not None:
            step["lm"] = self.fluency.to_step()
        if self.encoder is not None:
            step["encoder"] = {"name": self.encoder_name, "fingerprint": fingerprint(self.encoder)}
            if self.encoder_name is None:
                step["encoder"]["object"] = self.encoder
        return step

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> TextFeatures:
        """Build from a step of a model."""
        kept = step.get("encoder")
        return cls(
            tuple(step["families"]),
            similarity_metric(step["similarity"]),
            Vocabulary.from_arrays(step["words"]) if "words" in step else None,
            Vocabulary.from_arrays(step["characters"]) if "characters" in step else None,
            Fluency.from_step(step["lm"]) if "lm" in step else None,
            None if kept is None else _encoder(kept),
            None if kept is None else kept.get("name"),
            step.get("carried"),
        )


def apply_text(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Make the features that a step of a model names."""
    return TextFeatures.from_step(step).make(data)


def is_text(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file can be applied.

    Examples
    --------
    >>> is_text({"step": "text", "families": ["length"], "similarity": "wer"}), is_text({"step": "text"})
    (True, False)
    """
    families = step.get("families")
    return (
        isinstance(families, list)
        and all(name in FAMILIES for name in families)
        and isinstance(step.get("similarity"), str)
        and all(isinstance(step.get(name, {}), dict) for name in ("words", "characters"))
        and all(name not in families or name in step for name in ("words", "characters", "lm"))
        and ("lm" not in step or is_kept(step["lm"]))
        and isinstance(step.get("carried", _NO_NAMES), pa.Array)
        and ("encoder" in step or "embedding" not in families)
        and ("encoder" not in step or _is_encoder(step["encoder"]))
    )


def _is_encoder(kept: Any) -> bool:
    return isinstance(kept, dict) and isinstance(kept.get("fingerprint"), str) and isinstance(kept.get("name"), str)


def _vocabulary(lists: TextLists, kind: Literal["words", "characters"], settings: TextSettings) -> Vocabulary | None:
    orders = settings.word_orders if kind == "words" else settings.character_orders
    if kind not in settings.names:
        return None
    return learn_ngrams(lists, kind, orders, settings.min_lists, hashed=settings.hashed)


def _fluency(
    lists: TextLists, settings: TextSettings
) -> tuple[Fluency | None, tuple[Sequence[str], Floats] | None, tuple[str, ...]]:
    """The language model, its columns for the training lists where these need others, and what is to be said."""
    if settings.lm is not None:
        fluency = Fluency.of_file(settings.lm)
        return fluency, None, fluency.model.notes
    if not has_references(lists.data):
        return (
            None,
            None,
            ("there are no references, so there is no language model of them: family lm is left out.",),
        )
    order, engine = settings.lm_order, settings.lm_engine
    fluency = Fluency.of_references(lists.data, order, engine)
    return fluency, across_folds(lists, order, settings.folds, settings.seed, engine), fluency.model.notes


def _encoder(kept: Mapping[str, Any]) -> Any:
    if "object" in kept:
        return kept["object"]
    encoder = load_encoder(kept["name"])
    if fingerprint(encoder) != kept["fingerprint"]:
        raise ModelError(f"the encoder {kept['name']} is another one than when the model was trained.")
    return encoder


def _check_new(blocks: Sequence[Features], carried: Features) -> None:
    for block in blocks:
        known = pc.is_in(carried.column_names(), value_set=block.column_names())
        if pc.any(known).as_py():
            name = carried.column_names().filter(known)[0].as_py()
            raise DataError(
                f"the candidates carry a feature {name!r} already, as if features of texts had been made before; "
                "learn from them as they are, or leave them out by families=-scores."
            )


def _dense(names: Sequence[str], tables: Sequence[Floats], rows: int) -> Features:
    table = np.column_stack([each.astype(np.float32) for each in tables]) if tables else np.zeros((rows, 0), np.float32)
    return Features.of(table, list(names))
