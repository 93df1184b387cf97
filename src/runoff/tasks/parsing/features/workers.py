"""Worker processes that extract chunks.

Workers are separate programs, not forks: callers need no `if __name__` guard, and no lock of another thread is
inherited.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, RunoffError
from runoff.tasks.parsing.features.chunk import make_chunk
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# Workers use this process's sys.path, so a file in the working folder cannot shadow a module.
_PROGRAM = "import importlib, sys; name, *sys.path = sys.argv[1:]; importlib.import_module(name).main()"


class Workers:
    """A pool of worker processes; a context manager that ends them."""

    def __init__(self, processes: int, families: Sequence[str]) -> None:
        self._families = list(families)
        self._mine = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._is_over = False
        self._lock = threading.Lock()
        self.pool = ThreadPoolExecutor(processes)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
            for process in self._started:
                process.terminate()
        self.pool.shutdown(cancel_futures=True)
        for process in self._started:
            process.communicate()

    def make(self, lists: Sequence[ParseList], path: Path) -> None:
        """Let a worker write the chunk of these lists to a file; called in a thread of the pool."""
        process = self._process()
        asked = {"families": self._families, "lists": list(lists), "path": str(path)}
        request = orjson.dumps(asked, default=str, option=orjson.OPT_SERIALIZE_NUMPY)  # paths as text
        try:
            _pipe(process.stdin).write(request + b"\n")
            _pipe(process.stdin).flush()
            answer = _pipe(process.stdout).readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise RunoffError(
                "a process that extracts features died; it may have run out of memory. Use fewer processes."
            )
        trouble = orjson.loads(answer)["trouble"]
        if trouble is not None:
            raise DataError(trouble)

    def _process(self) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] | None = getattr(self._mine, "process", None)
        if process is None:
            with self._lock:
                if self._is_over:
                    raise RunoffError("the extraction was stopped.")
                process = self._mine.process = subprocess.Popen(  # noqa: S603 - our own module
                    [sys.executable, "-P", "-c", _PROGRAM, __name__, *sys.path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C goes to this process, which ends the workers
                )
                self._started.append(process)
        return process


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """The pipe, which `Popen` opened."""
    if stream is None:
        raise RunoffError("a process that extracts features has no pipe.")
    return stream


def answers(requests: IO[bytes]) -> Iterator[bytes]:
    """Handle one request per line; yields one line of answer each."""
    from pathlib import Path

    for line in requests:
        request = orjson.loads(line)
        trouble = None
        try:
            chunk = make_chunk([_list(each) for each in request["lists"]], request["families"])
            with _to_the_end():
                chunk.save(Path(request["path"]))
        except RunoffError as error:
            trouble = str(error)
        yield orjson.dumps({"trouble": trouble}) + b"\n"


@contextlib.contextmanager
def _to_the_end() -> Iterator[None]:
    """Finish writing a file even if SIGTERM arrives, so that no partial file is left."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _list(fields: dict[str, Any]) -> ParseList:
    origin = fields.pop("origin")
    return ParseList(**fields, origin=None if origin is None else Origin(**origin))


def main() -> None:
    """Answer requests until there are none left."""
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        for answer in answers(sys.stdin.buffer):
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
