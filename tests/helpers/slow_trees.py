"""Decision trees and AdaBoost written from the paper, the slow way: every split of every node is tried by itself."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

Node = tuple[int, float, bool]  # column, cut, whether missing values go right


def goes_right(value: float, node: Node) -> bool:
    return node[2] if math.isnan(value) else value > node[1]


def splits(X: np.ndarray) -> list[Node]:
    """Every split of rows: columns, then cuts half-way between values, then missing values left or right."""
    found = []
    for column in range(X.shape[1]):
        known = np.unique(X[~np.isnan(X[:, column]), column])
        missing = bool(np.isnan(X[:, column]).any())
        cuts = [(float(a) + float(b)) / 2 for a, b in itertools.pairwise(known)]
        if missing and known.size == 1:
            cuts = [np.finfo(np.float64).max]
        found += [(column, cut, side) for cut in cuts for side in ((False, True) if missing else (False,))]
    return found


def value_of(a: float, b: float, newton: bool, ridge: float) -> float:
    return (a * a / (b + ridge) if b + ridge > 0 else 0.0) if newton else -2 * math.sqrt(a * b)


def slow_tree(
    X: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    depth: int,
    order: list[int],
    *,
    newton: bool = False,
    ridge: float = 0.0,
) -> tuple[list[Node | None], np.ndarray]:
    """The nodes of a complete tree in heap order, and the leaf of every row; columns are tried in `order`.

    Candidates come from all rows; of gains that differ by rounding alone the first stays. Where no row of a node misses
    the value, later ones that do go to the side with the greater weight (Newton: second derivative).
    """
    inner = 2**depth - 1
    nodes: list[Node | None] = [None] * inner
    at = np.zeros(len(X), int)
    tried = sorted(splits(X), key=lambda node: order.index(node[0]))
    for node in range(inner):
        rows = np.flatnonzero(at == node)
        total = a[rows].sum(), b[rows].sum()
        whole = value_of(*total, newton, ridge)
        tolerance = 1e-9 * (abs(whole) + abs(total[0]) + abs(total[1]) + 1e-300)
        best = tolerance
        for split in tried:
            right = np.array([goes_right(X[row, split[0]], split) for row in rows], bool)
            sides = [(a[rows[side]].sum(), b[rows[side]].sum()) for side in (~right, right)]
            gain = sum(value_of(*side, newton, ridge) for side in sides) - whole
            if gain > best + tolerance:
                best, nodes[node] = gain, split
        split = nodes[node]
        if split is not None and not np.isnan(X[rows, split[0]]).any():
            right = X[rows, split[0]] > split[1]
            weight = b[rows] if newton else a[rows] + b[rows]
            split = nodes[node] = (*split[:2], bool(weight[right].sum() > weight[~right].sum() + 1e-12))
        for row in rows:
            at[row] = 2 * node + 1 + (split is not None and goes_right(X[row, split[0]], split))
    return nodes, at - inner


def slow_adaboost(
    X: np.ndarray, positive: np.ndarray, rounds: int, depth: int, order: list[int], smoothing: float
) -> tuple[list[Any], list[np.ndarray], list[np.ndarray], list[float]]:
    """Trees, values of their leaves, weights before every round, and the factor Z of every round."""
    weight = np.full(len(X), 1 / len(X))
    sign = np.where(positive, 1.0, -1.0)
    trees, leaves, weights, factors = [], [], [], []
    for _ in range(rounds):
        weights.append(weight)
        tree, leaf = slow_tree(X, weight * positive, weight * ~positive, depth, order)
        sums = np.array(
            [[weight[(leaf == at) & (positive == side)].sum() for side in (True, False)] for at in range(2**depth)]
        )
        values = 0.5 * np.log((sums[:, 0] + smoothing) / (sums[:, 1] + smoothing))
        weight = weight * np.exp(-sign * values[leaf])
        factors.append(float(weight.sum()))
        weight = weight / weight.sum()
        trees.append(tree)
        leaves.append(values)
    return trees, leaves, weights, factors
