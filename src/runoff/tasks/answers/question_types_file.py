"""Classifiers of questions in files, with the supersenses that they look at; nothing in them can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.model.chain_model import ChainModel
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.answers.question_types import QuestionTypes
from runoff.tasks.answers.supersenses_file import add_supersenses, read_supersenses
from runoff.tasks.tagging.tagger_members import chain_arrays, read_chain, read_texts
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter

FORMAT, VERSION, HEADER = "runoff-question-types", 1, "question-types.json"
_WHAT, _SENSES = "classifier of questions", "supersenses"


def add_question_types(types: QuestionTypes, archive: ArchiveWriter) -> None:
    """Write a classifier into an archive, or a folder of one."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "runoff": __version__,
        "classes": types.classes,
        "provenance": types.provenance,
    }
    archive.add_json(HEADER, header)
    archive.add_table("features.arrow", pa.table({"text": pa.array(list(types.numbers), pa.string())}))
    for name, array in chain_arrays(types.model).items():
        archive.add_array(f"{name}.npy", np.ascontiguousarray(array))
    add_supersenses(types.senses, archive.folder(_SENSES))


def read_question_types(archive: Archive, path: str | Path) -> QuestionTypes:
    """A classifier from an archive, or a folder of one, checked; inside of `guarded_archive`."""
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, _WHAT, FORMAT, VERSION)
    classes, provenance = header["classes"], header["provenance"]
    if not isinstance(classes, list) or not all(isinstance(name, str) and name for name in classes):
        raise ModelError("'classes' must be texts.")
    if len(set(classes)) < max(2, len(classes)) or not isinstance(provenance, dict):
        raise ModelError("'classes' must be different, at least two, and 'provenance' an object.")
    texts = read_texts(archive, "features.arrow")
    if len(set(texts)) < len(texts):
        raise ModelError("features.arrow has a text twice.")
    model = ChainModel(*read_chain(archive, len(classes), len(texts)), is_probabilistic=True)
    senses = read_supersenses(archive.folder(_SENSES), path)
    return QuestionTypes(tuple(classes), {text: at for at, text in enumerate(texts)}, model, senses, provenance)


def save_question_types(types: QuestionTypes, path: str | Path) -> None:
    """Write a classifier; see `QuestionTypes.save`."""
    with write_archive(path) as archive:
        add_question_types(types, archive)


def load_question_types(path: str | Path) -> QuestionTypes:
    """Open a classifier that `QuestionTypes.save` wrote; everything in it is checked.

    Examples
    --------
    >>> load_question_types("types.runoff")  # doctest: +SKIP
    QuestionTypes(50 classes, 61,204 features)
    """
    with guarded_archive(path, _WHAT) as archive:
        return read_question_types(archive, path)
