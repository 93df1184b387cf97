"""Ray as an engine (Moritz et al. 2018, OSDI): tasks, actors, and values in the memory that its workers share."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from runoff.cluster.desk import Desk, Shared
from runoff.cluster.messages import put_together, taken_apart
from runoff.cluster.seats import SeatedStates, WorkerDiedError, lost
from runoff.engines import AHEAD, RETRIES, Engine, Handle, LostWorkerError, States, in_order
from runoff.errors import RunoffError, UsageError
from runoff.parallel import cores
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Value = TypeVar("Value")

_LOCAL_STORE = 500_000_000  # bytes of shared memory of a local cluster; what does not fit is spilled to disk
# A local cluster talks to nobody: it listens on this machine alone, has no dashboard and sends no reports.
_QUIET = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on every system: nodes are then found by the address of this machine
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_metrics_report_interval_ms": "0",
}
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class RayEngine(Engine):
    """A Ray cluster: `local` (with so many workers), `auto` (the one of this machine), or an address.

    Every node needs the same Runoff. Tasks are retried, and actors made again, where a worker or a node is lost. A
    value that is shared is sent once to every node, whose workers read its arrays in place.
    """

    name = "ray"

    def __init__(self, address: str = "local", workers: int | None = None) -> None:
        with _environment(_QUIET if address == "local" else {}):  # some of it is read when Ray is imported
            self._ray = ray = _module()
        self._own = not ray.is_initialized()
        if self._own:
            self._connect(address, workers)
        found = int(ray.cluster_resources().get("CPU", 1))
        self.workers = workers or max(1, found)
        self._call = ray.remote(_call).options(num_cpus=1, max_retries=RETRIES)
        self._actor = ray.remote(Desk).options(num_cpus=0, max_restarts=0)
        if address != "local":
            self._check_versions()

    def _connect(self, address: str, workers: int | None) -> None:
        quiet = {"logging_level": "ERROR", "log_to_driver": False}
        try:
            if address == "local":
                threads = max(1, cores() // (workers or cores()))
                own = {**_QUIET, **dict.fromkeys(_ONE_THREAD, "1"), "RUNOFF_THREADS": str(threads)}
                with _environment({**own, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}):
                    self._ray.init(
                        "local",
                        num_cpus=workers or cores(),
                        include_dashboard=False,
                        object_store_memory=_LOCAL_STORE,
                        **quiet,
                    )
            else:
                self._ray.init(address, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
            first = str(error).strip().splitlines() or [type(error).__name__]
            raise UsageError(f"there is no Ray cluster at {address!r}: {first[0].rstrip('.')}.") from error

    def _check_versions(self) -> None:
        theirs = self._get(self._call.remote(_version, None, []))
        if theirs != __version__:
            raise UsageError(
                f"this is Runoff {__version__}, and the workers of the cluster have {theirs}; install the same one."
            )

    def share(self, value: Value) -> Handle[Value]:
        """Put it into the object store."""
        try:
            parts = taken_apart(value)
            arrays = [np.frombuffer(part, np.uint8) for part in parts]
            return _RayHandle(value, self._ray.put((arrays, [not part.readonly for part in parts])))
        except self._ray.exceptions.RayError as error:
            raise _sentence(error) from error

    def map(
        self,
        function: Callable[..., Result],
        pieces: Iterable[Piece],
        *shared: Handle[Any],
        alone: bool = False,  # noqa: ARG002 - every worker is a process
    ) -> Generator[Result]:
        """Each piece as a task."""
        places = _places(shared)
        waiting: set[Any] = set()

        def start(piece: Piece) -> Any:
            task = self._call.remote(function, piece, places)
            waiting.add(task)
            return task

        def finish(task: Any) -> Result:
            waiting.discard(task)
            found: Result = self._get(task)
            return found

        try:
            yield from in_order(start, finish, pieces, AHEAD * self.workers)
        finally:
            for task in waiting:
                self._ray.cancel(task, force=True)

    def states(self, make: Callable[..., Any], pieces: Sequence[Any], *shared: Handle[Any]) -> States:
        """Actors, as many as there are workers."""
        seats = [_Actor(self) for _ in range(min(self.workers, len(pieces)))]
        try:
            return _RayStates(seats, make, pieces, shared)
        except BaseException:
            for seat in seats:
                seat.close()
            raise

    def new_actor(self) -> Any:
        """A desk on some node."""
        return self._actor.remote(_read)

    def end_actor(self, actor: Any) -> None:
        """Kill a desk."""
        self._ray.kill(actor)

    def actor_result(self, task: Any) -> Any:
        """What a desk gave."""
        try:
            return self._get(task)
        except _DiedError:
            raise WorkerDiedError from None

    def _get(self, task: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(task)
        except errors.RayTaskError as error:
            # What the function raised, with the traceback of the worker unless it is a mistake of the user.
            cause = error.cause if isinstance(error.cause, BaseException) else error
            if not isinstance(cause, RunoffError):
                cause.add_note(f"In a worker of Ray:\n{error}")
            raise cause from None
        except errors.ActorDiedError as error:
            raise _DiedError(str(error)) from error
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            raise lost() from error
        except errors.RayError as error:
            raise _sentence(error) from error

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._ray.shutdown()


class _DiedError(Exception):
    """An actor is no longer there."""


class _RayHandle(Handle[Value]):
    """A value in the object store, which goes with this object."""

    def __init__(self, value: Value, reference: Any) -> None:
        super().__init__(value)
        self.reference = reference


class _RayStates(SeatedStates):
    """States whose values stay as long as they may have to be made again."""

    def __init__(
        self, seats: Sequence[_Actor], make: Callable[..., Any], pieces: Sequence[Any], shared: Sequence[Handle[Any]]
    ) -> None:
        self._handles = shared
        super().__init__(seats, make, pieces, _places(shared))


class _Actor:
    """One actor, which gets one request after the other."""

    def __init__(self, engine: RayEngine) -> None:
        self._engine, self._task = engine, None
        self._actor = engine.new_actor()

    def send(self, method: str, *arguments: Any) -> None:
        """Start a method."""
        self._task = getattr(self._actor, method).remote(*arguments)

    def receive(self) -> Any:
        """Its result."""
        return self._engine.actor_result(self._task)

    def restart(self) -> None:
        """Another actor, which remembers nothing."""
        self.close()
        self._actor = self._engine.new_actor()

    def close(self) -> None:
        """End it."""
        self._engine.end_actor(self._actor)


def _places(shared: Sequence[Handle[Any]]) -> list[Shared]:
    # In a list, a reference is not replaced by its value before the task begins: workers keep what they have read.
    return [Shared(each.reference.hex(), [each.reference]) for each in shared if isinstance(each, _RayHandle)]


_desks: list[Desk] = []  # of this worker, for all of its tasks


def _call(function: Callable[..., Any], piece: Any, shared: Sequence[Shared]) -> Any:
    """The task."""
    if not _desks:
        _desks.append(Desk(_read))
    return _desks[0].call(function, piece, shared)


def _read(place: list[Any]) -> Any:
    arrays, are_writable = _module().get(place[0])
    return put_together(arrays[0], list(zip(arrays, are_writable, strict=True))[1:])


def _version(_: None) -> str:
    return __version__


def _sentence(error: Exception) -> LostWorkerError:
    first = str(error).strip().splitlines() or [type(error).__name__]
    return LostWorkerError(f"Ray could not do the work: {first[0].rstrip('.')}.")


def _module() -> Any:
    try:
        import ray
    except ImportError as error:
        raise UsageError("clusters need Ray; install it: pip install 'runoff[cluster]'.") from error
    return ray


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Environment variables for the programs that are started in the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
