"""Long work shows itself: a live line on a terminal, plain lines elsewhere, all on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN_SECONDS = 5.0  # between plain lines, so that logs stay short


class Step(Protocol):
    """Tell how far the work is, with a few words about its state."""

    def __call__(self, done: int, state: str = "") -> None:
        """Report that `done` steps are done."""


@contextlib.contextmanager
def progress(title: str, total: int, *, show: bool = True) -> Iterator[Step]:
    """Show a piece of work of `total` steps; yields the function that reports a step.

    Examples
    --------
    >>> with progress("fitting", 3, show=False) as step:
    ...     for done in range(3):
    ...         step(done + 1, f"loss {1 / (done + 1):.2f}")
    """
    if not show:
        yield lambda done, state="": None  # noqa: ARG005 - the signature of a step
    elif sys.stderr.isatty():
        with _bar(title, total) as step:
            yield step
    else:
        yield _plain(title, total)


@contextlib.contextmanager
def _bar(title: str, total: int) -> Iterator[Step]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[state]}"),
    )
    started = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total, state="", rate="")

        def step(done: int, state: str = "") -> None:
            rate = f"{done / max(time.monotonic() - started, 1e-9):,.0f} a second"
            bar.update(task, completed=done, state=state, rate=rate)

        yield step


def _plain(title: str, total: int) -> Step:
    started = last = time.monotonic()

    def step(done: int, state: str = "") -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PLAIN_SECONDS:
            return
        last = now
        rate = done / (now - started)
        left = (total - done) / rate if rate > 0 else float("inf")
        sys.stderr.write(f"{title}: {done:,} of {total:,}, {rate:,.1f} a second, {left:,.0f} s left. {state}\n")
        sys.stderr.flush()

    return step
