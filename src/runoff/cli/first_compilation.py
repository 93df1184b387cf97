"""What a first run spends on compiling kernels is said, and is no part of the progress of its work."""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import Any

from runoff.progress import leave_out

_QUIET, _EVERY = 1.0, 5.0  # seconds before anything is said, and between lines


class CompilationReport:
    """Counts the functions that are compiled, and the seconds; compiled code that is kept on disk counts for nothing.

    Calls come one at a time, since the compiler has a lock, and nested where one function needs another.
    """

    def __init__(self) -> None:
        self.functions, self.seconds = 0, 0.0
        self._depth, self._since, self._next = 0, 0.0, _QUIET

    def start(self) -> None:
        """A function is about to be compiled."""
        if self._depth == 0:
            self._since = time.monotonic()
        self._depth += 1

    def end(self) -> None:
        """It has been."""
        self._depth -= 1
        self.functions += 1
        if self._depth:
            return
        spent = time.monotonic() - self._since
        self.seconds += spent
        leave_out(spent)
        if self.seconds >= self._next:
            self._next = self.seconds + _EVERY
            sys.stderr.write(
                f"compiling, first time only: {self.functions:,} functions in {self.seconds:.0f} s so far.\n"
            )
            sys.stderr.flush()


@cache
def report_compilation() -> CompilationReport:
    """Report what is compiled from now on, on standard error; once is enough."""
    from numba.core import event

    report = CompilationReport()

    class Listener(event.Listener):
        """Numba's events."""

        def on_start(self, _: Any) -> None:
            report.start()

        def on_end(self, _: Any) -> None:
            report.end()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
    return report
