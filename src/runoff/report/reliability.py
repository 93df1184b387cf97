"""Does a confidence mean what it says? Accuracy beside confidence on held-out data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import metrics
from runoff.errors import DataError
from runoff.learners.calibrate import good_choices

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.model import LinearModel
    from runoff.nbest import NBest

BINS = 15  # of equal width, as in Guo et al. (2017)
LEVELS = (0.5, 0.8, 0.9, 0.95)  # of confidence, from which on choices are counted


@dataclass(frozen=True)
class ConfidenceBin:
    """Choices of similar confidence."""

    low: float
    high: float
    choices: int
    confidence: float  # mean
    accuracy: float


@dataclass(frozen=True)
class Above:
    """Choices with at least some confidence: what remains where the model abstains below it."""

    level: float
    kept: float  # share of all choices
    accuracy: float


@dataclass(frozen=True)
class Reliability:
    """Confidence of a model's choices beside how often they are the best (or right).

    The expected calibration error is the mean difference of the two over 15 bins, each weighted by its choices.
    """

    means: str  # "best" of its list, or "right"
    choices: int
    accuracy: float
    confidence: float  # mean
    error: float
    bins: tuple[ConfidenceBin, ...]  # without empty ones
    above: tuple[Above, ...]

    @classmethod
    def of(cls, confidences: Floats, good: Bools, means: str = "best", bins: int = BINS) -> Reliability:
        """Compare confidences with what the choices turned out to be. O(choices).

        Examples
        --------
        >>> found = Reliability.of(np.array([0.9, 0.9, 0.6, 0.6]), np.array([True, True, True, False]))
        >>> round(found.error, 3), found.accuracy, found.confidence
        (0.1, 0.75, 0.75)
        """
        place = np.minimum((confidences * bins).astype(np.int64), bins - 1)
        parts = [(at, place == at) for at in np.unique(place)]
        found = tuple(
            ConfidenceBin(
                float(at) / bins,
                float(at + 1) / bins,
                int(inside.sum()),
                float(confidences[inside].mean()),
                float(good[inside].mean()),
            )
            for at, inside in parts
        )
        error = sum(each.choices * abs(each.confidence - each.accuracy) for each in found) / max(good.size, 1)
        kept = [(level, confidences >= level) for level in LEVELS]
        above = tuple(Above(level, float(is_.mean()), float(good[is_].mean())) for level, is_ in kept if is_.any())
        return cls(means, good.size, float(good.mean()), float(confidences.mean()), error, found, above)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = asdict(self)
        return {"expected_calibration_error": plain.pop("error"), **plain}

    def lines(self) -> list[str]:
        """The facts in sentences."""
        what = "right" if self.means == "right" else "the best of their lists"
        lines = [
            f"Confidence: {self.accuracy:.1%} of the choices are {what}, the mean confidence is {self.confidence:.1%}; "
            f"expected calibration error {self.error:.1%} ({BINS} bins)."
        ]
        some = [each for each in self.above if each.kept < 1]
        if some:
            parts = [
                f"{each.level:.0%} or more, {each.accuracy:.1%} (in {each.kept:.1%} of the lists)" for each in some
            ]
            lines.append(f"Of choices with a confidence of {'; of '.join(parts)}.")
        return lines


class ConfidentChoices:
    """The confidences of a model's choices, and whether these are good, from block after block."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        self._found: list[tuple[Floats, Bools]] | None = None if model.calibration is None else []

    def add(self, data: NBest) -> None:
        """Take the choices in some more lists; there is no reliability where these cannot be judged."""
        calibration, filled = self._model.calibration, data.sizes > 0
        if calibration is None or self._found is None or not filled.any():
            return
        metric = metrics.get(calibration.metric or "quality")
        try:
            data = metrics.grade_for(data, [metric])
            choices = self._model.pick(data)
            chosen = data.offsets[:-1] + choices.indices
            _, good = good_choices(data, metric, chosen[filled], calibration.means)
        except DataError:  # judged by another metric than it was trained for, which cannot be computed from this data
            self._found = None
        else:
            self._found.append((choices.confidences[filled], good))

    def reliability(self) -> Reliability | None:
        """Reliability of the confidence; None where the model has none, or nothing can be judged."""
        if not self._found or self._model.calibration is None:
            return None
        confidences, good = (np.concatenate(each) for each in zip(*self._found, strict=True))
        return Reliability.of(confidences, good, self._model.calibration.means)


def reliability(model: LinearModel, data: NBest) -> Reliability | None:
    """Reliability of the model's confidence on data with quality or references; None where it has none."""
    choices = ConfidentChoices(model)
    choices.add(data)
    return choices.reliability()
