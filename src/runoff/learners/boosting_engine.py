"""Collins & Koo's boosting as an engine: the state of one run over an index of pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels import boosting
from runoff.kernels.boosting_contests import settle_all
from runoff.kernels.boosting_sums import BLOCK, FAN, tighten_all
from runoff.learners.pair_index import PairIndex

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints

__all__ = ["BoostingEngine", "ExactLogEngine", "ExpEngine", "LogEngine", "PairIndex"]

FULL_BITS = 51  # a run starts with a total of about 2**51 units: sums stay whole numbers below 2**53
MOST_BITS = 900  # the finest unit of LogLoss is 2**-900
LEAST = 2.0**46  # a run switches to finer units when the total has fallen below this


class BoostingEngine(ABC):
    """One run of boosting: the weights of the pairs, their sums by feature, and the path so far.

    Weights are summed as integer multiples of a small unit. Such sums are exact in any order, so that nothing
    drifts, equal features stay equal, and a round gives the same bits as a computation from scratch.
    """

    def __init__(self, index: PairIndex, margins: Floats, smoothing: float) -> None:
        if not 0 < smoothing < np.inf:
            raise UsageError(f"smoothing must be a positive number; found {smoothing!r}.")
        self.index, self.smoothing, self.start_margins = index, float(smoothing), frozen(np.array(margins, np.float64))
        blocks = -(-index.columns.size // BLOCK)
        middles = -(-blocks // FAN)
        self._sums = np.zeros(2 * BLOCK * blocks)
        self._bounds = np.zeros(blocks), np.zeros(middles), np.zeros(-(-middles // FAN))
        self._places, self._additions = np.empty(0, np.int64), np.empty(0, np.int64)
        self._deltas, self._losses = np.empty(0), np.empty(0)
        self._state = self._start()
        self._rescale()
        self._sum_up()

    @property
    def features(self) -> Ints:
        """Column that every round chose."""
        return self.index.columns[self._places]

    @property
    def deltas(self) -> Floats:
        """What every round added to the weight of its column."""
        return self._deltas

    @property
    def additions(self) -> Ints:
        """Additions that every round made: the paper's C_t."""
        return self._additions

    @property
    def losses(self) -> Floats:
        """Loss after every round, in the paper's units."""
        return self._losses

    @property
    def loss(self) -> float:
        """Loss now, in the paper's units; infinite where they cannot express it."""
        return float(self._losses[-1] if self._losses.size else self._in_paper_units(self._state[-1:])[0])

    def run(self, rounds: int) -> int:
        """Do so many further rounds; returns how many were done: fewer if no feature has any gain left."""
        left = rounds
        while left > 0 and self._state.min() >= LEAST:  # below, the remaining loss is smaller than floats can resolve
            done = self._go(np.empty(left, np.int64), np.empty(left), known=False)
            left -= done
            if self._rescale():
                self._sum_up()
            elif done == 0:
                break
        return rounds - left

    def replay(self, features: Ints, deltas: Floats) -> None:
        """Repeat known rounds on a new engine, bit for bit, without choosing features again.

        O(pairs of the features), and one pass over all items at the end.
        """
        places = self.index.places[np.asarray(features, np.int64)].astype(np.int64)
        if self._places.size or (places.size and places.min() < 0):
            raise ValueError("replay needs a new engine over the index that the path comes from")
        done, moves = 0, np.array(deltas, np.float64)
        while done < places.size:
            done += self._go(places[done:], moves[done:], known=True)
            self._rescale()
        self._sum_up()

    def close(self) -> None:  # noqa: B027 - most have nothing
        """End what works for it elsewhere."""

    def drift(self) -> float:
        """Relative difference of the loss from one that is computed from the weights alone. O(items)."""
        if not self._state[-1]:
            return 0.0
        weights = np.zeros(self.index.columns.size)
        np.add.at(weights, self._places, self._deltas)
        margins = boosting.margins_of(self.start_margins, weights, self.index.spans, self.index.items)
        return abs(self._total_at(margins) / float(self._state[-1]) - 1.0)

    def _go(self, places: Ints, deltas: Floats, *, known: bool) -> int:
        """Do rounds, chosen or known, until the units are too coarse, and record them."""
        totals, additions = np.empty(places.size), np.empty(places.size, np.int64)
        done = self._rounds(places, deltas, totals, additions, known)
        self._places = np.concatenate([self._places, places[:done]])
        self._deltas = np.concatenate([self._deltas, deltas[:done]])
        self._additions = np.concatenate([self._additions, additions[:done]])
        self._losses = np.concatenate([self._losses, self._in_paper_units(totals[:done])])
        return done

    def _sum_up(self) -> None:
        boosting.sum_up(self._amounts(), self.index.spans, self.index.items, self._sums)
        tighten_all(self._sums, self._bounds)

    @property
    def _arrays(self) -> tuple[Any, ...]:
        index = self.index
        return index.spans, index.items, index.starts, index.members, index.columns

    @abstractmethod
    def _start(self) -> Floats:
        """Set up the weights of the pairs; returns the running totals, of which the last is the loss."""

    @abstractmethod
    def _rounds(self, places: Ints, deltas: Floats, totals: Floats, additions: Ints, known: bool) -> int:
        """Call the kernel; the number of rounds that were done."""

    @abstractmethod
    def _rescale(self) -> bool:
        """Switch to finer units if the totals have become small; returns whether it did."""

    @abstractmethod
    def _amounts(self) -> Floats:
        """Weights of the pairs in integer units."""

    @abstractmethod
    def _in_paper_units(self, totals: Floats) -> Floats:
        """Losses as the paper defines them, from totals in units."""

    @abstractmethod
    def _total_at(self, margins: Floats) -> float:
        """Total of the loss in units, at any margins."""


