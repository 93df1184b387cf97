"""Work within bounds: how much may be resident, and the folder that holds what is larger."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.memory.allocator import allocator
from runoff.memory.residency import Watcher
from runoff.memory.sizes import in_bytes, in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.memory.allocator import Allocator

_LEAST_MEMORY = 200 * 10**6  # Python and the libraries alone take that
_IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
_now: list[tuple[Bounds, Watcher]] = []


@dataclass(frozen=True)
class Bounds:
    """At most `memory` bytes resident; arrays of at least `least` bytes lie in files of `folder`."""

    memory: int
    folder: Path
    least: int = 0  # 0: a small share of the memory

    @property
    def smallest_map(self) -> int:
        """Bytes of the smallest array that lies in a file."""
        return self.least or min(max(self.memory // 128, 1 << 20), 1 << 25)

    @property
    def room(self) -> int:
        """Bytes that are free in the folder."""
        return shutil.disk_usage(self.folder).free

    def __str__(self) -> str:
        return f"at most {in_words(self.memory)} resident, what is larger in files under {self.folder}"


def bounds_asked(memory: str | None = None, work: str | Path | None = None) -> Bounds | None:
    """The bounds that options ask for, or else RUNOFF_MEMORY and RUNOFF_WORK; None where none are.

    Examples
    --------
    >>> bounds_asked("3GB", "/tmp").memory
    3000000000
    """
    said, told = memory or os.environ.get("RUNOFF_MEMORY"), "--memory" if memory else "RUNOFF_MEMORY"
    folder = Path(work or os.environ.get("RUNOFF_WORK") or tempfile.gettempdir())
    if not said:
        if work:
            raise UsageError("--work is the folder for what is larger than --memory; give that too.")
        return None
    size = in_bytes(said, told)
    if size < _LEAST_MEMORY:
        raise UsageError(f"{told} must be at least {in_words(_LEAST_MEMORY)}; found {said!r}.")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder} to work in; name one by --work.")
    return Bounds(size, folder)


def bounds_now() -> Bounds | None:
    """The bounds that are kept; None where there are none."""
    return _now[-1][0] if _now else None


def look(steps: int, most: int) -> int:
    """Keep within bounds between steps of a computation that jumps about in large arrays; steps until the next look.

    A jump may bring in two megabytes, so that gigabytes come in before a thread that watches has its turn. These are
    all steps that are left where there are no bounds, else up to `most`.

    Examples
    --------
    >>> look(5_000, most=1_000)
    5000
    """
    if not _now:
        return steps
    return min(steps, _now[-1][1].look(most))


def keep_bounded(bounds: Bounds) -> None:
    """Keep within bounds from now on, in this thread, until the process ends or other bounds are set."""
    _check(bounds)
    here = allocator()
    here.use(bounds.folder, bounds.smallest_map)
    try:
        np.empty(bounds.smallest_map, np.uint8)
    except MemoryError as error:
        here.stop()
        raise _no_room(bounds, here) from error
    while _now:
        _now.pop()[1].end()
    _now.append((bounds, Watcher(bounds.memory, here)))


@contextlib.contextmanager
def bounded(bounds: Bounds) -> Iterator[Watcher]:
    """Keep within bounds in the block; an array for which there is no room is an error in a sentence.

    Examples
    --------
    >>> import sys, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, bounded(Bounds(10**9, Path(folder))):
    ...     large = np.ones(10**7)
    >>> float(large.sum())
    10000000.0
    """
    keep_bounded(bounds)
    try:
        yield _now[-1][1]
    except MemoryError as error:
        raise _no_room(bounds, allocator()) from error
    finally:
        while _now:
            _now.pop()[1].end()
        allocator().stop()


def shortage() -> RunoffError:
    """What a `MemoryError` means, as a sentence."""
    if _now:
        return _no_room(_now[-1][0], allocator())
    return RunoffError("there is not enough memory; --memory 3GB, say, keeps what is larger than that on disk.")


def _no_room(bounds: Bounds, here: Allocator) -> RunoffError:
    why = "there is not enough memory" if here.failure is None else reason(here.failure)
    return RunoffError(
        f"{bounds.folder} cannot hold the arrays that are larger than memory: {why}. "
        "Name a folder with more room by --work."
    )


def _check(bounds: Bounds) -> None:
    if sys.platform != "linux":
        raise UsageError("bounds of memory need Linux; leave --memory and RUNOFF_MEMORY out.")
    if _file_system(bounds.folder) in _IN_MEMORY:
        raise UsageError(f"{bounds.folder} is itself in memory; name a folder on a disk by --work.")


def _file_system(folder: Path) -> str:
    device = folder.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[2] == wanted:
            return after.split()[0]
    return ""
