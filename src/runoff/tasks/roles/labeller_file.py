"""Role labellers on disk: one zip file with texts and arrays, nothing in it that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError, brief
from runoff.model.chain_model import ChainModel
from runoff.model.tree_file import add_trees
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.roles.candidates import KINDS
from runoff.tasks.roles.features.lexicon import RoleLexicon
from runoff.tasks.roles.labeller import RoleLabeller
from runoff.tasks.roles.propositions import PREDICATE
from runoff.tasks.roles.role_features import SLOTS, RoleFeatures
from runoff.tasks.tagging.tagger_members import (
    chain_arrays,
    read_array,
    read_chain,
    read_texts,
    read_tree_chain,
    tree_arrays,
)
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

FORMAT, VERSION = "runoff-role-labeller", 1
HEADER = "labeller.json"
_WHAT = "role labeller"
_FIELDS = {
    "kind": str,
    "tags": list,
    "model": str,
    "pairs": bool,
    "price": float,
    "n_features": int,
    "temporal": list,
    "frequent": list,
    "particles": dict,
    "frames": dict,
    "provenance": dict,
}


def save_labeller(labeller: RoleLabeller, path: str | Path) -> None:
    """Write a labeller; see `RoleLabeller.save`."""
    features, model = labeller.features, labeller.model
    is_chain = isinstance(model, ChainModel)
    lexicon = features.lexicon
    header = {
        "format": FORMAT,
        "version": VERSION,
        "runoff": __version__,
        "kind": labeller.kind,
        "tags": labeller.tags,
        "model": "chain" if is_chain else "trees",
        "pairs": features.pairs,
        "price": float(labeller.price),
        "n_features": features.n_features,
        "temporal": sorted(lexicon.temporal),
        "frequent": sorted(lexicon.frequent),
        "particles": {lemma: sorted(words) for lemma, words in sorted(lexicon.particles.items())},
        "frames": dict(lexicon.frames),
        "provenance": labeller.provenance,
    }
    with write_archive(path) as archive:
        archive.add_json(HEADER, header)
        archive.add_table("texts.arrow", pa.table({"text": pa.array(list(features.numbers), pa.string())}))
        archive.add_array("column_of.npy", features.column_of)
        for name, array in (chain_arrays(model) if is_chain else tree_arrays(model)).items():
            archive.add_array(f"{name}.npy", np.ascontiguousarray(array))
        if not is_chain:
            add_trees(archive, model.trees)


def load_labeller(path: str | Path) -> RoleLabeller:
    """Open a labeller that `RoleLabeller.save` wrote; everything in it is checked.

    Examples
    --------
    >>> load_labeller("roles.runoff")  # doctest: +SKIP
    RoleLabeller(full: 38 tags, 412,007 features)
    """
    with guarded_archive(path, _WHAT) as archive:
        header = archive.json(HEADER) if HEADER in archive.names else {}
        check_format(header, path, _WHAT, FORMAT, VERSION)
        _check(header)
        texts = read_texts(archive, "texts.arrow")
        column_of, n_features = read_array(archive, "column_of"), header["n_features"]
        _check_columns(texts, column_of, n_features)
        particles = {lemma: frozenset(words) for lemma, words in header["particles"].items()}
        lexicon = RoleLexicon(frozenset(header["temporal"]), frozenset(header["frequent"]), particles, header["frames"])
        numbers = {text: at for at, text in enumerate(texts)}
        features = RoleFeatures(header["kind"], lexicon, header["pairs"], numbers, column_of, n_features)
        tags = tuple(header["tags"])
        model: Any
        if header["model"] == "chain":
            model = ChainModel(*read_chain(archive, len(tags), n_features), is_probabilistic=True)
        else:
            n_history = int(KINDS[header["kind"]].is_sequence)
            model = read_tree_chain(archive, len(tags), n_features, n_history, has_transitions=False)
        return RoleLabeller(header["kind"], tags, features, model, header["price"], header["provenance"])


def _check(header: dict[str, Any]) -> None:
    for name, kind in _FIELDS.items():
        if type(header.get(name)) is not kind:
            raise ModelError(f"{name!r} must be of the type {kind.__name__}; found {brief(header.get(name))}.")
    if header["kind"] not in KINDS or header["model"] not in ("chain", "trees"):
        raise ModelError(f"there is no labeller {brief(header['kind'])} with a model {brief(header['model'])}.")
    tags = header["tags"]
    lists = (tags, header["temporal"], header["frequent"], *header["particles"].values(), [*header["frames"].values()])
    if not all(isinstance(each, list) and all(isinstance(text, str) and text for text in each) for each in lists):
        raise ModelError("tags and words must be texts.")
    if len(set(tags)) < len(tags) or (KINDS[header["kind"]].is_sequence and PREDICATE not in tags):
        raise ModelError("'tags' must be different, and have V among them for sequences.")
    if not 0 <= header["price"] <= 2 or header["n_features"] < 0:
        raise ModelError("'price' must be from 0 to 2, and 'n_features' a whole number.")


def _check_columns(texts: list[str], column_of: Any, n_features: int) -> None:
    if column_of.dtype != np.int32 or column_of.shape != (len(texts) * len(SLOTS),):
        raise ModelError("the array column_of does not fit the texts.")
    seen = column_of[column_of >= 0]
    if (column_of < -1).any() or seen.size != n_features or not np.array_equal(np.sort(seen), np.arange(n_features)):
        raise ModelError("the array column_of must have every column once.")
    if len(set(texts)) < len(texts):
        raise ModelError("texts.arrow has a text twice.")
