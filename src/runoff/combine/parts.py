"""Candidates as sets of parts: labelled spans, which a task's reader takes out of texts and puts together again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runoff.metrics import Metric

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
    ...     unit, shape = "letters", "slots"
    ...     def split(self, texts):
    ...         return [[Part(at, at + 1, letter) for at, letter in enumerate(text)] for text in texts]
    ...     def join(self, parts, texts):
    ...         return "".join(part.label for part in sorted(parts))
    >>> Letters().right([Part(0, 1, "a"), Part(0, 1, "o")], ["at", "on"], ["an"])
    [True, False]
    """

    unit: ClassVar[str] = "parts"  # noun for messages
    # Parts do not overlap ("flat"), may lie inside each other but not cross ("nested"), or exactly one stands at every
    # position ("slots": a part without a label says that nothing does).
    shape: ClassVar[Shape] = "flat"
    once: ClassVar[frozenset[str]] = frozenset()  # labels that a candidate has at most once
    reported: ClassVar[str | None] = None  # metrics that reports of combinations show; default: the data's own

    def check(self, texts: Sequence[str]) -> str:  # noqa: ARG002 - any texts fit
        """What keeps candidates of a group from being combined, in words; empty if nothing does."""
        return ""

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

    def size(self, texts: Sequence[str], references: Sequence[str]) -> int:  # noqa: ARG002 - readers that align texts need them
        """Number of parts that are to be found; default: those of the first reference."""
        return len(self.split(references[:1])[0])

    def is_f1(self, metric: Metric) -> bool:  # noqa: ARG002 - for readers
        """Whether a metric is the F1 of right parts, so that prices can be compared without assembling candidates."""
        return False

    def outline(self, parts: Sequence[Part], text: str) -> str | None:  # noqa: ARG002 - roles name the predicate's place
        """A candidate's labels in order, as evidence for each of its parts; None where candidates have too many."""
        return "-".join(part.label for part in sorted(parts))

    def probabilities(self, attributes: Mapping[str, str]) -> list[tuple[str, Part, float]]:  # noqa: ARG002 - for readers
        """Parts that systems proposed with a probability, as attributes of a list tell: system, part, probability.

        An attribute of one of several systems is called `SYSTEM:name`, that of the only system `name`.
        """
        return []

    def learned(self, references: Iterable[Sequence[str]]) -> PartReader:  # noqa: ARG002 - for readers
        """A reader that knows the references of training lists, such as how often words occur; default: itself."""
        return self

    def without(self, references: Sequence[str]) -> PartReader:  # noqa: ARG002 - for readers
        """The same reader as if it had not learned from these, of one list, whose own clues they must not give away."""
        return self

    def state(self) -> dict[str, Any]:
        """What was learned, as plain values for the file of a combiner."""
        return {}

    def restored(self, state: Mapping[str, Any]) -> PartReader:  # noqa: ARG002 - for readers
        """A reader that has learned this, as a file says; raises a `ModelError`, the reason, where that cannot be."""
        return self

    def clues(
        self,
        parts: Sequence[Part],
        texts: Sequence[str],  # noqa: ARG002 - for readers
        given: str | None,  # noqa: ARG002
        attributes: Mapping[str, str],  # noqa: ARG002
    ) -> list[list[str]]:
        """What else speaks for or against every part, as names of features, beyond what the systems say of it.

        `given` is the input of the list.
        """
        return [[] for _ in parts]
