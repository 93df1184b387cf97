"""The metric of arguments: those of srl-eval.pl, for lists in which a candidate is a tagging of one proposition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from runoff.errors import UsageError
from runoff.metrics.base import PickMetric, ratio
from runoff.metrics.options import check_choice
from runoff.tasks.roles.role_statistics import (
    COLUMNS,
    CORRECT,
    EXCESS,
    MISSED,
    PERFECT,
    PROPOSITIONS,
    role_statistics,
)

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class SrlEval(PickMetric):
    """Arguments of predicates as the Perl script srl-eval.pl of CoNLL-2005 counts them, 0 to 100.

    A candidate is a tag of B, I and O for every word of one proposition, "B-A0 B-V B-A1 I-A1"; gold tags are the first
    reference. An argument is right if its label and its words are. Pieces C-X belong to the last X on their left, and
    all of them must be right; one without an X is an X. R-X is a label like any other. V is not counted.

    Parameters
    ----------
    part
        f, precision or recall of the arguments, or the percentage of perfect propositions. All have the same
        statistics and quality.
    price
        For the quality of candidates, which learners train for: twice the right arguments minus the price of all gold
        and guessed ones. It adds up over propositions. At a price of 1 it is minus the number of excess and missed
        arguments; at the F1 that a choice reaches, as a share, it is highest where the F1 of all is (Dinkelbach 1967).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["B-A0 B-V O O", "B-A0 B-V B-A1 I-A1"]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2], references=["B-A0 B-V B-A1 I-A1"])
    >>> SrlEval().statistics(data).tolist()
    [[1.0, 0.0, 1.0, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0, 1.0]]
    >>> SrlEval().score(SrlEval().statistics(data)).round(2).tolist(), SrlEval().quality(data).tolist()
    ([66.67, 100.0], [-1.0, 0.0])
    """

    part: Literal["f", "precision", "recall", "perfect"] = "f"
    price: float = 1.0

    name = "srl-eval"
    digits = 2
    limit = 100.0
    columns = COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "part")
        if not 0 <= self.price <= 1:
            raise UsageError(f"{self.name}[price=…] must be from 0 to 1; found {self.price}.")

    @property
    def key(self) -> str:
        """All parts share their statistics."""
        return self.name

    @property
    def signature(self) -> str:
        """All options that affect the numbers."""
        quality = "" if self.price == 1 else f"|price:{self.price:g}"
        return f"{self.name}|part:{self.part}|arguments:conll-2005{quality}"

    def compute(self, data: NBest) -> Floats:
        """Compare tags with gold tags."""
        return role_statistics(data, self.name).rows

    def quality_of(self, statistics: Floats) -> Floats:
        """Twice the right arguments minus the price of all gold and guessed ones."""
        right, wrong = statistics[..., CORRECT], statistics[..., EXCESS] + statistics[..., MISSED]
        return 2 * (1 - self.price) * right - self.price * wrong

    def score(self, sums: Floats) -> Floats:
        """The requested part, in the script's own arithmetic; 0 if there is nothing to count."""
        if self.part == "perfect":
            return ratio(100.0 * sums[..., PERFECT], sums[..., PROPOSITIONS])
        precision = ratio(100.0 * sums[..., CORRECT], sums[..., CORRECT] + sums[..., EXCESS])
        if self.part == "precision":
            return precision
        recall = ratio(100.0 * sums[..., CORRECT], sums[..., CORRECT] + sums[..., MISSED])
        return recall if self.part == "recall" else ratio(2.0 * precision * recall, precision + recall)
