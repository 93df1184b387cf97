"""Files to index: all of a folder, recursively, or a single one."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError
from runoff.files import reason
from runoff.formats.streams import bare_name
from runoff.tasks.answers.retrieval.left_out import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.tasks.answers.retrieval.left_out import LeftOut

JSON_LINES = ".jsonl"


class SourceFile(NamedTuple):
    """A file by its path from the folder, with its size and when it was changed, in nanoseconds."""

    name: str
    stamp: tuple[int, int]


def files_of(source: Path, index: Path, left_out: LeftOut) -> list[SourceFile]:
    """Files of a folder in the order of their names, or the one file that the source is. O(files).

    Left out are hidden files and folders, links to folders, what is no regular file, JSON lines within a folder, and
    the index itself.
    """
    try:
        found = source.stat()
    except OSError as error:
        raise DataError(f"the source cannot be read: {reason(error)}.", path=source) from error
    if stat.S_ISREG(found.st_mode):
        return [SourceFile(source.name, (found.st_size, found.st_mtime_ns))]
    if not stat.S_ISDIR(found.st_mode):
        raise DataError("the source is neither a folder nor a regular file.", path=source)
    return sorted(_walk(source, _identity(index), left_out))


def place_of(source: Path, name: str) -> Path:
    """Where a file of a source is."""
    return source / name if source.is_dir() else source


def _walk(source: Path, index: tuple[int, int] | None, left_out: LeftOut) -> Iterator[SourceFile]:
    pending = [""]
    while pending:
        inside = pending.pop()
        try:
            with os.scandir(source / inside) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            if not inside:
                raise DataError(f"the folder cannot be read: {reason(error)}.", path=source) from error
            left_out.add(Reason.UNREADABLE_FOLDER, f"{inside.rstrip('/')} ({reason(error)})")
            continue
        for entry in entries:
            name = inside + entry.name
            try:
                if _is_wanted_folder(entry, name, left_out):
                    pending.append(f"{name}/")
                elif _is_wanted_file(entry, name, left_out):
                    found_stat = entry.stat()
                    if (found_stat.st_dev, found_stat.st_ino) != index:
                        yield SourceFile(name, (found_stat.st_size, found_stat.st_mtime_ns))
            except OSError as error:
                left_out.add(Reason.UNREADABLE, f"{name} ({reason(error)})")


def _is_wanted_folder(entry: os.DirEntry[str], name: str, left_out: LeftOut) -> bool:
    if not entry.is_dir() or entry.name.startswith(".") or not _is_utf8(name):
        return False
    if entry.is_symlink():
        left_out.add(Reason.LINK, name)
        return False
    return True


def _is_wanted_file(entry: os.DirEntry[str], name: str, left_out: LeftOut) -> bool:
    if not _is_utf8(name):
        left_out.add(Reason.BAD_NAME, repr(name))
    elif entry.name.startswith("."):
        left_out.add(Reason.HIDDEN, name)
    elif entry.is_dir():
        return False  # a link, which has been counted
    elif not stat.S_ISREG(entry.stat().st_mode):
        left_out.add(Reason.NOT_REGULAR, name)
    elif bare_name(name).endswith(JSON_LINES):
        left_out.add(Reason.JSON_LINES, name)
    else:
        return True
    return False


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from all others; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
