"""Files that are written whole or not at all: by one process, by several at once, and through links."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from helpers.processes import start_python
from runoff.errors import RunoffError, UsageError
from runoff.files import replacing
from runoff.locks import HAS_LOCKS, only_process

needs_locks = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no advisory locks")

WRITING = """
import time
from runoff.files import replacing
with replacing({path!r}) as temporary:
    temporary.write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""
HOLDING = """
import time
from pathlib import Path
from runoff.locks import only_process
with only_process(Path({path!r}), "it"):
    print("holding", flush=True)
    time.sleep(60)
"""


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_failure_inside_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")

    def fail() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["file"]
    with pytest.raises(RunoffError, match="cannot be written"), replacing(target / "below"):
        pass


@needs_locks
def test_what_a_killed_process_leaves_is_removed_by_the_next_that_writes_the_name(tmp_path: Path) -> None:
    target = tmp_path / "file.[txt]"
    process = start_python(WRITING.format(path=str(target)))
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    with replacing(target) as temporary:  # while the other lives, both write
        temporary.write_text("mine")
    assert len(names(tmp_path)) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    others = [".file.[txt].abcdefgh.other", ".file.abcdefgh.part", "file.[txt].abcdefgh.part"]
    for name in others:
        (tmp_path / name).write_text("another's")
    with replacing(target) as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == sorted([*others, target.name])
    assert target.read_text() == "new"


@needs_locks
def test_two_that_write_the_same_name_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with replacing(target) as first:
        first.write_text("first")
        with replacing(target) as second:
            second.write_text("second")
            first.write_text("the first one")
        assert target.read_text() == "second"
    assert target.read_text() == "the first one"
    assert names(tmp_path) == ["file"]


def test_a_file_taken_for_left_over_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runoff import files

    taken, really = [], files.lock

    def lock(handle: int, *, wait: bool = False) -> bool:
        if not taken:
            (path,) = tmp_path.glob(".file.*.part")
            path.unlink()
            taken.append(path)
        return really(handle, wait=wait)

    monkeypatch.setattr(files, "lock", lock)
    with replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == ["file"]
    assert taken


def test_without_locks_files_are_written_and_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runoff.files.HAS_LOCKS", False)
    monkeypatch.setattr("runoff.locks.HAS_LOCKS", False)
    (tmp_path / ".file.abcdefgh.part").write_text("perhaps being written")
    twice = only_process(tmp_path / "lock", "it"), only_process(tmp_path / "lock", "it")
    with twice[0], twice[1], replacing(tmp_path / "file") as temporary:
        temporary.write_text("new")
    assert names(tmp_path) == [".file.abcdefgh.part", "file"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path, there: bool) -> None:
    (tmp_path / "real").mkdir()
    target, link, second = tmp_path / "real" / "file", tmp_path / "link", tmp_path / "second"
    link.symlink_to(Path("real") / "file")
    second.symlink_to(link)
    if there:
        target.write_text("old")
    with replacing(second) as temporary:
        assert temporary.parent.resolve() == target.parent.resolve()
        temporary.write_text("new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert not target.is_symlink()
    assert target.read_text() == "new"
    assert names(tmp_path) == ["link", "real", "second"]


def test_links_that_lead_nowhere_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UsageError, match="a cannot be written: it is a symbolic link that leads nowhere"):
        replacing(tmp_path / "a").__enter__()
    (tmp_path / "c").symlink_to(Path("none") / "file")
    with pytest.raises(RunoffError, match="c cannot be written: no such file or directory"):
        replacing(tmp_path / "c").__enter__()


@needs_locks
def test_a_second_process_is_refused_until_the_first_has_ended_however_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    process = start_python(HOLDING.format(path=str(path)))
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    with pytest.raises(UsageError, match=rf"it is in use by process {process.pid}; wait until"):
        only_process(path, "it").__enter__()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert path.exists()
    with only_process(path, "it"), pytest.raises(UsageError, match=rf"in use by process {os.getpid()};"):
        only_process(path, "it").__enter__()
    assert names(tmp_path) == []


def test_where_no_lock_can_be_created_nothing_is_refused(tmp_path: Path) -> None:
    with only_process(tmp_path / "none" / "lock", "it"):
        assert names(tmp_path) == []
