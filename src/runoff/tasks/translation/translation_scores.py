"""What translations are worth beside references, as sacrebleu counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.metrics import get
from runoff.metrics.base import PickMetric
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
    found = {}
    for name in metrics:
        metric = get(name)
        if isinstance(metric, PickMetric):
            found[name] = float(metric.score(metric.statistics(data).sum(axis=0)))
    return found
