"""The training problem of a conditional random field: scaled lists, losses or gains, and what to try."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.crf import Aim
from runoff.kernels.crf_order_objectives import ENUMERATED, EXACT, MOST_ENUMERATED, Ideal
from runoff.kernels.crf_orders import OrdersAim
from runoff.kernels.crf_steps import CRFLists
from runoff.kernels.permutation_sums import Space
from runoff.learners.base_weight import prior_scale_of
from runoff.learners.column_bundles import bundle_columns
from runoff.learners.crf_batch import BatchRun
from runoff.learners.crf_grid import CRFGrid
from runoff.learners.crf_run import EstimateRun, StepRun
from runoff.learners.dense_lists import DenseLists
from runoff.learners.feature_scaling import column_scales, scaled_base, scaled_rows
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.crf import CRF
    from runoff.learners.crf_run import CRFRun, CRFSetting
    from runoff.learners.early_stopping import DevScorer
    from runoff.nbest import NBest

OBJECTIVES = ("ml", "la", "ls", "el", "kl")  # in the order of the kernels' numbers


class CRFProblem:
    """Training lists in the learner's units, with the losses of their candidates or the gains of their documents.

    For L-BFGS the lists are those of the data, or over bundles of columns where these are fewer, and the weights are
    scaled: it makes many passes. For SGD and Adam the values themselves are scaled.
    """

    def __init__(self, train: NBest, learner: CRF) -> None:
        self.train, self.learner = train, learner
        self.scale = column_scales(train, learner.scale, learner.min_groups)
        base, self.base_scale = scaled_base(train, used=learner.base)
        self.base_prior = prior_scale_of(train, base)
        targets, self.loss_unit = self._targets()
        features, batch = train.features.check(), learner.way == "lbfgs"
        self.dense = None if learner.device is None else DenseLists(train, learner.device, base, targets)
        self.bundles = bundle_columns(train) if batch and self.dense is None else None
        if batch:
            stored = features if self.bundles is None else self.bundles
            rows = stored.indptr, stored.indices, stored.values
        else:
            rows = scaled_rows(features, self.scale)
        self.lists = CRFLists(train.offsets, *rows, base, frozen(targets))
        # Grades below zero have no gain, so a group may be uninformative although its grades differ.
        differ = train.replace(quality=targets) if learner.space == "permutations" else train
        self.groups = informative(differ)
        if self.groups.size == 0:
            raise DataError(
                "no group of the training data has documents of different gain: grades of zero or less have no gain."
            )

    def _targets(self) -> tuple[Floats, float]:
        """Losses of candidates, in units of the loss of the worst choice in the median group; or gains."""
        train = self.train
        quality = train.quality if train.quality is not None else np.zeros(train.n_candidates)
        if self.learner.space == "permutations":
            grades = np.maximum(quality, 0.0)
            if self.learner.gain == "2^r-1" and grades.max(initial=0.0) > 1000:
                raise DataError(f'the gain 2^r - 1 is too large for the grade {grades.max():g}; use gain="r".')
            return (np.expm1(grades * np.log(2.0)) if self.learner.gain == "2^r-1" else grades), 1.0
        filled = train.sizes > 0
        best = np.maximum.reduceat(quality, train.offsets[:-1][filled])
        losses = np.repeat(best, train.sizes[filled]) - quality
        worst = np.maximum.reduceat(losses, train.offsets[:-1][filled])
        # Not their mean: one sentinel of -1e6 would make all other losses vanish.
        unit = float(np.median(worst[worst > 0]))
        if not np.isfinite(worst).all():
            raise DataError("differences in quality are too large to be losses; divide the quality by a constant.")
        return losses / unit, unit

    def fingerprint(self) -> str:
        """Nothing: there are no functions among the parameters."""
        return ""

    @property
    def grid(self) -> CRFGrid:
        """Everything to choose from."""
        return CRFGrid.of(self.learner, int(self.train.sizes[self.groups].max()))

    def settings(self) -> list[CRFSetting]:
        """What is tried first."""
        return self.grid.first()

    def runs(
        self,
        settings: Sequence[CRFSetting],
        epochs: int,
        stage: str,
        scorer: DevScorer | None,
        inside: Bools | None = None,
    ) -> Sequence[CRFRun]:
        """One run for every setting."""
        groups: Ints = self.groups if inside is None else self.groups[inside[self.groups]]
        if groups.size == 0:
            return []
        found: list[CRFRun] = [
            self._kind(setting)(f"{stage}, {setting}", setting, groups, epochs, self.learner, scorer, self)
            for setting in settings
        ]
        for run in found:
            run.only_curve = inside is not None
        return found

    def aim(self, setting: CRFSetting) -> Aim:
        """What is minimised over candidates."""
        return Aim(OBJECTIVES.index(setting.objective), setting.strength)

    def orders_aim(self, setting: CRFSetting) -> OrdersAim:
        """What is minimised over orders."""
        # LS has no closed form: it is summed over all orders while these are few.
        few = setting.documents <= MOST_ENUMERATED
        enumerate_them = self.learner.orders == "enumerate" or (setting.objective == "ls" and few)
        places = np.arange(1, setting.documents + 1)
        alpha = np.log(2.0) / np.log(places + 1)
        discount = alpha
        if self.learner.discount == "letor":
            discount = np.log(2.0) / np.log(np.maximum(places, 2))
        ideal, way = Ideal(frozen(alpha), frozen(discount)), ENUMERATED if enumerate_them else EXACT
        return OrdersAim(*self.aim(setting), way, setting.documents, self.learner.samples, ideal)

    def _kind(self, setting: CRFSetting) -> type[CRFRun]:
        if self.learner.way == "lbfgs":
            return BatchRun
        is_sampled = setting.documents and setting.objective == "ls" and self.orders_aim(setting).way == EXACT
        return EstimateRun if is_sampled else StepRun

    def space(self, setting: CRFSetting) -> Space:
        """Tables for so many documents, and working memory for one run."""
        n = setting.documents
        lowest, sizes, permutations = tables(n, self.orders_aim(setting).way == ENUMERATED)
        square = [np.zeros((n, n)) for _ in range(5)]
        lists = [np.zeros(len(permutations)) for _ in range(3)]
        return Space(lowest, sizes, permutations, np.zeros((4, 1 << n)), np.zeros(1), *square, *lists)

    def in_data_units(self, weights: Floats) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return weights[:-1] * self.scale, float(weights[-1] * self.base_scale)


@functools.lru_cache(maxsize=16)
def tables(documents: int, enumerate_them: bool) -> tuple[Any, Any, Any]:
    """Lowest set bit and number of set bits of every subset, and all orders if asked for."""
    subsets = np.arange(1 << documents)
    lowest = np.log2(np.maximum(subsets & -subsets, 1)).astype(np.uint8)
    sizes = np.array([subset.bit_count() for subset in range(1 << documents)], np.uint8)
    few = min(documents, MOST_ENUMERATED) if enumerate_them else 1
    orders = np.array(list(itertools.permutations(range(few))), np.int8)
    return frozen(lowest), frozen(sizes), frozen(orders)
