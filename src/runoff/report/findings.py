"""What was found, in a sentence: the titles of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.metrics import get
from runoff.report.baselines import ALPHA
from runoff.report.scored import p_text

COMBINED = "combined"  # the row of a combination

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.model import Explanation
    from runoff.report.combination import CombinationReport
    from runoff.report.evaluation import Result
    from runoff.report.reliability import Reliability

_SAME = 0.005  # of a confidence and an accuracy: what is so near is the same


def gained(result: Result, what: str = "choices") -> str:
    """How the choices compare with the first round's.

    Examples
    --------
    >>> from runoff.metrics import Difference
    >>> from runoff.report.evaluation import Result
    >>> from runoff.report.scored import Scored
    >>> first, chosen, oracle, random = (Scored(each, each - 0.5, each + 0.5) for each in (6.1, 1.08, 0.46, 12.7))
    >>> gain = Difference(5.02, 4.5, 5.5, 0.2)
    >>> print(gained(Result("wer", False, 2, first, chosen, oracle, random, 5.64, gain, 0.0001, "")))
    The choices have 5.02 fewer word errors per 100 words than the first round: 1.08 instead of 6.10
    >>> none = Difference(0.0, -1, 1, 0.2)
    >>> print(gained(Result("bleu", True, 2, chosen, chosen, oracle, random, 5.64, none, 1.0, "")))
    The choices are not better than the first round beyond chance: 1.08 and 1.08 points of bleu (p 1.000)
    """
    metric, first = get(result.metric), result.first.score
    if result.possible == 0:
        return f"No candidate is better than the first round's choice: {first:.{result.digits}f} {metric.unit}"
    return led(metric, first, result.chosen.score, result.p, f"The {what}", are_many=True)


def united(report: CombinationReport) -> str:
    """How a combination compares with the best system."""
    before, after = (report.rows[name][0].score for name in (report.best, COMBINED))
    p = report.differences[report.best][1]
    return led(report.metrics[0], before, after, p, "The combination", f"the best system ({report.best})")


def led(
    metric: Metric,
    before: float,
    after: float,
    p: float,
    what: str,
    other: str = "the first round",
    *,
    are_many: bool = False,
) -> str:
    """How one score lies beside another: beyond chance or not, better or worse."""
    delta = after - before if metric.higher_is_better else before - after
    one, two = (f"{each:.{metric.digits}f}" for each in (after, before))
    unit = f"in {metric.unit}" if metric.unit == metric.label else metric.unit
    if p >= ALPHA or delta == 0:
        known = f"{one} and {two} {unit} (p {p_text(p)})"
        return f"{what} {'are' if are_many else 'is'} not better than {other} beyond chance: {known}"
    much = f"{abs(delta):.{metric.digits}f}"
    if metric.higher_is_better:
        verb = ("gain" if delta > 0 else "lose") + ("" if are_many else "s")
        told = f"{verb} {much} {unit} {'over' if delta > 0 else 'against'} {other}"
    else:
        told = f"{'have' if are_many else 'has'} {much} {'fewer' if delta > 0 else 'more'} {metric.unit} than {other}"
    return f"{what} {told}: {one} instead of {two}"


def trusted(found: Reliability) -> str:
    """Whether the confidence means what it says, as far as chance does not explain the difference."""
    off, chance = found.confidence - found.accuracy, found.accuracy * (1 - found.accuracy) / found.choices
    side = "as often as their confidence says"
    if off**2 > 4 * chance and off**2 > _SAME**2:  # beyond two standard errors
        side = f"{'less' if off > 0 else 'more'} often than their confidence says"
    return (
        f"Choices are {found.means} {side}: {found.accuracy:.1%} at a mean of {found.confidence:.1%} "
        f"(calibration error {found.error:.1%})"
    )


def decided(explanation: Explanation) -> str:
    """What decided for the winner, by families of features."""
    families = explanation.families
    kind: dict[bool, list[str]] = {True: [], False: []}
    for name, amount in families.items():
        if abs(amount) >= 0.1 * max(map(abs, families.values())):
            kind[amount > 0].append(f"{name} ({amount:+.1f})")
    if not kind[True]:
        return "Nothing that the model weighs speaks for this choice"
    told = f"{' and '.join(kind[True][:2])} spoke for this choice"
    told += f", {' and '.join(kind[False][:2])} against it" if kind[False] else ""
    return told[0].upper() + told[1:]


def kept(provenance: Mapping[str, Any], metric: Metric) -> str:
    """Which recipe was kept, and what it won."""
    threshold, name = provenance["threshold"], provenance["recipe"]
    if threshold is not None and threshold["keeps_first_choice"]:
        return "No recipe won anything on held-out lists: the first choice stays"
    found = provenance["recipes"][name]
    gain = found["gain_without_threshold"] if threshold is None else found["gain"]
    why = "," if provenance["fallback"] is None else " (no training needed),"
    much = f"{abs(gain):.{metric.digits}f}"
    if metric.higher_is_better:
        won = f"{'gains' if gain >= 0 else 'loses'} {much} {metric.unit} {'over' if gain >= 0 else 'against'}"
    else:
        won = f"has {much} {'fewer' if gain >= 0 else 'more'} {metric.unit} than"
    return f"Kept: {name}{why} which {won} the first round on held-out lists"
