"""Long trainings brought to their end: in parallel, in chunks, with progress, checkpoints and Ctrl-C."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Protocol

from runoff.parallel import cores
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.learners.checkpoint import Arrays, Checkpoint

EARLY = "before the first round"  # what a KeyboardInterrupt says that leaves no model
_CHUNK_SECONDS = 0.5  # between looks at the clock, the progress line and Ctrl-C
_CHECKPOINT_SECONDS = 10.0


class TrainingRun(Protocol):
    """One training that goes step by step, and the name that a checkpoint knows it by."""

    name: str
    failed: str  # why it cannot go on, where that is so

    @property
    def done(self) -> int:
        """Steps so far."""

    def limit(self, most: int) -> int:
        """Where it ends, as things stand: `most` steps, or fewer where more would be of no use.

        A function of the steps alone, so that chunks of any size end at the same one.
        """

    def advance(self, steps: int) -> bool:
        """Do so many further steps; False when there is nothing left to do."""

    def words(self) -> str:
        """How it stands, for the progress line."""

    def kept(self) -> Arrays:
        """Everything that the next step depends on; may be asked for while steps are being made."""

    def restore(self, kept: Arrays, most: int) -> None:
        """Go to where `kept` was taken, or to `most` steps where it can; ValueError where that does not fit."""


@contextlib.contextmanager
def before_the_first_round() -> Iterator[None]:
    """Let Ctrl-C during the preparations say that it came before there was anything to keep."""
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
) -> bool:
    """Bring every run to its limit or to `steps`, as many at once as there are cores; False after Ctrl-C.

    The result does not depend on the number of threads: runs share nothing that changes. The first Ctrl-C lets every
    run end its chunk, and says `stopping`; a second one is raised. The checkpoint is up to date after both. Runs whose
    steps are long may look at `stop`, which is set then.
    """
    stop = stop or threading.Event()

    def work(run: TrainingRun) -> None:
        if checkpoint is not None:
            checkpoint.restore(run, steps)
        chunk = 1  # nobody knows yet how long a step takes, and Ctrl-C waits for the end of a chunk
        while run.done < run.limit(steps) and not stop.is_set():
            started = time.monotonic()
            if not run.advance(min(chunk, run.limit(steps) - run.done)):
                return
            # Chunks of about half a second, whatever the size of the data.
            taken = max(time.monotonic() - started, 1e-4)
            chunk = max(1, min(4 * chunk, int(chunk * _CHUNK_SECONDS / taken)))

    saved = time.monotonic()
    try:
        with (
            progress(title, steps * len(runs), verbose=verbose) as step,
            ThreadPoolExecutor(min(cores(), len(runs))) as pool,
        ):
            of: dict[Future[None], TrainingRun] = {}
            try:
                of = {pool.submit(work, run): run for run in runs}
                waiting = set(of)
                while waiting:
                    _, waiting = wait(waiting, timeout=_CHUNK_SECONDS)
                    for each in of.keys() - waiting:
                        each.result()
                    # A run that has ended, early or not, has nothing left to do.
                    total = sum(steps if future in waiting else run.done for future, run in of.items())
                    step(sum(run.done for run in runs), _state(runs, checkpoint), total)
                    if checkpoint is not None and time.monotonic() - saved > _CHECKPOINT_SECONDS:
                        checkpoint.save(runs)
                        saved = time.monotonic()
            except KeyboardInterrupt:
                stop.set()
                if verbose:
                    sys.stderr.write(f"{stopping}; Ctrl-C once more to stop without a model.\n")
                    sys.stderr.flush()
                wait(of)
            except BaseException:
                stop.set()  # do not let the other runs go on for nothing
                raise
    finally:
        if checkpoint is not None:
            checkpoint.save(runs)
    return not stop.is_set()


def _state(runs: Sequence[TrainingRun], checkpoint: Checkpoint | None) -> str:
    trouble = "" if checkpoint is None else "".join(f". {each}" for each in checkpoint.trouble)
    return max(runs, key=lambda each: each.done).words() + trouble
