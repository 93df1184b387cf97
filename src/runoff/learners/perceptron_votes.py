"""The weight vectors of a perceptron as voters: collected while it learns, and counted on dev data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff import ranking
from runoff.errors import ModelError
from runoff.expected_arrays import Expected
from runoff.kernels.perceptron import LOGGED, TIME, Log, PerceptronState
from runoff.model.votes import Votes, VoteTally
from runoff.model.votes_builder import VotesBuilder
from runoff.nbest import Features

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.early_stopping import DevScorer
    from runoff.learners.perceptron_lists import ScaledLists

NO_LOG = Log(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
_ROOM = 1 << 20  # changes that are logged before they are collected
_PARTS = ("starts", "columns", "deltas", "base", "counts")


class Voters:
    """Collects what a pass has logged; `log` has room for all changes of the largest group."""

    def __init__(self, scaled: ScaledLists, groups: Ints, *, pairwise: bool, scorer: DevScorer | None) -> None:
        lists = scaled.lists
        features = Features.from_csr(lists.indptr, lists.indices, lists.values, scaled.scale.size)
        self._builder = VotesBuilder(features, lists.base, scale=scaled.scale, base_scale=scaled.base_scale)
        self._scorer, self._columns, self._has_base = scorer, scaled.scale.size, bool(lists.base.any())
        self._tally = None if scorer is None else VoteTally(scorer.data, scorer.names)
        most = int(np.diff(lists.offsets)[groups].max(initial=1))
        room = max(_ROOM, most**2 if pairwise else most)
        self.log = Log(np.empty(room, np.int64), np.empty(room), np.empty(room, np.int64))

    def take(self, state: PerceptronState) -> None:
        """Turn the log into votes, count these on dev, and empty it."""
        logged, log = int(state.counters[LOGGED]), self.log
        part = self._builder.add(
            log.row[:logged].copy(), log.amount[:logged].copy(), log.time[:logged].copy(), int(state.counters[TIME])
        )
        if self._tally is not None:
            self._tally.add(part)
        state.counters[LOGGED] = 0

    def sums(self) -> Floats:
        """Summed statistics on dev of the choices by vote so far."""
        if self._scorer is None or self._tally is None:
            raise RuntimeError("votes are counted on dev data only where there is some.")
        metric, data = self._scorer.metric, self._scorer.data
        sums: Floats = metric.rows(data, ranking.by_score(data, self._tally.shares)).sum(axis=0)
        return sums

    def until(self, moment: int) -> Votes:
        """The votes of the vectors up to a moment."""
        votes = self._builder.votes
        given = np.cumsum(votes.counts)
        last = int(np.searchsorted(given, moment))
        before = int(given[last - 1]) if last else 0
        return votes.first(last, moment - before)

    def kept(self) -> Arrays:
        """The votes so far."""
        votes = self._builder.votes
        return {f"votes.{part}": getattr(votes, part) for part in _PARTS}

    def expected(self, kept: Arrays, moments: int) -> dict[str, Expected]:
        """Votes of so many moments; how many updates and changes there are is for their arrays to agree on."""
        updates, stored = (getattr(kept.get(f"votes.{part}"), "size", 0) for part in ("base", "columns"))
        reach = np.inf if self._has_base else 0.0
        return {
            "votes.starts": Expected(np.int64, (updates + 1,), 0, stored),
            "votes.columns": Expected(np.int32, (stored,), 0, self._columns - 1),
            "votes.deltas": Expected(np.float64, (stored,)),
            "votes.base": Expected(np.float64, (updates,), -reach, reach),
            "votes.counts": Expected(np.int64, (updates + 1,), 0, moments),
        }

    def check(self, kept: Arrays, moments: int) -> None:
        """Raise ValueError unless the votes are those of so many moments, and compiled loops may trust them."""
        votes = _votes_in(kept)
        try:
            votes.check(self._columns, "the checkpoint")
        except ModelError as error:
            raise ValueError(str(error)) from error
        if votes.total != moments:
            raise ValueError("the votes are not those of all visits.")

    def restore(self, kept: Arrays) -> None:
        """Continue from votes that were kept."""
        votes = _votes_in(kept)
        self._builder.resume(votes)
        if self._tally is not None:
            self._tally.add(votes)


def _votes_in(kept: Arrays) -> Votes:
    return Votes(*(kept[f"votes.{part}"] for part in _PARTS))
