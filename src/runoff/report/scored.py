"""Scores with intervals, and the one way in which they are computed and written."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING

from runoff import metrics
from runoff.errors import UsageError
from runoff.ranking import TIE_RULE

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Settings:
    """How certain the numbers are to be made; part of every signature."""

    resamples: int = 1_000
    confidence: float = 0.95
    trials: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 1 or self.trials < 1 or not 0 < self.confidence < 1:
            raise UsageError("resamples and trials must be at least 1, and confidence between 0 and 1.")

    def signature(self, metric: metrics.Metric, groups: int) -> str:
        """Everything that the number depends on."""
        parts = (
            metric.signature,
            f"groups:{groups}",
            f"bootstrap:{self.resamples}",
            f"confidence:{self.confidence:g}",
            f"randomisation:{self.trials}",
            f"seed:{self.seed}",
            f"ties:{TIE_RULE}",
            f"runoff:{installed_version('runoff')}",
        )
        return "|".join(parts)


@dataclass(frozen=True)
class Scored:
    """A score and its bootstrap interval over groups."""

    score: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: Floats, metric: metrics.Metric, settings: Settings) -> Scored:
        """Score rows of statistics. O(resamples x groups)."""
        spread = metrics.interval(
            rows,
            metric.score,
            resamples=settings.resamples,
            confidence=settings.confidence,
            seed=settings.seed,
        )
        return cls(float(metric.score(rows.sum(axis=0))), spread.low, spread.high)


def lead(rows_a: Floats, rows_b: Floats, metric: metrics.Metric, settings: Settings) -> metrics.Difference:
    """How much better A is than B (positive is better for any metric), by paired bootstrap."""
    sign = 1 if metric.higher_is_better else -1
    return metrics.paired_bootstrap(
        rows_a,
        rows_b,
        lambda sums: sign * metric.score(sums),
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
    )


def chosen_metrics(data: NBest, metric: str | metrics.Metric | None) -> list[metrics.Metric]:
    """Metrics that were asked for, or those that are usual for this data."""
    if isinstance(metric, metrics.Metric):
        return [metric]
    return metrics.parse(metric or data.metric or "quality")


def graded(data: NBest, metric: metrics.Metric) -> NBest:
    """Make sure that quality is there, from references where need be."""
    return metrics.grade(data, metric) if data.quality is None and data.references is not None else data


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
