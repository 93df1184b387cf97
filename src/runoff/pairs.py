"""Pairs of a better and a worse candidate, with the cost of ranking them wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.kernels.pairs import all_pairs, pair_counts, sampled_pairs

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

MOST_PAIRS = 2**31 - 1  # a pair and its side are one 32-bit integer
Kind = Literal["best", "all", "sample"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of better and worse candidates with a weight; pairs with the same better candidate are adjacent."""

    better: Ints
    worse: Ints
    weight: Floats
    groups: int  # groups that have a pair at all

    def __len__(self) -> int:
        return self.better.size

    @property
    def contests(self) -> Ints:
        """Offsets of the runs of pairs that share their better candidate."""
        starts = np.flatnonzero(np.diff(self.better, prepend=-1))
        return np.append(starts, self.better.size)


def make_pairs(data: NBest, kind: Kind = "best", *, weighted: bool = True, sample: int = 50, seed: int = 0) -> Pairs:
    """Pairs of candidates of the same group whose quality differs.

    "best": the best candidate (ties: first round, then order) against every worse one, as in Collins & Koo
    (2005). "all": every candidate against every worse one, O(k²) for a group of k. "sample": the same where
    that is at most `sample` pairs; in larger groups that many draws with replacement, O(k log k).

    A pair weighs the difference in quality, or one. It is drawn in proportion to what it weighs, and a draw
    weighs an equal share of the whole group, so that any sum over "sample" is an unbiased estimate of the
    sum over "all"; a pair that is drawn twice occurs once, with twice the share.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> pairs = make_pairs(NBest.from_arrays([[0], [1], [2]], quality=[1, 3, 2], sizes=[3]), "all")
    >>> list(zip(pairs.better.tolist(), pairs.worse.tolist(), pairs.weight.tolist()))
    [(1, 2, 1.0), (1, 0, 2.0), (2, 0, 1.0)]
    """
    quality = data.quality
    if quality is None:
        raise DataError("pairs need the quality of every candidate.")
    if kind not in get_args(Kind):
        raise UsageError(f"pairs must be one of {', '.join(get_args(Kind))}; found {kind!r}.")
    if not np.isfinite(2.0 * float(np.abs(quality).max(initial=0.0)) * float(np.square(data.sizes).sum())):
        raise DataError(
            f"quality goes up to {np.abs(quality).max():.3g} in size, and sums of such differences overflow; "
            "divide quality by a constant."
        )
    if kind == "best":
        better = np.repeat(ranking.best(data), data.sizes)
        worse = np.flatnonzero(quality < quality[better])
        better = better[worse]
    else:
        order = ranking.by_score(data, quality).rows
        counts = pair_counts(data.offsets, order, quality)
        if kind == "sample":
            if sample < 1:
                raise UsageError(f"sample must be a whole number of at least 1; found {sample!r}.")
            draws = np.random.default_rng(seed).random((int(np.count_nonzero(counts > sample)), sample, 2))
            better, worse, weight = sampled_pairs(data.offsets, order, quality, counts, weighted, draws)
            return Pairs(frozen(better), frozen(worse), frozen(weight), int(np.count_nonzero(counts)))
        if counts.sum() > MOST_PAIRS:
            raise UsageError(
                f'pairs="all" would make {counts.sum():,} pairs, of which {MOST_PAIRS:,} can be held; '
                'take pairs="sample", which draws some of every large group.'
            )
        better, worse = all_pairs(data.offsets, order, quality, counts)
    weight = quality[better] - quality[worse] if weighted else np.ones(better.size)
    group = data.group_of[better]
    return Pairs(frozen(better), frozen(worse), frozen(weight), int(np.unique(group).size))
