"""Slow, readable boosting to compare the engine with: figure 3, its twin for LogLoss, and section 4.6.

All of it is Collins & Koo (2005). A problem is a matrix of differences (pairs by columns, entries +1, -1, 0),
the start margins of the pairs, their weights, and the offsets of the runs that share a better candidate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from runoff.nbest import NBest
    from runoff.pairs import Pairs

START_BITS, LEAST = 51, 2.0**46  # units of the exact sums, as the engine documents them


@dataclass
class Naive:
    differences: sparse.csc_array
    margins: np.ndarray
    weights: np.ndarray
    contests: np.ndarray

    @classmethod
    def of(cls, data: NBest, pairs: Pairs, margins: np.ndarray, min_groups: int) -> Naive:
        table = sparse.csr_array(data.features.to_scipy() > 0, dtype=float)
        group = np.repeat(np.arange(len(data)), data.sizes)
        rows, columns = table.nonzero()
        seen = np.zeros(table.shape[1], int)
        for _, column in set(zip(group[rows].tolist(), columns.tolist(), strict=True)):
            seen[column] += 1
        kept = sparse.diags_array((seen >= min_groups).astype(float))
        differences = sparse.csc_array((table[pairs.better] - table[pairs.worse]) @ kept)
        return cls(differences, np.array(margins, float), pairs.weight, pairs.contests)

    def sums(self, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """W+ and W- of every column, from scratch."""
        return (self.differences > 0).T @ amounts, (self.differences < 0).T @ amounts

    def column(self, k: int) -> np.ndarray:
        return self.differences[:, [k]].toarray().ravel()

    def margins_at(self, path: list[tuple[int, float]]) -> np.ndarray:
        return self.margins + sum((delta * self.column(k) for k, delta in path), np.zeros(self.margins.size))

    def exp_loss(self, margins: np.ndarray) -> float:
        return sum(weight * math.exp(-margin) for weight, margin in zip(self.weights, margins, strict=True))

    def log_loss(self, margins: np.ndarray) -> float:
        cuts = pairwise(self.contests)
        return sum(math.log1p(sum(math.exp(-margin) for margin in margins[a:b])) for a, b in cuts)

    def additions(self, k: int) -> int:
        return int(np.diff(self.differences.tocsr()[self.column(k) != 0].indptr).sum())


def figure_3(problem: Naive, smoothing: float, rounds: int) -> tuple[list[tuple[int, float]], list[float]]:
    """The paper's naive algorithm in ordinary numbers: path, and how far ahead each choice was."""
    weights = problem.weights * np.exp(-problem.margins)
    path, leads = [], []
    for _ in range(rounds):
        plus, minus = problem.sums(weights)
        gains = np.abs(np.sqrt(plus) - np.sqrt(minus))
        k, total = int(np.argmax(gains)), weights.sum()
        delta = 0.5 * math.log((plus[k] + smoothing * total) / (minus[k] + smoothing * total))
        weights = weights * np.exp(-delta * problem.column(k))
        path.append((k, delta))
        leads.append(gains[k] - np.delete(gains, k).max(initial=0.0))
    return path, leads


def choose(plus: np.ndarray, minus: np.ndarray, total: float, smoothing: float) -> tuple[int, float] | None:
    """Column with the largest gain, the lowest of equals, and its move; None if no gain reaches one unit."""
    gains = (plus - minus) ** 2 / np.maximum(1.0, plus + minus + 2.0 * np.sqrt(plus * minus))
    if gains.max(initial=0.0) < 1.0:
        return None
    k = int(np.argmax(gains))
    return k, 0.5 * math.log((plus[k] + smoothing * total) / (minus[k] + smoothing * total))


def exact_exp(problem: Naive, smoothing: float, rounds: int) -> list[tuple[int, float]]:
    """Figure 3 with sums of whole units: every round recomputes all of them."""
    exponents = np.log(problem.weights) - problem.margins
    weights = np.exp(exponents - exponents.max(initial=-np.inf))
    weights = np.ldexp(weights, START_BITS - np.frexp(weights.sum())[1])
    path: list[tuple[int, float]] = []
    for _ in range(rounds):
        units = np.rint(weights)
        chosen = choose(*problem.sums(units), units.sum(), smoothing)
        if chosen is None:
            break
        path.append(chosen)
        k, delta = chosen
        factor = {1.0: math.exp(-delta), -1.0: math.exp(delta), 0.0: 1.0}
        weights = weights * [factor[side] for side in problem.column(k)]
        if np.rint(weights).sum() < LEAST:
            weights = np.ldexp(weights, START_BITS - np.frexp(weights.sum())[1])
    return path


def shares_and_losses(margins: np.ndarray, contests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Appendix B's q of every pair and the loss of every contest, shifted so that nothing overflows."""
    shares, losses = np.empty(margins.size), np.empty(contests.size - 1)
    for contest, (a, b) in enumerate(pairwise(contests)):
        low = min(0.0, *margins[a:b])
        parts = [math.exp(low - margin) for margin in margins[a:b]]
        own, others = math.exp(low), sum(parts)
        shares[a:b] = [part / (own + others) for part in parts]
        losses[contest] = math.log1p(others) if low == 0.0 else math.log(own + others) - low
    return shares, losses


def exact_log(problem: Naive, smoothing: float, rounds: int) -> list[tuple[int, float]]:
    """Boosting by the bound of appendix B, with sums of whole units, all recomputed every round."""
    margins = problem.margins.copy()
    path: list[tuple[int, float]] = []
    bits = [0, 0]
    for _ in range(rounds):
        parts = shares, _ = shares_and_losses(margins, problem.contests)
        if min(np.rint(np.ldexp(part, bit)).sum() for part, bit in zip(parts, bits, strict=True)) < LEAST:
            bits = [START_BITS - np.frexp(part.sum())[1] for part in parts]
        units = np.rint(np.ldexp(shares, bits[0]))
        chosen = choose(*problem.sums(units), units.sum(), smoothing)
        if chosen is None:
            break
        path.append(chosen)
        k, delta = chosen
        margins = margins + delta * problem.column(k)
    return path


def best_weight(problem: Naive, margins: np.ndarray, k: int, limit: float = 30.0) -> tuple[float, float]:
    """Section 4.6: the move of one weight that minimises LogLoss, by bisection of its slope, and the loss there."""
    side = problem.column(k)

    def slope(delta: float) -> float:
        return -float(side @ shares_and_losses(margins + delta * side, problem.contests)[0])

    low, high = -limit, limit
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return low, problem.log_loss(margins + low * side)


def smoothed_section_4_6(problem: Naive, smoothing: float, rounds: int) -> list[float]:
    """Section 4.6 with the smoothing of equation 17 as a penalty on every move: the loss after every round."""
    margins, losses = problem.margins, []
    for _ in range(rounds):
        penalty = smoothing * shares_and_losses(margins, problem.contests)[0].sum()
        moves = []
        for k in range(problem.differences.shape[1]):
            side, low, high = problem.column(k), -30.0, 30.0
            for _ in range(100):
                at = (low + high) / 2
                slope = 2 * penalty * math.sinh(at) - side @ shares_and_losses(margins + at * side, problem.contests)[0]
                low, high = (at, high) if slope < 0 else (low, at)
            moves.append((problem.log_loss(margins + low * side), k, low))
        loss, k, move = min(moves)
        margins = margins + move * problem.column(k)
        losses.append(loss)
    return losses


def section_4_6(problem: Naive, rounds: int) -> list[float]:
    """LogLoss after every round when each one makes the best move of the best feature."""
    margins, losses = problem.margins, []
    for _ in range(rounds):
        moves = [best_weight(problem, margins, k) for k in range(problem.differences.shape[1])]
        k = int(np.argmin([loss for _, loss in moves]))
        margins = margins + moves[k][0] * problem.column(k)
        losses.append(moves[k][1])
    return losses
