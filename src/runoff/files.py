"""Atomic writes: a file is either the old one or the new one, never half of each."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.errors import RunoffError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it into place when the block succeeds.

    A crash, a full disk or a kill leaves the old file unchanged. The file is flushed to disk before the rename, so that
    a power cut cannot leave an empty file.
    """
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise RunoffError(f"{target} cannot be written: {reason(error)}.") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise RunoffError(f"{target} was not written: {reason(error)}. The previous file is unchanged.") from error
    finally:
        temporary.unlink(missing_ok=True)


def reason(error: OSError) -> str:
    """The reason of an operating-system error, in lower case for a sentence."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "the disk is full"
    return (error.strerror or str(error)).lower().rstrip(".")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
