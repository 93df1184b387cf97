"""Local processes as an engine: separate programs that are watched, and replaced where one dies."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from runoff.cluster import messages
from runoff.cluster.desk import Shared
from runoff.cluster.seats import SeatedStates, WorkerDiedError, lost
from runoff.cluster.worker import WorkerAnswer, WorkerRequest
from runoff.engines import AHEAD, RETRIES, Engine, Handle, States, in_order
from runoff.errors import RunoffError, UsageError
from runoff.files import reason
from runoff.parallel import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Value = TypeVar("Value")

# Workers use this process's sys.path, so a file in the working folder cannot shadow a module. They are no forks:
# callers need no `if __name__` guard, and no lock of another thread is inherited.
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from runoff.cluster.worker import main; main()"
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # sums of BLAS depend on its threads


class Processes(Engine):
    """So many local processes; None: one per core. They start with the first piece, and end with the block.

    Memory: what is shared is a file that all of them map, in the folder for temporary files.

    Examples
    --------
    >>> with Processes(2) as engine:
    ...     list(engine.map(pow, [2, 3], engine.share(2)))
    [4, 9]
    """

    name = "processes"

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
            raise UsageError(f"the number of processes must be a whole number of at least 1; found {workers!r}.")
        self.workers = workers or cores()
        self._numbers = itertools.count()
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._started: set[_Process] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._is_over = False

    @cached_property
    def _folder(self) -> Path:
        """Of what is shared; workers remove it where this process is killed."""
        try:
            return Path(tempfile.mkdtemp(prefix=f"runoff-shared-{os.getpid()}-"))
        except OSError as error:
            raise RunoffError(f"there is no folder for what processes share: {reason(error)}. Set TMPDIR.") from error

    def share(self, value: Value) -> Handle[Value]:
        """Write it to a file that workers map."""
        path = self._folder / str(next(self._numbers))
        try:
            with path.open("wb") as stream:
                messages.write(stream, messages.packed(value))
        except OSError as error:
            path.unlink(missing_ok=True)
            raise RunoffError(
                f"{path} cannot be written to share it with processes: {reason(error)}. "
                "Set TMPDIR to a folder with more room."
            ) from error
        return _FileHandle(value, path)

    def map(
        self,
        function: Callable[..., Result],
        pieces: Iterable[Piece],
        *shared: Handle[Any],
        alone: bool = False,  # noqa: ARG002 - every process has its own interpreter and its own share of the cores
    ) -> Generator[Result]:
        """Each piece to the next free process."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="runoff-process")
        pool, places = self._pool, _places(shared)
        waiting: set[Any] = set()

        def start(piece: Piece) -> Any:
            future = pool.submit(self._call, function, piece, places)
            waiting.add(future)
            return future

        def finish(future: Any) -> Result:
            waiting.discard(future)
            found: Result = future.result()
            return found

        try:
            yield from in_order(start, finish, pieces, AHEAD * self.workers)
        finally:
            for future in waiting:
                future.cancel()

    def states(self, make: Callable[..., Any], pieces: Sequence[Any], *shared: Handle[Any]) -> States:
        """On processes of their own, as many as there are workers, which end with them."""
        seats = [self._process() for _ in range(min(self.workers, len(pieces)))]
        try:
            return _FileStates(seats, make, pieces, shared)
        except BaseException:
            for seat in seats:
                seat.close()
            raise

    def _call(self, function: Callable[..., Any], piece: Any, shared: Sequence[Shared]) -> Any:
        """In a thread of the pool, of which every one has a process."""
        for _ in range(RETRIES + 1):
            process = getattr(self._mine, "process", None)
            if process is None:
                process = self._mine.process = self._process()
            try:
                process.send("call", function, piece, shared)
                return process.receive()
            except WorkerDiedError:
                process.close()
                self._mine.process = None
        raise lost()

    def _process(self) -> _Process:
        with self._lock:
            if self._is_over:
                raise RunoffError("the work was stopped.")
            return _Process(self._folder, max(1, cores() // self.workers), self._started)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
        for process in list(self._started):
            process.close()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        if "_folder" in self.__dict__:
            shutil.rmtree(self._folder, ignore_errors=True)


class _FileHandle(Handle[Value]):
    """A file that goes with this object."""

    def __init__(self, value: Value, path: Path) -> None:
        super().__init__(value)
        self.path = path
        weakref.finalize(self, path.unlink, missing_ok=True)


class _FileStates(SeatedStates):
    """States whose files stay as long as they may have to be made again."""

    def __init__(
        self, seats: Sequence[_Process], make: Callable[..., Any], pieces: Sequence[Any], shared: Sequence[Handle[Any]]
    ) -> None:
        self._handles = shared
        super().__init__(seats, make, pieces, _places(shared))


def _places(shared: Sequence[Handle[Any]]) -> list[Shared]:
    return [Shared(str(each.path), each.path) for each in shared if isinstance(each, _FileHandle)]


class _Process:
    """One worker, and its pipes."""

    def __init__(self, folder: Path, threads: int, started: set[_Process]) -> None:
        self._folder, self._threads, self._started = folder, threads, started
        self._open()

    def _open(self) -> None:
        own = {"RUNOFF_SHARED": str(self._folder), "RUNOFF_THREADS": str(self._threads)}
        try:
            self._worker = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-c", _PROGRAM, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), **own},
                start_new_session=True,  # Ctrl-C goes to this process, which ends the workers
            )
        except OSError as error:
            raise RunoffError(f"a worker process cannot be started: {reason(error)}. Use fewer of them.") from error
        self._started.add(self)

    @property
    def number(self) -> int:
        """Number of the process."""
        return self._worker.pid

    def send(self, method: str, *arguments: Any) -> None:
        """Write a request."""
        try:
            parts = messages.packed(WorkerRequest(method, arguments))
        except (AttributeError, TypeError) as error:
            raise UsageError(f"this cannot be given to other processes: {str(error).rstrip('.')}.") from error
        try:
            messages.write(self._worker.stdin, parts)  # type: ignore[arg-type]
        except (OSError, ValueError):  # ValueError: the pipe was closed
            raise WorkerDiedError from None

    def receive(self) -> Any:
        """Read the answer; raises what the function raised."""
        try:
            answer: WorkerAnswer = messages.read(self._worker.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError):
            raise WorkerDiedError from None
        if answer.error is not None:
            if answer.trace:
                answer.error.add_note(f"In a worker process:\n{answer.trace}")
            raise answer.error
        if answer.trace:
            raise RuntimeError(f"a worker's result cannot be sent:\n{answer.trace}")
        return answer.result

    def restart(self) -> None:
        """Another process, which remembers nothing."""
        self.close()
        self._open()

    def close(self) -> None:
        """Kill it: it holds nothing that is not also here."""
        self._started.discard(self)
        self._worker.kill()
        self._worker.wait()
        for stream in (self._worker.stdin, self._worker.stdout):
            with contextlib.suppress(OSError, ValueError):
                stream.close()  # type: ignore[union-attr]
