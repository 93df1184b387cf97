"""A task's baselines compared with the first round: what can be gained without training."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.metrics import Resampling, grade_for, reference_choices, with_statistics
from runoff.ranking import first_round
from runoff.report.baselines import (
    ALPHA,
    BaselineResult,
    baseline_results,
    best_baseline,
    choice_table,
    interval_text,
    without_random,
)
from runoff.report.scored import Scored, check_judgeable, metrics_for, p_text, possible, signature
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.report.scored import Asked
    from runoff.tasks import Task


@dataclass(frozen=True)
class BaselineStanding:
    """One metric: the first round, the baselines, and the best possible choice."""

    metric: str
    higher_is_better: bool
    digits: int  # decimals to show
    first: Scored
    oracle: Scored
    possible: float  # gain of the best possible choice
    baselines: tuple[BaselineResult, ...]
    signature: str

    @property
    def verdict(self) -> str:
        """The answer in a sentence: the best of the significantly better baselines, else the best of all."""
        if self.possible == 0:
            return f"{self.metric}: no gain is possible, the first round already has the best candidates."
        choices = without_random(self.baselines)
        if not choices:
            return f"{self.metric}: the task has no baselines."
        better = [baseline for baseline in choices if self.is_better(baseline)]
        best = best_baseline(better or choices)
        p = f"p {p_text(self.corrected(best))} after correction for {len(choices)} baselines"
        if better:
            gain = f"{best.gain.delta:.{self.digits}f} ({interval_text(best.gain, self.digits)}, {p})"
            return f"{self.metric}: {best.label} gains {gain} over the first round, without any training."
        if best.gain.delta < 0:
            loss = f"{-best.gain.delta:.{self.digits}f} ({interval_text(best.gain.reversed, self.digits)}, {p})"
            return f"{self.metric}: every baseline is worse than the first round; the best, {best.label}, by {loss}."
        return (
            f"{self.metric}: no baseline is significantly better than the first round "
            f"(the best is {best.label}: {best.gain.delta:+.{self.digits}f}, {p})."
        )

    def corrected(self, baseline: BaselineResult) -> float:
        """The p-value of a baseline after Bonferroni correction for all baselines but the random one."""
        return min(1.0, baseline.p * len(without_random(self.baselines)))

    def is_better(self, baseline: BaselineResult) -> bool:
        """Whether a baseline is significantly better than the first round, by its corrected p."""
        return baseline.gain.delta > 0 and self.corrected(baseline) < ALPHA

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON; `better` is by the corrected p."""
        baselines = [
            {**baseline.to_dict(), "p_corrected": self.corrected(baseline), "better": self.is_better(baseline)}
            for baseline in self.baselines
        ]
        return {**asdict(self), "baselines": baselines, "verdict": self.verdict}


@dataclass(frozen=True)
class BaselineReport:
    """Baselines under every metric.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.report import evaluate_baselines
    >>> data = NBest.from_arrays(texts=["a b", "a c", "a c"], sizes=[3], references=["a c"])
    >>> report = evaluate_baselines(data, metric="wer")
    >>> [each.name for each in report.standings[0].baselines][:2]
    ['random', 'shortest']
    """

    standings: tuple[BaselineStanding, ...]
    groups: int
    confidence: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "groups": self.groups,
            "confidence": self.confidence,
            "results": [each.to_dict() for each in self.standings],
            "notes": list(self.notes),
        }

    @property
    def remarks(self) -> list[str]:
        """The verdicts and notes."""
        return [*(each.verdict for each in self.standings), *self.notes]

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """A table per metric."""
        return [choice_table(each, self.confidence) for each in self.standings]

    def __str__(self) -> str:
        shown = [f"{text_table(*table)}\n" for table in self.tables()]
        return "\n".join([*shown, *self.remarks, f"signature: {self.standings[0].signature}"])

    def _repr_html_(self) -> str:
        lines = [*self.remarks, f"signature: {self.standings[0].signature}"]
        tables = "".join(html_table(*table) for table in self.tables())
        return tables + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def evaluate_baselines(
    data: NBest, metric: Asked = None, *, task: Task | None = None, resampling: Resampling | None = None
) -> BaselineReport:
    """Compare a task's baselines with the first round, the best possible and a random choice.

    The task is recognised from the data unless it is given. O((resamples + trials) x groups) per choice and metric,
    plus the cost of the baselines.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a bat", "a cat", "a cat"] * 9, sizes=[3] * 9, references=["a cat"] * 9)
    >>> print(evaluate_baselines(data, "wer").remarks[0].partition(" over the first")[0])
    wer: minimum Bayes risk gains 50.00 (+50.00 to +50.00, p 0.018 after correction for 4 baselines)
    """
    task, resampling = task or tasks.recognise(data), (resampling or Resampling()).over(data)
    asked = metrics_for(data, metric)
    data = grade_for(data, asked)
    check_judgeable(data)
    found = tuple(_standing(each, data, task, resampling) for each in asked)
    return BaselineReport(found, len(data), resampling.confidence)


def _standing(metric: Metric, data: NBest, task: Task, resampling: Resampling) -> BaselineStanding:
    data = with_statistics(data, metric)
    first_rows = metric.rows(data, first_round(data))
    first = Scored.of(first_rows, metric, resampling)
    oracle = Scored.of(reference_choices.oracle_rows(metric, data), metric, resampling)
    return BaselineStanding(
        metric.label,
        metric.higher_is_better,
        metric.digits,
        first,
        oracle,
        possible(metric, first.score, oracle.score),
        baseline_results(task, metric, data, first_rows, resampling),
        signature(metric, data, resampling),
    )
