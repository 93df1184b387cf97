"""Scores with confidence intervals, and what all reports share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.learners.base import Learner
from runoff.metrics import PickMetric
from runoff.model import LinearModel
from runoff.ranking import TIE_RULES
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from runoff.arrays import Floats
    from runoff.metrics import Metric, Resampling
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks import Task

    Asked: TypeAlias = str | Metric | Sequence[str | Metric] | None  # metrics as the user gives them


@dataclass(frozen=True)
class Scored:
    """A score and its bootstrap interval over groups."""

    score: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: Floats, metric: Metric, resampling: Resampling) -> Scored:
        """Score rows of statistics. O(resamples x groups)."""
        spread = resampling.interval(rows, metric)
        return cls(float(metric.score(rows.sum(axis=0))), spread.low, spread.high)


def model_of(model: object) -> LinearModel:
    """The model; a fitted learner is accepted too."""
    found = model.model if isinstance(model, Learner) else model
    if not isinstance(found, LinearModel):
        raise UsageError(f"expected a model or a fitted learner; found {type(model).__name__}.")
    return found


def metrics_for(data: NBest, metric: Asked, model: LinearModel | None = None, task: Task | None = None) -> list[Metric]:
    """The metrics that were asked for, else the data's usual ones, else the model's, else quality.

    In place of the data's usual metric, if that is one of the task's, come all that the task reports.
    """
    found = metrics.metrics_of(data, metric, None if model is None else model.metric)
    if metric:
        return found
    if data.metric is not None:
        reported = task is not None and task.reported is not None and found[0].name in task.metrics
        return metrics.resolve(task.reported) if reported and task is not None else found
    # What the model was trained for may need references, which this data may lack.
    return found if data.references is not None or found[0].reads_quality else metrics.resolve("quality")


def check_judgeable(data: NBest) -> None:
    """Raise an error if no choice can be evaluated."""
    if data.n_candidates == 0:
        raise DataError("there are no candidates to evaluate: the data is empty.")
    if data.quality is None and data.references is None and not data.stats:
        raise DataError(
            "this data has neither references nor quality, so choices cannot be evaluated; `runoff pick` needs neither."
        )


def with_model_statistics(model: LinearModel, data: NBest) -> NBest:
    """The data with the statistics and quality that the model's featurizer computed, so that they are computed once."""
    prepared = model.prepare(data)
    found = {name: rows for name, rows in prepared.stats.items() if name not in data.stats}
    if not found:
        return data
    quality = prepared.quality if data.quality is None else data.quality
    return data.replace(stats={**data.stats, **found}, quality=quality)


def leads(metric: Metric, data: NBest, a: Ranking, b: Ranking) -> Floats:
    """How much better A is in every group with candidates: by the quality of the choice, or by the ranking's score."""
    if isinstance(metric, PickMetric):
        quality = metric.quality(data)
        return quality[a.top] - quality[b.top]
    return metric.score(metric.rows(data, a)) - metric.score(metric.rows(data, b))


def signature(metric: Metric, data: NBest, resampling: Resampling | None = None) -> str:
    """Every setting that a number depends on."""
    groups = int((data.sizes > 0).sum())
    more = () if resampling is None else resampling.signature_parts
    return "|".join(
        (metric.signature, f"groups:{groups}", *more, f"ties:{TIE_RULES[metric.ties]}", f"runoff:{__version__}")
    )


def possible(metric: Metric, first: float, oracle: float) -> float:
    """The gain of the best possible choice over the first round, never below zero."""
    return max(0.0, (oracle - first) if metric.higher_is_better else (first - oracle))


def p_text(p: float) -> str:
    """A p-value as text."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
