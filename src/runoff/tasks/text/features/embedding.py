"""Similarity in meaning, by cosines of sentence embeddings.

Any object with `encode(list of texts) -> array` is an encoder. `load_encoder` loads those of sentence-transformers
(Reimers & Gurevych 2019) that are already on this machine.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from runoff.devices import find_device
from runoff.errors import DataError, ModelError, UsageError, brief
from runoff.features.external_files import files_fingerprint, is_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints, Singles
    from runoff.tasks.text.distinct_texts import DistinctTexts

Real = TypeVar("Real", np.float32, np.float64)
NAMES = ("embedding:to others", "embedding:to first", "embedding:to input", "embedding:to centre")
_PROBES = ("The second round chooses among the candidates.", "Die Katze schlief am 3. Mai; niemand sah es.")
# Machines differ in the last digits. With few and roughly rounded numbers, that hardly ever changes the fingerprint.
_PROBED = 16
_BATCH = {"cpu": 32}  # texts; elsewhere:
_BATCH_ELSEWHERE = 1024


class Encoder(Protocol):
    """Turns each text into a vector of numbers."""

    def encode(self, texts: list[str], /) -> Any:
        """One row for each text."""


@dataclass(frozen=True)
class LoadedEncoder:
    """A model of sentence-transformers on its device, which sorts texts by length and takes many at a time."""

    model: Any

    def encode(self, texts: list[str], /) -> Any:
        """One row for each text."""
        many = _BATCH.get(self.model.device.type, _BATCH_ELSEWHERE)
        return self.model.encode(texts, batch_size=many, show_progress_bar=False)


def load_encoder(name: str | Path, device: str = "auto") -> Encoder:
    """Load a sentence-transformers model from a folder, or by name if it was downloaded before.

    Nothing is downloaded. The device is one of torch; "auto": a GPU, if there is one.

    Examples
    --------
    >>> load_encoder("nowhere/at-all")
    Traceback (most recent call last):
    runoff.errors.UsageError: ...
    """
    try:
        load = import_module("sentence_transformers").SentenceTransformer
    except ImportError as error:
        raise UsageError(
            "sentence embeddings need the package sentence-transformers: pip install sentence-transformers"
        ) from error
    place = None if device == "auto" else str(find_device(import_module("torch"), device))
    try:
        return LoadedEncoder(load(str(name), local_files_only=True, device=place))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the sentence encoder {brief(str(name))} is not on this machine or cannot be loaded; give the folder of a "
            "sentence-transformers model, or the name of one that was downloaded before."
        ) from error


def encoder_files(name: str) -> str | None:
    """Fingerprint of the folder of an encoder; None for one that is known by name and not by a folder. O(bytes)."""
    return files_fingerprint(Path(name)) if Path(name).exists() else None


def is_encoder_step(kept: Any) -> bool:
    """Whether what a file has names an encoder; one that is an object is in no file."""
    if not isinstance(kept, dict) or set(kept) != {"name", "fingerprint", "files"}:
        return False
    return is_name(kept["name"]) and is_name(kept["fingerprint"]) and (kept["files"] is None or is_name(kept["files"]))


def restore_encoder(kept: Mapping[str, Any]) -> Encoder:
    """The encoder that a model was trained with; any other is refused, by its files before anything of it is loaded."""
    if "object" in kept:
        encoder: Encoder = kept["object"]
        return encoder
    other = ModelError(f"the encoder {kept['name']} is not the one that the model was trained with.")
    if encoder_files(kept["name"]) != kept["files"]:
        raise other
    encoder = load_encoder(kept["name"])
    if fingerprint(encoder) != kept["fingerprint"]:
        raise other
    return encoder


def embedding_features(lists: DistinctTexts, encoder: Encoder) -> tuple[tuple[str, ...], Floats]:
    """Columns of cosine similarities between embeddings; a row per text.

    `embedding:to others` is the mean over the other candidates of the list, copies included. `embedding:to first` is
    the similarity to the first choice, `embedding:to input` to the input and `embedding:to centre` to the mean of the
    list. 0 if there is nothing to compare with. Each distinct text is encoded once over all lists.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> class Letters:
    ...     def encode(self, texts):
    ...         return np.array([[text.count("a"), text.count("b")] for text in texts])
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["aa", "ab", "b"], sizes=[3], inputs=["bbb"]))
    >>> embedding_features(lists, Letters())[1].round(2).tolist()
    [[0.35, 1.0, 0.0, 0.71], [0.71, 0.71, 0.71, 1.0], [0.35, 0.0, 1.0, 0.71]]
    """
    vectors, code, input_code = _encoded(lists, encoder)
    out = np.zeros((lists.n_texts, len(NAMES)))
    first = lists.first
    for at in range(len(lists)):
        rows = slice(int(lists.offsets[at]), int(lists.offsets[at + 1]))
        if rows.start == rows.stop:
            continue
        own, copies = vectors[code[rows]].astype(np.float64), lists.copies[rows]
        weighed = copies @ own
        itself, others = np.einsum("ij,ij->i", own, own), copies.sum() - 1
        if others > 0:
            out[rows, 0] = (own @ weighed - itself) / others
        if first[at] >= 0:
            out[rows, 1] = own @ vectors[code[first[at]]]
        if input_code is not None:
            out[rows, 2] = own @ vectors[input_code[at]]
        out[rows, 3] = own @ _unit(weighed[None])[0]
    return NAMES, out


def fingerprint(encoder: Encoder) -> str:
    """A short string that identifies an encoder: a hash of roughly rounded embeddings of two sentences.

    Examples
    --------
    >>> class Lengths:
    ...     def encode(self, texts):
    ...         return np.array([[1.0, len(text)] for text in texts])
    >>> fingerprint(Lengths()) == fingerprint(Lengths()), len(fingerprint(Lengths()))
    (True, 16)
    """
    vectors = _unit(_vectors(encoder, list(_PROBES))).astype(np.float64)
    size = vectors.shape[1]
    probed = np.unique(np.linspace(0, size - 1, _PROBED).astype(np.int64))
    rounded = np.rint(2 * np.sqrt(size) * vectors[:, probed]).astype(np.int64)
    return hashlib.sha256(repr((size, rounded.tolist())).encode()).hexdigest()[:16]


def _encoded(lists: DistinctTexts, encoder: Encoder) -> tuple[Singles, Ints, Ints | None]:
    """Unit vectors of all distinct texts and inputs, and the row of every text and of every input."""
    arrays = [lists.texts.cast(pa.large_string())]
    if lists.data.inputs is not None:
        arrays.append(lists.data.inputs.cast(pa.large_string()).fill_null(""))
    encoded = pa.concat_arrays(arrays).dictionary_encode()
    code: Ints = encoded.indices.to_numpy().astype(np.int64)
    vectors = _unit(_vectors(encoder, encoded.dictionary.to_pylist()))
    return vectors, code[: lists.n_texts], code[lists.n_texts :] if len(arrays) > 1 else None


def _vectors(encoder: Encoder, texts: list[str]) -> Singles:
    if not texts:
        return np.zeros((0, 1), np.float32)
    try:
        found = np.asarray(encoder.encode(texts), np.float32)
    except AttributeError as error:
        raise UsageError(
            f"an encoder needs a method encode(texts); {type(encoder).__name__} fails: {error}."
        ) from error
    if found.ndim != 2 or len(found) != len(texts):
        raise DataError(
            f"the encoder must return one row for each of {len(texts)} texts; it returned the shape {found.shape}."
        )
    if not bool(np.isfinite(found).all()):
        row = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
        raise DataError(f"the encoder must give finite numbers; it does not for {brief(texts[row])}.")
    return found


def _unit(vectors: NDArray[Real]) -> NDArray[Real]:
    """Rows scaled to length 1; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[Real] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled
