"""Objectives of the conditional random field and sums over orders, plainly written, and the kernels called plainly."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from runoff.arrays import frozen
from runoff.kernels.crf_objectives import EL, KL, LA, LS, ML
from runoff.kernels.crf_order_objectives import ENUMERATED, EXACT, Ideal, ranking_objective
from runoff.kernels.permutation_sums import Space

KINDS = {"ml": ML, "la": LA, "ls": LS, "el": EL, "kl": KL}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_discount = pytest.mark.parametrize("discount", ["log", "letor"])
# Every objective in both ways, but LS beyond enumeration, which is an estimate.
every_sum = pytest.mark.parametrize(
    ("kind", "way"),
    [(kind, way) for kind in KINDS.values() for way in (ENUMERATED, EXACT) if (kind, way) != (LS, EXACT)],
)


def plain(kind: int, strength: float, scores: np.ndarray, losses: np.ndarray) -> float:
    """An objective over answers with these scores (minus energies) and losses, as its paper writes it.

    Where several answers are right, Volkovs et al. (eq. 10) sum over them; here, as in their eq. 11, it is the mean,
    so that a list with many right answers does not weigh more.
    """
    energies, right = -scores, losses == 0
    if kind in (ML, LA):
        lowered = energies - (strength * losses if kind == LA else 0.0)  # eq. 4, with the weight of section 6.2
        return float(np.mean(lowered[right] + logsumexp(-lowered)))  # eq. 2
    if kind == LS:
        return float(logsumexp(-losses * (energies - energies[right].mean()) + losses))  # eq. 11
    log_p = -energies - logsumexp(-energies)
    if kind == EL:
        return float(np.exp(log_p) @ losses)  # eq. 6
    log_q = -losses / strength - logsumexp(-losses / strength)  # eq. 9
    return float(np.exp(log_q) @ (log_q - log_p))  # eq. 8


def all_orders(scores: np.ndarray, gains: np.ndarray, ideal: Ideal) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every order (documents by place), its score (eq. 13, with the sign that eq. 14 asks for), 1 - NDCG (eq. 12)."""
    n = scores.size
    each = np.array(list(itertools.permutations(range(n))))
    reached = gains[each] @ ideal.discount[:n]
    losses = 1 - reached / (np.sort(gains)[::-1] @ ideal.discount[:n])
    losses[losses < 1e-9] = 0.0
    return each, scores[each] @ ideal.alpha[:n], losses


def slopes_by_differences(value: Any, point: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Derivatives by differences of the fourth order."""
    found = np.empty(point.size)
    for at in range(point.size):
        moved = [point.copy() for _ in range(4)]
        for each, times in zip(moved, (-2, -1, 1, 2), strict=True):
            each[at] += times * step
        lower2, lower, upper, upper2 = map(value, moved)
        found[at] = (lower2 - 8 * lower + 8 * upper - upper2) / (12 * step)
    return found


def ideal_for(n: int, discount: str = "log") -> Ideal:
    """Weights of the places: log 2 / log(1 + place), and LETOR's discounts, which leave the first two places alone."""
    alpha = [1 / math.log2(1 + place) for place in range(1, n + 1)]
    letor = [1.0 if place <= 2 else 1 / math.log2(place) for place in range(1, n + 1)]
    return Ideal(frozen(np.array(alpha)), frozen(np.array(letor if discount == "letor" else alpha)))


def space_for(n: int, *, enumerated: bool = False) -> Space:
    lowest = np.array([0] + [(s & -s).bit_length() - 1 for s in range(1, 1 << n)], np.uint8)
    sizes = np.array([s.bit_count() for s in range(1 << n)], np.uint8)
    table = np.array(list(itertools.permutations(range(n if enumerated else 1))), np.int8)
    squares = [np.zeros((n, n)) for _ in range(5)]
    lists = [np.zeros(len(table)) for _ in range(3)]
    return Space(frozen(lowest), frozen(sizes), frozen(table), np.zeros((4, 1 << n)), np.zeros(1), *squares, *lists)


def seeds(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 2**63, 1).astype(np.uint64)


def ranking(
    kind: int,
    strength: float,
    scores: np.ndarray,
    gains: np.ndarray,
    *,
    way: int = EXACT,
    discount: str = "log",
    most: int | None = None,
    samples: int = 100,
    seed: int = 1,
) -> tuple[float, np.ndarray]:
    """Value and slopes of the kernel, with tables for `most` documents."""
    most = most or scores.size
    slopes = np.full(scores.size, np.nan)
    space = space_for(most, enumerated=way == ENUMERATED)
    ideal = ideal_for(most, discount)
    found = ranking_objective(
        kind, float(strength), way, scores.copy(), gains.astype(float), ideal, space, samples, seeds(seed), slopes
    )
    return found, slopes
