"""Locks of the operating system on open files: they end with the process that holds them, however it ends."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from runoff.errors import UsageError

try:
    import fcntl
except ImportError:  # Windows has no such locks
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def lock(handle: int, *, wait: bool = False) -> bool:
    """Lock an open file until it is closed; False where its file system has no locks.

    BlockingIOError where another process has it, unless one waits.
    """
    if not HAS_LOCKS:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def is_at(handle: int, path: Path) -> bool:
    """Whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def only_process(path: Path, what: str) -> Iterator[None]:
    """Hold a lock file, which exists as long as the block; UsageError where another process does.

    `what` begins the sentence. Without locks, or where the file cannot be created, nothing is refused: what the block
    writes next to it then says why it cannot.
    """
    handle = _opened(path, what) if HAS_LOCKS else None
    if handle is None:
        yield
        return
    try:
        os.truncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        path.unlink(missing_ok=True)  # before it is unlocked: the next process makes its own
        os.close(handle)


def _opened(path: Path, what: str) -> int | None:
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        except OSError:
            return None
        try:
            lock(handle)
        except BlockingIOError:
            holder = os.read(handle, 20).decode(errors="replace")
            os.close(handle)
            raise UsageError(
                f"{what} is in use by {f'process {holder}' if holder.isdecimal() else 'another process'}; "
                "wait until it has ended, or choose another name."
            ) from None
        if is_at(handle, path):
            return handle
        os.close(handle)  # the process that had it has removed it in between
