"""How certain a score or a difference is: bootstrap and randomisation test, the same for all metrics.

Everything works on rows of additive statistics, one per group, and on the metric's score of their sum. A group is
drawn or swapped as a whole, and so are the groups of one block (the cluster bootstrap): groups that share a reference
or a speaker go wrong together, and drawn one by one they would seem to say more than they do. The same seed gives the
same bits on any number of threads.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.engines import HERE, current
from runoff.errors import UsageError
from runoff.kernels.resample import resampled_sums, swapped_sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints

    Score = Callable[[Floats], Floats]

_MOST_PIECES = 64  # enough for many cores, few enough that scheduling costs nothing
_KERNELS: list[Callable[..., None]] = [resampled_sums, swapped_sums]
_WORTH_SENDING = 20_000_000_000  # numbers added up: below, threads are done before workers have the rows
_PIECE = 500_000  # numbers added up per piece, at least: below, a thread costs more than it saves


@dataclass(frozen=True)
class Interval:
    """Bounds of a confidence interval.

    Examples
    --------
    >>> interval(np.ones((3, 2)), lambda sums: sums[..., 0] / sums[..., 1]).low
    1.0
    """

    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """Score of a minus score of b, with its confidence interval and two-sided p-value.

    Examples
    --------
    >>> rows = np.ones((3, 2))
    >>> paired_bootstrap(rows, rows, lambda sums: sums[..., 0] / sums[..., 1]).p
    1.0
    """

    delta: float
    low: float
    high: float
    p: float

    @property
    def reversed(self) -> Difference:
        """Score of b minus score of a."""
        return Difference(-self.delta, -self.high, -self.low, self.p)


def interval(
    rows: Floats,
    score: Score,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    blocks: Ints | None = None,
) -> Interval:
    """Percentile bootstrap of a score over groups (Efron & Tibshirani 1993, chapter 13), or over their blocks.

    Without groups both bounds are nan; with one group or block they are equal.
    O(resamples groups width), over threads.

    Examples
    --------
    >>> rows = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    >>> interval(rows, lambda sums: sums[..., 0] / sums[..., 1])
    Interval(low=0.25, high=1.0)
    """
    _check(resamples, confidence)
    rows = _by_block(rows, blocks)
    if not len(rows):
        return Interval(np.nan, np.nan)
    return Interval(*_bounds(score(_resampled(rows, resamples, seed)), confidence))


def paired_bootstrap(
    rows_a: Floats,
    rows_b: Floats,
    score: Score,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    blocks: Ints | None = None,
) -> Difference:
    """Bootstrap of the difference between two choices, with the same groups or blocks drawn for both (Koehn 2004).

    `delta` is score(a) - score(b). Of R resamples let L have a difference <= 0 and G one >= 0; then
    p = min(1, 2 (min(L, G) + 1) / (R + 1)): Koehn's share of resamples in which the better choice fails
    to be better, on both sides. Equal choices have p = 1. Fewer than two groups or blocks tell nothing about chance:
    p is 1, and without groups the bounds are nan. O(resamples groups width), over threads.

    Examples
    --------
    >>> a, b = np.ones((20, 2)), np.zeros((20, 2))
    >>> b[:, 1] = 1.0
    >>> paired_bootstrap(a, b, lambda sums: sums[..., 0] / sums[..., 1], resamples=999)
    Difference(delta=1.0, low=1.0, high=1.0, p=0.002)
    """
    _check(resamples, confidence)
    rows_a, rows_b = _paired(rows_a, rows_b, blocks)
    delta = _difference(score, rows_a.sum(axis=0), rows_b.sum(axis=0)).item()
    if not len(rows_a):
        return Difference(delta, np.nan, np.nan, 1.0)
    sums = _resampled(np.hstack([rows_a, rows_b]), resamples, seed)
    deltas = _difference(score, *np.hsplit(sums, 2))
    failures = int(min(np.count_nonzero(deltas <= 0), np.count_nonzero(deltas >= 0)))
    p = min(1.0, 2 * (failures + 1) / (resamples + 1)) if len(rows_a) > 1 else 1.0
    return Difference(delta, *_bounds(deltas, confidence), p)


def randomisation(
    rows_a: Floats,
    rows_b: Floats,
    score: Score,
    *,
    trials: int = 10_000,
    seed: int = 0,
    blocks: Ints | None = None,
) -> float:
    """Approximate randomisation test of a difference (Noreen 1989; Riezler & Maxwell 2005), two-sided.

    In every trial each group's (or block's) two rows change sides with probability one half. With c trials whose
    difference is at least as far from 0 as the real one, p = (c + 1) / (R + 1). Equal choices have p = 1.
    O(trials width groups that differ), over threads.

    Examples
    --------
    >>> a, b = np.zeros((20, 2)), np.ones((20, 2))
    >>> a[:, 1] = 1.0
    >>> randomisation(a, b, lambda sums: sums[..., 0] / sums[..., 1], trials=999)
    0.001
    """
    _check(trials)
    rows_a, rows_b = _paired(rows_a, rows_b, blocks)
    total_a, total_b = rows_a.sum(axis=0), rows_b.sum(axis=0)
    changes = rows_b - rows_a
    changes = _contiguous(changes[changes.any(axis=1)])
    moved = _in_pieces(swapped_sums, changes, trials, seed)
    deltas = _difference(score, total_a + moved, total_b - moved)
    delta = _difference(score, total_a, total_b)
    rounding = 1e-12 * max(1.0, float(np.abs(score(np.stack([total_a, total_b]))).max()))
    extreme = int(np.count_nonzero(np.abs(deltas) >= np.abs(delta) - rounding))
    return (extreme + 1) / (trials + 1)


def _resampled(rows: Floats, resamples: int, seed: int) -> Floats:
    return _in_pieces(resampled_sums, _contiguous(rows), resamples, seed)


def _in_pieces(kernel: Callable[..., None], rows: Floats, trials: int, seed: int) -> Floats:
    key = np.uint64(seed % 2**64)
    pieces = min(_MOST_PIECES, trials, max(1, trials * rows.size // _PIECE))
    cuts = np.linspace(0, trials, pieces + 1).astype(np.int64).tolist()
    engine = current() if trials * rows.size >= _WORTH_SENDING else HERE
    found = engine.map(_sums_of, list(itertools.pairwise(cuts)), engine.share((_KERNELS.index(kernel), rows, key)))
    return np.concatenate(list(found))


def _sums_of(piece: tuple[int, int], shared: tuple[int, Floats, np.uint64]) -> Floats:
    kernel, rows, key = shared
    out = np.empty((piece[1] - piece[0], rows.shape[1]))
    _KERNELS[kernel](rows, key, piece[0], out)
    return out


def _difference(score: Score, sums_a: Floats, sums_b: Floats) -> Floats:
    return np.asarray(score(sums_a) - score(sums_b))


def _bounds(scores: Floats, confidence: float) -> tuple[float, float]:
    low, high = np.quantile(scores, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _contiguous(rows: Floats) -> Floats:
    return frozen(np.ascontiguousarray(rows, np.float64))


def _by_block(rows: Floats, blocks: Ints | None) -> Floats:
    """The sums of the rows of every block: statistics are additive, so these are what a larger group would have."""
    if blocks is None:
        return rows
    if len(blocks) != len(rows):
        raise UsageError(f"{len(rows):,} rows of statistics need as many numbers of blocks; found {len(blocks):,}.")
    found, number = np.unique(blocks, return_inverse=True)
    if found.size == len(rows):
        return rows
    sums = np.zeros((found.size, rows.shape[1]))
    np.add.at(sums, number, rows)
    return sums


def _paired(rows_a: Floats, rows_b: Floats, blocks: Ints | None) -> tuple[Floats, Floats]:
    if rows_a.shape != rows_b.shape:
        raise UsageError(
            "two choices can be compared only over the same groups and statistics; "
            f"found {rows_a.shape} and {rows_b.shape}."
        )
    return _by_block(rows_a, blocks), _by_block(rows_b, blocks)


def _check(trials: int, confidence: float = 0.95) -> None:
    if trials < 1:
        raise UsageError(f"the number of resamples or trials must be at least 1; found {trials}.")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must be between 0 and 1; found {confidence}.")
