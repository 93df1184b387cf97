"""One run of boosting: its rounds, their dev scores, and where it stops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from runoff.expected_arrays import Expected, check_arrays

if TYPE_CHECKING:
    from runoff.learners.boosting_engine import ExpEngine, LogEngine
    from runoff.learners.checkpoint import Arrays
    from runoff.learners.prefix_scorer import PrefixScorer

LEAST_ROUNDS = 500  # before a run may be stopped early


@dataclass
class BoostingRun:
    """One engine with one smoothing, its dev scores, and its name in a checkpoint.

    A run with `patience` ends when its best prefix on dev lies far back: at that multiple of the rounds of the prefix,
    but not before 500.
    """

    name: str
    engine: ExpEngine | LogEngine
    smoothing: float
    dev: PrefixScorer | None = None
    patience: float | None = None
    start_loss: float = field(init=False)
    failed: str = field(default="", init=False)  # boosting rounds cannot fail

    def __post_init__(self) -> None:
        self.start_loss = self.engine.loss

    @property
    def done(self) -> int:
        """Rounds so far."""
        return len(self.engine.deltas)

    def limit(self, most: int) -> int:
        """Rounds at which it ends, given the dev scores so far."""
        if self.patience is None or self.dev is None:
            return most
        return int(min(most, max(LEAST_ROUNDS, self.patience * self.dev.best)))

    def ended_early(self, most: int) -> bool:
        """Whether it was stopped before `most` rounds, because its best prefix on dev lay far back."""
        return self.limit(most) <= self.done < most

    def advance(self, rounds: int) -> bool:
        """Do so many further rounds; False when no feature has any gain left."""
        before = self.done
        made = self.engine.run(rounds)
        self._follow(before)
        return made == rounds

    def words(self) -> str:
        """Loss and dev score."""
        dev = "" if self.dev is None else f"dev {self.dev.metric.label} {self.dev.last:.4f}, "
        return f"{dev}loss {self.engine.loss:,.6g}"

    def kept(self) -> tuple[int, Arrays]:
        """The path, from which everything else follows bit for bit; cut to what both of its arrays have."""
        columns, deltas = self.engine.features, self.engine.deltas
        n = min(len(columns), len(deltas))
        return n, {"column": columns[:n], "delta": deltas[:n]}

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Repeat the rounds of an earlier run."""
        places, smoothing = self.engine.index.places, self.smoothing
        # A step is longest where all pairs that differ agree; a little more, for its rounding.
        longest = 0.5 * (np.log1p(smoothing) - np.log(smoothing)) * (1.0 + 1e-9)
        expected = {
            "column": Expected(np.int64, (done,), 0, places.size - 1),
            "delta": Expected(np.float64, (done,), -longest, longest),
        }
        check_arrays(kept, expected)
        columns, deltas = kept["column"][:most], kept["delta"][:most]
        if np.any(places[columns] < 0):
            raise ValueError("the path has features that tell no pair apart.")
        self.engine.replay(columns, deltas)
        if np.isnan(self.engine.losses).any():
            raise ValueError("the path leads to no loss.")
        self._follow(0)

    def _follow(self, before: int) -> None:
        if self.dev is not None:
            self.dev.advance(self.engine.features[before:], self.engine.deltas[before:])

    def history(self) -> list[dict[str, float]]:
        """Loss, and dev score where there is one, after every round."""
        scores = None if self.dev is None else self.dev.scores
        return [
            {"round": float(at + 1), "loss": float(loss)} | ({} if scores is None else {"dev": float(scores[at + 1])})
            for at, loss in enumerate(self.engine.losses)
        ]
