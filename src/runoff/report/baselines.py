"""Choices that need no training, beside which a model has to stand; each task brings its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from runoff.metrics import Difference
from runoff.report.scored import Scored, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric, Resampling
    from runoff.nbest import NBest
    from runoff.tasks import Task

ALPHA = 0.05  # p-values below it count as beyond chance
RANDOM = "random"


@dataclass(frozen=True)
class BaselineResult:
    """A choice that needs no training, beside the first round's and beside the model's where there is one."""

    name: str
    label: str  # the name as people say it
    scored: Scored
    gain: Difference  # over the first round, positive is better
    p: float  # of the gain, by approximate randomisation, two-sided
    lead: Difference | None = None  # of the model's choice over this one, positive when the model's is better
    lead_p: float | None = None

    @property
    def better(self) -> bool:
        """Whether it beats the first round beyond chance, by its own p."""
        return self.gain.delta > 0 and self.p < ALPHA

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


def baseline_results(
    task: Task,
    metric: Metric,
    data: NBest,
    first_rows: Floats,
    resampling: Resampling,
    chosen_rows: Floats | None = None,
) -> tuple[BaselineResult, ...]:
    """A random choice and all baselines of a task, judged by a metric whose statistics the data has.

    O((resamples + trials) x groups) for each choice, beside what the task's baselines cost.
    """
    found = {RANDOM: metric.random_rows(data, resampling.seed)}
    found |= {name: metric.rows(data, ranked) for name, ranked in task.baselines(data, metric).items()}
    return tuple(
        BaselineResult(
            name,
            task.baseline_names.get(name, name),
            Scored.of(rows, metric, resampling),
            resampling.difference(rows, first_rows, metric),
            resampling.p_value(rows, first_rows, metric),
            None if chosen_rows is None else resampling.difference(chosen_rows, rows, metric),
            None if chosen_rows is None else resampling.p_value(chosen_rows, rows, metric),
        )
        for name, rows in found.items()
    )


def best_of(baselines: Sequence[BaselineResult]) -> BaselineResult:
    """The baseline with the best score, of equal ones the last: what looks at the others before what looks at nothing.

    Nobody would choose at random, so that is never the best.
    """
    return max(reversed(informed(baselines)), key=lambda baseline: baseline.gain.delta)


def informed(baselines: Sequence[BaselineResult]) -> list[BaselineResult]:
    """All baselines but the random one."""
    return [baseline for baseline in baselines if baseline.name != RANDOM]


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
    def baselines(self) -> tuple[BaselineResult, ...]:
        """Choices that need no training."""


Chosen = tuple[Scored, Difference, float]  # score, gain over the first round, p


def choice_table(judged: Judged, confidence: float, chosen: Chosen | None = None) -> tuple[list[str], list[list[str]]]:
    """A table with a row for every choice: score, interval, gain over the first round, its interval and p."""
    places = judged.digits

    def row(name: str, scored: Scored, gain: Difference | None = None, p: float | None = None) -> list[str]:
        gained = ["", ""] if gain is None else [f"{gain.delta:+.{places}f}", span(gain, places)]
        between = "–" if scored.low >= 0 else " to "  # a dash before a minus cannot be read
        interval = f"{scored.low:.{places}f}{between}{scored.high:.{places}f}"
        return [name, f"{scored.score:.{places}f}", interval, *gained, "" if p is None else p_text(p)]

    def rows() -> Iterator[list[str]]:
        for baseline in judged.baselines:
            yield row(baseline.label, baseline.scored, baseline.gain, baseline.p)
            if baseline.name == RANDOM:
                yield row("first round", judged.first)
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


def versus(metric: str, places: int, baseline: BaselineResult) -> str:
    """How the model's choice stands beside the best one that needs no training, in a sentence."""
    if baseline.lead is None or baseline.lead_p is None:
        return ""
    lead, verb = baseline.lead, "leads"
    if lead.delta == 0:
        return f"{metric}: chosen is as good as {baseline.label}, the best choice without training."
    if lead.delta < 0:
        lead, verb = Difference(-lead.delta, -lead.high, -lead.low, lead.p), "trails"
    by = f"{lead.delta:.{places}f} ({span(lead, places)}, p {p_text(baseline.lead_p)})"
    return f"{metric}: chosen {verb} {baseline.label}, the best choice without training, by {by}."


def doubts(metric: str, baselines: Sequence[BaselineResult]) -> list[str]:
    """A warning where training has not paid: a choice that needs none gains, and the model's does not beat it."""
    if not baselines:
        return []
    baseline = best_of(baselines)
    if baseline.lead is None or baseline.lead_p is None or baseline.gain.delta <= 0:
        return []
    if baseline.lead.delta > 0 and baseline.lead_p < ALPHA:
        return []
    p, name = f"(p {p_text(baseline.lead_p)})", f"{baseline.label}, which needs no training"
    if baseline.lead.delta < 0 and baseline.lead_p < ALPHA:
        return [f"{metric}: chosen is WORSE than {name}, beyond chance {p}."]
    return [f"{metric}: chosen is not better than {name}, beyond chance {p}."]


def plain(difference: Difference) -> dict[str, float]:
    """A difference for JSON; its p is the bootstrap's."""
    out = asdict(difference)
    out["p_bootstrap"] = out.pop("p")
    return out
