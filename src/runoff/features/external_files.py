"""What identifies files outside a model that its features need: language models, encoders, other neural models."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING

from runoff.errors import ModelError
from runoff.files import reason

if TYPE_CHECKING:
    from pathlib import Path


def files_fingerprint(path: Path) -> str:
    """A hash of the bytes of a file, or of the names and bytes of all files in a folder. O(bytes), once for a process.

    Hidden files and folders are left out: they are notes of programs such as Git, and change by themselves.
    """
    try:
        if path.is_file():
            return _digest(path)
        digest = hashlib.blake2b(digest_size=16)
        for each in sorted(path.rglob("*")):
            name = each.relative_to(path)
            if each.is_file() and not any(part.startswith(".") for part in name.parts):
                digest.update(f"{len(name.as_posix())} {name.as_posix()} {_digest(each)}".encode())
        return digest.hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {reason(error)}.") from error


def is_name(found: object) -> bool:
    """Whether this can be the name of a file or an encoder."""
    return isinstance(found, str) and bool(found) and "\0" not in found


def _digest(path: Path) -> str:
    found = path.stat()
    return _digest_of(path.absolute(), found.st_ino, found.st_size, found.st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _digest_of(path: Path, *version: int) -> str:  # noqa: ARG001 - a changed file is read again
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
