"""What a first run spends on compiling kernels is said, and is no part of the progress of its work."""

from __future__ import annotations

import sys
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from runoff.progress import leave_out

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_KERNELS = "runoff.kernels.compilation"
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
    """Report what is compiled from now on, on standard error; once is enough. The compiler is not loaded for it."""
    report = CompilationReport()
    if _KERNELS in sys.modules:
        _listen(report)
    else:
        sys.meta_path.insert(0, _WhenKernelsLoad(report))
    return report


class _WhenKernelsLoad:
    """A finder that finds nothing, but knows when kernels are about to be loaded."""

    def __init__(self, report: CompilationReport) -> None:
        self._report = report

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:  # noqa: ARG002 - Python's signature
        """Listen to the compiler once it is needed; leave the import to the other finders."""
        if name == _KERNELS and self in sys.meta_path:
            sys.meta_path.remove(self)
            _listen(self._report)


def _listen(report: CompilationReport) -> None:
    from numba.core import event

    class Listener(event.Listener):
        """Numba's events."""

        def on_start(self, _: Any) -> None:
            report.start()

        def on_end(self, _: Any) -> None:
            report.end()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]
