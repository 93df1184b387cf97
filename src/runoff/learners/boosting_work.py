"""How much work the rounds of boosting did, in the paper's own measures (Collins & Koo 2005, section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


# Between these rounds the paper reports its savings (section 5.4.3).
INTERVALS = ((1, 10), (11, 100), (101, 1_000), (1_001, 10_000), (10_001, 50_000), (50_001, 100_000))


@dataclass(frozen=True, eq=False)
class BoostingWork:
    """`additions[t]` were made in round t + 1; the naive algorithm makes `items` in every round.

    Examples
    --------
    >>> work = BoostingWork(np.array([50, 30, 20]), 100)
    >>> work.after(3), work.savings(1, 3), work.intervals()
    (1.0, 3.0, {'1-3': 3.0})
    """

    additions: Ints
    items: int

    def after(self, rounds: int) -> float:
        """Work(n): additions of the first n rounds, in passes of the naive algorithm."""
        return float(self.additions[:rounds].sum() / max(self.items, 1))

    def savings(self, first: int, last: int) -> float:
        """Savings(a, b): how many times fewer additions than the naive algorithm, from round a to round b."""
        return float((1 + last - first) * self.items / max(int(self.additions[first - 1 : last].sum()), 1))

    def intervals(self) -> dict[str, float]:
        """Savings in each of the paper's intervals that was reached; the last one ends where the rounds end."""
        done = self.additions.size
        reached = [(first, min(last, done)) for first, last in INTERVALS if first <= done]
        return {f"{first}-{last}": self.savings(first, last) for first, last in reached}

    @property
    def curve(self) -> Floats:
        """Work(1), Work(2) and so on."""
        return np.cumsum(self.additions) / max(self.items, 1)
