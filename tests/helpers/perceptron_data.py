"""Synthetic lists for perceptrons, and what a training leaves."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse

from runoff import NBest, Perceptron

TRAINING = sys.modules[Perceptron._run.__module__]  # where `run_all` is called
ONE = {"tau": 0.7, "epochs": 6}  # a training in which nothing is chosen


def lists(seed: int, groups: int = 40, *, base: bool = True, noise: float = 1.5) -> NBest:
    """Groups of up to 7 candidates; the features tell the quality, in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, groups)
    X = rng.normal(size=(int(sizes.sum()), 5))
    quality = np.round(X @ np.linspace(1, -1, 5) + noise * rng.normal(size=len(X)), 1)
    scores = quality + 2 * rng.normal(size=len(X)) if base else None
    return NBest.from_arrays(X, quality, sizes=sizes, base=scores)


def bits(learner: Perceptron) -> bytes:
    model = learner.model
    votes = b"" if model.votes is None else model.votes.deltas.tobytes() + model.votes.counts.tobytes()
    return model.weights.tobytes() + np.float64(model.base_weight).tobytes() + votes


def facts(learner: Perceptron) -> dict[str, Any]:
    """The record of the model, without the name of the checkpoint."""
    provenance = learner.model.provenance
    return {**provenance, "parameters": {**provenance["parameters"], "checkpoint": None}}


def dense(data: NBest) -> np.ndarray:
    """Features as the compiled loops see them: single precision, in double."""
    features = data.features
    values = np.ones(features.indices.size) if features.values is None else features.values
    shape = (data.n_candidates, features.n_columns)
    return sparse.csr_array((values.astype(np.float64), features.indices, features.indptr), shape=shape).toarray()


def groups_of(data: NBest) -> list[tuple[np.ndarray, list[int]]]:
    """Rows of every group in rank order (ties as they came), with their ranks."""
    found = []
    for group in range(len(data)):
        rows = np.arange(data.offsets[group], data.offsets[group + 1])
        quality = data.quality[rows]
        rows = rows[np.argsort(-quality, kind="stable")]
        found.append((rows, [1 + int(np.sum(quality > each)) for each in data.quality[rows]]))
    return found
