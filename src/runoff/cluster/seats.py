"""States on workers that may die: each is made again from its piece and the messages that changed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from runoff.engines import RETRIES, LostWorkerError, States

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.cluster.desk import Shared

Result = TypeVar("Result")


class WorkerDiedError(Exception):
    """A worker is no longer there."""


class Seat(Protocol):
    """A worker with a desk of its own, which gets one request after the other."""

    def send(self, method: str, *arguments: Any) -> None:
        """Call a method of its desk; raises `WorkerDiedError`."""

    def receive(self) -> Any:
        """What it gave; raises `WorkerDiedError`."""

    def restart(self) -> None:
        """Put a new worker, who remembers nothing, in place of one that died."""

    def close(self) -> None:
        """End the worker."""


class SeatedStates(States):
    """States in turn on the seats."""

    def __init__(
        self, seats: Sequence[Seat], make: Callable[..., Any], pieces: Sequence[Any], shared: Sequence[Shared]
    ) -> None:
        super().__init__(len(pieces))
        self._seats = seats
        self._made = [(make, list(pieces[at :: len(seats)]), list(shared)) for at in range(len(seats))]
        self._everywhere("make", self._made)

    def _ask(self, function: Callable[[Any, Any], Result], message: Any) -> list[Result]:
        found: list[Any] = [None] * self.count
        answers = self._everywhere("ask", [(function, message)] * len(self._seats))
        for at, answer in enumerate(answers):
            found[at :: len(self._seats)] = answer
        return found

    def _everywhere(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of all desks at once."""
        sent = [self._tried(at, method, arguments[at]) for at in range(len(self._seats))]
        return [self._received(at, method, arguments[at], was_sent=was_sent) for at, was_sent in enumerate(sent)]

    def _tried(self, at: int, method: str, arguments: tuple[Any, ...]) -> bool:
        try:
            self._seats[at].send(method, *arguments)
        except WorkerDiedError:
            return False
        return True

    def _received(self, at: int, method: str, arguments: tuple[Any, ...], *, was_sent: bool) -> Any:
        seat = self._seats[at]
        for left in reversed(range(RETRIES + 1)):
            try:
                if not was_sent:
                    seat.restart()
                    self._remake(at, method)
                    seat.send(method, *arguments)
                return seat.receive()
            except WorkerDiedError:
                was_sent = False
                if not left:
                    raise lost() from None
        raise lost()

    def _remake(self, at: int, method: str) -> None:
        if method == "make":
            return
        seat = self._seats[at]
        seat.send("make", *self._made[at])
        seat.receive()
        for change in self._changes:
            seat.send("ask", *change)
            seat.receive()

    def __exit__(self, *_: object) -> None:
        for seat in self._seats:
            seat.close()


def lost() -> LostWorkerError:
    """What is raised where a piece of work ends every worker that gets it."""
    return LostWorkerError(
        f"a worker died, and so did {RETRIES} others that its work was given to; they may have run out of memory. "
        "Use fewer workers, or machines with more memory."
    )
