"""When a claim holds: rules that turn paired tests into verdicts. No verdict is written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from runoff.report.scored import p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.reproduce.results import Compared

Word: TypeAlias = Literal["holds here", "does not hold here", "cannot be told"]
HOLDS: Final = "holds here"
FAILS: Final = "does not hold here"
OPEN: Final = "cannot be told"
LEVEL = 0.05
RULE = (
    "That one is better holds here if the difference has the claim's sign and p < 0.05 by the paired randomisation "
    "test over the test groups; it does not hold here if the sign is the other and p < 0.05; else it cannot be told. "
    "That two are alike holds if the 95% bootstrap interval of their difference lies within the margin that is given; "
    "it does not hold if p < 0.05 and the difference is outside. A claim of several comparisons holds if each of them "
    "does, and does not hold if one fails at 0.05 divided by their number. Numbers that are not paired must have 95% "
    "intervals that do not touch. What can be computed exactly is compared "
    "exactly; times and amounts of work are measured once."
)


@dataclass(frozen=True)
class Judgement:
    """A verdict and the numbers that it follows from.

    Examples
    --------
    >>> Judgement("cannot be told", "there are two sentences").p is None
    True
    """

    verdict: Word
    reason: str
    p: float | None = None  # of a failure, for claims of several comparisons


def better(found: Compared, *, digits: int = 2, factor: float = 1.0) -> Judgement:
    """Whether the first is better than the second.

    Examples
    --------
    >>> from runoff.metrics import Difference
    >>> from runoff.reproduce.results import Compared
    >>> better(Compared("KL", "ML", "NDCG", Difference(0.9, 0.1, 1.7, 0.03), 0.02, 784))
    Judgement(verdict='holds here', reason='KL over ML: +0.90 NDCG (+0.10 to +1.70, p 0.020, 784 groups)', p=0.02)
    """
    delta = found.difference.delta
    verdict: Word = OPEN
    if found.p < LEVEL and delta != 0:
        verdict = HOLDS if delta > 0 else FAILS
    return Judgement(verdict, _told(found, digits, factor), found.p)


def alike(found: Compared, margin: float, *, digits: int = 2, factor: float = 1.0) -> Judgement:
    """Whether two differ by no more than a margin, in the units of the metric."""
    low, high, delta = found.difference.low, found.difference.high, found.difference.delta
    verdict: Word = OPEN
    if -margin <= low and high <= margin:
        verdict = HOLDS
    elif found.p < LEVEL and abs(delta) > margin:
        verdict = FAILS
    told = f"{_told(found, digits, factor)}, margin ±{factor * margin:.{digits}f}"
    return Judgement(verdict, told, found.p)


def exactly(is_true: bool, reason: str) -> Judgement:
    """What was computed, and is so or is not."""
    return Judgement(HOLDS if is_true else FAILS, reason, 0.0)


def sooner(first: float, second: float, reason: str) -> Judgement:
    """Whether the first of two amounts of time or work, measured once, is smaller; equal ones tell nothing."""
    return untold(reason) if first == second else exactly(first < second, reason)


def apart(first: Sequence[float | None], second: Sequence[float | None], reason: str) -> Judgement:
    """Whether the first of two cells is higher: their 95% intervals must not touch."""
    low, high = (float(first[1] or 0.0), float(first[2] or 0.0))
    other_low, other_high = (float(second[1] or 0.0), float(second[2] or 0.0))
    if low > other_high or other_low > high:
        return exactly(low > other_high, reason)
    return untold(f"{reason}: the 95% intervals touch")


def untold(reason: str) -> Judgement:
    """What the data says nothing about."""
    return Judgement(OPEN, reason)


def all_of(outcomes: Sequence[Judgement]) -> Judgement:
    """Whether every part of a claim holds.

    Examples
    --------
    >>> all_of([exactly(True, "a"), untold("b")])
    Judgement(verdict='cannot be told', reason='a; b', p=None)
    """
    reason = "; ".join(each.reason for each in outcomes)
    if outcomes and all(each.verdict == HOLDS for each in outcomes):
        return Judgement(HOLDS, reason)
    level = LEVEL / max(len(outcomes), 1)
    if any(each.verdict == FAILS and each.p is not None and each.p < level for each in outcomes):
        return Judgement(FAILS, reason)
    return Judgement(OPEN, reason)


def _told(found: Compared, digits: int, factor: float) -> str:
    delta, low, high = (
        f"{factor * each:+.{digits}f}" for each in (found.difference.delta, found.difference.low, found.difference.high)
    )
    return (
        f"{found.first} over {found.second}: {delta} {found.metric} ({low} to {high}, p {p_text(found.p)}, "
        f"{found.groups:,} groups)"
    )
