"""How a model became what it is: step by step as training recorded it, round by round, and with more and more lists."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.training_history import KEY
from runoff.model import TreeModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.server.study import Study

_POINTS = 16
_MOST_CANDIDATES = 2_000_000  # that are scored for all points together
_SHOWN = {  # what learners count, in the order of what says most
    "dev": "on the dev data",
    "loss": "loss on the training lists",
    "mistakes": "violated pairs of the training lists",
    "train": "on the training lists",
    "violation": "largest violation of a constraint",
}


def training_curves(study: Study) -> dict[str, Any] | None:
    """Everything that is known of a model's training as curves; None without a model.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays([[0], [1]], quality=[1, 0], sizes=[2])
    >>> training_curves(Study(data, LinearModel.of({"0": 1.0})))
    {'rounds': [], 'histories': [], 'lists': None}
    """
    if study.model is None:
        return None
    curve, provenance = study.model.learning_curve, study.model.provenance
    members = provenance.get("members")
    recorded = {"": provenance, **(members if isinstance(members, dict) else {})}
    histories = [_history(name, each) for name, each in recorded.items() if isinstance(each, dict)]
    return {
        "rounds": round_scores(study),
        "histories": [each for each in histories if each is not None],
        "lists": None if curve is None else {**curve.to_dict(), "verdict": curve.verdict},
    }


def round_scores(study: Study) -> list[tuple[int, float]]:
    """Rounds of training, or trees, and the score after them; empty for models that were not built in rounds.

    The first point is the model before the first round. O(points x stored values).
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


def _history(name: str, provenance: Mapping[str, Any]) -> dict[str, Any] | None:
    """What says most of the steps of a training; None where it had none, or a file claims what is no history."""
    found = provenance.get(KEY)
    if not isinstance(found, dict) or not found:
        return None
    unit, steps = next(iter(found.items()))
    what = next((each for each in _SHOWN if each in found), None)
    columns = [steps, [] if what is None else found[what]]
    if what is None or not all(isinstance(each, list) and len(each) == len(steps) > 1 for each in columns):
        return None
    points = [pair for pair in zip(*columns, strict=True) if all(isinstance(each, int | float) for each in pair)]
    dev = provenance.get("dev")
    metric = str(dev["metric"]).split("|")[0] if isinstance(dev, dict) and "metric" in dev else "score"
    means = f"{metric} {_SHOWN[what]}" if what in ("dev", "train") else _SHOWN[what]
    kept = provenance.get(f"{unit}s")
    return {
        "name": name,
        "unit": f"{unit}s",
        "means": means,
        "points": points,
        "kept": kept if isinstance(kept, int | float) else None,
    }
