"""What is resident stays below a limit: pages of files leave the process when they are too many, and come back on use.

Nothing is lost by it: pages of a shared map belong to the file, whether a process has them or not. A compiled thread
looks after large arrays, and needs no interpreter for it, which numpy may hold for seconds; a thread of Python looks
after data files that are mapped.
"""

from __future__ import annotations

import atexit
import ctypes
import mmap
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from runoff.memory.native import PAGE, Words, c_library, c_library_locked
from runoff.opening.mapped import release_pages

if TYPE_CHECKING:
    from runoff.memory.allocator import Allocator

_SECONDS = 0.002  # between looks: pages come in by a few GB a second
_SHARE = 0.35  # of the limit, at which pages of files leave: on a busy machine, a gigabyte may come in before a look


class Watcher:
    """Lets pages of files leave the process whenever they take more than a share of the limit."""

    def __init__(self, limit: int, allocator: Allocator) -> None:
        self._words, self._table, self._ended = allocator.words, allocator.table, threading.Event()
        self._maps, self._pace, self._releases_seen = allocator.maps, 1, 0
        self._sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._text, self._thread = ctypes.create_string_buffer(128), ctypes.c_ssize_t()
        for place, value in (
            (Words.STOP, 0),
            (Words.TRIGGER, int(_SHARE * limit) // PAGE + self._of_files_now()),  # libraries are files too
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

    def look(self, most: int) -> int:
        """Look now, and not when it is the watcher's turn; steps until the next look, fewer the more pages came in.

        Takes 20 microseconds where nothing has to leave.
        """
        of_files, trigger = self._of_files_now(), self._words[Words.TRIGGER]
        if of_files > trigger:
            leave = c_library_locked().madvise
            for at, length in self._maps():
                leave(at, length, mmap.MADV_DONTNEED)
        # What the thread let go meanwhile is gone, and was too much too.
        too_many = of_files > 1.5 * trigger or self.releases > self._releases_seen
        self._releases_seen = self.releases
        self._pace = max(1, self._pace // 2) if too_many else min(self._pace + 1, most)
        return self._pace

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
            if self._of_files_now() > self._words[Words.TRIGGER]:
                release_pages()

    def _of_files_now(self) -> int:
        """Resident pages that belong to files."""
        return int(os.pread(self._sizes, 128, 0).split()[2])


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
