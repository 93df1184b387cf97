"""Sums of models: one model whose scores are those of several, each times its share."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.features.trees import Trees
from runoff.model.linear import LinearModel
from runoff.model.tree_model import TreeModel

if TYPE_CHECKING:
    from collections.abc import Sequence


def scaled(model: LinearModel, factor: float) -> LinearModel:
    """The model whose scores are those of another times a factor; without its training path and calibration.

    Examples
    --------
    >>> scaled(LinearModel.of({"a": 2.0}, 1.0), 0.5).heaviest()
    [('a', 1.0)]
    """
    changed: dict[str, Any] = {
        "weights": frozen(factor * model.weights),
        "base_weight": factor * model.base_weight,
        "training_path": None,
        "calibration": None,
    }
    if isinstance(model, TreeModel):
        changed["trees"] = model.trees.scaled(factor)
    return dataclasses.replace(model, **changed)


def weighted_sum(models: Sequence[LinearModel], shares: Sequence[float]) -> LinearModel:
    """The model whose scores are those of models over the same columns, each times its share, added up.

    A `TreeModel` where one of them is. The preparation is that of the first; there is no provenance. O(weights).

    Examples
    --------
    >>> weighted_sum([LinearModel.of({"a": 2.0}), LinearModel.of({"a": 4.0})], [0.5, 0.25]).weights.tolist()
    [2.0]
    """
    names = models[0].names
    if any(not model.names.equals(names) or model.votes is not None for model in models):
        raise UsageError("only models with the same columns can be added up, and none that votes.")
    parts = [scaled(model, share) for model, share in zip(models, shares, strict=True)]
    linear = (
        frozen(np.sum([part.weights for part in parts], axis=0)),
        names,
        float(sum(part.base_weight for part in parts)),
        models[0].preparation,
    )
    grown = [part.trees for part in parts if isinstance(part, TreeModel)]
    return TreeModel(*linear, trees=Trees.joined(grown)) if grown else LinearModel(*linear)
