"""Conditional means of a Gaussian: what the known values of a row say about those that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats, Ints


@compiled
def fill_conditional_means(
    values: Floats, missing: Bools, order: Ints, precision: Floats, covariance: Floats
) -> float:  # pragma: no cover - compiled
    """Put their conditional mean in place of the missing values of each row, whose mean is zero.

    Rows are taken in `order`, which should put those that miss the same columns side by side, as these share one
    factorisation. Where `covariance` is not empty, the conditional covariance of each row is added to it. Returns the
    sum over the rows of the log determinant of the precision of what is missing. With m of d values missing,
    O(m³) for every pattern and O(m d) for every row.
    """
    d = values.shape[1]
    gone, solution = np.empty(d, np.int64), np.empty(d)
    factor, inverse = np.zeros((d, d)), np.zeros((d, d))
    m, log_determinant, total, before = 0, 0.0, 0.0, -1
    for row in order:
        is_new = before < 0
        for column in range(d):
            if is_new:
                break
            is_new = missing[row, column] != missing[before, column]
        if is_new:
            m = 0
            for column in range(d):
                if missing[row, column]:
                    gone[m] = column
                    m += 1
            log_determinant = _factorise(precision, gone[:m], factor)
            for column in range(m if covariance.size else 0):
                inverse[:m, column] = 0.0
                inverse[column, column] = 1.0
                _solve(factor, inverse[:m, column])
        before = row
        total += log_determinant
        for i in range(m):
            of_known = 0.0
            for column in range(d):
                if not missing[row, column]:
                    of_known += precision[gone[i], column] * values[row, column]
            solution[i] = -of_known
        _solve(factor, solution[:m])
        for i in range(m):
            values[row, gone[i]] = solution[i]
            for j in range(m if covariance.size else 0):
                covariance[gone[i], gone[j]] += inverse[i, j]
    return total


@compiled
def _factorise(matrix: Floats, chosen: Ints, factor: Floats) -> float:  # pragma: no cover - compiled
    """Cholesky factor of the chosen rows and columns; returns the log determinant."""
    log_determinant = 0.0
    for i in range(chosen.size):
        for j in range(i + 1):
            rest = matrix[chosen[i], chosen[j]]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = np.sqrt(rest)
                log_determinant += np.log(rest)
            else:
                factor[i, j] = rest / factor[j, j]
    return log_determinant


@compiled
def _solve(factor: Floats, right: Floats) -> None:  # pragma: no cover - compiled
    """Solve with a Cholesky factor in place."""
    for i in range(right.size):
        for k in range(i):
            right[i] -= factor[i, k] * right[k]
        right[i] /= factor[i, i]
    for i in range(right.size - 1, -1, -1):
        for k in range(i + 1, right.size):
            right[i] -= factor[k, i] * right[k]
        right[i] /= factor[i, i]
