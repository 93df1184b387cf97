"""The loop of long trainings: parallel runs in chunks, with progress, checkpoints and Ctrl-C."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import signal
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from runoff.engines import current
from runoff.parallel import cores
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from runoff.learners.checkpoint import Arrays, Checkpoint

EARLY = "before the first round"  # what a KeyboardInterrupt says that leaves no model
_CHUNK_SECONDS = 0.5  # between updates of the progress line and checks for Ctrl-C
_CHECKPOINT_SECONDS = 10.0
_CHECKPOINT_SHARE = 0.02  # of the time, at most, that goes into checkpoints


class TrainingRun(Protocol):
    """One training that goes step by step; a checkpoint identifies it by its name."""

    name: str
    failed: str  # why it cannot continue; empty if it can

    @property
    def done(self) -> int:
        """Steps so far."""

    def limit(self, most: int) -> int:
        """The step at which it ends, given the steps so far: `most`, or fewer where it stops early.

        A function of the steps alone, so that chunks of any size end at the same one.
        """

    def advance(self, steps: int) -> bool:
        """Do so many further steps; False when there is nothing left to do."""

    def words(self) -> str:
        """Its state, for the progress line."""

    def kept(self) -> tuple[int, Arrays]:
        """Steps so far, and all that the next one depends on; may be called while steps are being made."""

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Continue from what was kept, or from `most` steps where it can.

        The file may have been damaged or changed: ValueError, before anything is, where it cannot be of this run.
        """


