"""Atomic writes: a file is either the old one or the new one, never half of each."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import RunoffError, UsageError
from runoff.locks import HAS_LOCKS, is_at, lock

if TYPE_CHECKING:
    from collections.abc import Iterator

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EBADF: "it is closed",
    errno.ELOOP: "it is a symbolic link that leads nowhere",
}


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it into place when the block succeeds.

    A crash, a full disk or a kill leaves the old file unchanged; the temporary file of a process that was killed is
    removed by the next one that writes the same name. The file is flushed to disk before the rename, so that a power
    cut cannot leave an empty file. A symbolic link stays, and what it leads to is replaced.
    """
    target = link_target(path)
    try:
        _remove_left_over(target)
        handle, temporary = _create_temporary(target)
    except OSError as error:
        raise RunoffError(f"{path} cannot be written: {reason(error)}.") from error
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise RunoffError(f"{path} was not written: {reason(error)}. The previous file is unchanged.") from error
    finally:
        temporary.unlink(missing_ok=True)
        if handle is not None:
            os.close(handle)


def link_target(path: str | Path) -> Path:
    """What a symbolic link leads to, whether it exists or not; any other path as it is."""
    target = Path(path)
    if not target.is_symlink():
        return target
    try:
        target.stat()
    except FileNotFoundError:
        pass  # it is about to be written
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason(error)}.") from error
    return Path(os.path.realpath(target))


def reason(error: OSError) -> str:
    """The reason of an operating-system error, in lower case for a sentence."""
    return _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower().rstrip(".")


def _create_temporary(target: Path) -> tuple[int | None, Path]:
    """A new file next to the target, locked while it is being written; None where there are no locks."""
    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        temporary = Path(name)
        if not HAS_LOCKS:
            os.close(handle)  # Windows renames no open file
            return None, temporary
        lock(handle, wait=True)
        if is_at(handle, temporary):
            return handle, temporary
        os.close(handle)  # another process took it for left over before it was locked


def _remove_left_over(target: Path) -> None:
    """Remove temporary files of this name that no process is writing. O(files in the folder)."""
    if not HAS_LOCKS:
        return
    ours = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}\.part")  # as tempfile names them
    with os.scandir(target.parent) as entries:
        found = [each.path for each in entries if ours.fullmatch(each.name)]
    for path in found:
        with contextlib.suppress(OSError):  # it is being written, or has been removed, or is not ours to remove
            handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if lock(handle):
                    Path(path).unlink()
            finally:
                os.close(handle)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
