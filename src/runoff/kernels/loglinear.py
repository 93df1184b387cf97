"""Conditional log-likelihood of the right candidates of each group, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest_of
from runoff.kernels.sparse_rows import add

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints, Singles


@compiled
def negative_log_likelihood(
    groups: Ints,
    offsets: Ints,
    indptr: Ints,
    indices: Columns,
    values: Singles | None,
    base: Floats,
    role: npt.NDArray[np.int8],
    weights: Floats,
    base_weight: float,
    gradient: Floats,
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Sum over `groups` of `-log p(right)`; adds to `gradient`, returns the loss and the slope for the base.

    `role` is 1 for a right candidate, 0 for a wrong one, -1 for one that does not take part.
    O(stored values), no allocation per group beyond one buffer.
    """
    loss, slope, score = 0.0, 0.0, np.empty(largest_of(groups, offsets))
    for group in groups:
        start, stop = offsets[group], offsets[group + 1]
        top, top_right = -np.inf, -np.inf
        for row in range(start, stop):
            total = base_weight * base[row]
            for at in range(indptr[row], indptr[row + 1]):
                if values is None:
                    total += weights[indices[at]]
                else:
                    total += weights[indices[at]] * values[at]
            score[row - start] = total
            if role[row] >= 0:
                top = max(top, total)
            if role[row] == 1:
                top_right = max(top_right, total)
        mass, mass_right = 0.0, 0.0
        for row in range(start, stop):
            if role[row] >= 0:
                mass += np.exp(score[row - start] - top)
            if role[row] == 1:
                mass_right += np.exp(score[row - start] - top_right)
        loss += (top + np.log(mass)) - (top_right + np.log(mass_right))
        for row in range(start, stop):
            if role[row] < 0:
                continue
            excess = np.exp(score[row - start] - top) / mass
            if role[row] == 1:
                excess -= np.exp(score[row - start] - top_right) / mass_right
            slope += excess * base[row]
            add(excess, indptr[row], indptr[row + 1], indices, values, gradient)
    return loss, slope
