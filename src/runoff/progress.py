"""Progress of long work: a live line on a terminal, plain lines elsewhere, all on standard error."""

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
_WIDE, _BAR = 100, 20  # terminal width from which a bar and a rate are shown, and the width of the bar


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

    console = Console(stderr=True)

    class Line(ProgressColumn):
        """One column for the whole line, so that it is cut at the end and not in the middle."""

        def render(self, task: Task) -> Text:
            text = Text(_words(task, wide=console.width >= _WIDE))
            text.truncate(console.width, overflow="ellipsis")
            return text

    with Progress(Line(), console=console, transient=True) as bar:
        task = bar.add_task(title, total=total or None, state="")

        def step(done: int, state: str = "", total: int | None = None) -> None:
            bar.update(task, completed=done, state=state, total=total)

        yield step


def _words(task: Task, *, wide: bool) -> str:
    """The most important facts first: a terminal of 80 columns shows them and part of the state."""
    if not task.total:
        return f"{task.description}: {task.completed:,.0f} so far"
    left = "?" if task.time_remaining is None else _clock(task.time_remaining)
    share = task.completed / task.total * _BAR
    bar = f" [{'=' * int(share):<{_BAR}}]" if wide else ""
    rate = f", {task.speed:,.0f} per second" if wide and task.speed else ""
    state = f", {task.fields['state']}" if task.fields["state"] else ""
    return f"{task.description}{bar}: {task.completed:,.0f} of {task.total:,.0f}, {left} left{state}{rate}"


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
    started = last = time.monotonic()
    whole = total

    def step(done: int, state: str = "", total: int | None = None) -> None:
        nonlocal last, whole
        whole = whole if total is None else total
        now = time.monotonic()
        if now - last < _PLAIN_SECONDS:
            return
        last = now
        rate = done / (now - started)
        left = f", {(whole - done) / rate:,.0f} s left" if whole and rate > 0 else ""
        speed = f"{rate:,.1f} per second{left}" if rate > 0 else "just started"
        of = f" of {whole:,}" if whole else ""
        sys.stderr.write(f"{title}: {done:,}{of}, {speed}. {state}\n")
        sys.stderr.flush()

    return step
