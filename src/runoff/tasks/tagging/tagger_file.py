"""A tagger on disk: one zip file with `tagger.json`, numpy arrays and tables of texts, nothing that can run code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, ModelError, UsageError
from runoff.files import reason
from runoff.model.chain_model import ChainModel, Constraints
from runoff.model.chain_shape import ChainShape
from runoff.model.greedy_model import GreedyModel
from runoff.model.tree_chain import HistoryColumns, TreeChainModel
from runoff.model.tree_file import add_trees, read_trees
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
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
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.opening.archive import Archive

VERSION = 1
_HEADER = "tagger.json"
_KINDS = {"chain": ChainModel, "greedy": GreedyModel, "trees": TreeChainModel}
_SHAPE = ("rows", "row_tags", "history_rows", "history_codes")
_LIMITS = ("transitions", "starts", "ends")


def save(tagger: Tagger, path: str | Path) -> None:
    """Write a tagger; see `Tagger.save`."""
    features, model = tagger.features, tagger.model
    kind = next(name for name, each in _KINDS.items() if isinstance(model, each))
    header = {
        "format": "runoff-tagger",
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
        arrays |= {"contexts": model.columns.contexts, "context_rows": model.columns.rows, "labels": model.labels}
        arrays["output_of"] = model.trees.output_of
    else:
        arrays |= {name: getattr(model.shape, name) for name in _SHAPE} | {"vector": model.vector}
    if tagger.legal is not None:
        arrays |= {f"legal.{name}": getattr(tagger.legal, name) for name in _LIMITS}
    with write_archive(path) as archive:
        archive.add_json(_HEADER, header)
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


def load_tagger(path: str | Path) -> Tagger:
    """Open a tagger that `Tagger.save` wrote.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> from runoff.tasks.tagging.training import train_tagger
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.tagger"
    >>> corpus = Corpus.of({"word": ["a", "cat", "a", "dog"], "pos": ["DT", "NN", "DT", "NN"]}, sizes=[2, 2])
    >>> train_tagger(corpus, "pos", "pos").save(path)
    >>> load_tagger(path).label(corpus).texts()
    ['DT', 'NN', 'DT', 'NN']
    """
    try:
        with open_archive(path) as archive:
            header = archive.json(_HEADER) if _HEADER in archive.names else {}
            _check_format(header, path)
            return _tagger(header, archive)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error
    except DamagedFileError as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged: {error}.") from error
    except _ForeignError as error:
        raise ModelError(str(error)) from error
    except (ModelError, UsageError, DataError) as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is not a Runoff tagger, or it is damaged.") from error


class _ForeignError(Exception):
    """A file of another kind or version, which is not damaged."""


def _check_format(header: Any, path: str | Path) -> None:
    if not isinstance(header, dict) or header.get("format") != "runoff-tagger":
        raise _ForeignError(f"{path} is not a Runoff tagger.")
    if header["version"] != VERSION:
        raise _ForeignError(
            f"{path} has version {header['version']} of the tagger format (written by Runoff {header.get('runoff')}); "
            f"this Runoff reads version {VERSION}. Train it again."
        )


def _tagger(header: dict[str, Any], archive: Archive) -> Tagger:
    check_header(header)
    lexicons = [_lexicon(archive, at, *each) for at, each in enumerate(header["lexicons"])]
    templates = Templates.parse("\n".join(header["templates"]), lexicons={each.name: each for each in lexicons})
    kinds = kinds_of(templates)
    values = tuple(tuple(_texts(archive, f"values{at}.arrow", "text")) for at in range(len(kinds)))
    parts = tuple(_array(archive, f"parts{at}") for at in range(len(templates.templates)))
    features = TokenFeatures(templates, kinds, values, parts)
    check_features(features)
    tags = tuple(header["tags"])
    model = _trees(archive, features, len(tags)) if header["model"] == "trees" else _chain(archive, header, features)
    legal = None
    if header["legal"]:
        legal = Constraints(*(_array(archive, f"legal.{name}") for name in _LIMITS))
        check_limits(legal, len(tags))
    words = {word: tuple(allowed) for word, allowed in header["words"]}
    return Tagger(header["column"], tags, features, model, legal, words, header["encoding"], header["provenance"])


def _chain(archive: Archive, header: dict[str, Any], features: TokenFeatures) -> ChainModel | GreedyModel:
    rows, row_tags, history_rows, history_codes = (_array(archive, name) for name in _SHAPE)
    shape = ChainShape(rows, row_tags, history_rows, history_codes, len(header["tags"]))
    vector, is_probabilistic = _array(archive, "vector"), header["is_probabilistic"]
    check_shape(shape, vector, features)
    if header["model"] == "chain":
        return ChainModel(shape, vector, is_probabilistic)
    return GreedyModel(shape, vector, features.modes, is_probabilistic, header["beam"])


def _trees(archive: Archive, features: TokenFeatures, n_tags: int) -> TreeChainModel:
    rows, contexts = _array(archive, "context_rows"), _array(archive, "contexts")
    labels, output_of = _array(archive, "labels"), _array(archive, "output_of")
    has_transitions = any(map(is_transition, features.templates.templates))
    columns = HistoryColumns(features.n_features, n_tags, rows, contexts, has_transitions)
    check_contexts(columns, features)
    trees = replace(read_trees(archive, columns.width), output_of=output_of)
    check_outputs(trees, labels, n_tags)
    return TreeChainModel(trees, columns, labels)


def _lexicon(archive: Archive, at: int, name: str, kind: str) -> LexiconColumn:
    texts, values = (_texts(archive, f"lexicon{at}.arrow", column) for column in ("text", "value"))
    return LexiconColumn(name, kind, dict(zip(texts, values, strict=True)))


def _texts(archive: Archive, name: str, column: str) -> list[str]:
    texts = archive.table(name)[column]
    if texts.type != pa.string() or texts.null_count:
        raise ModelError(f"{name} must have texts.")
    found: list[str] = texts.to_pylist()
    return found


def _array(archive: Archive, name: str) -> NDArray[Any]:
    return archive.array(f"{name}.npy").copy()  # can be written to, as those of training: the same compiled loops
