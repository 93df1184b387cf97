"""Quality of candidates from a metric, computed once and carried by the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.metrics.base import PickMetric
from runoff.metrics.registry import get, resolve
from runoff.metrics.text_metric import TextMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.metrics.base import Metric
    from runoff.nbest import NBest


def grade(data: NBest, metric: str | Metric | None = None) -> NBest:
    """Return the data with a quality for every candidate.

    Data that has quality is returned as it is, unless a metric is given that computes quality itself, from texts and
    references or from precomputed statistics. The default is the metric that the data names. The metric's statistics
    are kept too, so that nothing is computed twice.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b", "a"], sizes=[2], references=["a c"], metric="wer")
    >>> grade(data).quality.tolist()
    [-1.0, -1.0]
    >>> grade(data, "bleu[tokenize=none]").quality.round(1).tolist()
    [50.0, 36.8]
    """
    if metric is None:
        if data.quality is not None:
            return data
        if data.metric is None:
            raise UsageError(
                "this data has no quality and does not name its metric; "
                "name a metric such as wer or bleu, or add quality."
            )
        metric = data.metric
    chosen = get(metric)
    data = with_statistics(data, chosen)
    quality = chosen.quality(data)
    return data if chosen.reads_quality else data.replace(quality=quality, missed=None)  # `missed` is on another scale


def metrics_of(
    data: NBest,
    asked: str | Metric | Sequence[str | Metric] | None = None,
    otherwise: str | Metric | None = None,
) -> list[Metric]:
    """The metrics to choose and to judge by: those asked for, else the data's usual ones, else others, else quality.

    Learners and reports all follow this rule; of several metrics the first one chooses. A usual metric that the data
    has nothing to compute from, such as WER without references, does not count where there is quality.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[1, 0], sizes=[2], metric="map,ndcg@5")
    >>> metrics_of(data), metrics_of(data, "mrr"), metrics_of(data.replace(metric=None), otherwise="ndcg")
    ([MAP(), NDCG(5)], [MRR()], [NDCG()])
    """
    usual = data.metric
    if usual is not None and data.quality is not None and data.references is None:
        first = resolve(usual)[0]
        has_statistics = isinstance(first, PickMetric) and first.key in data.stats
        usual = usual if first.reads_quality or has_statistics else None
    return resolve(asked, default=usual or otherwise or "quality")


def grade_for(data: NBest, asked: Sequence[Metric]) -> NBest:
    """Return the data with quality for these metrics: its own, or computed by the first metric that can.

    Quality that the data carries is never replaced. Where there is none, a metric that uses quality (such as NDCG)
    cannot be combined with one that computes it from references: it would use the other's numbers.

    Examples
    --------
    >>> from runoff.metrics import WER
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b", "a"], sizes=[2], references=["a c"])
    >>> grade_for(data, [WER()]).quality.tolist()
    [-1.0, -1.0]
    """
    finders = [metric for metric in asked if not metric.reads_quality]
    if data.quality is not None or data.references is None or not finders:
        return data
    readers = [metric.label for metric in asked if metric.reads_quality]
    if readers:
        raise UsageError(
            f"{', '.join(readers)} uses the quality of candidates, and this data has references but no quality; "
            f"leave it out, or add quality. {', '.join(metric.label for metric in finders)} needs none."
        )
    return grade(data, finders[0])


def without_usual_quality(data: NBest) -> NBest:
    """Return the data without its quality, if that is what its usual metric computes: another metric may be asked for.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b", "a"], sizes=[2], references=["a c"], metric="wer")
    >>> without_usual_quality(grade(data)).quality is None
    True
    >>> without_usual_quality(data.replace(quality=[0.0, 1.0])).quality.tolist()
    [0.0, 1.0]
    """
    if data.quality is None or data.metric is None or data.texts is None or data.references is None:
        return data
    usual = resolve(data.metric)[0]
    if not isinstance(usual, PickMetric) or usual.reads_quality or usual.key not in data.stats:
        return data
    return data.replace(quality=None) if np.array_equal(usual.quality(data), data.quality) else data


def with_references(data: NBest, metric: Metric, *, others_have: bool = False) -> NBest:
    """Leave out groups without a reference if the metric needs one and other groups have one; a note counts them.

    `others_have` says that groups of other blocks do.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b"], sizes=[1, 1], references=[["a"], []])
    >>> found = with_references(data, get("wer"))
    >>> len(found), found.notes[0]
    (1, '1 of 2 group(s) have no reference, which wer needs, and are left out.')
    """
    if not isinstance(metric, TextMetric) or data.quality is not None or data.references is None:
        return data
    known = np.array([bool(given) for given in data.references.to_pylist()], bool) | (data.sizes == 0)
    missing = int((~known).sum())
    if not missing or not (known.any() or others_have) or metric.key in data.stats:
        return data
    note = f"{missing:,} of {len(data):,} group(s) have no reference, which {metric.label} needs, and are left out."
    return data[known].replace(notes=(*data.notes, note))


def with_statistics(data: NBest, metric: Metric) -> NBest:
    """Return the data with the metric's statistics for every candidate, if it has any.

    Statistics of other metrics that the same computation yields are kept too, unless the data has them.

    Examples
    --------
    >>> from runoff.metrics import WER
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b"], sizes=[1], references=["a c"])
    >>> with_statistics(data, WER()).stats["wer"].tolist()
    [[1.0, 0.0, 0.0, 2.0]]
    """
    if not isinstance(metric, PickMetric) or metric.reads_quality or metric.key in data.stats:
        return data
    new = {key: frozen(rows) for key, rows in metric.compute_all(data).items() if key not in data.stats}
    return data.replace(stats={**data.stats, **new})
