"""How a translator is trained, as plain values: for commands, for pipelines, and for what resumes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from runoff.errors import UsageError
from runoff.tasks.translation.aligner import Model
from runoff.tasks.translation.phrase_scores import Smoothing
from runoff.tasks.translation.symmetrisation import Symmetrisation

Aligner = Literal[Model, "eflomal"]
_MOST_WORDS, _MOST_ORDER, _MOST_TOKENS = 8, 7, 1_000


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

    aligner: Aligner = "hmm"
    symmetrise: Symmetrisation = "grow-diag-final-and"
    longest_phrase: int = 7
    smoothing: Smoothing = "kneser-ney"
    reordering: bool = True
    order: int = 5  # of the language model
    truecase: bool = True
    longest_sentence: int = 100  # words; longer pairs are left out of training

    def __post_init__(self) -> None:
        for what, value, most in (
            ("the order of the language model", self.order, _MOST_ORDER),
            ("the length of phrases", self.longest_phrase, _MOST_WORDS),
            ("the length of training sentences", self.longest_sentence, _MOST_TOKENS),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise UsageError(f"{what} must be a whole number from 1 to {most:,}; found {value!r}.")
        for what, name, names in (
            ("word aligner", self.aligner, get_args(Aligner)),
            ("way to symmetrise alignments", self.symmetrise, get_args(Symmetrisation)),
            ("smoothing of phrases", self.smoothing, get_args(Smoothing)),
        ):
            if name not in names:
                raise UsageError(f"there is no {what} {name!r}; there are: {', '.join(names)}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values that tell one training from another."""
        return asdict(self)
