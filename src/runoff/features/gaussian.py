"""A Gaussian fitted to rows with missing values by EM (Dempster, Laird & Rubin 1977; Little & Rubin 2002, 11.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.conditional_means import fill_conditional_means
from runoff.parallel import one_blas_thread

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints

RIDGE = 1e-3  # added to the variances, of columns whose known values have variance 1
_MOST_STEPS, _LEAST_GAIN = 50, 1e-3  # of the objective of a row
_WORST_CONDITION = 1e9
_NONE = np.zeros((0, 0))


@dataclass(frozen=True)
class Gaussian:
    """Mean and covariance; `objectives` has the penalised log-likelihood of a row before every step of EM."""

    mean: Floats
    covariance: Floats
    objectives: list[float] = field(default_factory=list)
    left: Floats = field(default_factory=lambda: np.zeros(0))  # share of a column's variance that its rivals leave open

    @classmethod
    def fit(cls, rows: Floats, ridge: float = RIDGE) -> Self:
        """The parameters of the greatest likelihood of what is known, with a penalty of ridge / 2 · n · tr(Σ⁻¹).

        Values are missing where they are NaN, at random given what is known. Every step takes exact expectations row by
        row; the objective never falls. It ends after 50 steps, or where a step gains less than 0.001 for a row.
        A step costs O(d³) for d columns, O(d²) for every row, and O(m³) for every pattern of m missing values; memory
        O(n d).

        Examples
        --------
        >>> rows = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [4.0, np.nan]])
        >>> Gaussian.fit(rows).filled(rows)[3].round(1).tolist()
        [4.0, 8.0]
        """
        missing = np.isnan(rows)
        n, d = rows.shape
        known = np.maximum((~missing).sum(axis=0), 1)
        mean = np.where(missing, 0.0, rows).sum(axis=0) / known
        apart = np.where(missing, 0.0, rows - mean)
        covariance = np.diag((apart**2).sum(axis=0) / known) + ridge * np.eye(d)
        order, objectives = _by_pattern(missing), []
        with one_blas_thread():
            while True:
                precision = np.linalg.inv(covariance).astype(np.float64)
                values, spread = np.where(missing, 0.0, rows - mean), np.zeros((d, d))
                log_missing = fill_conditional_means(values, missing, order, precision, spread)
                log_all = n * np.linalg.slogdet(covariance)[1]
                quadratic = np.sum((values @ precision) * values) + ridge * n * np.trace(precision)
                constant = float((~missing).sum()) * np.log(2 * np.pi)
                objectives.append(float(-(log_all + log_missing + quadratic + constant) / (2 * n)))
                done = len(objectives) > _MOST_STEPS
                if done or (len(objectives) > 1 and objectives[-1] - objectives[-2] < _LEAST_GAIN):
                    break
                shift = values.mean(axis=0)
                mean = mean + shift
                values -= shift
                covariance = (values.T @ values + spread) / n + ridge * np.eye(d)
        gone = missing.sum(axis=0)
        open_ = np.where(gone > 0, np.diag(spread) / np.maximum(gone, 1), 1 / np.diag(precision))
        return cls(frozen(mean), frozen(covariance), objectives, frozen(open_ / np.diag(covariance)))

    def filled(self, rows: Floats) -> Floats:
        """Rows with the mean given what is known of each in place of what is missing.

        What a row becomes depends on it alone.
        """
        missing = np.isnan(rows)
        wanting = np.flatnonzero(missing.any(axis=1))
        if not wanting.size:
            return rows
        with one_blas_thread():
            precision = np.linalg.inv(self.covariance).astype(np.float64)
        part, gone = np.where(missing, 0.0, rows - self.mean)[wanting], missing[wanting]
        fill_conditional_means(part, gone, _by_pattern(gone), precision, _NONE)
        out = rows.copy()
        out[wanting] = np.where(gone, part + self.mean, rows[wanting])
        return out

    @property
    def is_usable(self) -> bool:
        """Whether numbers that came from a file are a Gaussian whose covariance can be inverted."""
        d = self.mean.size
        if self.covariance.shape != (d, d) or not (np.isfinite(self.mean).all() and np.isfinite(self.covariance).all()):
            return False
        if not np.allclose(self.covariance, self.covariance.T):
            return False
        roots = np.linalg.eigvalsh(self.covariance)
        return bool(d == 0 or roots[0] * _WORST_CONDITION > roots[-1])


def _by_pattern(missing: Bools) -> Ints:
    """Rows in an order in which those that miss the same columns are side by side."""
    return np.lexsort(np.packbits(missing, axis=1).T)
