"""Scores with intervals, and the one way in which they are computed and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.learners import Learner
from runoff.metrics import PickMetric
from runoff.model import LinearModel
from runoff.ranking import TIE_RULE
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from runoff.arrays import Floats
    from runoff.metrics import Metric, Resampling
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks import Task

    Asked: TypeAlias = str | Metric | Sequence[str | Metric] | None  # metrics as people name them


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
    """The model, also where a fitted learner is given."""
    found = model.model if isinstance(model, Learner) else model
    if not isinstance(found, LinearModel):
        raise UsageError(f"expected a model or a fitted learner; found {type(model).__name__}.")
    return found


def metrics_for(data: NBest, metric: Asked, model: LinearModel | None = None, task: Task | None = None) -> list[Metric]:
    """What was asked for, else what the task reports, else what is usual for the data, else for the model.

    The task's own list stands in where the data is judged by one of the task's metrics anyway.
    """
    if metric:
        return metrics.resolve(metric)
    if data.metric is not None:
        usual = metrics.resolve(data.metric)
        reported = task is not None and task.reported is not None and usual[0].name in task.metrics
        return metrics.resolve(task.reported) if reported and task is not None else usual
    trained_for = None if model is None else model.metric
    if trained_for is not None:
        found = metrics.resolve(trained_for)
        if data.references is not None or found[0].reads_quality:
            return found
    return metrics.resolve("quality")


def check_judgeable(data: NBest) -> None:
    """Raise where no choice can be judged."""
    if data.n_candidates == 0:
        raise DataError("there is no candidate to judge: the data is empty.")
    if data.quality is None and data.references is None and not data.stats:
        raise DataError(
            "this data has neither references nor quality, so no choice can be judged; `runoff pick` needs neither."
        )


def with_model_statistics(model: LinearModel, data: NBest) -> NBest:
    """The data with statistics and quality that the model's featurizer found on the way: they are not found twice."""
    prepared = model.prepare(data)
    found = {name: rows for name, rows in prepared.stats.items() if name not in data.stats}
    if not found:
        return data
    quality = prepared.quality if data.quality is None else data.quality
    return data.replace(stats={**data.stats, **found}, quality=quality)


def leads(metric: Metric, data: NBest, a: Ranking, b: Ranking) -> Floats:
    """How much better A is in every group with candidates: by quality of the choice, or by the ranking's own score."""
    if isinstance(metric, PickMetric):
        quality = metric.quality(data)
        return quality[a.top] - quality[b.top]
    return metric.score(metric.rows(data, a)) - metric.score(metric.rows(data, b))


def signature(metric: Metric, data: NBest, resampling: Resampling | None = None) -> str:
    """Everything that a number depends on."""
    groups = int((data.sizes > 0).sum())
    more = () if resampling is None else resampling.signature_parts
    return "|".join((metric.signature, f"groups:{groups}", *more, f"ties:{TIE_RULE}", f"runoff:{__version__}"))


def possible(metric: Metric, first: float, oracle: float) -> float:
    """What a perfect choice would win over the first round, never below zero."""
    return max(0.0, (oracle - first) if metric.higher_is_better else (first - oracle))


def p_text(p: float) -> str:
    """A p-value as people write it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
