"""Supersenses in one file: words grouped by the concept that they belong to, which is small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.answers.supersenses import NOUN, VERB, SenseTable, Supersenses
from runoff.tasks.answers.wordnet_files import LEXICOGRAPHERS
from runoff.tasks.tagging.tagger_members import read_texts

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter

FORMAT, VERSION, HEADER = "runoff-supersenses", 1, "supersenses.json"
_WHAT = "table of supersenses"


def add_supersenses(senses: Supersenses, archive: ArchiveWriter) -> None:
    """Write supersenses into an archive, or a folder of one."""
    archive.add_json(HEADER, {"format": FORMAT, "version": VERSION})
    for kind in (NOUN, VERB):
        _add_table(senses.tables[kind], archive.folder(kind))


def read_supersenses(archive: Archive, path: str | Path) -> Supersenses:
    """Supersenses from an archive, or a folder of one, checked; inside of `guarded_archive`."""
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, _WHAT, FORMAT, VERSION)
    return Supersenses({kind: _read_table(archive.folder(kind)) for kind in (NOUN, VERB)})


def save_supersenses(senses: Supersenses, path: str | Path) -> None:
    """Write supersenses; see `Supersenses.save`."""
    with write_archive(path) as archive:
        add_supersenses(senses, archive)


def load_supersenses(path: str | Path) -> Supersenses:
    """Open what `Supersenses.save` wrote; everything in it is checked.

    Examples
    --------
    >>> load_supersenses("wordnet.runoff")  # doctest: +SKIP
    """
    with guarded_archive(path, _WHAT) as archive:
        return read_supersenses(archive, path)


def _add_table(table: SenseTable, archive: ArchiveWriter) -> None:
    groups: dict[tuple[int, int], list[str]] = {}
    for word in sorted(table.words):
        groups.setdefault(table.words[word], []).append(word)
    order = sorted(groups, key=lambda key: (key[1], key[0]))
    keys = np.array(order, np.int32).reshape(-1, 2)
    archive.add_array("lexicographers.npy", np.ascontiguousarray(keys[:, 0]))
    archive.add_array("closest.npy", np.ascontiguousarray(keys[:, 1]))
    archive.add_array("parents.npy", np.array(table.parents, np.int32))
    archive.add_table("words.arrow", _texts(" ".join(groups[key]) for key in order))
    archive.add_table("concepts.arrow", _texts(table.concepts))
    archive.add_table(
        "exceptions.arrow", _texts(f"{form} {table.exceptions[form]}" for form in sorted(table.exceptions))
    )


def _texts(texts: Any) -> pa.Table:
    return pa.table({"text": pa.array(list(texts), pa.string())})


def _read_table(archive: Archive) -> SenseTable:
    lexicographers, closest, parents = (
        archive.array(f"{name}.npy") for name in ("lexicographers", "closest", "parents")
    )
    groups, concepts, pairs = (read_texts(archive, f"{name}.arrow") for name in ("words", "concepts", "exceptions"))
    for array, size in ((lexicographers, len(groups)), (closest, len(groups)), (parents, len(concepts))):
        if array.dtype != np.int32 or array.shape != (size,):
            raise ModelError("an array does not fit the texts.")
    if lexicographers.size and not 0 <= lexicographers.min() <= lexicographers.max() < len(LEXICOGRAPHERS):
        raise ModelError("there is no lexicographer's file of a number in it.")
    if closest.size and not -1 <= closest.min() <= closest.max() < len(concepts):
        raise ModelError("a word belongs to no concept that is there.")
    if parents.size and (parents.min() < -1 or (parents >= np.arange(parents.size)).any()):
        raise ModelError("a concept must stand before those below it.")
    words = {
        word: (lexicographer, concept)
        for group, lexicographer, concept in zip(groups, lexicographers.tolist(), closest.tolist(), strict=True)
        for word in group.split(" ")
    }
    exceptions: dict[str, str] = {}
    for pair in pairs:
        form, lemma = pair.split(" ")
        exceptions[form] = lemma
    return SenseTable(words, exceptions, tuple(concepts), tuple(parents.tolist()))
