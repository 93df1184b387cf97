"""Rank of a candidate in the first round, and its first-round score relative to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.groups import softmax
from runoff.ranking import first_round

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = ("position:place", "position:first", "position:second", "position:of list")
BASE_NAMES = ("base:behind best", "base:behind previous", "base:z-score", "base:probability")


def position_features(lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
    """Rank in the first round, and differences of its scores if there are any; a row per candidate.

    `place` is log(1 + rank) with ranks from 0, `of list` the share of the list that ranks before. Differences are to
    the best score of the list, to the next better one, and to the mean, in standard deviations. The probability is the
    softmax of the scores. O(n log k).

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "c"], base=[-2.0, -1.0, -4.0], sizes=[3])
    >>> names, table = position_features(DistinctTexts.of(data))
    >>> table[:, 1].tolist(), table[:, 4].tolist(), table[:, 5].tolist()
    ([0.0, 1.0, 0.0], [-1.0, 0.0, -3.0], [-1.0, 0.0, -2.0])
    """
    data = lists.data
    order = first_round(data)
    starts = np.repeat(data.offsets[:-1], data.sizes)
    place = np.empty(data.n_candidates)
    place[order.rows] = np.arange(data.n_candidates) - starts
    size = np.repeat(data.sizes, data.sizes)
    columns = [np.log1p(place), place == 0, place == 1, place / np.maximum(size, 1)]
    if data.base is None:
        return NAMES, _table(columns, data.n_candidates)
    best = np.zeros(len(data))
    best[order.filled] = data.base[order.top]
    before = np.zeros(data.n_candidates)
    ranked = data.base[order.rows]
    before[order.rows[1:]] = np.diff(ranked)
    before[order.top] = 0.0
    group = data.group_of
    mean = np.bincount(group, data.base, len(data)) / np.maximum(data.sizes, 1)
    away = data.base - mean[group]
    spread = np.sqrt(np.bincount(group, away**2, len(data)) / np.maximum(data.sizes, 1))
    # Equal scores differ from their mean by rounding alone.
    differ = (spread > 1e-9 * np.abs(mean))[group]
    standard = np.divide(away, spread[group], out=np.zeros(away.size), where=differ)
    columns += [data.base - best[group], before, standard, softmax(data.offsets, frozen(data.base))]
    return (*NAMES, *BASE_NAMES), _table(columns, data.n_candidates)


def _table(columns: list[Floats], rows: int) -> Floats:
    return np.column_stack(columns).astype(np.float64) if rows else np.empty((0, len(columns)))
