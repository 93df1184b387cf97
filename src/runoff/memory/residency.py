"""What is resident stays below a limit: pages of files leave the process when they are too many, and come back on use.

Nothing is lost by it: pages of a shared map belong to the file, whether a process has them or not. A compiled thread
looks after large arrays, and needs no interpreter for it, which numpy may hold for seconds; a thread of Python looks
after data files that are mapped.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import mmap
import os
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.memory.native import PAGE, Words, c_library, c_library_locked

if TYPE_CHECKING:
    from runoff.memory.allocator import Allocator

_SECONDS = 0.002  # between looks: pages come in by a few GB a second
_SHARE = 0.5  # of the limit, at which pages leave: on a busy machine a look may come late
_WORTH = 0.02  # of the limit: fewer pages of files are not worth it
_files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def file_map(path: str | Path) -> mmap.mmap:
    """Map a file for reading; its pages count among those that can leave. The file must not be empty."""
    with Path(path).open("rb") as file:
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _files.add(found)
    return found


class Watcher:
    """Lets pages of files leave the process whenever more than a share of the limit is resident."""

    def __init__(self, limit: int, allocator: Allocator) -> None:
        self._words, self._table, self._ended = allocator.words, allocator.table, threading.Event()
        self._maps = allocator.maps
        self._sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._text, self._thread = ctypes.create_string_buffer(128), ctypes.c_ssize_t()
        for place, value in (
            (Words.STOP, 0),
            (Words.TRIGGER, int(_SHARE * limit) // PAGE),
            (Words.WORTH, int(_WORTH * limit) // PAGE),
            (Words.PAUSE, int(_SECONDS * 1e6)),
            (Words.SIZES, self._sizes),
            (Words.TEXT, ctypes.addressof(self._text)),
            (Words.RELEASES, 0),
        ):
            self._words[place] = value
        address = allocator.functions.watch.address
        failed = c_library().pthread_create(ctypes.addressof(self._thread), 0, address, self._table)
        if failed:
            raise OSError(failed, os.strerror(failed))
        self._of_files = threading.Thread(target=self._watch_files, name="runoff-memory", daemon=True)
        self._of_files.start()
        atexit.register(self.end)

    def look(self) -> None:
        """Look now, and not when it is the watcher's turn; takes 20 microseconds where nothing has to leave."""
        resident, of_files = map(int, os.pread(self._sizes, 128, 0).split()[1:3])
        if resident > self._words[Words.TRIGGER] and of_files > self._words[Words.WORTH]:
            leave = c_library_locked().madvise
            for at, length in self._maps():
                leave(at, length, mmap.MADV_DONTNEED)

    @property
    def releases(self) -> int:
        """How often pages of arrays have left."""
        return int(self._words[Words.RELEASES])

    def end(self) -> None:
        """Look no more."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._words[Words.STOP] = 1
        c_library().pthread_join(self._thread.value, 0)
        self._of_files.join()
        os.close(self._sizes)
        atexit.unregister(self.end)

    def _watch_files(self) -> None:
        while not self._ended.wait(_SECONDS):
            fields = os.pread(self._sizes, 128, 0).split()
            if int(fields[1]) > self._words[Words.TRIGGER] and int(fields[2]) > self._words[Words.WORTH]:
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
