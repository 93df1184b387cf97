"""Progress of long work: a live line on a terminal, plain lines elsewhere, all on standard error.

The time left follows from the mean rate since the start, without the seconds that compilation took, so that it does not
jump about; it is not told before there is something to go by.
"""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Task
    from rich.text import Text

_PLAIN_SECONDS = 5.0  # between plain lines, so that logs stay short
_TELLING = 2.0  # seconds of work before which no time left is told
_left_out = {"seconds": 0.0}
_WIDE, _BAR = 100, 20  # terminal width from which a bar and a rate are shown, and the width of the bar


def leave_out(seconds: float) -> None:
    """Seconds that say nothing of how fast the work is, such as those of compilation.

    Examples
    --------
    >>> leave_out(0.0)
    """
    _left_out["seconds"] += seconds


class Pace:
    """How fast work goes on, and how long the rest will take.

    Examples
    --------
    >>> pace = Pace(0.0)
    >>> pace.left(done=10, total=40, now=20.0), pace.left(done=1, total=40, now=0.5)
    (60.0, None)
    """

    def __init__(self, now: float) -> None:
        self._started, self._left_out = now, _left_out["seconds"]

    def rate(self, done: float, now: float) -> float:
        """Steps per second of work; 0 while there is none."""
        seconds = self._seconds(now)
        return done / seconds if done > 0 and seconds > 0 else 0.0

    def left(self, done: float, total: float, now: float) -> float | None:
        """Seconds until all is done; None while nobody can know."""
        rate = self.rate(done, now)
        return (total - done) / rate if rate and self._seconds(now) >= _TELLING and done < total else None

    def _seconds(self, now: float) -> float:
        return now - self._started - (_left_out["seconds"] - self._left_out)


class ProgressCallback(Protocol):
    """Report progress, with a few words about the state of the work."""

    def __call__(self, done: int, state: str = "", total: int | None = None) -> None:
        """Report that `done` steps are done; `total` replaces the number of steps where it has changed."""


@contextlib.contextmanager
def progress(title: str, total: int, *, verbose: bool = True) -> Iterator[ProgressCallback]:
    """Show the progress of `total` steps (0: unknown); yields the function that reports a step.

    Examples
    --------
    >>> with progress("fitting", 3, verbose=False) as step:
    ...     for done in range(3):
    ...         step(done + 1, f"loss {1 / (done + 1):.2f}")
    """
    if not verbose:
        yield lambda done, state="", total=None: None  # noqa: ARG005 - the signature of a step
    elif sys.stderr.isatty():
        with _bar(title, total) as step:
            yield step
    else:
        yield _plain(title, total)


@contextlib.contextmanager
def _bar(title: str, total: int) -> Iterator[ProgressCallback]:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn
    from rich.text import Text

    console, pace = Console(stderr=True), Pace(time.monotonic())

    class Line(ProgressColumn):
        """One column for the whole line, so that it is cut at the end and not in the middle."""

        def render(self, task: Task) -> Text:
            text = Text(_words(task, pace, wide=console.width >= _WIDE))
            text.truncate(console.width, overflow="ellipsis")
            return text

    with Progress(Line(), console=console, transient=True) as bar:
        task = bar.add_task(title, total=total or None, state="")

        def step(done: int, state: str = "", total: int | None = None) -> None:
            bar.update(task, completed=done, state=state, total=total)

        yield step


def _words(task: Task, pace: Pace, *, wide: bool) -> str:
    """The most important facts first: a terminal of 80 columns shows them and part of the state."""
    if not task.total:
        return f"{task.description}: {task.completed:,.0f} so far"
    now = time.monotonic()
    seconds, speed = pace.left(task.completed, task.total, now), pace.rate(task.completed, now)
    left = "" if seconds is None else f", {_clock(seconds)} left"
    share = task.completed / task.total * _BAR
    bar = f" [{'=' * int(share):<{_BAR}}]" if wide else ""
    rate = f", {speed:,.0f} per second" if wide and speed >= 1 else ""
    state = f", {task.fields['state']}" if task.fields["state"] else ""
    return f"{task.description}{bar}: {task.completed:,.0f} of {task.total:,.0f}{left}{state}{rate}"


def _clock(seconds: float) -> str:
    """Seconds as h:mm:ss or m:ss.

    Examples
    --------
    >>> _clock(75), _clock(7261)
    ('1:15', '2:01:01')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _plain(title: str, total: int) -> ProgressCallback:
    last = time.monotonic()
    pace, whole = Pace(last), total

    def step(done: int, state: str = "", total: int | None = None) -> None:
        nonlocal last, whole
        whole = whole if total is None else total
        now = time.monotonic()
        if now - last < _PLAIN_SECONDS:
            return
        last = now
        rate, seconds = pace.rate(done, now), pace.left(done, whole, now)
        left = "" if seconds is None else f", {seconds:,.0f} s left"
        speed = f"{rate:,.1f} per second{left}" if rate > 0 else "just started"
        of = f" of {whole:,}" if whole else ""
        sys.stderr.write(f"{title}: {done:,}{of}, {speed}. {state}\n")
        sys.stderr.flush()

    return step