class ExpEngine(BoostingEngine):
    """Boosting under ExpLoss, `Σ S exp(-M)`: the efficient algorithm of figure 4.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.pairs import make_pairs
    >>> data = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> engine = ExpEngine(PairIndex.build(data, make_pairs(data), min_groups=1), np.zeros(2), smoothing=0.01)
    >>> engine.loss, engine.run(1), engine.features.tolist(), round(engine.loss, 3)
    (2.0, 1, [0], 0.199)
    """

    def _start(self) -> Floats:
        with np.errstate(divide="ignore"):
            self._log_weight = np.log(self.index.pairs.weight)
        exponents = self._log_weight - self.start_margins
        highest = float(exponents.max(initial=-np.inf))
        self._shift = highest if np.isfinite(highest) else 0.0  # no pair, or none with a weight
        self._weights: Floats = np.exp(exponents - self._shift)
        self._bits = 0
        return np.zeros(1)

    def _rounds(self, places: Ints, deltas: Floats, totals: Floats, additions: Ints, known: bool) -> int:
        if known:
            done = boosting.exp_replay(LEAST, self._state, self._weights, self._arrays, places, deltas, totals)
        else:
            done = boosting.exp_rounds(
                LEAST,
                self.smoothing,
                self._state,
                self._weights,
                self._sums,
                self._bounds,
                self._arrays,
                self.index.costs,
                places,
                deltas,
                totals,
            )
        additions[:done] = self.index.costs[places[:done]]
        return int(done)

    def _rescale(self) -> bool:
        if self._state[0] >= LEAST:
            return False
        mantissa, exponent = np.frexp(self._weights.sum())
        if mantissa == 0.0:
            return False
        bits = FULL_BITS - int(exponent)
        self._weights = np.ldexp(self._weights, bits)
        self._bits += bits
        self._state[0] = self._amounts().sum()
        return True

    def _amounts(self) -> Floats:
        return np.rint(self._weights)

    def _in_paper_units(self, totals: Floats) -> Floats:
        shift = np.clip(self._shift, -1e6, 1e6)  # beyond, the loss is zero or infinite
        octaves = np.floor(shift / np.log(2.0))
        with np.errstate(over="ignore", under="ignore"):
            losses: Floats = np.ldexp(totals * np.exp(shift - octaves * np.log(2.0)), int(octaves) - self._bits)
        return losses

    def _total_at(self, margins: Floats) -> float:
        return float(np.exp(self._log_weight - margins - self._shift + self._bits * np.log(2.0)).sum())


class LogEngine(BoostingEngine):
    """Boosting under LogLoss, `Σ log(1 + Σ exp(-M))`: appendix B of the paper, with the efficient updates.

    A contest is a better candidate with all its worse ones. The weights of pairs are not used: LogLoss
    counts contests. Features are chosen by the bound `LogLoss - (√W+ - √W-)²`, where W sums the
    probabilities `q` of the worse candidates; smoothing is in units of the sum of all q.
    """

    exact: ClassVar[bool] = False  # whether every round makes the best move of the best feature

    def _start(self) -> Floats:
        self._contests = frozen(self.index.pairs.contests)
        sizes = np.diff(self._contests)
        self._contest_of = frozen(np.repeat(np.arange(sizes.size, dtype=np.int32), sizes))
        self._margins = self.start_margins.copy()
        self._shares, self._rounded = np.empty(self._margins.size), np.empty(self._margins.size)
        self._contest_losses = np.empty(sizes.size)
        self._bits = np.zeros(2, np.int64)
        return np.zeros(2)

    def _rounds(self, places: Ints, deltas: Floats, totals: Floats, additions: Ints, known: bool) -> int:
        return int(
            boosting.log_rounds(
                LEAST,
                self.smoothing,
                np.ldexp(1.0, self._bits),
                self._state,
                (self._margins, self._rounded, self._contest_losses, self._contests, self._contest_of),
                self._shares,
                self._sums,
                self._bounds,
                self._arrays,
                self.index.costs,
                places,
                deltas,
                totals,
                additions,
                known,
                self.exact,
            )
        )

    def _rescale(self) -> bool:
        if self._state.min() >= LEAST:
            return False
        losses = np.empty(self._contest_losses.size)
        settle_all(self._margins, self._contests, self._shares, losses)
        bits = np.minimum(FULL_BITS - np.frexp([self._shares.sum(), losses.sum()])[1], MOST_BITS).astype(np.int64)
        changed = bool(np.any(bits != self._bits))
        self._bits = bits
        self._rounded = np.rint(np.ldexp(self._shares, bits[0]))
        self._contest_losses = np.rint(np.ldexp(losses, bits[1]))
        self._state[:] = self._rounded.sum(), self._contest_losses.sum()
        return changed

    def _amounts(self) -> Floats:
        return self._rounded

    def _in_paper_units(self, totals: Floats) -> Floats:
        losses: Floats = np.ldexp(totals, -int(self._bits[1]))
        return losses

    def _total_at(self, margins: Floats) -> float:
        losses = np.empty(self._contest_losses.size)
        settle_all(margins, self._contests, np.empty(margins.size), losses)
        return float(np.ldexp(losses.sum(), int(self._bits[1])))


class ExactLogEngine(LogEngine):
    """Boosting under LogLoss by section 4.6 of the paper: the best move of every feature, and of these the best.

    The smoothing of a move keeps its meaning: with the bound in place of the loss, the same penalty gives equation 17.
    A round costs a pass over all items.
    """

    exact = True

    def _sum_up(self) -> None:
        """Its rounds use no sums."""
