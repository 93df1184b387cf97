"""Rankings of the candidates of each group, with the one tie rule that everything shares.

Candidates are ranked by score; ties by the first round's score if there is one, then by input order.
The first round's own ranking is by its score, or by input order if it has none.

A pick has to end somewhere, so that input order is its last resort. What is chosen by scores (rounds, epochs, settings)
must not depend on it: a ranking knows which candidates are still tied before input order decides, and a metric with
`ties="expected"` is the mean over all orders of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.groups import first_best
from runoff.kernels.ordering import best_first, tied_for_first, tied_with_previous

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints
    from runoff.nbest import NBest

TIE_RULES = {  # by the metric's option `ties`
    "input-order": "score, then first round, then input order",
    "expected": "score, then first round, then expected",
}


@dataclass(frozen=True, eq=False)
class Ranking:
    """Candidates of every group from best to worst: `rows[offsets[i]]` is the row of group i's winner."""

    offsets: Ints
    rows: Ints
    tied: Bools | None = None  # for every place, whether only input order puts it after the one before; None: nowhere

    @property
    def filled(self) -> Bools:
        """Which groups have a candidate at all."""
        return self.offsets[1:] > self.offsets[:-1]

    @property
    def top(self) -> Ints:
        """Row of the winner of every group that has one."""
        return self.rows[self.offsets[:-1][self.filled]]

    @property
    def tied_tops(self) -> tuple[Ints, Ints]:
        """Rows of all candidates that share the first place of their group, and how many these are in every group."""
        if self.tied is None:
            return self.top, self.filled.astype(np.int64)
        counts = tied_for_first(self.offsets, self.tied)
        places = np.arange(counts.sum()) + np.repeat(self.offsets[:-1] - np.cumsum(counts) + counts, counts)
        return self.rows[places], counts

    @property
    def indices(self) -> Ints:
        """Index of the winner within its group; -1 where there is no candidate."""
        out = np.full(self.offsets.size - 1, -1, np.int64)
        out[self.filled] = self.top - self.offsets[:-1][self.filled]
        return out


def by_score(data: NBest, scores: Floats) -> Ranking:
    """Rank by scores, one per candidate in the order of `data`. O(n log k) for groups of k."""
    keys = _keys(data, scores)
    rows = frozen(best_first(data.offsets, *keys))
    return Ranking(data.offsets, rows, frozen(tied_with_previous(data.offsets, rows, *keys)))


def chosen(data: NBest, scores: Floats) -> Ranking:
    """Rank by scores; where the winner's text has copies, the one that the first round ranks first takes its place.

    A choice of other copies would change nothing. O(n log k), and O(characters) once for the data.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "a"], sizes=[3])
    >>> chosen(data, np.array([0.0, 1.0, 2.0])).rows.tolist()
    [0, 1, 2]
    """
    ranked, first_copies = by_score(data, scores), data.first_copies
    if first_copies is None:
        return ranked
    won = ranked.top
    moved = first_copies[won] != won
    place, rows = np.empty(ranked.rows.size, np.int64), ranked.rows.copy()
    place[rows] = np.arange(rows.size)
    rows[place[first_copies[won[moved]]]] = won[moved]
    rows[place[won[moved]]] = first_copies[won[moved]]
    return Ranking(data.offsets, frozen(rows), ranked.tied)  # copies have the same text, so that places stay tied


def first_round(data: NBest) -> Ranking:
    """Rank as the first round did; without scores the input order is its ranking, and there are no ties."""
    if data.base is None:
        return Ranking(data.offsets, frozen(np.arange(data.n_candidates)))
    return by_score(data, np.zeros(data.n_candidates))


def winners(data: NBest, scores: Floats) -> Ints:
    """Index of the winner within every group, -1 where there is none; the same winner as `by_score`. O(n)."""
    return first_best(data.offsets, *_keys(data, scores))


def _keys(data: NBest, scores: Floats) -> tuple[Floats, Floats]:
    second = data.base if data.base is not None else np.zeros(data.n_candidates)
    return frozen(np.ascontiguousarray(scores, np.float64)), frozen(second)


def best(data: NBest) -> Ints:
    """Row of the best candidate by quality (ties: higher base, then earlier) of every group; -1 if empty."""
    if data.quality is None:
        raise DataError("quality is needed to know the best candidate, and this data has none.")
    indices = winners(data, data.quality)
    return np.where(indices < 0, -1, data.offsets[:-1] + indices)


def ranks(data: NBest) -> Ints:
    """Rank of every candidate by quality within its group: 1 is best, ties share the lowest rank. O(n log n)."""
    if data.quality is None:
        raise DataError("quality is needed to rank candidates, and this data has none.")
    order = by_score(data, data.quality).rows
    group, quality = data.group_of[order], data.quality[order]
    position = np.arange(order.size) - data.offsets[group]
    is_new = np.ones(order.size, bool)
    is_new[1:] = (group[1:] != group[:-1]) | (quality[1:] != quality[:-1])
    shared = np.maximum.accumulate(np.where(is_new, np.arange(order.size), 0))
    out = np.empty(order.size, np.int64)
    out[order] = position[shared] + 1
    return out


def informative(data: NBest) -> Ints:
    """Groups in which some candidate is better than another: the only ones that a learner can use."""
    if data.quality is None:
        raise DataError("quality is needed.")
    filled = np.flatnonzero(data.sizes > 0)
    if not filled.size:
        return filled
    starts = data.offsets[:-1][filled]
    low, high = np.minimum.reduceat(data.quality, starts), np.maximum.reduceat(data.quality, starts)
    return filled[low < high]
