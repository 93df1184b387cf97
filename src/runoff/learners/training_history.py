"""What training counted step by step, as a model keeps it: a few steps of many."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runoff.model import LinearModel

KEY = "history"  # of the provenance
_STEPS = 32


def with_history(model: LinearModel, history: list[dict[str, float]]) -> LinearModel:
    """The model with at most 32 steps of the history, close together where training begins.

    A blend keeps those of its members, each in its own provenance.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> history = [{"epoch": at + 1.0, "loss": 1.0 / (at + 1)} for at in range(4)]
    >>> with_history(LinearModel.of({"lm": 1.0}), history).provenance
    {'history': {'epoch': [1.0, 2.0, 3.0, 4.0], 'loss': [1.0, 0.5, 0.3333333333333333, 0.25]}}
    """
    if not history or "members" in model.provenance:
        return model
    steps = np.unique(np.geomspace(1, len(history), _STEPS).round().astype(int)) - 1
    kept = {name: [float(history[at][name]) for at in steps.tolist()] for name in history[0]}
    return dataclasses.replace(model, provenance={**model.provenance, KEY: kept})
