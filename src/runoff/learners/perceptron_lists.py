"""Scaled lists for the perceptron, and weights back in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.column_statistics import square_distances
from runoff.kernels.perceptron import PerceptronLists
from runoff.learners.feature_scaling import column_scales, scaled_base, scaled_rows

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners.perceptron import Perceptron
    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False)
class ScaledLists:
    """Training lists with scaled features, and the scales."""

    lists: PerceptronLists
    scale: Floats  # factor of every column; 0 leaves a feature out
    base_scale: float
    unit: float  # typical squared distance of two candidates of a group

    @classmethod
    def of(cls, data: NBest, learner: Perceptron) -> ScaledLists:
        """Scale columns and first-round scores. O(stored values); only what is scaled or left out is copied."""
        scale = column_scales(data, learner.scale, learner.min_groups)
        rows = scaled_rows(data.features.check(), scale)
        base, base_scale = scaled_base(data, used=learner.base, scale=learner.base_scale)
        lists = PerceptronLists(data.offsets, *rows, base)
        apart = square_distances(data.offsets, *rows, scale.size) + float(np.sum(base**2))
        return cls(lists, scale, base_scale, 2 * apart / data.n_candidates)

    def in_data_units(self, weights: Floats, base: float) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return weights * self.scale, base * self.base_scale
