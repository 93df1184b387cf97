"""What translations are worth beside references, as sacrebleu counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.metrics import get
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS = ("bleu", "chrf")


def scores_of(
    translations: Sequence[str], references: Sequence[Sequence[str]], metrics: Sequence[str] = METRICS
) -> dict[str, float]:
    """Scores of translations by several metrics, with their names as in the registry.

    Examples
    --------
    >>> scores_of(["a cat sat on the mat"], [["a cat sat on the mat"]])["bleu"]
    100.0
    """
    data = NBest.from_arrays(
        sizes=[1] * len(translations), texts=list(translations), references=[list(each) for each in references]
    )
    judges = {name: metric_of_texts(name) for name in metrics}
    return {name: float(metric.score(metric.statistics(data).sum(axis=0))) for name, metric in judges.items()}


def metric_of_texts(name: str) -> TextMetric:
    """The metric of this name, which must compare a text with its references.

    Examples
    --------
    >>> metric_of_texts("map")
    Traceback (most recent call last):
    runoff.errors.UsageError: translations are judged by a metric of texts, such as bleu; found map.
    """
    found = get(name)
    if not isinstance(found, TextMetric):
        raise UsageError(f"translations are judged by a metric of texts, such as bleu; found {name}.")
    return found
