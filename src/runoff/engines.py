"""Where pieces of work are done: in this process, in local processes, or on a cluster; results are the same bits.

An engine applies a function to pieces, which are cut by the data alone, and gives the results in the order of the
pieces, so that sums over them do not depend on who computed what. What all pieces read is shared once. Only this
process is here; others, and the choice among them, are in `runoff.cluster`.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from runoff.errors import RunoffError
from runoff.parallel import cores, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Value = TypeVar("Value")
Waiting = TypeVar("Waiting")

RETRIES = 3  # times that a piece is given to another worker after one died
AHEAD = 2  # pieces per worker that are under way: one is worked on, one waits


class LostWorkerError(RunoffError):
    """A worker died, and so did those that its work was given to."""


class Handle(Generic[Value]):
    """What an engine's workers can read; it is theirs as long as this object lives."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Engine(ABC):
    """Applies functions to pieces of work; a context manager that ends its workers.

    Functions are those of modules, and get a piece and the values that were shared, which they must not change.
    """

    name: ClassVar[str]
    workers: int

    @property
    def is_here(self) -> bool:
        """Whether the work is done in this process, which sees its memory and shares all of its cores."""
        return False

    @abstractmethod
    def share(self, value: Value) -> Handle[Value]:
        """Give a value to all workers: sent once, read by every piece. Arrays go as buffers."""

    @abstractmethod
    def map(
        self, function: Callable[..., Result], pieces: Iterable[Piece], *shared: Handle[Any], alone: bool = False
    ) -> Generator[Result]:
        """Results of `function(piece, *shared values)` in the order of the pieces.

        Pieces are taken from the iterable when there is room for them. Those of a worker that died are given to another
        one, up to `RETRIES` times. `alone`: the function uses all cores that it may, or holds the interpreter's lock,
        so that in this process one piece is done after the other. Closing the generator ends the work.
        """

    @abstractmethod
    def states(self, make: Callable[..., Any], pieces: Sequence[Any], *shared: Handle[Any]) -> States:
        """Workers that remember: state i is `make(piece i, *shared values)`."""

    def __enter__(self) -> Engine:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """End the workers."""


class States(ABC):
    """What workers remember, one state for every piece; a context manager that ends it.

    A state is made by a function and changed by messages, and depends on nothing else: where a worker dies, its state
    is made again, and the messages that changed it are repeated.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._changes: list[tuple[Callable[[Any, Any], Any], Any]] = []

    def ask(self, function: Callable[[Any, Any], Result], message: Any, *, changes: bool) -> list[Result]:
        """`function(state, message)` of every state, in their order; whether the states are changed by it."""
        found = self._ask(function, message)
        if changes:
            self._changes.append((function, message))
        return found

    @abstractmethod
    def _ask(self, function: Callable[[Any, Any], Result], message: Any) -> list[Result]: ...

    def __enter__(self) -> States:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """Forget the states."""


class Here(Engine):
    """Threads of this process, for functions that release the interpreter's lock.

    Examples
    --------
    >>> with Here() as engine:
    ...     list(engine.map(pow, [2, 3], engine.share(2)))
    [4, 9]
    """

    name = "here"

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Threads."""
        return cores()

    @property
    def is_here(self) -> bool:
        """Yes."""
        return True

    def share(self, value: Value) -> Handle[Value]:
        """The value itself."""
        return Handle(value)

    def map(
        self, function: Callable[..., Result], pieces: Iterable[Piece], *shared: Handle[Any], alone: bool = False
    ) -> Generator[Result]:
        """In threads, or one after the other."""
        values = [each.value for each in shared]
        if alone:
            for piece in pieces:
                yield function(piece, *values)
        else:
            yield from in_threads(lambda piece: function(piece, *values), list(pieces))

    def states(self, make: Callable[..., Any], pieces: Sequence[Any], *shared: Handle[Any]) -> States:
        """In this process."""
        return _StatesHere([make(piece, *(each.value for each in shared)) for piece in pieces])

    def __exit__(self, *_: object) -> None:
        """Nothing is left behind."""


class _StatesHere(States):
    def __init__(self, states: list[Any]) -> None:
        super().__init__(len(states))
        self._states = states

    def ask(self, function: Callable[[Any, Any], Result], message: Any, *, changes: bool) -> list[Result]:  # noqa: ARG002
        """No worker can be lost, so that nothing has to be repeated."""
        return self._ask(function, message)

    def _ask(self, function: Callable[[Any, Any], Result], message: Any) -> list[Result]:
        return in_threads(lambda state: function(state, message), self._states)

    def __exit__(self, *_: object) -> None:
        self._states = []


HERE = Here()
_chosen: list[Engine] = [HERE]  # of this process, whichever thread asks: trainings have threads of their own


def current() -> Engine:
    """The engine of the block that is running: `with runoff.cluster.on(…)`; else this process.

    Examples
    --------
    >>> current().name
    'here'
    """
    return _chosen[-1]


@contextlib.contextmanager
def using(engine: Engine) -> Iterator[Engine]:
    """Let an engine do the work of the block, in all threads of this process."""
    _chosen.append(engine)
    try:
        yield engine
    finally:
        _chosen.pop()


def in_order(
    start: Callable[[Piece], Waiting], finish: Callable[[Waiting], Result], pieces: Iterable[Piece], most: int
) -> Generator[Result]:
    """Start pieces, at most so many at a time, and give their results in order.

    Examples
    --------
    >>> list(in_order(abs, str, iter([-1, 2]), 1))
    ['1', '2']
    """
    waiting: deque[Waiting] = deque()
    for piece in pieces:
        waiting.append(start(piece))
        if len(waiting) >= most:
            yield finish(waiting.popleft())
    while waiting:
        yield finish(waiting.popleft())
