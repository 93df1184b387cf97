"""How choices of parses are judged in the papers: cells and rows of PARSEVAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.metrics import first_rows, get
from runoff.reproduce.fitting import fitted
from runoff.reproduce.results import kept_rows, measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.reproduce.results import Facts

METRIC = "parseval"
PARTS = {
    "LR": "recall",
    "LP": "precision",
    "F": "f",
    "CBs": "crossing",
    "0 CBs": "no-crossing",
    "2 CBs": "two-crossing",
}


def judged(data: NBest, model: LinearModel | None, *, seed: int, suffix: str = "", metric: str = METRIC) -> Facts:
    """Cells and rows of a model's choices, or of the first round's, without a model."""
    found = get(metric)
    rows = first_rows(found, data) if model is None else found.rows(data, model.ranking(data))
    cells = cells_of(rows, seed=seed, suffix=suffix, metric=metric)
    return {"cells": cells, "rows": kept_rows(rows, metric)}


def cells_of(rows: Floats, *, seed: int, suffix: str = "", metric: str = METRIC) -> dict[str, Any]:
    """All parts of PARSEVAL, shares in per cent."""
    cells = {}
    for name, part in PARTS.items():
        options = "" if part == "f" else f"[part={part}]"
        cells[f"{name}{suffix}"] = measured(rows, f"{metric}{options}", seed=seed)
    return cells


def learned(learner: Learner, parts: Mapping[str, NBest], *, seed: int) -> tuple[LinearModel, Facts]:
    """A model that chose what was left open on dev, and its facts on test."""
    model = fitted(learner, parts["train"], parts["dev"])
    chosen = {
        name: value
        for name, value in model.provenance.items()
        if name in ("epochs", "tau", "rounds", "smoothing", "sigma", "setting", "order")
        and isinstance(value, (int, float, str))
    }
    return model, {**judged(parts["test"], model, seed=seed), "chosen": chosen}
