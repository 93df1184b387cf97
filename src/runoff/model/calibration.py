"""A calibrated confidence: how likely it is that a choice is the best one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runoff import metrics
from runoff.arrays import frozen
from runoff.errors import RunoffError
from runoff.kernels.groups import softmax
from runoff.metrics.answers import answer_numbers
from runoff.ranking import winners

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

_LARGEST = 15.0  # log odds beyond which no confidence goes: no held-out data can tell


@dataclass(frozen=True)
class Calibration:
    """Confidence from scores: `1 / (1 + exp(-(intercept + slope * log odds)))`.

    The odds are those of the choice's answer, whose share is the softmax of `sharpness * score` summed over all
    candidates of the list that give this answer: copies, and texts that are the same to `metric`. A list in which all
    candidates give the same answer has the confidence `alone`. The four numbers are fitted on held-out lists by
    `runoff.calibrate`; the mapping is Platt's (1999), the sharpness is the inverse temperature of Guo et al. (2017).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "a"], sizes=[3])
    >>> Calibration("best", sharpness=0.0).confidences(data, np.array([3.0, 2.0, 1.0])).round(3).tolist()
    [0.667]
    """

    means: Literal["best", "right"]  # best of its list; or right, where quality is only 0 or 1
    sharpness: float = 1.0
    intercept: float = 0.0
    slope: float = 1.0
    alone: float = 1.0
    metric: str | None = None  # which decides what the same answer is
    lists: int = 0  # that it was fitted on
    fitted_on: str = ""

    def confidences(self, data: NBest, scores: Floats) -> Floats:
        """Confidence in the choice of every group, given the scores of the candidates; 0 for an empty group."""
        shares = AnswerShares(data, scores, self.metric)
        out = np.zeros(len(data))
        filled = data.sizes > 0
        log_odds = self.intercept + self.slope * shares.log_odds(self.sharpness)
        out[filled] = np.where(shares.alone, self.alone, 1 / (1 + np.exp(-np.clip(log_odds, -_LARGEST, _LARGEST))))
        return frozen(out)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Any) -> Calibration:
        """From plain values of a file; raises ValueError where one is not as it should be."""
        found = cls(**plain)
        numbers = (found.sharpness, found.intercept, found.slope, found.alone)
        are_numbers = all(type(each) in (int, float) and np.isfinite(each) for each in numbers)
        if not are_numbers or found.sharpness < 0 or found.slope < 0 or not 0 <= found.alone <= 1:
            raise ValueError("its calibration has numbers that are out of range.")
        if found.means not in ("best", "right") or type(found.lists) is not int or type(found.fitted_on) is not str:
            raise ValueError("its calibration does not say what it means.")
        if found.metric is not None:
            try:
                metrics.get(found.metric)
            except (RunoffError, AttributeError, TypeError) as error:
                raise ValueError(f"its calibration is for an unknown metric: {error}") from error
        return found


class AnswerShares:
    """How much of every list, by the softmax of its scores, gives the same answer as its choice."""

    def __init__(self, data: NBest, scores: Floats, metric: str | None) -> None:
        filled = data.sizes > 0
        self.offsets = frozen(np.append(0, np.cumsum(data.sizes[filled])))
        self.top: Ints = (data.offsets[:-1] + winners(data, scores))[filled]
        self._group = np.repeat(np.arange(self.top.size), data.sizes[filled])
        with np.errstate(over="ignore"):  # minus infinity is a share of 0
            self._behind = scores - scores[self.top][self._group]
        self._data, self._metric = data, metric

    @cached_property
    def _same(self) -> Any:
        """For every candidate, whether it gives the answer of its list's choice."""
        if self._data.texts is None:
            same = np.zeros(self._data.n_candidates, bool)
            same[self.top] = True
            return same
        metric = None if self._metric is None else metrics.get(self._metric)
        numbers = answer_numbers(self._data.texts, metric)
        return numbers == numbers[self.top][self._group]

    @cached_property
    def alone(self) -> Any:
        """For every list with candidates, whether all of them give the same answer."""
        return np.bincount(self._group, ~self._same, self.top.size) == 0

    def log_odds(self, sharpness: float) -> Floats:
        """Logarithm of the odds of the choice's answer in every list with candidates. O(candidates)."""
        with np.errstate(over="ignore"):
            shares = softmax(self.offsets, frozen(sharpness * self._behind))
        same, other = (np.bincount(self._group, shares * mask, self.top.size) for mask in (self._same, ~self._same))
        edge = np.exp(-_LARGEST)
        found: Floats = np.log(np.maximum(same, edge)) - np.log(np.maximum(other, edge))
        return found
