"""What trees are grown for where every example has a label: exponential and logistic loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.tree_growth import RowStatistics, newton_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats


class ExpObjective:
    """Exponential loss of one label against all others, in the mean over the examples."""

    ridge, least = 0.0, 0.0

    def __init__(self, is_positive: NDArray[np.uint8], smoothing: float) -> None:
        self._is_positive, self._smoothing = is_positive, smoothing
        self._sign = np.where(is_positive > 0, -1.0, 1.0)

    def statistics(self, scores: Floats) -> tuple[RowStatistics, float]:
        """Weights that add up to 1, and the loss."""
        margin = self._sign * scores
        largest = float(margin.max())
        weight = np.exp(margin - largest)
        total = float(weight.sum())
        return RowStatistics.of_weights(weight / total, self._is_positive), float(np.exp(largest) * total / scores.size)

    def leaf_values(self, sums: Floats) -> Floats:
        """Half the logarithm of the odds, smoothed."""
        positive, negative = np.maximum(sums, 0.0).T + self._smoothing
        values: Floats = 0.5 * np.log(positive / negative)
        return values

    def weights(self, statistics: RowStatistics) -> Floats:
        """The weights themselves."""
        return statistics.a + statistics.b


class LogObjective:
    """Logistic loss `log(1 + exp(-2 y F))` of one label against all others, in the mean over the examples."""

    least = 0.0

    def __init__(self, is_positive: NDArray[np.uint8], ridge: float) -> None:
        self._sign, self.ridge = np.where(is_positive > 0, 1.0, -1.0), ridge

    def statistics(self, scores: Floats) -> tuple[RowStatistics, float]:
        """Negative first and second derivatives by twice the score."""
        margin = 2 * self._sign * scores
        far = np.exp(-np.abs(margin))
        wrong = np.where(margin > 0, far, 1.0) / (1 + far)
        loss = float((np.log1p(far) + np.maximum(-margin, 0.0)).mean())
        return RowStatistics.of_derivatives(self._sign * wrong, wrong * (1 - wrong)), loss

    def leaf_values(self, sums: Floats) -> Floats:
        """Newton's step, in units of the score."""
        return 0.5 * newton_steps(sums, self.ridge)

    def weights(self, statistics: RowStatistics) -> Floats:
        """Second derivatives."""
        return statistics.b


class LogLossCurve:
    """Logistic loss on dev data after every round: less moved by single mistakes than the exponential one."""

    def __init__(self, is_positive: Any) -> None:
        self._sign = np.where(is_positive, -2.0, 2.0)
        self.best, self._rounds, self.last = 0, 0, float(np.log(2.0))
        self._lowest = self.last

    def follow(self, scores: Floats) -> None:
        """Take the scores after one more round."""
        self._rounds += 1
        self.last = float(np.logaddexp(0.0, self._sign * scores).mean())
        if self.last < self._lowest:
            self.best, self._lowest = self._rounds, self.last
