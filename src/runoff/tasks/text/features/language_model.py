"""Features from an n-gram language model: trained on the references, or loaded from a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.engines import current
from runoff.errors import ModelError
from runoff.features.external_files import files_fingerprint, is_name
from runoff.features.lm import KenlmModel, LanguageModel, open_model
from runoff.metrics.tokens import Tokens, tokenised
from runoff.tasks.text.tokenizer import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = ("lm:log-probability", "lm:per word", "lm:worst word", "lm:unknown words")


@dataclass(frozen=True, eq=False)
class LanguageModelFeatures:
    """A language model and, if it was loaded from a file, what identifies that file."""

    model: LanguageModel | KenlmModel
    file: Mapping[str, Any] | None = None

    @classmethod
    def of_file(cls, path: str) -> LanguageModelFeatures:
        """Use the model in a file (ARPA, or KenLM's binary); models refer to the file by its path."""
        return cls(open_model(Path(path)), {"path": str(Path(path).absolute()), "is": files_fingerprint(Path(path))})

    @classmethod
    def of_references(cls, data: NBest, order: int, engine: str = "auto") -> LanguageModelFeatures:
        """Train on the references of all groups."""
        return cls(LanguageModel.train(_references(data)[0], order, engine=engine))

    def features(self, lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
        """Columns for each distinct text of the lists. O(words)."""
        return NAMES, _columns(self.model, lists.words.first(lists.n_texts))

    def to_step(self) -> dict[str, Any]:
        """What a model file keeps."""
        if self.file is not None or isinstance(self.model, KenlmModel):
            return {"file": dict(self.file or {})}
        return {"arrays": self.model.to_arrays()}

    @classmethod
    def from_step(cls, kept: Mapping[str, Any]) -> LanguageModelFeatures:
        """Restore from a model file; a separate language model file must still exist and be unchanged."""
        if not is_valid_step(kept):
            raise ModelError(
                "the language model in this file is damaged: it has neither arrays nor the name of a file."
            )
        if "arrays" in kept:
            return cls(LanguageModel.from_arrays(kept["arrays"]))
        path = Path(kept["file"]["path"])
        if not path.is_file():
            raise ModelError(f"the model needs the language model {path}, which does not exist.")
        if files_fingerprint(path) != kept["file"]["is"]:
            raise ModelError(f"the language model {path} is not the one that the model was trained with.")
        return cls(open_model(path), kept["file"])


def is_valid_step(kept: Any) -> bool:
    """Whether a step from a model file is complete: arrays, or the name and the identity of a file.

    Examples
    --------
    >>> is_valid_step({"file": {"path": "big.arpa", "is": "17-ab"}}), is_valid_step({"file": {"path": 5}})
    (True, False)
    """
    if not isinstance(kept, dict) or set(kept) not in ({"arrays"}, {"file"}):
        return False
    if "arrays" in kept:
        return isinstance(kept["arrays"], dict)
    file = kept["file"]
    return isinstance(file, dict) and all(is_name(file.get(name)) for name in ("path", "is"))


def cross_fitted_features(
    lists: DistinctTexts, order: int, fold_of: Ints, engine_name: str = "auto"
) -> tuple[tuple[str, ...], Floats]:
    """Columns of training lists in which no text is scored by a model of its own references.

    Otherwise training texts would look more likely than any new text. A model is trained for every fold of the lists,
    on the references of the other folds.
    """
    out = np.zeros((lists.n_texts, len(NAMES)))
    engine, shared = current(), (*_references(lists.data), lists.words, lists.list_of, fold_of, order, engine_name)
    for rows, columns in engine.map(_of_fold, np.unique(fold_of).tolist(), engine.share(shared), alone=True):
        out[rows] = columns
    return NAMES, out


def _of_fold(fold: int, shared: tuple[Tokens, Ints, Tokens, Ints, Ints, int, str]) -> tuple[Ints, Floats]:
    """Texts of a fold, and their columns by a model of the references of the others."""
    references, list_of, words, text_list, fold_of, order, engine_name = shared
    rest = references.take(np.flatnonzero(fold_of[list_of] != fold))
    rows = np.flatnonzero(fold_of[text_list] == fold)
    return rows, _columns(LanguageModel.train(rest, order, engine=engine_name), words.take(rows))


def has_references(data: NBest) -> bool:
    """Whether there is any reference to train a language model on."""
    return data.references is not None and bool(len(data.references.flatten()))


def _references(data: NBest) -> tuple[Tokens, Ints]:
    """Words of all references, and the group of each; duplicates within a group count once."""
    given: Sequence[Sequence[str | None] | None] = [] if data.references is None else data.references.to_pylist()
    kept = [(text, group) for group, texts in enumerate(given) for text in dict.fromkeys(texts or ()) if text]
    texts = pa.array([text for text, _ in kept], pa.large_string())
    return tokenised(texts, tokenize), np.array([group for _, group in kept], np.int64)


def _columns(model: LanguageModel | KenlmModel, words: Tokens) -> Floats:
    scores = model.score(words)
    return np.column_stack([scores.total, scores.total / (words.lengths + 1), scores.lowest, scores.unknown])
