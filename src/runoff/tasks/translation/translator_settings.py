"""How a translator is trained, as plain values: for commands, for pipelines, and for what resumes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from runoff.errors import UsageError

ALIGNERS = ("hmm", "model1", "diagonal", "eflomal")
_MOST_WORDS, _MOST_ORDER = 20, 7


@dataclass(frozen=True)
class TranslatorSettings:
    """What is learned from parallel text.

    Examples
    --------
    >>> TranslatorSettings(longest_phrase=5).to_dict()["longest_phrase"]
    5
    >>> TranslatorSettings(order=9)
    Traceback (most recent call last):
    runoff.errors.UsageError: the order of the language model must be a whole number from 1 to 7; found 9.
    """

    aligner: str = "hmm"
    symmetrise: str = "grow-diag-final-and"
    longest_phrase: int = 7
    smoothing: str = "kneser-ney"
    reordering: bool = True
    order: int = 5  # of the language model
    truecase: bool = True
    longest_sentence: int = 100  # words; longer pairs are left out of training

    def __post_init__(self) -> None:
        for what, value, most in (
            ("the order of the language model", self.order, _MOST_ORDER),
            ("the length of phrases", self.longest_phrase, _MOST_WORDS),
            ("the length of training sentences", self.longest_sentence, 1_000),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise UsageError(f"{what} must be a whole number from 1 to {most:,}; found {value!r}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values that tell one training from another."""
        return asdict(self)
