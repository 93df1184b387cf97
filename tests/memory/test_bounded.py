"""Large arrays lie in files, what is resident stays below a limit, and nothing else changes."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.processes import start_python
from runoff.errors import RunoffError, UsageError
from runoff.memory import Bounds, bounded, bounds_asked, keep_bounded
from runoff.memory.allocator import allocator
from runoff.memory.native import c_library

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory need Linux")

# Three arrays of 640 MB, where only 400 MB of memory that belongs to no file can be had; sorted, added and summed.
LARGE = """
import resource
from contextlib import nullcontext
from pathlib import Path
import numpy as np
from runoff.memory import Bounds, bounded
from runoff.memory.residency import peak
with bounded(Bounds(800_000_000, Path({folder!r}))) if {bounded} else nullcontext() as watcher:
    taken = int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) << 10
    resource.setrlimit(resource.RLIMIT_DATA, (taken + 400_000_000,) * 2)
    try:
        one = np.arange(80_000_000, dtype=np.float64)
        two = np.sort(one[::-1].copy()) + one
        print(int(two.sum()), peak()["resident"], watcher.releases)
    except MemoryError:
        print("no memory")
"""
# Files that are removed at once: a killed process leaves none.
KILLED = """
import os, signal
from pathlib import Path
import numpy as np
from runoff.memory import Bounds, keep_bounded
keep_bounded(Bounds(400_000_000, Path({folder!r})))
kept = np.ones(10_000_000)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def bounds(tmp_path: Path) -> Bounds:
    return Bounds(10**9, tmp_path, least=1 << 14)


def test_large_arrays_take_no_memory_of_their_own(tmp_path: Path) -> None:
    out, said = start_python(LARGE.format(folder=str(tmp_path), bounded=True)).communicate()
    assert not said
    total, resident, releases = map(int, out.split())
    assert total == 79_999_999 * 80_000_000  # twice the sum of 0 to n - 1
    assert resident < 1_600_000_000  # the limit is 800 MB; on a busy machine the watcher may come late
    assert releases > 2
    assert start_python(LARGE.format(folder=str(tmp_path), bounded=False)).communicate()[0] == "no memory\n"


def test_a_killed_process_leaves_no_file(tmp_path: Path) -> None:
    process = start_python(KILLED.format(folder=str(tmp_path)))
    process.communicate()
    assert process.returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_what_they_are_in_memory(bounds: Bounds) -> None:
    rng = np.random.default_rng(0)
    plain = rng.random(10_000)
    with bounded(bounds):
        here = allocator()
        before = len(here.maps())
        mapped = plain.copy()
        assert len(here.maps()) == before + 1
        for at, length in here.maps():  # its pages leave, and come back
            c_library().madvise(at, length, 4)
        np.testing.assert_array_equal(mapped, plain)
        assert not np.zeros(10_000).any()
        grown = np.arange(4_000.0)
        grown.resize(9_000, refcheck=False)  # from one file to another
        np.testing.assert_array_equal(grown, [*range(4_000), *[0] * 5_000])
        small = np.arange(10.0)
        small.resize(9_000, refcheck=False)  # from memory to a file
        np.testing.assert_array_equal(small[:12], [*range(10), 0, 0])
        grown.resize(5, refcheck=False)
        np.testing.assert_array_equal(grown, range(5))
        del small, grown
        assert len(here.maps()) == before + 1  # `mapped`
        del mapped
    np.testing.assert_array_equal(np.fromiter(range(10_000), np.int64), np.arange(10_000))


def test_places_of_freed_arrays_are_used_again(bounds: Bounds) -> None:
    with bounded(bounds):
        before = len(allocator().maps())
        for _ in range(20_000):  # more than there are places
            np.empty(1 << 14, np.uint8)
        assert len(allocator().maps()) == before


def test_a_full_disk_is_a_sentence(bounds: Bounds, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve = os.posix_fallocate

    def full(handle: int, start: int, size: int) -> None:
        if size > 1 << 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        reserve(handle, start, size)

    monkeypatch.setattr(os, "posix_fallocate", full)
    with (
        pytest.raises(RunoffError, match=r"the disk is full\. Name a folder with more room by --work"),
        bounded(bounds),
    ):
        np.empty(1 << 21, np.uint8)
    assert np.empty(1 << 21, np.uint8).size  # bounds ended with the block


def test_a_folder_in_memory_is_refused() -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir() or "/dev/shm tmpfs" not in Path("/proc/mounts").read_text():
        pytest.skip("there is no file system in memory here")
    with pytest.raises(UsageError, match="is itself in memory; name a folder on a disk by --work"):
        keep_bounded(Bounds(10**9, shared))


def test_bounds_are_read_from_options_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNOFF_MEMORY", raising=False)
    assert bounds_asked() is None
    assert bounds_asked("2GB", tmp_path) == Bounds(2 * 10**9, tmp_path)
    monkeypatch.setenv("RUNOFF_MEMORY", "500MB")
    monkeypatch.setenv("RUNOFF_WORK", str(tmp_path))
    assert bounds_asked() == Bounds(5 * 10**8, tmp_path)
    assert bounds_asked("1GB") == Bounds(10**9, tmp_path)
    for wrong, said in (("10MB", "at least 200 MB"), ("lots", "a size such as 3GB")):
        with pytest.raises(UsageError, match=said):
            bounds_asked(wrong)
    with pytest.raises(UsageError, match="there is no folder"):
        bounds_asked("1GB", tmp_path / "nowhere")
    monkeypatch.delenv("RUNOFF_MEMORY")
    with pytest.raises(UsageError, match="give that too"):
        bounds_asked(None, tmp_path)
