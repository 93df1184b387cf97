"""How a model that was built round by round became better, judged on the lists that are looked at."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from runoff.model import TreeModel

if TYPE_CHECKING:
    from runoff.server.study import Study

_POINTS = 16
_MOST_CANDIDATES = 2_000_000  # that are scored for all points together


def learning_curve(study: Study) -> list[tuple[int, float]]:
    """Rounds of training, or trees, and the score after them; empty for models that were not built in rounds.

    The first point is the model before the first round. O(points x stored values).

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays([[0], [1]], quality=[1, 0], sizes=[2])
    >>> learning_curve(Study(data, LinearModel.of({"0": 1.0})))
    []
    """
    model, metric = study.model, study.metric
    if model is None or metric is None:
        return []
    path = model.trees if isinstance(model, TreeModel) else model.training_path
    if path is None or not len(path):
        return []
    points = min(_POINTS, max(2, _MOST_CANDIDATES // max(study.data.n_candidates, 1)))
    rounds = np.unique([0, *np.geomspace(1, len(path), points).round().astype(int).tolist()]).tolist()
    prepared = model.prepare(study.data)
    out = []
    for each in rounds:
        part = dataclasses.replace(model.prefix(each), preparation=())
        ranked = part.ranking(prepared)
        out.append((each, float(metric.score(metric.rows(study.data, ranked).sum(axis=0)))))
    return out
