"""Annotators in files: three taggers in folders of one archive, with nothing in it that can run code."""

from __future__ import annotations

from dataclasses import dataclass
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
    from runoff.tasks.tagging.corpus import Column, Corpus
    from runoff.tasks.tagging.tag_sources import TagSource

FORMAT, VERSION, HEADER = "runoff-annotator", 1, "annotator.json"
_WHAT = "annotator"
_COLUMNS = dict(zip(PARTS, (POS, CHUNK, ENTITY), strict=True))


def add_annotator(annotator: Annotator, archive: ArchiveWriter) -> None:
    """Write an annotator into an archive, or a folder of one; of a tagger that is not Runoff's, only that it is not."""
    sources = {part: getattr(annotator, part) for part in PARTS}
    own = {part: each for part, each in sources.items() if isinstance(each, Tagger)}
    absent = {
        part: each.name if isinstance(each, AbsentTags) else type(each).__name__
        for part, each in sources.items()
        if part not in own
    }
    header = {"format": FORMAT, "version": VERSION, "runoff": __version__, "others": absent}
    archive.add_json(HEADER, header)
    for part, tagger in own.items():
        add_tagger(tagger, archive.folder(part))


@dataclass(frozen=True)
class AbsentTags:
    """Stands for a tagger that is not Runoff's, which no file can hold.

    Examples
    --------
    >>> AbsentTags("entities", "SpacyTags").label(None)
    Traceback (most recent call last):
    runoff.errors.UsageError: the entities came from 'SpacyTags', which no file can hold; give it as entities=… when ...
    """

    part: str
    name: str

    def label(self, corpus: Corpus) -> Column:  # noqa: ARG002 - the signature of a tagger
        """Say what is missing."""
        raise UsageError(
            f"the {self.part} came from {brief(self.name)}, which no file can hold; give it as {self.part}=… when the "
            "file is opened."
        )


def read_annotator(
    archive: Archive,
    path: str | Path,
    *,
    pos: TagSource | None = None,
    chunks: TagSource | None = None,
    entities: TagSource | None = None,
) -> Annotator:
    """An annotator from an archive, or a folder of one; inside of `guarded_archive`.

    Taggers that are given take the place of those in the file; see `AbsentTags` for what it could not hold.
    """
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, _WHAT, FORMAT, VERSION)
    absent = header["others"]
    if not isinstance(absent, dict) or not all(isinstance(name, str) for name in absent.values()):
        raise ModelError("'others' must say which taggers are not in the file.")
    found: dict[str, Any] = {"pos": pos, "chunks": chunks, "entities": entities}
    for part, given in found.items():
        if given is None:
            is_absent = part in absent
            found[part] = AbsentTags(part, absent[part]) if is_absent else _tagger(archive.folder(part), path, part)
    return Annotator(**found)


def save_annotator(annotator: Annotator, path: str | Path) -> None:
    """Write an annotator; see `Annotator.save`."""
    with write_archive(path) as archive:
        add_annotator(annotator, archive)


def load_annotator(path: str | Path, **others: TagSource | None) -> Annotator:
    """Open an annotator that `Annotator.save` wrote; everything in it is checked.

    `pos`, `chunks` and `entities` are as those of `read_annotator`.

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
