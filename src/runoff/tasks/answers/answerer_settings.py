"""How an answerer is trained and how it searches."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from runoff.parameters import check_all, checks_of, choice, parameter, whole


@dataclass(frozen=True)
class AnswererSettings:
    """Settings of an answerer, as plain values.

    Parameters
    ----------
    best
        Translations of a question that sentences are compared with.
    passages
        Passages that are searched for candidates.
    folds
        Folds of the training questions: no question is scored by translators that have seen it.
    tuning
        Rounds of minimum error rate training of the translators' weights; 0 keeps rough weights.
    most_tuning
        Most questions for it, of those with a single answering sentence.
    learner
        What ranks candidates: "loglinear", "trees" or "blend".
    seed
        Of folds and learner.

    Examples
    --------
    >>> AnswererSettings(passages=20).best
    100
    >>> AnswererSettings(folds=1)
    Traceback (most recent call last):
    runoff.errors.UsageError: folds of AnswererSettings must be a whole number from 2 to 50; found 1.
    """

    best: int = parameter(100, whole(1, 10_000))
    passages: int = parameter(100, whole(1, 10_000))
    folds: int = parameter(3, whole(2, 50))
    tuning: int = parameter(3, whole(0, 50))
    most_tuning: int = parameter(120, whole(1, 100_000))
    learner: str = parameter("loglinear", choice("loglinear", "trees", "blend"))
    seed: int = parameter(0, whole(0))

    def __post_init__(self) -> None:
        check_all(type(self).__name__, vars(self), checks_of(self))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a file."""
        return asdict(self)
