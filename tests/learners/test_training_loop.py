"""Runs brought to their end: chunks, totals and what is kept whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from runoff import NBest
from runoff.learners import training_loop
from runoff.learners.checkpoint import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Count:
    """A run that counts its steps and ends where it is told."""

    failed = ""

    def __init__(self, name: str, end: int, fails_at: int | None = None) -> None:
        self.name, self.end, self.fails_at = name, end, fails_at
        self.done, self.chunks = 0, []

    def limit(self, most: int) -> int:
        return min(most, self.end)

    def advance(self, steps: int) -> bool:
        self.chunks.append(steps)
        self.done += steps
        if self.fails_at is not None and self.done >= self.fails_at:
            raise MemoryError
        return True

    def words(self) -> str:
        return self.name

    def kept(self) -> tuple[int, dict[str, object]]:
        return self.done, {}

    def restore(self, done: int, _: dict[str, object], most: int) -> None:
        self.done = min(done, most)


def test_chunks_begin_with_one_step_and_grow() -> None:
    run = Count("a", 500)
    assert training_loop.run_all([run], 1000, title="counting")
    assert run.chunks[:4] == [1, 4, 16, 64]
    assert run.done == 500


def test_the_total_is_steps_times_runs_less_what_ended_runs_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    totals: list[tuple[int, int | None]] = []

    @contextlib.contextmanager
    def seen(title: str, total: int, *, verbose: bool) -> Iterator[object]:
        totals.append((0, total))

        def step(done: int, _state: str, total: int) -> None:
            totals.append((done, total))

        yield step

    monkeypatch.setattr(training_loop, "progress", seen)
    training_loop.run_all([Count("a", 300), Count("b", 1000)], 1000, title="counting")
    assert totals[0] == (0, 2000)
    assert totals[-1] == (1300, 1300)


def test_what_was_done_is_kept_when_a_run_fails(tmp_path: Path) -> None:
    data = NBest.from_arrays([[1.0], [0.0]], quality=[1, 0], sizes=[2])
    with Checkpoint.open(tmp_path / "kept", {}, data) as checkpoint, pytest.raises(MemoryError):
        training_loop.run_all([Count("a", 500, fails_at=20)], 1000, checkpoint=checkpoint, title="counting")
    again = Count("a", 500)
    with Checkpoint.open(tmp_path / "kept", {}, data) as checkpoint:
        checkpoint.restore(again, 1000)
    assert again.done == 21  # 1 + 4 + 16


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_while_python_deletes_an_object_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class InterruptedWhenDeleted:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    class Endless(Count):
        def advance(self, steps: int) -> bool:
            time.sleep(0.001 * steps)
            return super().advance(steps)

        def words(self) -> str:
            if not sent:
                sent.append(True)
                InterruptedWhenDeleted()
            return super().words()

    sent: list[bool] = []
    monkeypatch.setattr(training_loop, "_CHUNK_SECONDS", 0.01)
    assert not training_loop.run_all([Endless("a", 2000)], 2000, title="counting")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_parts_of_one_model_go_on_in_turn_and_stop_about_as_far(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Count):
        def advance(self, steps: int) -> bool:
            time.sleep(0.002 * steps)
            with lock:
                behind.append(max(run.done for run in runs) - self.done)
                if sum(run.done for run in runs) > 200:
                    stop.set()
            return super().advance(steps)

    lock, behind, stop = threading.Lock(), [], threading.Event()
    runs = [Slow(str(at), 10_000) for at in range(7)]
    monkeypatch.setattr(training_loop, "_CHUNK_SECONDS", 0.01)
    monkeypatch.setenv("RUNOFF_THREADS", "2")
    assert not training_loop.run_all(runs, 10_000, title="counting", stop=stop, evenly=True)
    largest = max(steps for run in runs for steps in run.chunks)
    assert max(behind) <= 2 * largest  # one after the other, the last would be hundreds behind
    assert min(run.done for run in runs) > 0


def test_no_more_runs_work_at_a_time_than_there_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(Count):
        def advance(self, steps: int) -> bool:
            with lock:
                working.add(self.name)
                most.append(len(working))
            time.sleep(0.001)
            with lock:
                working.discard(self.name)
            return super().advance(steps)

    lock, working, most = threading.Lock(), set(), []
    monkeypatch.setenv("RUNOFF_THREADS", "3")
    assert training_loop.run_all([Watched(str(at), 40) for at in range(9)], 40, title="counting", evenly=True)
    assert max(most) <= 3
