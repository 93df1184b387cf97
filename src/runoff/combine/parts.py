"""Candidates as sets of parts: labelled spans, which a task's reader takes out of texts and puts together again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = Literal["flat", "nested", "slots"]


class Part(NamedTuple):
    """Positions from `start` up to, not including, `stop`, with a label.

    Examples
    --------
    >>> Part(0, 2, "A0").label
    'A0'
    """

    start: int
    stop: int
    label: str


class PartReader(ABC):
    """How a task's candidates are taken apart and put together; what `Task.parts` gives.

    Examples
    --------
    >>> class Letters(PartReader):
    ...     unit = "letters"
    ...     def split(self, texts):
    ...         return [[Part(at, at + 1, letter) for at, letter in enumerate(text)] for text in texts]
    ...     def join(self, parts, texts):
    ...         return "".join(part.label for part in sorted(parts))
    >>> Letters().right([Part(0, 1, "a"), Part(0, 1, "o")], ["at", "on"], ["an"])
    [True, False]
    """

    unit: ClassVar[str] = "parts"  # noun for messages
    # Parts do not overlap ("flat"), may lie inside each other ("nested"), or exactly one stands at every position
    # ("slots": a part without a label says that nothing does).
    shape: ClassVar[Shape] = "flat"
    once: ClassVar[frozenset[str]] = frozenset()  # labels that a candidate has at most once

    @abstractmethod
    def split(self, texts: Sequence[str]) -> list[list[Part]]:
        """Parts of every candidate of a group, with positions that mean the same in all of them."""

    @abstractmethod
    def join(self, parts: Sequence[Part], texts: Sequence[str]) -> str:
        """A candidate of these parts, which keep to `shape` and `once`.

        What is no part (the predicate's own words, the words under a tree) is that of `texts`, the group's candidates,
        of which the best comes first.
        """

    def right(self, parts: Sequence[Part], texts: Sequence[str], references: Sequence[str]) -> list[bool]:  # noqa: ARG002 - readers that align texts need all of them
        """Which parts, found in `texts`, are right; default: those of the first reference."""
        gold = set(self.split(references[:1])[0])
        return [part in gold for part in parts]
