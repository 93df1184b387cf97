"""Scores with intervals, and the one way in which they are computed and written."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.learners import Learner
from runoff.model import LinearModel
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

    def signature(self, metric: metrics.Metric, data: NBest) -> str:
        """Everything that an evaluated number depends on."""
        return signature(
            metric,
            data,
            f"bootstrap:{self.resamples}",
            f"confidence:{self.confidence:g}",
            f"randomisation:{self.trials}",
            f"seed:{self.seed}",
        )


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


def model_of(model: object) -> LinearModel:
    """The model, also where a learner that has learned is given."""
    found = model.model if isinstance(model, Learner) else model
    if not isinstance(found, LinearModel):
        raise UsageError(f"expected a model or a learner that has learned; found {type(model).__name__}.")
    return found


def usual_metric(data: NBest, metric: str | metrics.Metric | None, model: LinearModel) -> str | metrics.Metric | None:
    """What was asked for, else what is usual for the data, else what the model was trained for if it can serve."""
    if data.quality is None and data.references is None and not data.stats:
        raise DataError(
            "this data has neither references nor quality, so no choice can be judged; `runoff pick` needs neither."
        )
    if metric or data.metric or model.metric is None:
        return metric or data.metric
    can_serve = data.references is not None or metrics.parse(model.metric)[0].reads_quality
    return model.metric if can_serve else None


def judged_by(data: NBest, metric: str | metrics.Metric | None) -> tuple[list[metrics.Metric], NBest]:
    """Metrics that were asked for, or those that are usual for this data, and the data with quality for them."""
    asked = [metric] if isinstance(metric, metrics.Metric) else metrics.parse(metric or data.metric or "quality")
    return asked, metrics.grade_for(data, asked)


def signature(metric: metrics.Metric, data: NBest, *more: str) -> str:
    """Everything that a number depends on."""
    groups = int((data.sizes > 0).sum())
    parts = (metric.signature, f"groups:{groups}", *more, f"ties:{TIE_RULE}", f"runoff:{installed_version('runoff')}")
    return "|".join(parts)


def possible(metric: metrics.Metric, first: float, oracle: float) -> float:
    """What a perfect choice would win over the first round, never below zero."""
    return max(0.0, (oracle - first) if metric.higher_is_better else (first - oracle))


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
