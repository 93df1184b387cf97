"""Annotators in files: three taggers in folders of one archive, with nothing in it that can run code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError, UsageError, brief
from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.answers.annotator import CHUNK, ENTITY, PARTS, POS, Annotator
from runoff.tasks.tagging.corpus import WORD
from runoff.tasks.tagging.span_rules import span_tags
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.tagger_members import FORMAT as TAGGER_FORMAT
from runoff.tasks.tagging.tagger_members import HEADER as TAGGER_HEADER
from runoff.tasks.tagging.tagger_members import VERSION as TAGGER_VERSION
from runoff.tasks.tagging.tagger_members import add_tagger, read_tagger
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter
    from runoff.tasks.tagging.tag_sources import TagSource

FORMAT, VERSION, HEADER = "runoff-annotator", 1, "annotator.json"
_WHAT = "annotator"
_COLUMNS = dict(zip(PARTS, (POS, CHUNK, ENTITY), strict=True))


def add_annotator(annotator: Annotator, archive: ArchiveWriter) -> None:
    """Write an annotator into an archive, or a folder of one; of a tagger that is not Runoff's, only that it is not."""
    sources = {part: getattr(annotator, part) for part in PARTS}
    own = {part: each for part, each in sources.items() if isinstance(each, Tagger)}
    header = {"format": FORMAT, "version": VERSION, "runoff": __version__}
    header["others"] = {part: type(each).__name__ for part, each in sources.items() if part not in own}
    archive.add_json(HEADER, header)
    for part, tagger in own.items():
        add_tagger(tagger, archive.folder(part))


def read_annotator(archive: Archive, path: str | Path, **others: TagSource | None) -> Annotator:
    """An annotator from an archive, or a folder of one; inside of `guarded_archive`.

    `pos`, `chunks`, `entities` take the place of the taggers in the file, and must be given where it has none.
    """
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, _WHAT, FORMAT, VERSION)
    missing = header["others"]
    if not isinstance(missing, dict) or not all(isinstance(name, str) for name in missing.values()):
        raise ModelError("'others' must say which taggers are not in the file.")
    unknown = next((part for part in (*missing, *others) if part not in PARTS), None)
    if unknown is not None:
        raise UsageError(f"an annotator has no {brief(unknown)}; it has: {', '.join(PARTS)}.")
    found: dict[str, Any] = {}
    for part in PARTS:
        given = others.get(part)
        if given is None and part in missing:
            raise UsageError(
                f"its {part} came from {brief(missing[part])}, which no file can hold; give {part}=… again."
            )
        found[part] = given if given is not None else _tagger(archive.folder(part), path, part)
    return Annotator(**found)


def save_annotator(annotator: Annotator, path: str | Path) -> None:
    """Write an annotator; see `Annotator.save`."""
    with write_archive(path) as archive:
        add_annotator(annotator, archive)


def load_annotator(path: str | Path, **others: TagSource | None) -> Annotator:
    """Open an annotator that `Annotator.save` wrote; everything in it is checked. See `read_annotator` for `others`.

    Examples
    --------
    >>> load_annotator("annotator.runoff")  # doctest: +SKIP
    """
    with guarded_archive(path, _WHAT) as archive:
        return read_annotator(archive, path, **others)


def _tagger(archive: Archive, path: str | Path, part: str) -> Tagger:
    header = archive.json(TAGGER_HEADER) if TAGGER_HEADER in archive.names else {}
    check_format(header, path, "tagger", TAGGER_FORMAT, TAGGER_VERSION)
    tagger = read_tagger(header, archive)
    before = [WORD, *_COLUMNS.values()][: PARTS.index(part) + 1]
    is_fitting = tagger.column == _COLUMNS[part] and set(tagger.features.templates.columns) <= set(before)
    if not is_fitting or (part != "pos" and span_tags(tagger.tags) is None):
        raise ModelError(f"the tagger of {part} does not fit an annotator.")
    return tagger