@contextlib.contextmanager
def before_the_first_round() -> Iterator[None]:
    """Mark a Ctrl-C during preparations as one that leaves no model."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(EARLY) from None


def run_all(
    runs: Sequence[TrainingRun],
    steps: int,
    *,
    checkpoint: Checkpoint | None = None,
    title: str,
    verbose: bool = False,
    stopping: str = "stopping",
    stop: threading.Event | None = None,
    evenly: bool = False,
) -> bool:
    """Advance every run to its limit or to `steps`, as many at a time as there are cores; False after Ctrl-C.

    The result does not depend on the number of threads: runs share nothing that changes. On another engine than this
    process, several runs go to its workers, whole. The first Ctrl-C lets every
    run finish its chunk, and prints `stopping`; a second one is raised. The checkpoint is up to date after both. Runs
    whose steps are long can check `stop`, which is set then. `evenly`: the run that is furthest behind goes next, so
    that runs which are parts of one model have come equally far when they are stopped.
    """
    if not current().is_here and len(runs) > 1 and not any(getattr(run, "stays_here", False) for run in runs):
        _run_elsewhere(runs, steps, checkpoint, title, verbose=verbose)
        return True
    stop = stop or threading.Event()
    turns = Turns(min(cores(), len(runs)))

    def work(run: TrainingRun) -> None:
        if checkpoint is not None:
            with turns.turn(run):
                checkpoint.restore(run, steps)
        chunk = 1  # the time of a step is not known yet, and Ctrl-C waits for the end of a chunk
        while run.done < run.limit(steps) and not stop.is_set():
            with turns.turn(run):
                if stop.is_set():
                    return
                started = time.monotonic()
                if not run.advance(min(chunk, run.limit(steps) - run.done)):
                    return
                taken = max(time.monotonic() - started, 1e-4)
            # Chunks of about half a second, whatever the size of the data.
            chunk = max(1, min(4 * chunk, int(chunk * _CHUNK_SECONDS / taken)))

    saved, pause = time.monotonic(), _CHECKPOINT_SECONDS
    try:
        with (
            _ctrl_c_noted() as came,
            progress(title, steps * len(runs), verbose=verbose) as step,
            ThreadPoolExecutor(len(runs) if evenly else turns.places) as pool,
        ):
            of: dict[Future[None], TrainingRun] = {}
            try:
                with _ctrl_c_deferred():  # a thread that is interrupted while it is started is not waited for
                    of = {pool.submit(work, run): run for run in runs}
                waiting = set(of)
                while waiting:
                    _raise_if_lost(came)
                    _, waiting = wait(waiting, timeout=_CHUNK_SECONDS)
                    for each in of.keys() - waiting:
                        each.result()
                    # A run that has ended, early or not, has nothing left to do.
                    total = sum(steps if future in waiting else run.done for future, run in of.items())
                    step(sum(run.done for run in runs), _state(runs, checkpoint), total)
                    if checkpoint is not None and time.monotonic() - saved > pause:
                        started = time.monotonic()
                        checkpoint.save(runs)
                        saved = time.monotonic()
                        pause = max(_CHECKPOINT_SECONDS, (saved - started) / _CHECKPOINT_SHARE)
            except KeyboardInterrupt:
                stop.set()
                if verbose:
                    sys.stderr.write(f"{stopping}; Ctrl-C once more to stop without a model.\n")
                    sys.stderr.flush()
                wait(of)
            except BaseException:
                stop.set()  # so that the other runs end too
                raise
    finally:
        if checkpoint is not None:
            with _ctrl_c_deferred():
                checkpoint.save(runs)
    return not stop.is_set()


def _run_elsewhere(
    runs: Sequence[TrainingRun], steps: int, checkpoint: Checkpoint | None, title: str, *, verbose: bool
) -> None:
    """Every run from start to end on a worker, and then to the same state here, as from a checkpoint.

    The checkpoint has the runs that have ended; Ctrl-C leaves no model.
    """
    if checkpoint is not None:
        for run in runs:
            checkpoint.restore(run, steps)
    left = [at for at, run in enumerate(runs) if run.done < run.limit(steps)]
    engine = current()
    with progress(title, len(runs), verbose=verbose) as step:
        done = len(runs) - len(left)
        step(done)
        try:
            for at, end in zip(left, engine.map(_at_its_end, left, engine.share([list(runs), steps])), strict=True):
                runs[at].failed = end.failed
                if not end.failed:
                    runs[at].restore(end.done, end.kept, steps)
                if checkpoint is not None:
                    with _ctrl_c_deferred():
                        checkpoint.save(runs)
                done += 1
                step(done, _state(runs, checkpoint))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(EARLY) from None


class _End(NamedTuple):
    done: int
    kept: Arrays
    failed: str


def _at_its_end(at: int, shared: list[Any]) -> _End:
    """A run that has made all of its steps, on a worker."""
    runs, steps = shared
    run: TrainingRun = runs[at]
    while run.done < run.limit(steps) and run.advance(run.limit(steps) - run.done):
        pass
    return _End(*run.kept(), run.failed)


class Turns:
    """So many runs work at a time; of those that wait, the one with the fewest steps is next."""

    def __init__(self, places: int) -> None:
        self.places = self._free = places
        self._waiting: list[tuple[int, int]] = []
        self._changed, self._numbers = threading.Condition(), itertools.count()

    @contextlib.contextmanager
    def turn(self, run: TrainingRun) -> Iterator[None]:
        """Wait for a place, and keep it for the block."""
        with self._changed:
            mine = run.done, next(self._numbers)
            heapq.heappush(self._waiting, mine)
            self._changed.wait_for(lambda: self._free and self._waiting[0] == mine)
            heapq.heappop(self._waiting)
            self._free -= 1
            self._changed.notify_all()  # there may be a place for another one too
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()


@contextlib.contextmanager
def _ctrl_c_noted(*, deferred: bool = False) -> Iterator[list[FrameType | None]]:
    """Yield a list that is no longer empty after Ctrl-C."""
    came: list[FrameType | None] = []
    handler = signal.getsignal(signal.SIGINT)
    # Signals come to the main thread alone.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield came
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(frame)
        if not deferred:
            handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, handler)


def _raise_if_lost(came: list[FrameType | None]) -> None:
    """Raise a KeyboardInterrupt again: Python ignores one that is raised while an object is being deleted."""
    if came:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _ctrl_c_deferred() -> Iterator[None]:
    """Let Ctrl-C take effect after the block: a checkpoint that was begun is written."""
    with _ctrl_c_noted(deferred=True) as came:
        yield
    handler = signal.getsignal(signal.SIGINT)
    if came and callable(handler):
        handler(signal.SIGINT, came[0])


def _state(runs: Sequence[TrainingRun], checkpoint: Checkpoint | None) -> str:
    trouble = "" if checkpoint is None else "".join(f". {each}" for each in checkpoint.trouble)
    return max(runs, key=lambda each: each.done).words() + trouble
