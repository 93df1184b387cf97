"""What boosting works on: binary features, pairs and their index, and the weight of the first round's score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.engines import current
from runoff.errors import DataError
from runoff.features import align, facts, fit_thresholds, prepare
from runoff.learners.base_weight import fit_base_weight, prior_scale
from runoff.learners.boosting_engine import ExactLogEngine, ExpEngine, LogEngine, PairIndex
from runoff.learners.boosting_parts import ExpPartsEngine, LogPartsEngine
from runoff.learners.boosting_run import BoostingRun
from runoff.learners.prefix_scorer import PrefixScorer
from runoff.pairs import make_pairs

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners.boost import Boost
    from runoff.nbest import NBest
    from runoff.pairs import Pairs

_SMALLEST = -1000  # exponent of the differences in first-round score; the weight of smaller ones might overflow


@dataclass(frozen=True)
class BoostingProblem:
    """Training data made binary, its pairs and their index, and the weight of the first round's score."""

    train: NBest
    dev: NBest | None
    steps: tuple[dict[str, Any], ...]
    index: PairIndex
    base_weight: float
    base_never_wrong: bool  # whether the first round's score has no pair wrong
    margins: Floats
    learner: Boost

    @classmethod
    def of(cls, train: NBest, dev: NBest | None, learner: Boost) -> BoostingProblem:
        """Cut real values, make pairs, fit the base weight and build the index."""
        steps = (fit_thresholds(train, learner.cuts),)
        binary = prepare(train, steps)
        held_out = None if dev is None else prepare(dev, steps)
        pairs = make_pairs(binary, learner.pairs, weighted=learner.weighted, sample=learner.sample, seed=learner.seed)
        base_weight, never_wrong, margins = 0.0, False, np.zeros(len(pairs))
        if learner.base and binary.base is not None:
            differences, exponent = in_own_units(binary.base, pairs)
            most = float(np.ldexp(1.0, min(1000, 1020 + exponent)))  # finite in the data's units
            prior = prior_scale(differences)
            weight = fit_base_weight(differences, pairs.weight, pairs.contests, learner.loss, most, prior)
            never_wrong = bool(differences.any() and differences.min() >= 0)
            base_weight, margins = float(np.ldexp(weight, -exponent)), weight * differences
        index = PairIndex.build(binary, pairs, learner.min_groups)
        return cls(binary, held_out, steps, index, base_weight, never_wrong, margins, learner)

    def runs(self, smoothings: tuple[float, ...], stage: str) -> list[BoostingRun]:
        """One run for every smoothing, all over the same index, named after the stage of the training."""
        patience = self.learner.patience if self.learner.rounds == "auto" else None
        log_engine = ExactLogEngine if self.learner.log_update == "exact" else LogEngine
        engine: type[ExpEngine | LogEngine] = ExpEngine if self.learner.loss == "exp" else log_engine
        if len(smoothings) == 1 and not current().is_here:  # several runs go to workers whole
            in_parts: dict[Any, type[ExpEngine | LogEngine]] = {ExpEngine: ExpPartsEngine, LogEngine: LogPartsEngine}
            engine = in_parts.get(engine, engine)
        return [
            BoostingRun(f"{stage}, {each!r}", engine(self.index, self.margins, each), each, self._dev(), patience)
            for each in smoothings
        ]

    def _dev(self) -> PrefixScorer | None:
        if self.dev is None:
            return None
        metric = self.learner.metric_for(self.train)
        return PrefixScorer(self.dev, metric, self.train.features.column_names(), self.base_weight)

    def warnings(self) -> list[str]:
        """Warnings about data from which little or nothing can be learned."""
        return [*self._unused_features(), *self._base_too_good(), *self._unknown_dev_features()]

    def _base_too_good(self) -> list[str]:
        if not self.base_never_wrong:
            return []
        return [
            "the first round's score has no pair of the training data wrong, and little is left for features to learn "
            "from. Is it made from the quality? If so, set base=false."
        ]

    def _unknown_dev_features(self) -> list[str]:
        if self.dev is None or not self.index.columns.size:
            return []
        learned = self.train.features.column_names().take(self.index.columns)
        if (align(self.dev.features, learned) >= 0).any():
            return []
        return [
            "the dev data has none of the features that are learned from, so that no round changes a choice there; are "
            "they called the same in both files?"
        ]

    def _unused_features(self) -> list[str]:
        """For data whose features are all unusable."""
        columns, least = self.train.features.n_columns, self.learner.min_groups
        if self.index.columns.size or not columns:
            return []
        most = int(facts(self.train).groups.max(initial=0))
        if most < least:
            return [
                f"all {columns:,} features were left out: none occurs in min_groups={least} groups of the training "
                f"data, the most frequent one in {most:,}. Lower min_groups to learn from them."
            ]
        return [
            f"none of the {columns:,} features can be learned from: the candidates of every pair have the same "
            f"features, but for those in fewer than min_groups={least} groups."
        ]


def in_own_units(base: Floats, pairs: Pairs) -> tuple[Floats, int]:
    """Differences in first-round score, in units of a power of two that brings the largest to between ½ and 1.

    So the fit is the same for scores in any unit, and nothing overflows.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.pairs import make_pairs
    >>> pairs = make_pairs(NBest.from_arrays(quality=[2, 1, 0], sizes=[3]))
    >>> differences, exponent = in_own_units(np.array([6.0, 0.0, -6.0]), pairs)
    >>> differences.tolist(), exponent
    ([0.375, 0.75], 4)
    """
    shift = int(np.frexp(np.abs(base).max(initial=0.0))[1])
    scaled = np.ldexp(base, -shift)  # before subtracting: the difference of two large scores may be too large
    differences = scaled[pairs.better] - scaled[pairs.worse]
    spread = float(np.abs(differences).max(initial=0.0))
    more = int(np.frexp(spread)[1]) if spread else -shift
    if shift + more < _SMALLEST:
        raise DataError(
            f"first-round scores differ by at most {np.ldexp(spread, shift):.3g}, too little to be weighed; multiply "
            "them by a constant, or set base=false."
        )
    return np.ldexp(differences, -more), shift + more
