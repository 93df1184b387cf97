"""What a worker does, in a local process or on Ray: it calls functions with what was shared and what it remembers."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KEPT = 8  # values that were shared; a worker maps them, and holds what was computed from them


class Shared(NamedTuple):
    """The name of a value that was shared, and where it is."""

    name: str
    place: Any


class Desk:
    """Values that were shared, of which the least recently used ones are forgotten, and states.

    Examples
    --------
    >>> desk = Desk(len)
    >>> desk.call(divmod, 7, [Shared("a", "xx")])
    (3, 1)
    >>> desk.make(divmod, [7, 8], [Shared("a", "xx")])
    >>> desk.ask(tuple.__add__, (0,))
    [(3, 1, 0), (4, 0, 0)]
    """

    def __init__(self, read: Callable[[Any], Any], kept: int = KEPT) -> None:
        self._read, self._kept = read, kept
        self._values: OrderedDict[str, Any] = OrderedDict()
        self._states: list[Any] = []

    def call(self, function: Callable[..., Any], piece: Any, shared: Sequence[Shared]) -> Any:
        """What the function gives for a piece."""
        return function(piece, *map(self._value, shared))

    def make(self, function: Callable[..., Any], pieces: Sequence[Any], shared: Sequence[Shared]) -> None:
        """Remember a state for every piece, and nothing from before."""
        self._states = []
        for piece in pieces:
            self._states.append(function(piece, *map(self._value, shared)))

    def ask(self, function: Callable[[Any, Any], Any], message: Any) -> list[Any]:
        """What the function gives for every state."""
        return [function(state, message) for state in self._states]

    def _value(self, shared: Shared) -> Any:
        if shared.name not in self._values:
            self._values[shared.name] = self._read(shared.place)
        self._values.move_to_end(shared.name)
        while len(self._values) > self._kept:
            self._values.popitem(last=False)
        return self._values[shared.name]
