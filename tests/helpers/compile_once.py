"""Test processes that run in parallel compile every kernel once: the others wait, and load what was compiled.

Compiling everything takes minutes. Without this, every process would begin with the same work.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from numba.core import caching

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 120.0  # seconds until a process stops waiting: the other one may have failed to compile


def compile_once() -> None:
    """Let numba look again for compiled code after waiting for whoever compiles it; does nothing where it cannot."""
    try:
        import fcntl
    except ImportError:
        return
    kind: Any = caching.FunctionCache
    load: Callable[..., Any] = kind.load_overload
    save: Callable[..., None] = kind.save_overload
    held: dict[int, IO[bytes]] = {}

    def load_or_wait(self: Any, signature: Any, target: Any) -> Any:
        found = load(self, signature, target)
        if found is not None or id(self) in held:
            return found
        lock = _lock_file(self.cache_path, self._impl.filename_base).open("wb")
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            time.sleep(0.05)
        found = load(self, signature, target)
        if found is None:
            held[id(self)] = lock
        else:
            lock.close()
        return found

    def save_and_release(self: Any, signature: Any, data: Any) -> None:
        try:
            save(self, signature, data)
        finally:
            lock = held.pop(id(self), None)
            if lock is not None:
                lock.close()

    kind.load_overload, kind.save_overload = load_or_wait, save_and_release


def _lock_file(folder: str, name: str) -> Path:
    place = Path(tempfile.gettempdir()) / f"runoff-tests-{os.getuid()}"
    place.mkdir(exist_ok=True)
    return place / hashlib.sha1(f"{folder} {name}".encode(), usedforsecurity=False).hexdigest()
