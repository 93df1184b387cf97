"""Synthetic lists for conditional random fields, what a training leaves, and its objective plainly written."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import log_softmax, logsumexp

from runoff import CRF, NBest

SET = {"l2": 0.01, "temperature": 0.5, "loss_weight": 2.0, "rate": 0.05}  # nothing left to choose but epochs
STEPS = {**SET, "method": "sgd", "epochs": 4}
RANKS = {**SET, "space": "permutations", "epochs": 4, "documents": 4}


def lists(seed: int, groups: int = 40, *, most: int = 8, base: bool = False, noise: float = 1.0) -> NBest:
    """Graded documents whose features tell the grade, in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most, groups)
    X = rng.normal(size=(int(sizes.sum()), 5))
    told = X @ np.linspace(1, -1, 5) + noise * rng.normal(size=len(X))
    grades = np.digitize(told, [0.5, 1.5]).astype(float)
    return NBest.from_arrays(X, grades, sizes=sizes, base=told + rng.normal(size=len(X)) if base else None)


def bits(learner: CRF) -> bytes:
    return learner.model.weights.tobytes() + np.float64(learner.model.base_weight).tobytes()


def facts(learner: CRF) -> dict[str, Any]:
    """The record of the model, without the name of the checkpoint."""
    provenance = learner.model.provenance
    return {**provenance, "parameters": {**provenance["parameters"], "checkpoint": None}}


def plain(name: str, strength: float, scores: np.ndarray, losses: np.ndarray) -> float:
    """The formulas of the system's description, for scores F = -E; several right answers count as their mean."""
    right = losses == 0
    if name in ("ml", "la"):
        # Equation 10 sums over the right answers; ours is the mean, and the same for one.
        return float(-log_softmax(scores + (strength * losses if name == "la" else 0.0))[right].mean())
    if name == "ls":
        return float(logsumexp(losses * (scores - scores[right].mean()) + losses))
    p, q = log_softmax(scores), log_softmax(-losses / strength)
    return float(np.exp(p) @ losses if name == "el" else np.exp(q) @ (q - p))


def orders_of(scores: np.ndarray, gains: np.ndarray, discount: str) -> tuple[np.ndarray, np.ndarray]:
    """Score and loss of every order of some documents."""
    n = scores.size
    alpha = 1 / np.log2(np.arange(2, n + 2))
    weights = 1 / np.log2(np.maximum(np.arange(1, n + 1), 2)) if discount == "letor" else alpha
    each = np.array(list(itertools.permutations(range(n))))
    losses = 1 - gains[each] @ weights / (np.sort(gains)[::-1] @ weights)
    return scores[each] @ alpha, np.where(losses < 1e-9, 0.0, losses)


def data_of(kind: str, seed: int, groups: int = 12, *, base: bool = True, grades: bool = False) -> NBest:
    """Lists of up to five candidates with features of a kind: all values, a few of them, or ones."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, groups)
    n = int(sizes.sum())
    X: Any = rng.normal(size=(n, 4)).astype(np.float32)
    if kind != "dense":
        X = sparse.csr_array((np.ones_like(X) if kind == "binary" else X) * (rng.random((n, 4)) < 0.5))
    quality = rng.integers(0, 3, n).astype(float) if grades else np.round(rng.normal(size=n), 1)
    return NBest.from_arrays(X, quality, sizes=sizes, base=rng.normal(3.0, 20.0, n) if base else None)


@functools.lru_cache(maxsize=8)
def features_of(data: NBest) -> np.ndarray:
    """Features, and in a last column the first round's scores less their group's mean, in units of their spread."""
    found = np.zeros((data.n_candidates, data.features.n_columns + 1))
    stored = data.features
    for row in range(data.n_candidates):
        part = slice(stored.indptr[row], stored.indptr[row + 1])
        found[row, stored.indices[part]] = 1.0 if stored.values is None else stored.values[part]
    if data.base is not None:
        unit = base_unit(data)
        for rows in rows_of(data):
            found[rows, -1] = (data.base[rows] - data.base[rows].mean()) / unit
    return found


def base_unit(data: NBest) -> float:
    """Spread of the first round's scores: root mean square, over groups where they differ, of the deviation there."""
    return float(np.sqrt(np.mean([np.var(data.base[r]) for r in rows_of(data) if r.size and np.ptp(data.base[r]) > 0])))


def rows_of(data: NBest) -> list[np.ndarray]:
    return [np.arange(start, stop) for start, stop in itertools.pairwise(data.offsets)]


def teaching(data: NBest) -> list[np.ndarray]:
    """Rows of the groups in which something is better than another."""
    return [rows for rows in rows_of(data) if np.ptp(data.quality[rows]) > 0]


@functools.lru_cache(maxsize=8)
def losses_of(data: NBest) -> np.ndarray:
    """What is missing to the best of the group, where the worst choice costs 1 in the median group."""
    losses = np.zeros(data.n_candidates)
    for rows in rows_of(data):
        losses[rows] = data.quality[rows].max() - data.quality[rows]
    return losses / np.median([losses[rows].max() for rows in teaching(data)])


def total_of(learner: CRF, data: NBest, weights: np.ndarray, groups: list[np.ndarray] | None = None) -> float:
    """Sum of the objective over groups."""
    X, losses = features_of(data), losses_of(data)
    strength = {"la": learner.loss_weight, "kl": learner.temperature}.get(learner.objective, 1.0)
    total = 0.0
    for rows in teaching(data) if groups is None else groups:
        scores = X[rows] @ weights
        if learner.space == "candidates":
            total += plain(learner.objective, strength, scores, losses[rows])
        else:
            gains = np.exp2(data.quality[rows]) - 1 if learner.gain == "2^r-1" else data.quality[rows]
            total += plain(learner.objective, strength, *orders_of(scores, gains, learner.discount))
    return total
