"""Making an index, and bringing it up to date: only files that are new or have changed are read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError
from runoff.formats.streams import bare_name, sample
from runoff.opening.archive import write_archive
from runoff.progress import progress
from runoff.tables import counted
from runoff.tasks.answers.retrieval.index_file import (
    IndexContent,
    IndexSettings,
    read_index,
    segment_folder,
    write_header,
)
from runoff.tasks.answers.retrieval.left_out import LeftOut, Reason
from runoff.tasks.answers.retrieval.segment_builder import MOST_BYTES, MOST_TERMS, SegmentBuilder
from runoff.tasks.answers.retrieval.sources import JSON_LINES, SourceFile, files_of, place_of
from runoff.tasks.answers.retrieval.text_passages import BinaryFileError, passages_of_json, passages_of_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from runoff.opening.archive import ArchiveWriter
    from runoff.tasks.answers.retrieval.segment import Segment
    from runoff.tasks.answers.retrieval.text_passages import RawPassage


@dataclass(frozen=True)
class IndexChanges:
    """How many files were added, read again because they had changed, removed, and kept; and passages in all.

    Examples
    --------
    >>> print(IndexChanges(added=2, changed=0, removed=1, kept=5, passages=1200))
    1,200 passages of 7 files: 2 added, 0 changed, 1 removed, 5 kept
    """

    added: int
    changed: int
    removed: int
    kept: int
    passages: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        files = counted(self.added + self.changed + self.kept, "files")
        changes = f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed, {self.kept:,} kept"
        return f"{counted(self.passages, 'passages')} of {files}: {changes}"


def update_index(
    source: str | Path,
    path: str | Path,
    *,
    sentences: int | None = None,
    stemmer: str | None = None,
    fresh: bool = False,
    verbose: bool = False,
) -> IndexChanges:
    """Index a folder of text, a text, or JSON lines of passages; what `path` has already is brought up to date.

    A file is taken for unchanged as long as its size and its time of change are; `fresh` reads all files again.
    Settings that are None are those of the index, or of `IndexSettings`; other ones than those of the index make all
    files be read again. The file at `path` is the old one or the new one, never half of each.

    Notes
    -----
    O(characters of new and changed files + bytes of the index). About half a gigabyte of memory whatever the size of
    the collection, but for 300 bytes for every file and what the system keeps of the old index, which is mapped.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "fruit.txt").write_text("Apples are red. Pears are green.")
    >>> print(update_index(folder, folder / "fruit.index"))
    2 passages of 1 file: 1 added, 0 changed, 0 removed, 0 kept
    """
    source, path = Path(source), Path(path)
    left_out = LeftOut()
    old = read_index(path) if path.exists() else None
    files = files_of(source, path, left_out)
    settings = _settings(old, sentences, stemmer)
    if old is not None and (fresh or settings != old.settings):
        old = IndexContent(str(_named(source)) if fresh else old.source, settings, (), ())
    if old is not None and old.source != _named(source):
        raise UsageError(f"{path} is an index of {old.source}; name another output, or read all anew (--fresh).")
    segments = () if old is None else old.segments
    known = _stamps(segments)
    wanted = {file.name: file.stamp for file in files}
    to_read = [file for file in files if known.get(file.name) != file.stamp]
    dropped = {name for name, stamp in known.items() if wanted.get(name) != stamp}
    if old is not None and segments and not to_read and not dropped:
        return IndexChanges(0, 0, 0, len(known), sum(map(len, segments)), left_out.notes())
    with write_archive(path, compressed=False) as archive:
        writer = _Writer(archive, settings)
        writer.keep(segments, dropped, is_growing=bool(to_read))
        with progress("indexing", len(to_read), verbose=verbose) as step:
            read = set()
            for done, file in enumerate(to_read, 1):
                if _read_file(source, file, settings, writer, left_out):
                    read.add(file.name)
                step(done, counted(writer.n_passages, "passages"))
        writer.flush()
        _check_outcome(source, writer.n_passages, left_out)
        write_header(archive, _named(source), settings, left_out.notes(), writer.n_segments)
    changed = len(read & known.keys())
    return IndexChanges(
        len(read) - changed,
        changed,
        len(dropped - read),
        len(known) - len(dropped),
        writer.n_passages,
        left_out.notes(),
    )


class _Writer:
    """Segments that are written one after the other, so that one at a time is in memory."""

    def __init__(self, archive: ArchiveWriter, settings: IndexSettings) -> None:
        self._archive, self._settings = archive, settings
        self._builder = SegmentBuilder(settings.stemmer)
        self.n_segments = self._n_written = 0

    @property
    def n_passages(self) -> int:
        return self._n_written + len(self._builder)

    def keep(self, segments: Sequence[Segment], dropped: Collection[str], *, is_growing: bool) -> None:
        """Copy segments; those with files that are dropped, and small ones if more will come, are built anew."""
        anew = [
            segment
            for segment in segments
            if (is_growing and _is_small(segment)) or any(name in dropped for name in _names(segment))
        ]
        for segment in segments:
            if segment not in anew:
                self._write(segment)
        for segment in anew:
            self._builder.take(segment, dropped)
            if self._builder.is_full:
                self.flush()

    def add(self, file: SourceFile, passages: Iterator[RawPassage], left_out: LeftOut) -> bool:
        """Add the passages of a file; False if none had words."""
        before = self.n_passages
        self._builder.begin_file(file.name, file.stamp)
        for passage in passages:
            if not self._builder.add(*passage):
                left_out.add(Reason.NO_WORD_IN_PASSAGE, f"{file.name}, line {passage.line}")
            if self._builder.is_full:
                self.flush()
                self._builder.begin_file(file.name, file.stamp)
        return self.n_passages > before

    def flush(self) -> None:
        """Write what has been collected."""
        if len(self._builder):
            self._write(self._builder.build())
        self._builder = SegmentBuilder(self._settings.stemmer)

    def _write(self, segment: Segment) -> None:
        segment.write(self._archive.folder(segment_folder(self.n_segments)))
        self.n_segments += 1
        self._n_written += len(segment)


def _read_file(source: Path, file: SourceFile, settings: IndexSettings, writer: _Writer, left_out: LeftOut) -> bool:
    """Add a file of a source; what cannot be read is counted, if it is one of a folder."""
    place = place_of(source, file.name)
    before = writer.n_passages
    try:
        if place == source and _is_json_lines(place):
            return writer.add(file, passages_of_json(place), left_out)
        if writer.add(file, passages_of_text(place, file.name, settings.sentences), left_out):
            return True
        left_out.add(Reason.NO_WORD, file.name)
    except BinaryFileError:
        left_out.add(Reason.BINARY, file.name)
    except UnicodeDecodeError:
        left_out.add(Reason.NOT_UTF8, file.name)
    except DataError as error:
        if place == source:
            raise
        left_out.add(Reason.UNREADABLE, f"{file.name} ({error.message.rstrip('.')})")
    if writer.n_passages > before:
        raise DataError("the file was changed while it was read; index it again.", path=place)
    return False


def _check_outcome(source: Path, n_passages: int, left_out: LeftOut) -> None:
    if not source.exists():
        raise DataError("it was removed while it was being indexed; the index was not changed.", path=source)
    if not n_passages:
        why = f" ({'; '.join(left_out.notes())})" if left_out else ""
        raise DataError(f"there is no text to index{why}.", path=source)


def _settings(old: IndexContent | None, sentences: int | None, stemmer: str | None) -> IndexSettings:
    before = IndexSettings() if old is None else old.settings
    return IndexSettings(
        before.sentences if sentences is None else sentences,
        before.stemmer if stemmer is None else stemmer,  # type: ignore[arg-type]  # it is checked
    )


def _named(source: Path) -> str:
    """The source as the index names it, the same from wherever it is called."""
    return os.fsencode(os.path.realpath(source)).decode(errors="replace")


def _stamps(segments: Sequence[Segment]) -> dict[str, tuple[int, int]]:
    """The stamp of every file that has passages."""
    return {
        name: (size, changed)
        for segment in segments
        for name, (size, changed) in zip(_names(segment), segment.stamps.tolist(), strict=True)
    }


def _names(segment: Segment) -> Iterator[str]:
    return (segment.files[file] for file in range(len(segment.files)))


def _is_small(segment: Segment) -> bool:
    return 2 * segment.n_terms < MOST_TERMS and 2 * segment.texts.content.size < MOST_BYTES


def _is_json_lines(path: Path) -> bool:
    return bare_name(path).endswith((JSON_LINES, ".ndjson")) or sample(path).head.lstrip()[:1] == b"{"
