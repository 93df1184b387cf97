"""What a model picked: arrays inside, one small object per group outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from runoff.ranking import first_round

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen candidate; a group without candidates has index -1, no text, and score and probability 0."""

    group: str
    index: int  # of the candidate in its group, from 0
    id: str | None
    text: str | None
    score: float  # of the text: that of its best copy
    probability: float  # of the text: that of all its copies
    first: int  # what the first round had chosen


class Choices(Sequence[Choice]):
    """Choices in the order of the groups; `indices`, `scores` and `probabilities` are the same as arrays."""

    def __init__(self, data: NBest, indices: Ints, scores: Floats, probabilities: Floats) -> None:
        self._data, self.indices = data, indices
        self._all_scores, self._all_probabilities = scores, probabilities
        self._first = first_round(data).indices

    @property
    def scores(self) -> Floats:
        """Score of every choice; 0 for a group without candidates."""
        return self._at_choices(self._all_scores)

    @property
    def probabilities(self) -> Floats:
        """Softmax share of every choice within its group; its share of the votes where vectors vote."""
        return self._at_choices(self._all_probabilities)

    @property
    def changed(self) -> int:
        """Number of groups in which the choice is not the first round's."""
        return int((self.indices != self._first).sum())

    def __len__(self) -> int:
        return len(self._data)

    @overload
    def __getitem__(self, at: int) -> Choice: ...
    @overload
    def __getitem__(self, at: slice) -> list[Choice]: ...
    def __getitem__(self, at: int | slice) -> Choice | list[Choice]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"there are {len(self)} choices; found index {at}.")
        return self.candidate(at % len(self), int(self.indices[at]))

    def candidate(self, group: int, index: int) -> Choice:
        """Any candidate of a group, shown as a choice."""
        data = self._data
        name, first = data.group_ids[group].as_py(), int(self._first[group])
        if index < 0:
            return Choice(name, -1, None, None, 0.0, 0.0, first)
        row = int(data.offsets[group]) + index
        return Choice(
            name,
            index,
            None if data.candidate_ids is None else data.candidate_ids[row].as_py(),
            None if data.texts is None else data.texts[row].as_py(),
            float(self._all_scores[row]),
            float(self._all_probabilities[row]),
            first,
        )

    def top(self, order: Ranking, k: int) -> list[list[Choice]]:
        """The k first of every group in this order (fewer where the group has fewer)."""
        return [
            [self.candidate(group, int(row - start)) for row in order.rows[start : min(start + k, stop)]]
            for group, (start, stop) in enumerate(zip(order.offsets[:-1], order.offsets[1:], strict=True))
        ]

    def _at_choices(self, values: Floats) -> Floats:
        filled = self.indices >= 0
        out = np.zeros(len(self))
        out[filled] = values[(self._data.offsets[:-1] + self.indices)[filled]]
        return out

    def __repr__(self) -> str:
        return f"Choices({len(self):,} groups, {self.changed:,} differ from the first round)"
