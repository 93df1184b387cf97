"""How likely a text is by a language model: one of the training references, or one that a person has."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.files import reason
from runoff.metrics.tokens import Tokens, tokenised
from runoff.nbest.grouping import folds_of
from runoff.tasks.text.features.words import cut
from runoff.tasks.text.lm import BinaryModel, LanguageModel, open_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.tasks.text.lists import TextLists

NAMES = ("lm:log-probability", "lm:per word", "lm:worst word", "lm:unknown words")
_HEAD = 1 << 20  # bytes of a file that are looked at to know it again


@dataclass(frozen=True, eq=False)
class Fluency:
    """A language model and, where it is a file of the person's own, what that file was."""

    model: LanguageModel | BinaryModel
    file: Mapping[str, Any] | None = None

    @classmethod
    def of_file(cls, path: str) -> Fluency:
        """Use the model in a file (ARPA, or KenLM's binary); the file stays where it is."""
        return cls(open_model(Path(path)), {"path": str(Path(path).absolute()), "is": _identity(Path(path))})

    @classmethod
    def of_references(cls, data: NBest, order: int, engine: str = "auto") -> Fluency:
        """Train on the references of all groups."""
        return cls(LanguageModel.train(_references(data)[0], order, engine=engine))

    def features(self, lists: TextLists) -> tuple[tuple[str, ...], Floats]:
        """Columns for every different text of the lists. O(words)."""
        return NAMES, _columns(self.model, lists.words.first(lists.n_texts))

    def to_step(self) -> dict[str, Any]:
        """What a model file keeps of it."""
        if self.file is not None or isinstance(self.model, BinaryModel):
            return {"file": dict(self.file or {})}
        return {"arrays": self.model.to_arrays()}

    @classmethod
    def from_step(cls, kept: Mapping[str, Any]) -> Fluency:
        """Build from what a model file kept; a file of the person's own must still be there and be the same."""
        if not is_kept(kept):
            raise ModelError("the language model in this file is damaged: neither its arrays nor a file is named.")
        if "arrays" in kept:
            return cls(LanguageModel.from_arrays(kept["arrays"]))
        path = Path(kept["file"]["path"])
        if not path.is_file():
            raise ModelError(f"the model scores texts by the language model {path}, which is not there.")
        if _identity(path) != kept["file"]["is"]:
            raise ModelError(f"the language model {path} is another one than when the model was trained.")
        return cls(open_model(path), kept["file"])


def is_kept(kept: Any) -> bool:
    """Whether what a file kept of a language model can be used: its arrays, or a file of the person's own.

    Examples
    --------
    >>> is_kept({"file": {"path": "big.arpa", "is": "17-ab"}}), is_kept({"file": {"path": 5}}), is_kept({})
    (True, False, False)
    """
    if not isinstance(kept, dict) or set(kept) not in ({"arrays"}, {"file"}):
        return False
    if "arrays" in kept:
        return isinstance(kept["arrays"], dict)
    file = kept["file"]
    return isinstance(file, dict) and all(isinstance(file.get(name), str) for name in ("path", "is"))


def across_folds(
    lists: TextLists, order: int, folds: int, seed: int, engine: str = "auto"
) -> tuple[tuple[str, ...], Floats]:
    """Columns of training lists, in which no text is scored by a model that saw a reference of its own list.

    With them, the texts of training would look as fluent as no new text ever does. `folds` models are trained, each on
    the references of all other folds of lists; a list whose references stand in another list too keeps them there.
    """
    references, list_of = _references(lists.data)
    fold_of = folds_of(len(lists), min(folds, max(2, len(lists))), seed)
    out = np.zeros((lists.n_texts, len(NAMES)))
    for fold in np.unique(fold_of).tolist():
        model = LanguageModel.train(references.take(np.flatnonzero(fold_of[list_of] != fold)), order, engine=engine)
        rows = np.flatnonzero(fold_of[lists.list_of] == fold)
        out[rows] = _columns(model, lists.words.take(rows))
    return NAMES, out


def has_references(data: NBest) -> bool:
    """Whether there is a reference that a language model could be trained on."""
    return data.references is not None and bool(len(data.references.flatten()))


def _references(data: NBest) -> tuple[Tokens, Ints]:
    """Words of all references, and the group of each; the same reference given twice in a group counts once."""
    given: Sequence[Sequence[str | None] | None] = [] if data.references is None else data.references.to_pylist()
    kept = [(text, group) for group, texts in enumerate(given) for text in dict.fromkeys(texts or ()) if text]
    texts = pa.array([text for text, _ in kept], pa.large_string())
    return tokenised(texts, cut), np.array([group for _, group in kept], np.int64)


def _columns(model: LanguageModel | BinaryModel, words: Tokens) -> Floats:
    scores = model.score(words)
    return np.column_stack([scores.total, scores.total / (words.lengths + 1), scores.lowest, scores.unknown])


def _identity(path: Path) -> str:
    """A name for a large file, by its size and its beginning."""
    try:
        with path.open("rb") as stream:
            return f"{path.stat().st_size}-{hashlib.blake2b(stream.read(_HEAD), digest_size=8).hexdigest()}"
    except OSError as error:
        raise ModelError(f"the language model {path} cannot be read: {reason(error)}.") from error
