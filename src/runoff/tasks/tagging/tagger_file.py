"""A tagger on disk: one zip file with `tagger.json`, numpy arrays and tables of texts, nothing that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, ModelError, UsageError
from runoff.files import reason
from runoff.model.chain_model import ChainModel, Constraints
from runoff.model.chain_shape import ChainShape
from runoff.model.greedy_model import GreedyModel
from runoff.opening.archive import open_archive, write_archive
from runoff.opening.limits import DamagedFileError
from runoff.tasks.tagging.lexicons import Lexicon
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.tagger_validation import check_features, check_header, check_limits, check_shape
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.token_features import TokenFeatures, kinds_of
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from runoff.opening.archive import Archive

VERSION = 1
_HEADER = "tagger.json"
_SHAPE = ("rows", "row_tags", "history_rows", "history_codes")
_LIMITS = ("transitions", "starts", "ends")


def save(tagger: Tagger, path: str | Path) -> None:
    """Write a tagger; see `Tagger.save`."""
    features, model = tagger.features, tagger.model
    is_chain = isinstance(model, ChainModel)
    header = {
        "format": "runoff-tagger",
        "version": VERSION,
        "runoff": __version__,
        "column": tagger.column,
        "tags": tagger.tags,
        "templates": features.templates.lines,
        "lexicons": [[each.name, each.kind] for each in features.templates.lexicons],
        "model": "chain" if is_chain else "greedy",
        "is_probabilistic": model.is_probabilistic if is_chain else model.is_logistic,
        "beam": 1 if is_chain else model.beam,
        "legal": tagger.legal is not None,
        "words": [[word, list(tags)] for word, tags in tagger.words.items()],
        "provenance": tagger.provenance,
    }
    arrays: dict[str, NDArray[Any]] = {f"parts{at}": parts for at, parts in enumerate(features.parts)}
    arrays |= {name: getattr(model.shape, name) for name in _SHAPE} | {"vector": model.vector}
    if tagger.legal is not None:
        arrays |= {f"legal.{name}": getattr(tagger.legal, name) for name in _LIMITS}
    with write_archive(path) as archive:
        archive.add_json(_HEADER, header)
        for name, array in arrays.items():
            archive.add_array(f"{name}.npy", np.ascontiguousarray(array))
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
    >>> from runoff.tasks.tagging.tagger import train_tagger
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
    rows, row_tags, history_rows, history_codes = (_array(archive, name) for name in _SHAPE)
    shape = ChainShape(rows, row_tags, history_rows, history_codes, len(tags))
    vector, is_chain = _array(archive, "vector"), header["model"] == "chain"
    check_shape(shape, vector, features)
    model: Any = (
        ChainModel(shape, vector, header["is_probabilistic"])
        if is_chain
        else GreedyModel(shape, vector, features.modes, header["is_probabilistic"], header["beam"])
    )
    legal = None
    if header["legal"]:
        legal = Constraints(*(_array(archive, f"legal.{name}") for name in _LIMITS))
        check_limits(legal, len(tags))
    words = {word: tuple(allowed) for word, allowed in header["words"]}
    return Tagger(header["column"], tags, features, model, legal, words, header["provenance"])


def _lexicon(archive: Archive, at: int, name: str, kind: str) -> Lexicon:
    texts, values = (_texts(archive, f"lexicon{at}.arrow", column) for column in ("text", "value"))
    return Lexicon(name, kind, dict(zip(texts, values, strict=True)))


def _texts(archive: Archive, name: str, column: str) -> list[str]:
    texts = archive.table(name)[column]
    if texts.type != pa.string() or texts.null_count:
        raise ModelError(f"{name} must have texts.")
    found: list[str] = texts.to_pylist()
    return found


def _array(archive: Archive, name: str) -> NDArray[Any]:
    return archive.array(f"{name}.npy").copy()  # can be written to, as those of training: the same compiled loops
