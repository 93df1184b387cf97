"""From a training log to votes: what every update changed, epoch by epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.voted_perceptron import differences
from runoff.model.votes import Votes, runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Floats, Ints
    from runoff.nbest import Features

MOST_STORED = 250_000_000
_STORED_PER_SLICE = 1 << 24  # of a log: 200 MB


class VotesBuilder:
    """Collects votes from a training log, part by part.

    `features` and `base` (one score per row) are what was trained on; where they had been multiplied by `scale`
    (by column) and `base_scale`, the votes are for the features as they were before.

    Examples
    --------
    >>> from runoff.nbest import Features
    >>> builder = VotesBuilder(Features.of(np.array([[1.0, 2.0], [1.0, 0.0]])), np.zeros(2))
    >>> part = builder.add(row=np.array([0, 1]), amount=np.array([1.0, -1.0]), time=np.array([3, 3]), until=10)
    >>> part.columns.tolist(), part.deltas.tolist(), part.counts.tolist()
    ([1], [2.0], [3, 7])
    >>> len(builder.votes)
    1
    """

    def __init__(
        self, features: Features, base: Floats, *, scale: Floats | None = None, base_scale: float = 1.0
    ) -> None:
        self._features, self._base = features.check(), frozen(base)
        self._scale, self._base_scale = scale, base_scale
        self._parts: list[Votes] = []
        self._stored, self._until = 0, 0

    @property
    def votes(self) -> Votes:
        """All votes so far. O(stored differences) where some have come since the last time."""
        self._parts = [Votes.joined(self._parts)]
        return self._parts[0]

    def resume(self, votes: Votes) -> None:
        """Continue from votes that a builder had collected."""
        self._parts, self._stored, self._until = [votes], votes.n_stored, votes.total

    def add(self, row: Ints, amount: Floats, time: Ints, until: int) -> Votes:
        """Add changes by `amount` times the features of `row`, made at sample `time`, before sample `until`.

        Times do not fall, and changes at the same time are one update. Gives the part that this adds, for `VoteTally`;
        it begins where the one before ended. A vector made at a sample has the vote of that sample already.
        O(stored values of the rows).
        """
        moments = np.concatenate([[self._until], time, [until]])
        if bool(np.any(moments[1:] < moments[:-1])) or (time.size and time[-1] == until):
            raise UsageError(f"changes must be in the order of their times, from {self._until} to before {until}.")
        parts = [self._part(row[cut], amount[cut], time[cut]) for cut in self._slices(row, time)]
        parts.append(Votes(*map(np.array, ([0], [], [], [], [until - self._until]))))
        self._until = until
        part = Votes.joined(parts)
        self._parts.append(part)
        return part

    def _slices(self, row: Ints, time: Ints) -> Iterator[slice]:
        """Cut a log between updates, so that the memory for a piece is bounded."""
        ends = np.append(np.flatnonzero(time[1:] != time[:-1]) + 1, row.size)
        stored = np.cumsum(np.diff(self._features.indptr)[row])
        starts = np.concatenate([[0], stored[ends - 1]]) if row.size else np.zeros(1, np.int64)
        bounds = np.concatenate([[0], ends])
        for first, last in runs(starts, starts.size, _STORED_PER_SLICE):
            yield slice(int(bounds[first]), int(bounds[last]))

    def _part(self, row: Ints, amount: Floats, time: Ints) -> Votes:
        table = self._features
        room = int((table.indptr[row + 1] - table.indptr[row]).sum())
        starts, columns, deltas, base, times = differences(
            frozen(row),
            frozen(amount),
            frozen(time),
            table.indptr,
            table.indices,
            table.values,
            self._base,
            table.n_columns,
            room,
        )
        self._stored += columns.size
        if self._stored > MOST_STORED:
            raise UsageError(
                f"exact voting keeps what every update changed, and that came to more than {MOST_STORED:,} weights "
                f"(3 GB); average=True takes the mean of the same vectors and costs no memory."
            )
        counts = np.append(np.diff(times, prepend=self._until), 0)
        self._until = int(times[-1])
        return Votes(starts, columns, deltas, base, counts).scaled(self._scale, self._base_scale)
