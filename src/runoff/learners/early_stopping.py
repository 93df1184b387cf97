"""Dev scores during training, and when to stop."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError
from runoff.features import align
from runoff.metrics import first_rows, with_statistics
from runoff.model import LinearModel
from runoff.ranking import TIE_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest


class DevScorer:
    """Scores weights for the named columns on dev data, under a metric whose statistics are computed once.

    Tied candidates count in expectation, whatever the metric's own `ties`, so that what is chosen by these scores does
    not depend on the order of the file.
    """

    def __init__(self, data: NBest, metric: Metric, names: pa.Array) -> None:
        self.metric, self.names = metric.in_expectation, names
        self.data = with_statistics(data, metric)
        self._columns = align(data.features, names)

    @cached_property
    def width(self) -> int:
        """Number of statistics of a choice. O(dev data), once."""
        return self.sums(np.zeros(len(self.names)), 0.0).size

    def rows(self, weights: Floats, base_weight: float) -> Floats:
        """Statistics of the choices that these weights make, one row per group."""
        known = np.where(self._columns >= 0, weights[self._columns], 0.0) if weights.size else weights[:0]
        model = LinearModel(known, self.data.features.column_names(), base_weight)
        return self.metric.rows(self.data, model.ranking(self.data))

    def sums(self, weights: Floats, base_weight: float) -> Floats:
        """Summed statistics of the choices that these weights make."""
        sums: Floats = self.rows(weights, base_weight).sum(axis=0)
        return sums

    def score(self, weights: Floats, base_weight: float) -> float:
        """Metric of the choices that these weights make."""
        return float(self.metric.score(self.sums(weights, base_weight)))


def dev_entry(metric: Metric, data: NBest, score: float) -> dict[str, Any]:
    """What the provenance says about dev data: the metric that decided, its score, and the first round's.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> dev_entry(get("mrr").in_expectation, NBest.from_arrays(quality=[0, 1], sizes=[2]), 0.75)["first_round"]
    0.5
    """
    return {
        "metric": f"{metric.signature}|ties:{TIE_RULES[metric.ties]}",
        "score": score,
        "first_round": float(metric.score(first_rows(metric, data).sum(axis=0))),
    }


def dev_entry_of(model: LinearModel, dev: NBest, metric: Metric) -> dict[str, Any]:
    """The same for what a model has on dev data."""
    judged, expected = with_statistics(dataclasses.replace(dev, rows=None), metric), metric.in_expectation
    return dev_entry(expected, judged, float(expected.score(expected.rows(judged, model.ranking(judged)).sum(axis=0))))


def check_dev_features(train: NBest, dev: NBest | None) -> None:
    """Raise if the dev data has features and the training data has none of them.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train, dev = (NBest.from_arrays([[1], [0]], [1, 0], sizes=[2], feature_names=[name]) for name in ("x", "y"))
    >>> check_dev_features(train, dev)
    Traceback (most recent call last):
    runoff.errors.DataError: the dev data has none of the features of the training data (such as x, not y): it cannot \
judge their weights. Call them the same in both.
    """
    if dev is None or not train.features.n_columns or not dev.features.n_columns:
        return
    if not np.any(align(dev.features, train.features.column_names()) >= 0):
        mine, theirs = (data.features.column_names()[0].as_py() for data in (train, dev))
        raise DataError(
            f"the dev data has none of the features of the training data (such as {mine}, not {theirs}): it cannot "
            "judge their weights. Call them the same in both."
        )


class EarlyStopping:
    """Keeps the best step on dev and stops after `patience` steps without a better one; None: it never stops."""

    def __init__(self, patience: int | None) -> None:
        self.patience, self.best_score, self.waited = patience, -float("inf"), 0
        self.best: Any = None

    def see(self, score: float, state: Any) -> None:
        """Record a step and its score, higher being better.

        Raises StopIteration, which ends scipy's solvers.
        """
        if score > self.best_score:
            self.best_score, self.best, self.waited = score, state, 0
            return
        self.waited += 1
        if self.patience is not None and self.waited >= self.patience:
            raise StopIteration


def sum_curves(curves: Sequence[Floats]) -> Floats:
    """Sum of the curves of several folds, one row of statistics per step; a shorter one continues with its last row.

    Examples
    --------
    >>> sum_curves([np.array([[1.0], [2.0]]), np.array([[10.0]])]).tolist()
    [[11.0], [12.0]]
    """
    steps = np.arange(max(map(len, curves)))
    total = np.zeros((steps.size, curves[0].shape[1]))
    for curve in curves:
        total += curve[np.minimum(steps, len(curve) - 1)]
    return total
