"""The header and the arrays of a tagger, checked in full: compiled loops read them without looking at bounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError, brief
from runoff.kernels.token_features import BEFORE, FIRST_VALUE
from runoff.model.chain_model import ChainModel

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from runoff.features.trees import Trees
    from runoff.model.chain_model import Constraints
    from runoff.model.chain_shape import ChainShape
    from runoff.model.tree_chain import HistoryColumns
    from runoff.tasks.tagging.tagger import Tagger
    from runoff.tasks.tagging.token_features import TokenFeatures

_MOST_BEAM = 10_000
_NUMBER = re.compile(r"0|[1-9][0-9]?")  # of clauses
_LEAST_COLUMNS = (
    "column",
    "tags",
    "encoding",
    "templates",
    "lexicons",
    "model",
    "is_probabilistic",
    "beam",
    "legal",
    "words",
    "provenance",
)


def check_header(header: dict[str, Any]) -> None:
    """Raise a `ModelError` that names the field unless all are of their kind. O(words)."""
    missing = [name for name in _LEAST_COLUMNS if name not in header]
    if missing:
        raise ModelError(f"{missing[0]!r} is missing.")
    tags = _texts(header["tags"], "tags")
    if not tags or len(set(tags)) < len(tags):
        raise ModelError("'tags' must have different tags.")
    _texts(header["templates"], "templates")
    _texts([header["column"]], "column")
    for each in header["lexicons"]:
        if len(_texts(each, "lexicons")) != 2:
            raise ModelError("'lexicons' must have pairs of a name and a kind.")
    if header["encoding"] not in ("none", "bioes"):
        raise ModelError(f"'encoding' must be none or bioes; found {brief(header['encoding'])}.")
    if header["model"] not in ("chain", "greedy", "trees"):
        raise ModelError(f"'model' must be chain, greedy or trees; found {brief(header['model'])}.")
    for name in ("is_probabilistic", "legal"):
        if type(header[name]) is not bool:
            raise ModelError(f"{name!r} must be true or false; found {brief(header[name])}.")
    if type(header["beam"]) is not int or not 1 <= header["beam"] <= _MOST_BEAM:
        raise ModelError(f"'beam' must be a whole number from 1 to {_MOST_BEAM}; found {brief(header['beam'])}.")
    if not isinstance(header["provenance"], dict):
        raise ModelError(f"'provenance' must be an object; found {brief(header['provenance'])}.")
    for word, allowed in header["words"]:
        _texts([word], "words")
        if not allowed or {type(tag) for tag in allowed} != {int} or not 0 <= min(allowed) <= max(allowed) < len(tags):
            raise ModelError("'words' has tags that are not among 'tags'.")


def check_features(features: TokenFeatures) -> None:
    """Raise a `ModelError` unless values differ and every feature has codes that exist, once. O(features log)."""
    for at, texts in enumerate(features.values):
        if len(set(texts)) < len(texts) or "" in texts:
            raise ModelError(f"values{at} has an empty text, or one twice.")
    for at, (template, parts) in enumerate(zip(features.templates.templates, features.parts, strict=True)):
        name = f"parts{at}"
        _is(name, parts, np.int32, (len(parts) if parts.ndim else 0, len(template.atoms)))
        if not template.atoms and len(parts) > 1:
            raise ModelError(f"{name} has {len(parts)} features of a template without atoms.")
        for column, atom in enumerate(template.atoms):
            most = FIRST_VALUE + len(features.values[features.kinds.index(atom[:3])])
            _between(name, parts[:, column], BEFORE, most - 1)
        if len(np.unique(parts, axis=0)) < len(parts):
            raise ModelError(f"{name} has a feature twice.")


def check_shape(shape: ChainShape, vector: NDArray[Any], n_features: int, n_history: int = 0) -> None:
    """Raise a `ModelError` unless rows are in order, tags and contexts exist, and weights are finite. O(weights)."""
    n = shape.n_tags
    _rows("rows", shape.rows, n_features, shape.row_tags)
    _rows("history_rows", shape.history_rows, n_history, shape.history_codes)
    _is("row_tags", shape.row_tags, np.int32, (shape.row_tags.size,))
    _between("row_tags", shape.row_tags, 0, n - 1)
    _is("history_codes", shape.history_codes, np.int64, (shape.history_codes.size,))
    _between("history_codes", shape.history_codes, 0, (n + 1) ** 2 * n - 1)
    _rises("row_tags", shape.rows, shape.row_tags)
    _rises("history_codes", shape.history_rows, shape.history_codes)
    _is("vector", vector, np.float64, (shape.size,))
    if not np.isfinite(vector).all():
        raise ModelError("the array vector has a number that is not finite.")


def check_contexts(columns: HistoryColumns, n_history: int) -> None:
    """Raise a `ModelError` unless contexts are those of history features, in order. O(contexts)."""
    _rows("context_rows", columns.rows, n_history, columns.contexts)
    _is("contexts", columns.contexts, np.int64, (columns.contexts.size,))
    _between("contexts", columns.contexts, 0, (columns.n_tags + 1) ** 2 - 1)
    _rises("contexts", columns.rows, columns.contexts)


def check_outputs(trees: Trees, labels: NDArray[Any], n_tags: int) -> None:
    """Raise a `ModelError` unless every tree adds to a tag. O(trees)."""
    _is("labels", labels, np.int32, (labels.size,))
    _between("labels", labels, 0, n_tags - 1)
    if labels.size < 2:
        raise ModelError("the array labels has fewer than two tags.")
    output_of: Any = trees.output_of
    _is("output_of", output_of, np.int32, (len(trees),))
    _between("output_of", output_of, 0, 0 if labels.size == 2 else labels.size - 1)
    if trees.n_outputs != (1 if labels.size == 2 else labels.size):
        raise ModelError("the array output_of leaves the last tag without a tree.")


def check_limits(legal: Constraints, n_tags: int) -> None:
    """Raise a `ModelError` unless they are for so many tags."""
    for name, shape in (("transitions", (n_tags, n_tags)), ("starts", (n_tags,)), ("ends", (n_tags,))):
        _is(f"legal.{name}", getattr(legal, name), np.bool_, shape)


def check_clauses(header: dict[str, Any], taggers: dict[str, Tagger]) -> None:
    """Raise a `ModelError` unless taggers of starts and ends give probabilities of numbers of clauses."""
    missing = [name for name in ("column", "provenance") if name not in header]
    if missing:
        raise ModelError(f"{missing[0]!r} is missing.")
    _texts([header["column"]], "column")
    if not isinstance(header["provenance"], dict):
        raise ModelError(f"'provenance' must be an object; found {brief(header['provenance'])}.")
    for name, tagger in taggers.items():
        strange = [tag for tag in tagger.tags if not _NUMBER.fullmatch(tag)]
        if strange:
            raise ModelError(f"the tags of {name} must be numbers from 0 to 99; found {brief(strange[0])}.")
        if not isinstance(tagger.model, ChainModel) or not tagger.model.is_probabilistic:
            raise ModelError(f"the tagger of {name} gives no probabilities.")
        if tagger.legal is not None or tagger.words:
            raise ModelError(f"the tagger of {name} must not be limited to some of its tags.")


def _texts(values: Any, field: str) -> list[str]:
    if not isinstance(values, list) or set(map(type, values)) - {str} or not all(values):
        raise ModelError(f"'{field}' must have texts.")
    return values


def _rows(name: str, rows: NDArray[Any], count: int, codes: NDArray[Any]) -> None:
    _is(name, rows, np.int64, (count + 1,))
    if codes.ndim != 1 or rows[0] != 0 or rows[-1] != codes.size or (np.diff(rows) < 0).any():
        raise ModelError(f"the array {name} does not cut its weights into rows.")


def _rises(name: str, rows: NDArray[Any], codes: NDArray[Any]) -> None:
    rises = np.ones(codes.size, bool)
    rises[1:] = codes[1:] > codes[:-1]
    rises[rows[:-1][rows[:-1] < codes.size]] = True
    if not rises.all():
        raise ModelError(f"the array {name} is not in order.")


def _is(name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
        raise ModelError(
            f"the array {name} has {array.dtype} of shape {array.shape}; expected {np.dtype(dtype)} of shape {shape}, "
            "row by row."
        )


def _between(name: str, array: NDArray[Any], least: int, most: int) -> None:
    if array.size and not least <= array.min() <= array.max() <= most:
        raise ModelError(f"the array {name} has a number that is not from {least} to {most}.")
