"""Running boosting engines to the end: in parallel, in chunks, with progress, checkpoints and Ctrl-C."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.parallel import cores
from runoff.progress import progress

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.boosting_engine import ExpEngine, LogEngine
    from runoff.learners.checkpoint import Checkpoint
    from runoff.learners.dev_path import DevPath

_CHUNK_SECONDS = 0.5  # between looks at the clock, the progress line and Ctrl-C
_CHECKPOINT_SECONDS = 10.0
_LEAST_ROUNDS = 500  # before a run may be given up


@dataclass
class Run:
    """One engine with one smoothing, what it does on dev data, and the name that a checkpoint knows it by."""

    name: str
    engine: ExpEngine | LogEngine
    smoothing: float
    dev: DevPath | None = None
    start_loss: float = field(init=False)

    def __post_init__(self) -> None:
        self.start_loss = self.engine.loss

    @property
    def done(self) -> int:
        """Rounds so far."""
        return len(self.engine.deltas)

    def restore(self, features: Ints, deltas: Floats) -> None:
        """Go to the state after rounds that an earlier run made."""
        self.engine.replay(features, deltas)
        self._follow(0)

    def advance(self, rounds: int) -> bool:
        """Do so many further rounds; False when no feature has anything left to give."""
        before = self.done
        made = self.engine.run(rounds)
        self._follow(before)
        return made == rounds

    def _follow(self, before: int) -> None:
        if self.dev is not None:
            self.dev.advance(self.engine.features[before:], self.engine.deltas[before:])

    def history(self) -> list[dict[str, float]]:
        """Loss, and dev score where there is one, after every round."""
        scores = None if self.dev is None else self.dev.scores
        return [
            {"round": float(at + 1), "loss": float(loss)} | ({} if scores is None else {"dev": float(scores[at + 1])})
            for at, loss in enumerate(self.engine.losses)
        ]


def run_all(
    runs: list[Run],
    rounds: int,
    *,
    patient: bool = True,
    checkpoint: Checkpoint | None = None,
    title: str = "boosting",
    verbose: bool = False,
) -> bool:
    """Bring every run to `rounds` rounds, as many at once as there are cores; False after Ctrl-C.

    A run that is not `patient` ends when its best prefix on dev lies far back: at three times the rounds of that
    prefix, and not before 500. The result does not depend on the number of threads: runs share nothing that changes.
    """
    stop = threading.Event()
    if checkpoint is not None:
        for run in runs:
            checkpoint.restore(run, rounds)

    def limit(run: Run) -> int:
        if patient or run.dev is None:
            return rounds
        # A function of the path alone, so that chunks of any size end at the same round.
        return min(rounds, max(_LEAST_ROUNDS, 3 * run.dev.best))

    def work(run: Run) -> None:
        chunk = 64
        while run.done < limit(run) and not stop.is_set():
            started = time.monotonic()
            if not run.advance(min(chunk, limit(run) - run.done)):
                return
            # Chunks of about half a second, whatever the size of the data.
            taken = max(time.monotonic() - started, 1e-4)
            chunk = max(1, min(4 * chunk, int(chunk * _CHUNK_SECONDS / taken)))

    saved = time.monotonic()
    with progress(title, rounds * len(runs), show=verbose) as step, ThreadPoolExecutor(min(cores(), len(runs))) as pool:
        waiting = {pool.submit(work, run) for run in runs}
        try:
            while waiting:
                finished, waiting = wait(waiting, timeout=_CHUNK_SECONDS)
                for each in finished:
                    each.result()
                step(sum(run.done for run in runs), _state(runs))
                if checkpoint is not None and time.monotonic() - saved > _CHECKPOINT_SECONDS:
                    checkpoint.save(runs)
                    saved = time.monotonic()
        except KeyboardInterrupt:
            stop.set()
            wait(waiting)
        except BaseException:
            stop.set()  # do not let the other runs go on for nothing
            raise
    for run in runs:
        if run.dev is not None:
            run.dev.finish()
    if checkpoint is not None:
        checkpoint.save(runs)
    return not stop.is_set()


def _state(runs: list[Run]) -> str:
    run = max(runs, key=lambda each: each.done)
    dev = "" if run.dev is None else f", dev {run.dev.metric.label} {run.dev.last:.4f}"
    return f"loss {run.engine.loss:,.4f}{dev}"
