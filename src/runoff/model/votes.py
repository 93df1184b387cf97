"""Exact voting: every weight vector that a perceptron passed through votes for its own winner.

Freund & Schapire (1999), "Large margin classification using the perceptron algorithm". A vector has as many votes as
it survived samples. Ties are broken as everywhere (`runoff.ranking`), so that the vector of zeros, with which a
perceptron begins, votes for the first round's winner.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError, brief
from runoff.features import align
from runoff.kernels.voted_perceptron import gather, release, vote, weighted_sum
from runoff.parallel import even_cuts, in_threads
from runoff.ranking import first_round, winners

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from runoff.arrays import Columns, Floats, Ints
    from runoff.nbest import NBest

_UPDATES_PER_BLOCK = 512
_STORED_PER_BLOCK = 1 << 20  # bounds the memory of a block: 100 MB
_ROWS_PER_PIECE = 1 << 12


@dataclass(frozen=True, eq=False)
class Votes:
    """Weight vectors and their votes, kept as what each update changed: 12 bytes for every changed weight.

    Vector 0 is zero, or the one with which the part before this one ended. Vector t + 1 is vector t after update t,
    which adds `deltas` to the weights of `columns` between `starts[t]` and `starts[t + 1]`, and `base[t]` to the base
    weight. Vector t has `counts[t]` votes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from runoff.nbest import NBest
    >>> votes = Votes(*map(np.array, ([0, 1, 2], [0, 1], [1.0, 2.0], [0.0, 0.0], [1, 1, 2])))
    >>> data = NBest.from_arrays([[0, 0], [1, 0], [0, 1]], sizes=[3])
    >>> votes.shares(data, pa.array(["0", "1"], pa.large_string())).tolist()
    [0.25, 0.25, 0.5]
    >>> votes.mean(2)
    (array([0.75, 1.  ]), 0.0)
    """

    starts: Ints
    columns: Columns
    deltas: Floats
    base: Floats
    counts: Ints

    def __post_init__(self) -> None:
        kinds = {"starts": np.int64, "columns": np.int32, "deltas": np.float64, "base": np.float64, "counts": np.int64}
        for name, kind in kinds.items():
            object.__setattr__(self, name, frozen(np.ascontiguousarray(getattr(self, name), kind)))

    @classmethod
    def joined(cls, parts: Sequence[Votes]) -> Votes:
        """Parts one after the other; the last vector of each is the first of the next and has the votes of both."""
        if len(parts) == 1:
            return parts[0]
        updates = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        stored = np.concatenate([[0], np.cumsum([part.n_stored for part in parts])]).astype(np.int64)
        starts, counts = np.zeros(updates[-1] + 1, np.int64), np.zeros(updates[-1] + 1, np.int64)
        columns, deltas, base = np.empty(stored[-1], np.int32), np.empty(stored[-1]), np.empty(updates[-1])
        for at, part in enumerate(parts):
            first, last = updates[at], updates[at + 1]
            starts[first : last + 1] = stored[at] + part.starts
            counts[first : last + 1] += part.counts
            columns[stored[at] : stored[at + 1]] = part.columns
            deltas[stored[at] : stored[at + 1]] = part.deltas
            base[first:last] = part.base
        return cls(starts, columns, deltas, base, counts)

    def __len__(self) -> int:
        """Number of updates; there is one more vector."""
        return int(self.base.size)

    @property
    def n_stored(self) -> int:
        """Number of stored differences."""
        return int(self.columns.size)

    @property
    def n_voters(self) -> int:
        """Number of vectors that have a vote."""
        return int(np.count_nonzero(self.counts))

    @property
    def total(self) -> int:
        """All votes that are given in every group."""
        return int(self.counts.sum())

    def first(self, updates: int, last_count: int | None = None) -> Votes:
        """The votes of the vectors up to that many updates; `last_count` are those of the last one, if not its own."""
        whole = isinstance(updates, (int, np.integer)) and not isinstance(updates, bool)
        if not whole or not 0 <= updates <= len(self):
            raise UsageError(f"there are from 0 to {len(self):,} updates to take; found {brief(updates)}.")
        counts = self.counts[: updates + 1]
        if last_count is not None:
            counts = np.append(counts[:-1], last_count)
        stored = int(self.starts[updates])
        return Votes(
            self.starts[: updates + 1], self.columns[:stored], self.deltas[:stored], self.base[:updates], counts
        )

    def scaled(self, scale: Floats | None, base_scale: float = 1.0) -> Votes:
        """The same votes for features before scaling by `scale` (by column), and base scores before `base_scale`."""
        deltas = self.deltas if scale is None else self.deltas * scale[self.columns]
        return dataclasses.replace(self, deltas=deltas, base=self.base * base_scale)

    def mean(self, n_columns: int) -> tuple[Floats, float]:
        """Weights and base weight of the mean of all vectors by their votes: the averaged perceptron. O(stored)."""
        weights, total = np.zeros(n_columns), max(self.total, 1)
        remaining = frozen(self.total - np.cumsum(self.counts)[:-1])  # votes of the vectors that have each change
        weighted_sum(self.starts, self.columns, self.deltas, remaining, weights)
        return weights / total, float(self.base @ remaining) / total

    def shares(self, data: NBest, names: pa.Array) -> Floats:
        """Votes of every candidate as a share of all, in the data's own order; 0 for all where there is no vote.

        `names` are those of the columns of the model. For costs and exactness see `VoteTally`.
        """
        tally = VoteTally(data, names)
        tally.add(self)
        return tally.shares

    def check(self, n_columns: int, path: str | pathlib.Path) -> None:
        """Raise unless compiled loops may trust these votes, read from a file, for a model of so many columns."""
        starts, columns = self.starts, self.columns
        if not starts.size == self.counts.size == self.base.size + 1 or columns.size != self.deltas.size:
            raise ModelError(f"{path} is damaged: its votes are not as many as the vectors that give them.")
        if starts[0] != 0 or starts[-1] != columns.size or bool(np.any(starts[1:] < starts[:-1])):
            raise ModelError(f"{path} is damaged: the changes of its voting vectors do not follow one another.")
        if columns.size and not 0 <= columns.min() <= columns.max() < n_columns:
            raise ModelError(f"{path} is damaged: its voting vectors have weights that it does not have.")
        if not (np.isfinite(self.deltas).all() and np.isfinite(self.base).all()):
            raise ModelError(f"{path} is damaged: its voting vectors have weights that are not numbers.")
        if bool(np.any(self.counts < 0)) or float(self.counts.sum(dtype=np.float64)) > 2.0**53:
            raise ModelError(f"{path} is damaged: it has vectors with negative numbers of votes, or with too many.")


class VoteTally:
    """Counts votes on some data, and can continue with further vectors.

    Scores move by `Σ value * delta` of one update at a time, in the order of the updates, whatever the parts in which
    they come and the number of threads: the same updates give the same tally to the last vote. Ties are those
    of exact arithmetic where values and deltas are whole numbers (sums up to 2**53), and always between candidates
    with the same features; elsewhere scores have the rounding of their additions, as in training.

    Costs O(stored values) for every 512 updates, O(candidates) for each, and for every change the candidates that have
    its column. Memory beside the data: 24 bytes for a candidate, 12 for a column, and up to 100 MB.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1]], sizes=[2])
    >>> tally = VoteTally(data, pa.array(["0"], pa.large_string()))
    >>> for delta in (1.0, -3.0):
    ...     tally.add(Votes(*map(np.array, ([0, 1], [0], [delta], [0.0], [0, 1]))))
    >>> tally.shares.tolist()
    [0.5, 0.5]
    """

    def __init__(self, data: NBest, names: pa.Array) -> None:
        features = data.features.check()
        self._data = data
        self._scores = np.zeros(data.n_candidates)
        self._tallies = np.zeros(data.n_candidates, np.int64)
        self._total = 0
        self._order = first_round(data).rows
        mine = align(features, names)
        place_of = np.full(len(names), -1, np.int32)
        place_of[mine[mine >= 0]] = np.flatnonzero(mine >= 0)
        self._place_of = frozen(place_of)
        self._spans = np.zeros((features.n_columns, 2), np.int32)
        work = features.indptr[data.offsets] - features.indptr[0] + data.offsets
        self._cuts = even_cuts(work, 1 + data.n_candidates // _ROWS_PER_PIECE)

    @property
    def shares(self) -> Floats:
        """Votes of every candidate so far as a share of all; those of copies go to the first of them."""
        copies, tallies = self._data.first_copies, self._tallies
        if copies is not None:
            tallies = np.zeros_like(tallies)
            np.add.at(tallies, copies, self._tallies)
        return tallies / max(self._total, 1)

    def add(self, part: Votes) -> None:
        """Add further votes; vector 0 of the part is the one with which the part before ended."""
        if self._data.base is None and part.base.any():
            raise ModelError(
                "the vectors that vote weigh the first round's score and this data has none; "
                "add base scores, or train without them."
            )
        self._total += part.total
        if part.counts[0]:
            places = winners(self._data, self._scores)
            filled = places >= 0
            self._tallies[self._data.offsets[:-1][filled] + places[filled]] += part.counts[0]
        for first, last in runs(part.starts, _UPDATES_PER_BLOCK, _STORED_PER_BLOCK):
            self._vote(part, first, last)

    def _vote(self, part: Votes, first: int, last: int) -> None:
        data, features = self._data, self._data.features
        base_deltas, counts = part.base[first:last], part.counts[first + 1 : last + 1]
        base = data.base if data.base is not None and base_deltas.any() else frozen(np.empty(0))
        block = gather(first, last, part.starts, part.columns, part.deltas, self._place_of, self._spans)

        def piece(at: int) -> None:
            vote(
                self._cuts[at],
                self._cuts[at + 1],
                data.offsets,
                self._order,
                features.indptr,
                features.indices,
                features.values,
                base,
                block,
                base_deltas,
                counts,
                self._scores,
                self._tallies,
            )

        in_threads(piece, range(self._cuts.size - 1))
        release(block)


def runs(starts: Ints, most: int, most_stored: int) -> Iterator[tuple[int, int]]:
    """Runs of at least one and at most so many updates, with few enough stored values where there is a choice.

    Examples
    --------
    >>> list(runs(np.array([0, 5, 10, 40, 41, 42]), most=2, most_stored=12))
    [(0, 2), (2, 3), (3, 5)]
    """
    first = 0
    while first < starts.size - 1:
        fits = int(np.searchsorted(starts, starts[first] + most_stored, side="right")) - 1
        last = min(max(fits, first + 1), first + most, starts.size - 1)
        yield first, last
        first = last
