"""One decision worth showing: the first round was wrong, and the model right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.metrics import with_statistics
from runoff.model import LinearModel
from runoff.ranking import first_round
from runoff.report.scored import metrics_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.tasks import Task

SHORT, LONG = 6, 20  # words of a sentence that is easy to read


def clearest_improvement(
    model: LinearModel, data: NBest, metric: Metric, task: Task, about: Sequence[str] = ()
) -> str | None:
    """Id of the list in which the model prefers a perfect candidate, or else a better one, by the largest lead.

    None if no choice is better than the first round's. Lists of readable length come first. With `about`, the lead is
    that of these features alone.

    Examples
    --------
    >>> from runoff import tasks
    >>> from runoff.metrics import Quality
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1], [0], [3]], quality=[0, 1, 0, 1], sizes=[2, 2], group_ids=["a", "b"])
    >>> clearest_improvement(LinearModel.of({"0": 1.0}), data, Quality(), tasks.ROWS)
    'b'
    """
    data = with_statistics(data, metric)
    ranked, first = model.ranking(data), first_round(data)
    chosen = np.asarray(metric.signed(metric.rows(data, ranked)))
    better = np.flatnonzero(chosen > np.asarray(metric.signed(metric.rows(data, first))))
    if better.size == 0:
        return None
    perfect = metric.perfect(data)
    best = chosen.max() if perfect is None else perfect if metric.higher_is_better else -perfect
    speaking = _only(model, about) if about else model
    scores, words = speaking.scores(data), task.lengths(data)[better]
    scores = scores if data.rows is None else scores[data.rows]
    starts = data.offsets[:-1][better]
    lead = scores[starts + ranked.indices[better]] - scores[starts + first.indices[better]]
    readable = (words >= SHORT) & (words <= LONG)
    at = better[np.lexsort((-lead, ~readable, chosen[better] < best))[0]]
    return str(data.group_ids[int(at)].as_py())


def group_to_show(model: LinearModel, data: NBest, task: Task) -> tuple[str, str]:
    """Id of a list that is worth a look, and why: an improvement, else a choice that differs, else the first list.

    Examples
    --------
    >>> from runoff import tasks
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1], [0], [0], [3]], base=[1, 0, 1, 0], sizes=[2, 2], group_ids=["a", "b"])
    >>> group_to_show(LinearModel.of({"0": 1.0}), data, tasks.ROWS)
    ('b', 'the choice differs from that of the first round')
    """
    if len(data) == 0:
        raise DataError("there are no lists to explain: the data is empty.")
    metric = metrics_for(data, None, model)[0]
    if data.quality is not None or data.references is not None:
        found = clearest_improvement(model, data, metric, task)
        if found is not None:
            return found, f"a choice that is better than that of the first round by {metric.label}"
    changed = np.flatnonzero(model.ranking(data).indices != first_round(data).indices)
    at, why = (int(changed[0]), "the choice differs from that of the first round") if changed.size else (0, "the first")
    return str(data.group_ids[at].as_py()), why


def _only(model: LinearModel, names: Sequence[str]) -> LinearModel:
    """The model with the weights of these features only."""
    weights = dict(zip(model.names.to_pylist(), model.weights.tolist(), strict=True))
    return LinearModel.of({name: weights[name] for name in names if name in weights})
