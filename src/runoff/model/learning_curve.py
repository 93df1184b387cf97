"""How good models of growing numbers of training lists are: what `runoff.learning_curve` finds, and a model keeps."""

from __future__ import annotations

import dataclasses
import html
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from runoff.errors import ModelError
from runoff.tables import counted, html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.model.linear import LinearModel

KEY = "learning_curve"  # of the provenance


@dataclass(frozen=True)
class CurvePoint:
    """The score of a model of so many training lists, and its interval."""

    lists: int
    score: float
    low: float
    high: float


@dataclass(frozen=True)
class LearningCurve:
    """Scores on the same held-out lists by models of more and more training lists, each part of the next.

    Examples
    --------
    >>> points = CurvePoint(100, 12.0, 10.0, 14.0), CurvePoint(200, 11.0, 9.0, 13.0)
    >>> found = LearningCurve(points, "wer", False, 2, 15.0, 50, 0.95, 1.0, 0.2, 1.8, "wer|…")
    >>> found.verdict
    'The last growth, from 100 to 200 lists, gained +1.00 (95% interval +0.20 to +1.80): more lists are likely to help.'
    >>> LearningCurve.from_dict(found.to_dict()) == found
    True
    """

    points: tuple[CurvePoint, ...]
    metric: str
    higher_is_better: bool
    digits: int
    first_round: float  # its score on the held-out lists
    held_out: int  # lists that judge
    confidence: float  # of the intervals
    gain: float  # of the last point over the one before, positive when better
    gain_low: float
    gain_high: float
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether the last growth paid, in a sentence."""
        before, last = self.points[-2:]
        numbers = [f"{each:+.{self.digits}f}" for each in (self.gain, self.gain_low, self.gain_high)]
        if self.gain_low > 0:
            told = "more lists are likely to help"
        elif self.gain_high < 0:
            told = "it did harm, so that more lists of this kind are no cure"
        elif self.gain_low == self.gain_high:
            told = "it changed nothing"
        else:
            told = "whether more lists would help cannot be told by these"
        return (
            f"The last growth, from {before.lists:,} to {last.lists:,} lists, gained {numbers[0]} "
            f"({self.confidence:.0%} interval {numbers[1]} to {numbers[2]}): {told}."
        )

    def stored_in(self, model: LinearModel) -> LinearModel:
        """The model with this curve in its provenance, which `runoff view`, the report and notebooks show."""
        return dataclasses.replace(model, provenance={**model.provenance, KEY: self.to_dict()})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {**asdict(self), "points": [asdict(each) for each in self.points], "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, found: Any) -> Self:
        """The curve that `to_dict` gave; a `ModelError` where it is none."""
        try:
            points = tuple(CurvePoint(**each) for each in found["points"])
            curve = cls(**{**found, "points": points, "notes": tuple(found["notes"])})
            numbers = [curve.first_round, curve.confidence, curve.gain, curve.gain_low, curve.gain_high]
            for each in points:
                numbers += [each.lists, each.score, each.low, each.high]
            fine = len(points) >= 2 and all(math.isfinite(each) for each in numbers)
            fine &= all(isinstance(each, str) for each in (curve.metric, curve.signature, *curve.notes))
            fine &= all(type(each) is int for each in (curve.digits, curve.held_out, *(each.lists for each in points)))
            fine &= 0 <= curve.digits <= 10 and points[0].lists > 0
        except (TypeError, KeyError):
            fine = False
        if not fine:
            raise ModelError("the model's learning curve is damaged; train the model again.")
        return curve

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [f"{each.lists:,}", *(f"{value:.{self.digits}f}" for value in (each.score, each.low, each.high))]
            for each in self.points
        ]
        return ["training lists", self.metric, "from", "to"], rows

    def _remarks(self) -> list[str]:
        better = "higher" if self.higher_is_better else "lower"
        judged = f"{self.metric} on {counted(self.held_out, 'held-out lists')}; {better} is better"
        return [f"{judged}; first round {self.first_round:.{self.digits}f}.", self.verdict, *self.notes]

    def __str__(self) -> str:
        return "\n".join([text_table(*self._table()), "", *self._remarks(), f"signature: {self.signature}"])

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(each)}</p>" for each in self._remarks())
        return html_table(*self._table()) + lines


def learning_curve_of(provenance: Mapping[str, Any]) -> LearningCurve | None:
    """The curve that a model keeps, if it has one."""
    found = provenance.get(KEY)
    return None if found is None else LearningCurve.from_dict(found)
