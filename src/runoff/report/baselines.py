"""Baselines: choices without training that a model has to beat.

Each task has its own; lists that tell the scores of several systems have the fusions of these.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from runoff.combine.fused_choices import FUSIONS, fused_choices
from runoff.metrics import Difference
from runoff.report.scored import Scored, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.arrays import Floats
    from runoff.metrics import Metric, Resampling
    from runoff.nbest import NBest
    from runoff.tasks import Task

ALPHA = 0.05  # significance level
RANDOM = "random"


@dataclass(frozen=True)
class BaselineResult:
    """A baseline, compared with the first round and with the model, if there is one."""

    name: str
    label: str  # the name as shown
    scored: Scored
    gain: Difference  # over the first round, positive is better
    p: float  # of the gain, by approximate randomisation, two-sided
    lead: Difference | None = None  # of the model's choice over this one, positive when the model's is better
    lead_p: float | None = None

    @property
    def better(self) -> bool:
        """Whether it is significantly better than the first round, by its own p."""
        return self.gain.delta > 0 and self.p < ALPHA

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        out = {
            "name": self.name,
            **asdict(self.scored),
            "gain": difference_to_dict(self.gain),
            "p_randomisation": self.p,
            "better": self.better,
        }
        if self.lead is not None:
            out |= {"lead_of_chosen": difference_to_dict(self.lead), "lead_p_randomisation": self.lead_p}
        return out


def baseline_results(
    task: Task | None,
    metric: Metric,
    data: NBest,
    first_rows: Floats,
    resampling: Resampling,
    chosen_rows: Floats | None = None,
) -> tuple[BaselineResult, ...]:
    """A random choice, all baselines of a task, and all fusions of several systems, by a metric with statistics.

    O((resamples + trials) x groups) per choice, plus the cost of the task's baselines.
    """
    choices = {**(task.baselines(data, metric) if task is not None else {}), **fused_choices(data)}
    if not choices:
        return ()
    rows = {name: metric.rows(data, ranked) for name, ranked in choices.items()}
    found = {RANDOM: metric.random_rows(data, resampling.seed), **rows}
    labels = {
        **{name: label for name, (label, _) in FUSIONS.items()},
        **(task.baseline_names if task is not None else {}),
    }
    return tuple(
        BaselineResult(
            name,
            labels.get(name, name),
            Scored.of(rows, metric, resampling),
            resampling.difference(rows, first_rows, metric),
            resampling.p_value(rows, first_rows, metric),
            None if chosen_rows is None else resampling.difference(chosen_rows, rows, metric),
            None if chosen_rows is None else resampling.p_value(chosen_rows, rows, metric),
        )
        for name, rows in found.items()
    )


def best_baseline(baselines: Sequence[BaselineResult]) -> BaselineResult:
    """The baseline with the best score, the last of equal ones; never the random choice.

    Baselines that compare candidates come after those that look at length alone.
    """
    return max(reversed(without_random(baselines)), key=lambda baseline: baseline.gain.delta)


def without_random(baselines: Sequence[BaselineResult]) -> list[BaselineResult]:
    """All baselines but the random one."""
    return [baseline for baseline in baselines if baseline.name != RANDOM]


# -------------------------------------------------------------------- tables and sentences


class ChoiceScores(Protocol):
    """Scores of all choices under one metric, for a table."""

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
        """The gain of the best possible choice."""

    @property
    def baselines(self) -> tuple[BaselineResult, ...]:
        """The baselines, a random choice among them."""


Chosen = tuple[Scored, Difference, float]  # score, gain over the first round, p


def choice_table(
    scores: ChoiceScores, confidence: float, chosen: Chosen | None = None
) -> tuple[list[str], list[list[str]]]:
    """A table with a row for every choice: score, interval, gain over the first round, its interval and p."""
    places = scores.digits

    def row(name: str, scored: Scored, gain: Difference | None = None, p: float | None = None) -> list[str]:
        gained = ["", ""] if gain is None else [f"{gain.delta:+.{places}f}", interval_text(gain, places)]
        between = "–" if scored.low >= 0 else " to "  # a dash before a minus is hard to read
        interval = f"{scored.low:.{places}f}{between}{scored.high:.{places}f}"
        return [name, f"{scored.score:.{places}f}", interval, *gained, "" if p is None else p_text(p)]

    def rows() -> Iterator[list[str]]:
        for baseline in scores.baselines:
            yield row(baseline.label, baseline.scored, baseline.gain, baseline.p)
            if baseline.name == RANDOM:
                yield row("first round", scores.first)
        if chosen is not None:
            yield row("chosen", *chosen)
        # The oracle sees the references, so its gain needs no test.
        best = row("oracle", scores.oracle)
        best[3] = f"{scores.possible:+.{places}f}"
        yield best

    interval = f"{100 * confidence:.4g}% interval"
    return ["choice", scores.metric, interval, "gain", interval, "p"], list(rows())


def interval_text(gain: Difference, places: int) -> str:
    """The confidence interval of a difference, as text."""
    return f"{gain.low:+.{places}f} to {gain.high:+.{places}f}"


def compare_with_baseline(
    metric: str, places: int, baselines: Sequence[BaselineResult], gain: Difference, p: float
) -> str:
    """A sentence that compares the model's choice with the best baseline, or the first round if that one is better.

    `gain` and `p` are those of the model's choice over the first round.
    """
    best = best_baseline(baselines)
    if best.lead is None or best.lead_p is None:
        return ""
    name, lead, lead_p = f"{best.label}, the best baseline", best.lead, best.lead_p
    if best.gain.delta < 0:
        name, lead, lead_p = "the first round, which is better than every baseline", gain, p
    if lead.delta == 0:
        return f"{metric}: chosen is as good as {name}."
    verb = "leads" if lead.delta > 0 else "trails"
    lead = lead if lead.delta > 0 else lead.reversed
    by = f"{lead.delta:.{places}f} ({interval_text(lead, places)}, p {p_text(lead_p)})"
    return f"{metric}: chosen {verb} {name}, by {by}."


def baseline_warnings(metric: str, baselines: Sequence[BaselineResult]) -> list[str]:
    """A warning if a baseline beats the first round and the model does not beat the baseline."""
    if not baselines:
        return []
    baseline = best_baseline(baselines)
    if baseline.lead is None or baseline.lead_p is None or baseline.gain.delta <= 0:
        return []
    if baseline.lead.delta > 0 and baseline.lead_p < ALPHA:
        return []
    p, name = f"(p {p_text(baseline.lead_p)})", f"{baseline.label}, a baseline without training"
    if baseline.lead.delta < 0 and baseline.lead_p < ALPHA:
        return [f"{metric}: chosen is significantly WORSE than {name} {p}."]
    return [f"{metric}: chosen is not significantly better than {name} {p}."]


def difference_to_dict(difference: Difference) -> dict[str, float]:
    """A difference as plain values, for JSON; its p is the bootstrap's."""
    out = asdict(difference)
    out["p_bootstrap"] = out.pop("p")
    return out
