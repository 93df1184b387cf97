"""Lists as the perceptron's passes take them: columns in units that fit together, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.columns import square_distances
from runoff.kernels.perceptron import Lists
from runoff.kernels.segments import row_products
from runoff.learners.scales import centred, column_scales, spread_within

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners.perceptron import Perceptron
    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False)
class Material:
    """Training lists in the learner's units, and the units themselves."""

    lists: Lists
    scale: Floats  # units of the learner per unit of the data; 0 leaves a feature out
    base_scale: float
    unit: float  # typical squared distance of two candidates of a group

    @classmethod
    def of(cls, data: NBest, learner: Perceptron) -> Material:
        """Scale columns and first-round scores. O(stored values); only what is scaled or left out is copied."""
        features = data.features.check()
        scale = column_scales(data, learner.scale, learner.min_groups)
        indptr, indices, values = features.indptr, features.indices, features.values
        if values is not None or bool(np.any((scale != 0) & (scale != 1))):
            start, stop = int(indptr[0]), int(indptr[-1])
            indptr, indices = frozen(indptr - start), indices[start:stop]
            factor = scale.astype(np.float32)[indices]
            values = frozen(factor if values is None else values[start:stop] * factor)
        elif bool(np.any(scale == 0)):
            left = np.empty(indptr.size - 1)
            row_products(indptr, indices, None, scale, 0, left)  # all scales are 0 or 1: this counts
            indices = indices[indptr[0] : indptr[-1]]
            indices = frozen(indices[scale[indices] > 0])
            indptr = frozen(np.append(0, np.cumsum(left.astype(np.int64))))
        base, base_scale = np.zeros(data.n_candidates), 0.0
        if learner.base and data.base is not None:
            spread = spread_within(data, data.base)
            base_scale = learner.base_scale / spread if spread > 0 else 0.0
            base = centred(data, data.base) * base_scale
        lists = Lists(data.offsets, indptr, indices, values, frozen(base))
        apart = square_distances(data.offsets, indptr, indices, values, scale.size) + float(np.sum(base**2))
        return cls(lists, scale, base_scale, 2 * apart / data.n_candidates)

    def in_data_units(self, weights: Floats, base: float) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return weights * self.scale, base * self.base_scale
