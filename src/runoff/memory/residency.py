"""What is resident stays below a limit: pages of files leave the process when they are too many, and come back on use.

Nothing is lost by it: pages of a shared map belong to the file, whether a process has them or not.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runoff.memory.allocator import Allocator

_SECONDS = 0.01  # between looks: pages come in by a few GB a second
_SHARE = 0.5  # of the limit, at which pages leave: on a busy machine a look may come late
_WORTH = 0.02  # of the limit: fewer pages of files are not worth it
_PAGE = mmap.PAGESIZE
_files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def file_map(path: str | Path) -> mmap.mmap:
    """Map a file for reading; its pages count among those that can leave. The file must not be empty."""
    with Path(path).open("rb") as file:
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _files.add(found)
    return found


class Watcher(threading.Thread):
    """Lets pages of files leave the process whenever more than a share of the limit is resident."""

    def __init__(self, limit: int, allocator: Allocator) -> None:
        super().__init__(name="runoff-memory", daemon=True)
        self.limit, self.releases = limit, 0
        self._allocator, self._ended = allocator, threading.Event()
        self._sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def run(self) -> None:
        """Look until the end."""
        while not self._ended.wait(_SECONDS):
            resident, of_files = self.resident()
            if resident > _SHARE * self.limit and of_files > _WORTH * self.limit:
                self.release()
        os.close(self._sizes)

    def end(self) -> None:
        """Look no more."""
        self._ended.set()

    def resident(self) -> tuple[int, int]:
        """Bytes that are resident, and those of them that belong to files."""
        fields = os.pread(self._sizes, 128, 0).split()
        return int(fields[1]) * _PAGE, int(fields[2]) * _PAGE

    def release(self) -> None:
        """Let all pages of large arrays and of data files leave."""
        self.releases += 1
        leave = _madvise()
        for at, length in self._allocator.maps():
            leave(at, length, mmap.MADV_DONTNEED)
        for each in list(_files):
            with contextlib.suppress(ValueError):  # it has been closed
                each.madvise(mmap.MADV_DONTNEED)


def peak() -> dict[str, int]:
    """Bytes of the most that was resident so far, and of what is resident now and belongs to no file.

    Examples
    --------
    >>> import sys
    >>> sys.platform != "linux" or peak()["resident"] > 0
    True
    """
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    sizes = {"resident": "VmHWM", "anonymous": "RssAnon"}
    return {name: int(lines[key].split()[0]) << 10 for name, key in sizes.items()}


@functools.cache
def _madvise() -> Any:
    # Called with the interpreter's lock, so that no array is freed, and nothing else put there, meanwhile.
    function = ctypes.PyDLL(None).madvise
    function.restype, function.argtypes = ctypes.c_int, [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    return function
