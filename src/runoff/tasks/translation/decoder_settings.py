"""How a translator searches."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from runoff.parameters import check_all, checks_of, choice, flag, number, optional, parameter, whole

_POPS = 5  # hypotheses made for each one that is kept, where no other number is given


@dataclass(frozen=True)
class DecoderSettings:
    """Settings of the search for translations.

    Parameters
    ----------
    stack
        Hypotheses kept of those that translate equally many source words.
    pop_limit
        Hypotheses made for a stack before the best are kept (cube pruning); None is five times `stack`.
    distortion_limit
        Most source words that a phrase may jump over; -1 is any number, 0 is from left to right.
    beam_threshold
        A hypothesis is dropped if its score is this much below the best of its stack; None keeps it.
    table_limit
        Most options of a source phrase.
    unknown
        What becomes of words that no phrase of one word has: "copy" or "drop".
    recombination
        Whether hypotheses that no extension can tell apart share one place in a stack.

    Examples
    --------
    >>> DecoderSettings(stack=200).pops
    1000
    >>> DecoderSettings(unknown="ask")
    Traceback (most recent call last):
    runoff.errors.UsageError: unknown of DecoderSettings must be one of copy, drop; found 'ask'.
    """

    stack: int = parameter(100, whole(1, 1_000_000))
    pop_limit: int | None = parameter(None, optional(whole(1, 10_000_000)))
    distortion_limit: int = parameter(6, whole(-1))
    beam_threshold: float | None = parameter(None, optional(number()))
    table_limit: int = parameter(20, whole(1))
    unknown: str = parameter("copy", choice("copy", "drop"))
    recombination: bool = parameter(True, flag)

    def __post_init__(self) -> None:
        check_all(type(self).__name__, vars(self), checks_of(self))

    @property
    def pops(self) -> int:
        """Hypotheses made for a stack."""
        return _POPS * self.stack if self.pop_limit is None else self.pop_limit

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a file."""
        return asdict(self)
