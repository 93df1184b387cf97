"""Lists of texts have choices that need no training; a model has to stand beside them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from runoff.errors import DataError
from runoff.metrics import Difference, randomisation
from runoff.report.scored import Scored, Settings, lead, p_text
from runoff.tasks.text import baselines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest

BEYOND_CHANCE = 0.05
RANDOM = "random"
_BEFORE_FIRST = (RANDOM, "shortest", "longest")  # rows above the first round's; the others come below it
_LABELS = {"bayes-risk": "minimum Bayes risk"}


@dataclass(frozen=True)
class Rival:
    """A choice that needs no training, beside the first round's and beside the model's where there is one."""

    name: str
    scored: Scored
    gain: Difference  # over the first round, positive is better
    p: float  # of the gain, by approximate randomisation, two-sided
    lead: Difference | None = None  # of the model's choice over this one, positive when the model's is better
    lead_p: float | None = None

    @property
    def label(self) -> str:
        """The name as people say it."""
        return _LABELS.get(self.name, self.name)

    @property
    def better(self) -> bool:
        """Whether it beats the first round beyond chance, by its own p."""
        return self.gain.delta > 0 and self.p < BEYOND_CHANCE

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        out = {
            "name": self.name,
            **asdict(self.scored),
            "gain": plain(self.gain),
            "p_randomisation": self.p,
            "better": self.better,
        }
        if self.lead is not None:
            out |= {"lead_of_chosen": plain(self.lead), "lead_p_randomisation": self.lead_p}
        return out


def rivals_of(
    metric: Metric, data: NBest, first_rows: Floats, settings: Settings, chosen_rows: Floats | None = None
) -> tuple[Rival, ...]:
    """A blind choice and all of `runoff.tasks.text.baselines`, judged by a metric whose statistics the data has.

    O(k²) comparisons for lists of k, and O((resamples + trials) x groups) for each choice.
    """
    found = {RANDOM: metric.random_rows(data, settings.seed)}
    found |= {name: metric.rows(data, ranked) for name, ranked in baselines(data, metric).items()}
    return tuple(_rival(name, rows, metric, first_rows, settings, chosen_rows) for name, rows in found.items())


def _rival(
    name: str, rows: Floats, metric: Metric, first_rows: Floats, settings: Settings, chosen_rows: Floats | None
) -> Rival:
    def p(a: Floats, b: Floats) -> float:
        return randomisation(a, b, metric.score, trials=settings.trials, seed=settings.seed)

    return Rival(
        name,
        Scored.of(rows, metric, settings),
        lead(rows, first_rows, metric, settings),
        p(rows, first_rows),
        None if chosen_rows is None else lead(chosen_rows, rows, metric, settings),
        None if chosen_rows is None else p(chosen_rows, rows),
    )


def best_of(rivals: Sequence[Rival]) -> Rival:
    """The rival with the best score, of equal ones the last: what looks at the others before what looks at nothing.

    A blind choice is none that anybody would make, so it is never the best.
    """
    return max(reversed(seeing(rivals)), key=lambda rival: rival.gain.delta)


def seeing(rivals: Sequence[Rival]) -> list[Rival]:
    """All rivals but the blind one."""
    return [rival for rival in rivals if rival.name != RANDOM]


def check_texts(data: NBest) -> None:
    """Raise where texts are to be compared and there are none."""
    if data.texts is None and data.n_candidates:
        raise DataError(
            "choices by votes, by length or by least Bayes risk look at the candidates' texts, and this data has none."
        )


# -------------------------------------------------------------------- as people see them


class Judged(Protocol):
    """What a table of choices needs to know of one metric."""

    @property
    def metric(self) -> str:
        """Name of the metric."""

    @property
    def digits(self) -> int:
        """Decimals to show."""

    @property
    def first(self) -> Scored:
        """The first round."""

    @property
    def oracle(self) -> Scored:
        """The best possible choice."""

    @property
    def possible(self) -> float:
        """What that would win."""

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """Choices that need no training."""


Chosen = tuple[Scored, Difference, float]  # score, gain over the first round, p


def standings(judged: Judged, confidence: float, chosen: Chosen | None = None) -> tuple[list[str], list[list[str]]]:
    """A table with a row for every choice: score, interval, gain over the first round, its interval and p."""
    places = judged.digits

    def row(name: str, scored: Scored, gain: Difference | None = None, p: float | None = None) -> list[str]:
        gained = ["", ""] if gain is None else [f"{gain.delta:+.{places}f}", span(gain, places)]
        between = "–" if scored.low >= 0 else " to "  # a dash before a minus cannot be read
        interval = f"{scored.low:.{places}f}{between}{scored.high:.{places}f}"
        return [name, f"{scored.score:.{places}f}", interval, *gained, "" if p is None else p_text(p)]

    def rows() -> Iterator[list[str]]:
        above = [rival for rival in judged.rivals if rival.name in _BEFORE_FIRST]
        for rival in above:
            yield row(rival.label, rival.scored, rival.gain, rival.p)
        yield row("first round", judged.first)
        for rival in judged.rivals:
            if rival not in above:
                yield row(rival.label, rival.scored, rival.gain, rival.p)
        if chosen is not None:
            yield row("chosen", *chosen)
        # What a choice with the answers before its eyes wins is no question of chance.
        best = row("oracle", judged.oracle)
        best[3] = f"{judged.possible:+.{places}f}"
        yield best

    interval = f"{100 * confidence:.4g}% interval"
    return ["choice", judged.metric, interval, "gain", interval, "p"], list(rows())


def span(gain: Difference, places: int) -> str:
    """Both ends of a difference's interval."""
    return f"{gain.low:+.{places}f} to {gain.high:+.{places}f}"


def versus(metric: str, places: int, rival: Rival) -> str:
    """How the model's choice stands beside the best one that needs no training, in a sentence."""
    if rival.lead is None or rival.lead_p is None:
        return ""
    lead, verb = rival.lead, "leads"
    if lead.delta == 0:
        return f"{metric}: chosen is as good as {rival.label}, the best choice without training."
    if lead.delta < 0:
        lead, verb = Difference(-lead.delta, -lead.high, -lead.low, lead.p), "trails"
    by = f"{lead.delta:.{places}f} ({span(lead, places)}, p {p_text(rival.lead_p)})"
    return f"{metric}: chosen {verb} {rival.label}, the best choice without training, by {by}."


def doubts(metric: str, rivals: Sequence[Rival]) -> list[str]:
    """A warning where training has not paid: a choice that needs none gains, and the model's does not beat it."""
    if not rivals:
        return []
    rival = best_of(rivals)
    if rival.lead is None or rival.lead_p is None or rival.gain.delta <= 0:
        return []
    if rival.lead.delta > 0 and rival.lead_p < BEYOND_CHANCE:
        return []
    p, name = f"(p {p_text(rival.lead_p)})", f"{rival.label}, which needs no training"
    if rival.lead.delta < 0 and rival.lead_p < BEYOND_CHANCE:
        return [f"{metric}: chosen is WORSE than {name}, beyond chance {p}."]
    return [f"{metric}: chosen is not better than {name}, beyond chance {p}."]


def plain(difference: Difference) -> dict[str, float]:
    """A difference for JSON; its p is the bootstrap's."""
    out = asdict(difference)
    out["p_bootstrap"] = out.pop("p")
    return out
