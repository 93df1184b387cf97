"""The choices that every other choice is compared with: first round, oracle, oracle@k and random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.ordering import best_first
from runoff.metrics.graded_data import with_statistics
from runoff.ranking import Ranking, first_round

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.metrics.base import Metric
    from runoff.nbest import NBest


def first_rows(metric: Metric, data: NBest) -> Floats:
    """Statistics of the first round's own choice, one row per group.

    Examples
    --------
    >>> from runoff.metrics import Quality
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0.1, 0.5], base=[1.0, 2.0], sizes=[2])
    >>> first_rows(Quality(), data).tolist()
    [[0.5, 1.0]]
    """
    return metric.rows(data, first_round(data))


def oracle_rows(metric: Metric, data: NBest, k: int | None = None) -> Floats:
    """Statistics of the best possible choice, one row per group; see `oracle`.

    Examples
    --------
    >>> from runoff.metrics import Quality
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0.1, 0.5, 0.9], base=[3.0, 2.0, 1.0], sizes=[3])
    >>> oracle_rows(Quality(), data).tolist(), oracle_rows(Quality(), data, k=2).tolist()
    ([[0.9, 1.0]], [[0.5, 1.0]])
    """
    data = with_statistics(data, metric)
    return metric.rows(data, oracle(metric, data, k))


def oracle(metric: Metric, data: NBest, k: int | None = None) -> Ranking:
    """Rank the first k of the first round's order by the metric's quality; the others follow.

    Ties stay in the first round's order, and all candidates are ranked if there is no k. For a corpus metric such as
    BLEU this is the usual oracle, best group by group, which need not have the best corpus score. O(n log n).

    Examples
    --------
    >>> from runoff.metrics.registry import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0.1, 0.5, 0.9], base=[3.0, 2.0, 1.0], sizes=[3])
    >>> oracle(get("quality"), data).rows.tolist(), oracle(get("quality"), data, k=2).rows.tolist()
    ([2, 1, 0], [1, 0, 2])
    """
    if k is not None and k < 1:
        raise UsageError(f"an oracle needs at least one candidate to choose from; found k = {k}.")
    place = np.empty(data.n_candidates)  # in the first round
    place[first_round(data).rows] = np.arange(data.n_candidates) - np.repeat(data.offsets[:-1], data.sizes)
    worth = metric.quality(data)
    if k is not None:
        worth = np.where(place < k, worth, -np.inf)
    return Ranking(data.offsets, frozen(best_first(data.offsets, frozen(worth), frozen(-place))))
