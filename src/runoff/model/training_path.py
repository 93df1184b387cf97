"""The training path of a model that was built round by round; every prefix of it is a model too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError, brief

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class TrainingPath:
    """In round t the weight of column `columns[t]` moved by `deltas[t]`."""

    columns: Ints
    deltas: Floats

    def __len__(self) -> int:
        return self.columns.size

    def weights(self, n_columns: int, rounds: int) -> Floats:
        """Weights after that many rounds. O(rounds)."""
        if not isinstance(rounds, (int, np.integer)) or isinstance(rounds, bool) or not 0 <= rounds <= len(self):
            raise UsageError(
                f"a prefix is a whole number of rounds from 0 to {len(self):,}, the length of the training path; "
                f"found {brief(rounds)}."
            )
        return np.bincount(self.columns[:rounds], self.deltas[:rounds], minlength=n_columns).astype(np.float64)
