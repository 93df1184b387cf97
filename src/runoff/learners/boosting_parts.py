"""Boosting whose pairs lie on several workers: each keeps the weights of its own, one process the sums of the features.

A round costs a message of two numbers to every worker, and one back with the sums that moved. All sums are whole
numbers, so that the path is the same bits on any number of workers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.engines import current
from runoff.kernels import boosting
from runoff.kernels.boosting_changes import add_each, exp_part, taken
from runoff.kernels.boosting_contests import log_part, settle_all
from runoff.kernels.boosting_sums import strongest
from runoff.kernels.pairs import inverted
from runoff.learners.boosting_engine import LEAST, BoostingEngine, ExpEngine, LogEngine
from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints
    from runoff.engines import States


class PairsMessage(NamedTuple):
    """Some pairs, as they are sent to a worker."""

    spans: Ints
    items: NDArray[np.uint32]
    places: int  # number of features
    values: Floats  # of the pairs: weights, or margins
    contests: Ints  # where each begins, and the end; none under ExpLoss
    scales: Floats  # units of LogLoss


class Move(NamedTuple):
    """A round."""

    place: int
    delta: float
    known: bool


class Moved(NamedTuple):
    """What a round changed."""

    codes: NDArray[np.uint32]
    amounts: Floats
    total: float
    loss: float
    additions: int


class PairsOnWorker:
    """Pairs on a worker, and their index."""

    def __init__(self, pairs: PairsMessage) -> None:
        starts = np.zeros(pairs.places + 1, np.int64)
        np.cumsum(np.bincount(pairs.items >> 1, minlength=pairs.places), out=starts[1:])
        members, costs = np.empty(pairs.items.size, np.uint32), np.zeros(pairs.places, np.int64)
        inverted(pairs.spans, pairs.items, starts[:-1].copy(), members, costs)
        nothing = frozen(np.zeros(0, np.int64))
        self._index = frozen(pairs.spans), frozen(pairs.items), frozen(starts), frozen(members), nothing
        codes = 2 * pairs.places
        self._notes = np.zeros(codes), np.zeros(codes, bool), np.empty(codes, np.uint32)
        self.values = np.array(pairs.values)

    def _told(self, count: int, total: float, loss: float, additions: int) -> Moved:
        changes, is_touched, touched = self._notes
        amounts = np.empty(count)
        taken(touched, count, changes, is_touched, amounts)
        return Moved(touched[:count].copy(), amounts, total, loss, additions)

    def move(self, move: Move) -> Moved:
        """Do a round."""
        raise NotImplementedError

    def rescale(self, units: Any) -> None:
        """Switch to other units."""
        raise NotImplementedError


class ExpPart(PairsOnWorker):
    """Weights under ExpLoss, in units."""

    def move(self, move: Move) -> Moved:
        """Change the weights."""
        count, total = exp_part(move.place, move.delta, self.values, self._index, *self._notes, move.known)
        return self._told(count, total, 0.0, 0)

    def rescale(self, units: int) -> None:
        """So many bits more."""
        self.values = np.ldexp(self.values, units)


class LogPart(PairsOnWorker):
    """Margins under LogLoss; shares and losses in units."""

    def __init__(self, pairs: PairsMessage) -> None:
        super().__init__(pairs)
        sizes = np.diff(pairs.contests)
        contest_of = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
        self._contests, self._contest_of = frozen(pairs.contests), frozen(contest_of)
        self._shares, self._losses = np.empty(self.values.size), np.empty(sizes.size)
        self.rescale(pairs.scales)

    def move(self, move: Move) -> Moved:
        """Change margins, and settle their contests."""
        contested = self.values, self._rounded, self._losses, self._contests, self._contest_of
        found = log_part(
            move.place, move.delta, self._scales, contested, self._shares, self._index, *self._notes, move.known
        )
        return self._told(*found)

    def rescale(self, units: Floats) -> None:
        """These."""
        self._scales = frozen(units)
        settle_all(self.values, self._contests, self._shares, self._losses)
        self._rounded = np.rint(self._shares * units[0])
        self._losses = np.rint(self._losses * units[1])


class PartsEngine(BoostingEngine):
    """What both losses share: rounds whose pairs are elsewhere."""

    _parts: States | None = None  # not before the first round

    def _rounds(self, places: Ints, deltas: Floats, totals: Floats, additions: Ints, known: bool) -> int:
        parts, state = self._begun(), self._state
        done = 0
        while done < places.size and (done == 0 or state.min() >= LEAST):
            if not known:
                place = strongest(self._sums, self._bounds, self.index.columns)
                if place < 0:
                    break
                two = self._sums[2 * place], self._sums[2 * place + 1]
                places[done], deltas[done] = place, boosting.best_move(*two, state[0], self.smoothing)
            move = Move(int(places[done]), float(deltas[done]), known)
            additions[done] = self.index.costs[places[done]] if state.size == 1 else 0
            for moved in parts.ask(_move, move, changes=True):
                state += (moved.total, moved.loss)[: state.size]
                additions[done] += moved.additions
                add_each(moved.codes, moved.amounts, self._sums, self._bounds)
            totals[done] = state[-1]
            done += 1
        return done

    def _begun(self) -> States:
        if self._parts is None:
            engine, index, contests = current(), self.index, self.index.pairs.contests
            # Contests stay whole; pieces have about equal numbers of items.
            cuts = even_cuts(index.spans[2 * contests], engine.workers)
            make, values, scales = self._kind()
            pieces = []
            for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
                start, stop = int(contests[first]), int(contests[last])
                spans = index.spans[2 * start : 2 * stop + 1]
                pieces.append(
                    PairsMessage(
                        spans - spans[0],
                        index.items[spans[0] : spans[-1]],
                        index.columns.size,
                        values[start:stop],
                        contests[first : last + 1] - start,
                        scales,
                    )
                )
            self._parts = engine.states(make, pieces)
        return self._parts

    def _sum_up(self) -> None:
        if self._parts is not None:
            self._take_back()
        super()._sum_up()

    def _gathered(self) -> Floats:
        return np.concatenate(self._begun().ask(_values, None, changes=False))

    def close(self) -> None:
        """End the workers; another round would begin them anew."""
        if self._parts is not None:
            self._take_back()
            self._parts.__exit__()
            self._parts = None

    def _kind(self) -> tuple[Callable[[PairsMessage], PairsOnWorker], Floats, Floats]:
        """What makes a part, values of all pairs, and units."""
        raise NotImplementedError

    def _take_back(self) -> None:
        """Have here what the parts have."""
        raise NotImplementedError


class ExpPartsEngine(PartsEngine, ExpEngine):
    """`ExpEngine` on the workers of the current engine."""

    def _kind(self) -> tuple[Callable[[PairsMessage], PairsOnWorker], Floats, Floats]:
        return ExpPart, self._weights, np.zeros(0)

    def _take_back(self) -> None:
        self._weights = self._gathered()

    def _rescale(self) -> bool:
        if self._parts is None or self._state[0] >= LEAST:
            return super()._rescale()
        self._take_back()
        before = self._bits
        changed = super()._rescale()
        self._parts.ask(_rescale, self._bits - before, changes=True)
        return changed


class LogPartsEngine(PartsEngine, LogEngine):
    """`LogEngine` on the workers of the current engine."""

    def _kind(self) -> tuple[Callable[[PairsMessage], PairsOnWorker], Floats, Floats]:
        return LogPart, self._margins, np.ldexp(1.0, self._bits)

    def _take_back(self) -> None:
        self._margins = self._gathered()
        settle_all(self._margins, self._contests, self._shares, self._contest_losses)
        shares, losses = np.ldexp(1.0, self._bits)
        self._rounded, self._contest_losses = np.rint(self._shares * shares), np.rint(self._contest_losses * losses)

    def _rescale(self) -> bool:
        if self._parts is None or self._state.min() >= LEAST:
            return super()._rescale()
        self._take_back()
        changed = super()._rescale()
        self._parts.ask(_rescale, np.ldexp(1.0, self._bits), changes=True)
        return changed


def _move(part: PairsOnWorker, move: Move) -> Moved:
    return part.move(move)


def _rescale(part: PairsOnWorker, units: Any) -> None:
    part.rescale(units)


def _values(part: PairsOnWorker, _: None) -> Floats:
    return part.values
