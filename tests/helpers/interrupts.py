"""Ctrl-C and kill -9 for trainings on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from runoff.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

ENOUGH = 60  # seconds after which a test gives up
# Progress is saved all the time instead of every ten seconds, and one run goes so slowly that it can be interrupted.
COMMAND = """
import sys, time
from helpers.compile_once import compile_once
compile_once()
import {module} as module
import runoff.learners.training_loop as training_loop
training_loop._CHECKPOINT_SECONDS, training_loop._CHUNK_SECONDS = 0.02, 0.1
real = module.{run}.advance
def slowly(self, steps):
    time.sleep(0.5 if self.done and {slow!r} and self.name.startswith({slow!r}) else 0)
    return real(self, steps)
module.{run}.advance = slowly
from runoff.cli import main
main(sys.argv[1:])
"""


def arguments(lists: Path, learner: str, *settings: str) -> list[str]:
    """`runoff train` with a checkpoint, which writes to the current folder."""
    pairs = [part for setting in ("checkpoint=kept", *settings) for part in ("--set", setting)]
    return ["train", str(lists), "--learner", learner, "-o", "m", *pairs]


def run_in(folder: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    """A command in this process, as if it had been called in a folder."""
    folder.mkdir(exist_ok=True)
    with monkeypatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, command, catch_exceptions=False)


def start(folder: Path, command: list[str], run: type, slow: str = "") -> subprocess.Popen[str]:
    """A command in a process of its own, in a folder; runs of this kind whose name begins so are slow."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(module=run.__module__, run=run.__name__, slow=slow), *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def wait_for(process: subprocess.Popen[str], file: Path, run: str, steps: int = 1) -> None:
    """Wait until the checkpoint has so many steps of a run."""
    until = time.monotonic() + ENOUGH
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(f"the training ended by itself: {process.communicate()}")
        if file.exists() and any(name.startswith(run) and done >= steps for name, done in saved_runs(file)):
            return
        time.sleep(0.02)
    raise AssertionError(f"there was no {run} in {file}: {saved_runs(file) if file.exists() else None}")


def saved_runs(file: Path) -> list[tuple[str, int]]:
    """Names and steps of the runs in a checkpoint."""
    with zipfile.ZipFile(file) as archive:
        return [(name, steps) for name, steps, _ in json.loads(archive.read("checkpoint.json"))["runs"]]


def send_ctrl_c() -> None:
    """A real signal to this process."""
    os.kill(os.getpid(), signal.SIGINT)


def ctrl_c_in(monkeypatch: pytest.MonkeyPatch, run: type, *names: str, steps: int = 20) -> None:
    """One real Ctrl-C for each name, when a run whose name begins so has made some steps."""
    pending, lock = list(names), threading.Lock()

    def after(self: Any) -> None:
        with lock:
            if pending and self.name.startswith(pending[0]) and self.done >= steps:
                pending.pop(0)
                send_ctrl_c()

    _after_every_chunk(monkeypatch, run, after)


def ctrl_c_twice_in(monkeypatch: pytest.MonkeyPatch, run: type, steps: int = 50) -> None:
    """Two real Ctrl-C in the same chunk: the second when the first has been noticed."""
    noticed, pending = threading.Event(), [True]

    def noticing(futures: Any, timeout: float | None = None) -> Any:
        if timeout is None:  # no longer waiting for the next look, but for the end
            noticed.set()
        return wait(futures, timeout)

    def after(self: Any) -> None:
        if pending and self.done > steps:
            pending.pop()
            send_ctrl_c()
            assert noticed.wait(ENOUGH)
            send_ctrl_c()

    monkeypatch.setattr("runoff.learners.training_loop.wait", noticing)
    _after_every_chunk(monkeypatch, run, after)


def _after_every_chunk(monkeypatch: pytest.MonkeyPatch, run: type, after: Callable[[Any], None]) -> None:
    real = run.advance  # type: ignore[attr-defined]

    def advance(self: Any, steps: int) -> bool:
        goes_on: bool = real(self, steps)
        after(self)
        return goes_on

    monkeypatch.setattr("runoff.learners.training_loop._CHUNK_SECONDS", 0.01)
    monkeypatch.setattr(run, "advance", advance)
