"""What a model picked: arrays inside, one small object per group outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.ranking import first_round

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Bools, Floats, Ints
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Choice:
    """One chosen candidate; a group without candidates has index -1, no text, and score and probability 0.

    So has a group for which the model abstained, except that it has a confidence.
    """

    group: str
    index: int  # of the candidate in its group, from 0
    id: str | None
    text: str | None
    score: float  # of the text: that of its best copy
    probability: float  # of the text: that of all its copies; a softmax of scores, which no two learners scale alike
    first: int  # what the first round had chosen
    confidence: float | None = None  # calibrated, that it is the best of its group (or right); None where it is unknown
    abstained: bool = False  # whether there is no choice because its confidence was too low


class Choices(Sequence[Choice]):
    """Choices in the order of the groups; `indices`, `scores`, `probabilities` and `confidences` as arrays."""

    def __init__(
        self,
        data: NBest,
        indices: Ints,
        scores: Floats,
        probabilities: Floats,
        confidences: Callable[[], Floats] | None = None,
        abstained: Bools | None = None,
    ) -> None:
        self._data, self.indices = data, indices
        self.all_scores, self.all_probabilities = scores, probabilities  # of every candidate, in the order of the data
        self._first = first_round(data).indices
        self._confidences, self._abstained = confidences, abstained

    @cached_property
    def confidences(self) -> Floats:
        """Calibrated confidence of every choice; 0 for a group without candidates. O(characters), once."""
        if self._confidences is None:
            raise UsageError(
                "this model has no calibrated confidence, as no held-out lists were at hand: train it with dev data or "
                'with calibration="folds", or use runoff.calibrate(model, held_out_lists).'
            )
        return self._confidences()

    @property
    def has_confidences(self) -> bool:
        """Whether the model was calibrated."""
        return self._confidences is not None

    @property
    def abstained(self) -> int:
        """Number of groups without a choice because its confidence was too low."""
        return 0 if self._abstained is None else int(self._abstained.sum())

    def at_least(self, confidence: float) -> Choices:
        """Only the choices with at least this confidence; in the other groups the model abstains."""
        if not 0 <= confidence <= 1:
            raise UsageError(f"a confidence is from 0 to 1; found {confidence}.")
        low = (self.confidences < confidence) & (self._data.sizes > 0)
        indices = frozen(np.where(low, -1, self.indices))
        kept = self.confidences
        return Choices(self._data, indices, self.all_scores, self.all_probabilities, lambda: kept, low)

    @property
    def scores(self) -> Floats:
        """Score of every choice; 0 for a group without candidates."""
        return self._at_choices(self.all_scores)

    @property
    def probabilities(self) -> Floats:
        """Softmax share of every choice within its group; its share of the votes where vectors vote."""
        return self._at_choices(self.all_probabilities)

    @property
    def changed(self) -> int:
        """Number of groups in which the choice is not the first round's; one that abstains has none."""
        return int((self.indices != self._first).sum()) - self.abstained

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
        is_choice = index == int(self.indices[group]) and int(data.sizes[group]) > 0
        confidence = float(self.confidences[group]) if self.has_confidences and is_choice else None
        if index < 0:
            abstained = self._abstained is not None and bool(self._abstained[group])
            return Choice(name, -1, None, None, 0.0, 0.0, first, confidence, abstained)
        row = int(data.offsets[group]) + index
        return Choice(
            name,
            index,
            None if data.candidate_ids is None else data.candidate_ids[row].as_py(),
            None if data.texts is None else data.texts[row].as_py(),
            float(self.all_scores[row]),
            float(self.all_probabilities[row]),
            first,
            confidence,
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
