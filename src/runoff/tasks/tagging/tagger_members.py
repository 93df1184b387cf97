"""What a file has of a tagger: `tagger.json`, numpy arrays and tables of texts, nothing that can run code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.model.chain_model import ChainModel, Constraints
from runoff.model.chain_shape import ChainShape
from runoff.model.greedy_model import GreedyModel
from runoff.model.tree_chain import HistoryColumns, TreeChainModel
from runoff.model.tree_file import add_trees, read_trees
from runoff.tasks.tagging.lexicons import LexiconColumn
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.tagger_validation import (
    check_contexts,
    check_features,
    check_header,
    check_limits,
    check_outputs,
    check_shape,
)
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.token_features import TokenFeatures, is_transition, kinds_of
from runoff.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.opening.archive import Archive, ArchiveWriter

FORMAT, VERSION = "runoff-tagger", 1
HEADER = "tagger.json"
_KINDS = {"chain": ChainModel, "greedy": GreedyModel, "trees": TreeChainModel}
_SHAPE = ("rows", "row_tags", "history_rows", "history_codes")
_LIMITS = ("transitions", "starts", "ends")


def add_tagger(tagger: Tagger, archive: ArchiveWriter) -> None:
    """Write a tagger into an archive, or a folder of one."""
    features, model = tagger.features, tagger.model
    kind = next(name for name, each in _KINDS.items() if isinstance(model, each))
    header = {
        "format": FORMAT,
        "version": VERSION,
        "runoff": __version__,
        "column": tagger.column,
        "tags": tagger.states,
        "encoding": tagger.encoding,
        "templates": features.templates.lines,
        "lexicons": [[each.name, each.kind] for each in features.templates.lexicons],
        "model": kind,
        "is_probabilistic": getattr(model, "is_probabilistic", False) or getattr(model, "is_logistic", False),
        "beam": getattr(model, "beam", 1),
        "legal": tagger.legal is not None,
        "words": [[word, list(tags)] for word, tags in tagger.words.items()],
        "provenance": tagger.provenance,
    }
    arrays: dict[str, NDArray[Any]] = {f"parts{at}": parts for at, parts in enumerate(features.parts)}
    if kind == "trees":
        arrays |= tree_arrays(model)
    else:
        arrays |= chain_arrays(model)
    if tagger.legal is not None:
        arrays |= {f"legal.{name}": getattr(tagger.legal, name) for name in _LIMITS}
    archive.add_json(HEADER, header)
    for name, array in arrays.items():
        archive.add_array(f"{name}.npy", np.ascontiguousarray(array))
    if kind == "trees":
        add_trees(archive, model.trees)
    for at, texts in enumerate(features.values):
        archive.add_table(f"values{at}.arrow", pa.table({"text": pa.array(texts, pa.string())}))
    for at, lexicon in enumerate(features.templates.lexicons):
        columns = {"text": list(lexicon.entries), "value": list(lexicon.entries.values())}
        table = pa.table({name: pa.array(texts, pa.string()) for name, texts in columns.items()})
        archive.add_table(f"lexicon{at}.arrow", table)


def read_tagger(header: dict[str, Any], archive: Archive) -> Tagger:
    """A tagger from its header and the other members, all of which are checked; errors name what is wrong."""
    check_header(header)
    lexicons = [_lexicon(archive, at, *each) for at, each in enumerate(header["lexicons"])]
    templates = Templates.parse("\n".join(header["templates"]), lexicons={each.name: each for each in lexicons})
    kinds = kinds_of(templates)
    values = tuple(tuple(read_texts(archive, f"values{at}.arrow", "text")) for at in range(len(kinds)))
    parts = tuple(read_array(archive, f"parts{at}") for at in range(len(templates.templates)))
    features = TokenFeatures(templates, kinds, values, parts)
    check_features(features)
    tags = tuple(header["tags"])
    model = _model(archive, header, features)
    legal = None
    if header["legal"]:
        legal = Constraints(*(read_array(archive, f"legal.{name}") for name in _LIMITS))
        check_limits(legal, len(tags))
    words = {word: tuple(allowed) for word, allowed in header["words"]}
    return Tagger(header["column"], tags, features, model, legal, words, header["encoding"], header["provenance"])


def chain_arrays(model: ChainModel | GreedyModel) -> dict[str, NDArray[Any]]:
    """Arrays of a chain, for `read_chain`."""
    return {name: getattr(model.shape, name) for name in _SHAPE} | {"vector": model.vector}


def tree_arrays(model: TreeChainModel) -> dict[str, Any]:
    """Arrays of a chain of trees beside the trees themselves, for `read_tree_chain`."""
    own = {"contexts": model.columns.contexts, "context_rows": model.columns.rows, "labels": model.labels}
    return own | {"output_of": model.trees.output_of}


def read_chain(archive: Archive, n_tags: int, n_features: int, n_history: int = 0) -> tuple[ChainShape, Any]:
    """The shape and the weights of a chain, checked."""
    rows, row_tags, history_rows, history_codes = (read_array(archive, name) for name in _SHAPE)
    shape = ChainShape(rows, row_tags, history_rows, history_codes, n_tags)
    vector = read_array(archive, "vector")
    check_shape(shape, vector, n_features, n_history)
    return shape, vector


def read_tree_chain(
    archive: Archive, n_tags: int, n_features: int, n_history: int, *, has_transitions: bool
) -> TreeChainModel:
    """A chain of trees, checked."""
    rows, contexts, labels, output_of = (
        read_array(archive, name) for name in ("context_rows", "contexts", "labels", "output_of")
    )
    columns = HistoryColumns(n_features, n_tags, rows, contexts, has_transitions)
    check_contexts(columns, n_history)
    trees = replace(read_trees(archive, columns.width), output_of=output_of)
    check_outputs(trees, labels, n_tags)
    return TreeChainModel(trees, columns, labels)


def _model(archive: Archive, header: dict[str, Any], features: TokenFeatures) -> Any:
    n_tags, n_features, n_history = len(header["tags"]), features.n_features, features.modes.size
    if header["model"] == "trees":
        has_transitions = any(map(is_transition, features.templates.templates))
        return read_tree_chain(archive, n_tags, n_features, n_history, has_transitions=has_transitions)
    shape, vector = read_chain(archive, n_tags, n_features, n_history)
    if header["model"] == "chain":
        return ChainModel(shape, vector, header["is_probabilistic"])
    return GreedyModel(shape, vector, features.modes, header["is_probabilistic"], header["beam"])


def _lexicon(archive: Archive, at: int, name: str, kind: str) -> LexiconColumn:
    texts, values = (read_texts(archive, f"lexicon{at}.arrow", column) for column in ("text", "value"))
    return LexiconColumn(name, kind, dict(zip(texts, values, strict=True)))


def read_texts(archive: Archive, name: str, column: str = "text") -> list[str]:
    """A column of texts, none of them missing."""
    texts = archive.table(name)[column]
    if texts.type != pa.string() or texts.null_count:
        raise ModelError(f"{name} must have texts.")
    found: list[str] = texts.to_pylist()
    return found


def read_array(archive: Archive, name: str) -> NDArray[Any]:
    """An array that can be written to, as those of training are: the same compiled loops."""
    return archive.array(f"{name}.npy").copy()
