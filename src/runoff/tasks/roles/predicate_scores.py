"""How many predicates were found, and with which lemmas."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.tasks.roles.predicates import is_proper
from runoff.tasks.roles.syntax import where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.propositions import RoleSentence


@dataclass(frozen=True)
class PredicateScores:
    """Precision, recall and F1 of predicates in percent, and the share of those found with the right lemma and roleset.

    Examples
    --------
    >>> print(PredicateScores(gold=4, found=5, correct=4, lemmas=3, rolesets=2))
    predicates: 4 correct of 5 found, 4 gold: precision 80.00, recall 100.00, F1 88.89; of the correct ones, 75.00 %
    have the right lemma and 50.00 % the right roleset.
    """

    gold: int
    found: int
    correct: int
    lemmas: int  # correct predicates with the right lemma
    rolesets: int  # with the right lemma and roleset

    @property
    def precision(self) -> float:
        """Percentage of those found that are gold."""
        return 100 * self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Percentage of gold ones that were found."""
        return 100 * self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        total = self.gold + self.found
        return 200 * self.correct / total if total else 0.0

    def share(self, of: int) -> float:
        """Percentage of the correct predicates."""
        return 100 * of / self.correct if self.correct else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Counts and percentages as plain values."""
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}

    def __str__(self) -> str:
        return (
            f"predicates: {self.correct:,} correct of {self.found:,} found, {self.gold:,} gold: precision "
            f"{self.precision:.2f}, recall {self.recall:.2f}, F1 {self.f1:.2f}; of the correct ones, "
            f"{self.share(self.lemmas):.2f} % have the right lemma and {self.share(self.rolesets):.2f} % the right "
            "roleset."
        )


def evaluate_predicates(gold: Sequence[RoleSentence], found: Sequence[RoleSentence]) -> PredicateScores:
    """Compare predicates with gold ones of the same sentences; gold ones that are not `is_proper` do not count.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Proposition, RoleSentence
    >>> go = RoleSentence(("Go", "!"), (Proposition.of(0, "go", [(0, 1, "V")], "go.01"),))
    >>> evaluate_predicates([go], [go]).f1
    100.0
    """
    if len(gold) != len(found):
        raise DataError(f"expected the same sentences; found {len(gold):,} with gold predicates and {len(found):,}.")
    counts = {"gold": 0, "found": 0, "correct": 0, "lemmas": 0, "rolesets": 0}
    for right, guessed in zip(gold, found, strict=True):
        if right.words != guessed.words:
            raise DataError(f"expected the same sentences; {where(right)} has other words.")
        wanted = {each.predicate: each for each in right.propositions if is_proper(each)}
        given = {each.predicate: each for each in guessed.propositions}
        pairs = [(wanted[at], given[at]) for at in wanted.keys() & given.keys()]
        same = [(one, other) for one, other in pairs if one.lemma == other.lemma]
        counts["gold"] += len(wanted)
        counts["found"] += len(given)
        counts["correct"] += len(pairs)
        counts["lemmas"] += len(same)
        counts["rolesets"] += sum(one.roleset == other.roleset for one, other in same)
    return PredicateScores(**counts)
