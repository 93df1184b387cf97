"""An index on disk: one zip file of a header and segments, whose arrays are mapped into memory."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.opening.guard import check_format, guarded_archive
from runoff.parameters import check_all, checks_of, choice, parameter, whole
from runoff.tasks.answers.retrieval.segment import Segment
from runoff.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.opening.archive import ArchiveWriter
    from runoff.tasks.answers.retrieval.terms import Stemmer

FORMAT, VERSION = "runoff-passages", 1
HEADER = "index.json"


@dataclass(frozen=True)
class IndexSettings:
    """How text becomes passages, and passages terms.

    Examples
    --------
    >>> IndexSettings(sentences=3)
    IndexSettings(sentences=3, stemmer='porter')
    >>> IndexSettings(sentences=0)
    Traceback (most recent call last):
    runoff.errors.UsageError: sentences of an index must be a whole number of at least 1; found 0.
    """

    sentences: int = parameter(1, whole(1))  # of a passage of running text
    stemmer: Stemmer = parameter("porter", choice("porter", "none"))

    def __post_init__(self) -> None:
        check_all("an index", asdict(self), checks_of(self))


@dataclass(frozen=True)
class IndexContent:
    """What an index has: where its text is from, how it was made, what was left out, and the segments."""

    source: str
    settings: IndexSettings
    notes: tuple[str, ...]
    segments: tuple[Segment, ...]


def segment_folder(number: int) -> str:
    """Name of a segment in the file."""
    return f"segment-{number}"


def write_header(
    archive: ArchiveWriter, source: str, settings: IndexSettings, notes: tuple[str, ...], segments: int
) -> None:
    """Write the header of an index with so many segments."""
    header = {"format": FORMAT, "version": VERSION, "runoff": __version__, "source": source}
    archive.add_json(HEADER, {**header, "settings": asdict(settings), "notes": notes, "segments": segments})


def read_index(path: str | Path) -> IndexContent:
    """Open an index; everything in it is checked, and arrays are mapped. O(bytes)."""
    with guarded_archive(path, "index") as archive:
        header: dict[str, Any] = archive.json(HEADER) if HEADER in archive.names else {}
        check_format(header, path, "index", FORMAT, VERSION)
        source, notes, count = header["source"], header["notes"], header["segments"]
        is_text = isinstance(source, str) and isinstance(notes, list) and all(isinstance(each, str) for each in notes)
        if not is_text or type(count) is not int:
            raise ModelError("its header is damaged.")
        names = {name.partition("/")[0] for name in archive.names} - {HEADER}
        if count < 1 or names != {segment_folder(number) for number in range(len(names))} or count != len(names):
            raise ModelError("it has not the segments that its header tells.")
        segments = tuple(Segment.read(archive.folder(segment_folder(number))) for number in range(count))
        return IndexContent(source, IndexSettings(**header["settings"]), tuple(notes), segments)
