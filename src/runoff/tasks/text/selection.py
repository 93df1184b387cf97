"""Selection of a recipe and a threshold by held-out scores, beside the choices that need no training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.switching import SwitchThreshold, choose_threshold, leads, lifted
from runoff.metrics import Resampling, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score, first_round
from runoff.tasks.text.held_out_gain import held_out_gain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from runoff.arrays import Bools, Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.tasks.text.held_out_gain import HeldOutGain

FIRST_ROUND = "first round"


@dataclass(frozen=True)
class UntrainedChoice:
    """What going by scores that need no training gains on held-out lists."""

    gain: HeldOutGain
    switched: int  # lists in which it is not the first choice

    @property
    def threshold(self) -> SwitchThreshold:
        """The same as a threshold: any lead replaces the first choice."""
        return SwitchThreshold(0.0, self.gain.delta, self.gain.at_least, self.switched, self.gain.delta)


@dataclass(frozen=True)
class Selection:
    """The surest recipe, what it gains, and what is kept instead where that is not enough."""

    surest: str  # the recipe whose gain less a standard error is highest
    by_recipe: Mapping[str, SwitchThreshold]  # on all held-out lists; that of the surest is optimistically biased
    gain: HeldOutGain  # in every fold by the recipe and threshold that the other folds select
    untrained: Mapping[str, UntrainedChoice]
    careful: bool

    @property
    def fallback(self) -> str | None:
        """What is kept instead of the surest recipe: a choice without training, or the first round; None: nothing.

        Of a choice without training, the interval must be above 0. The recipe must gain more than these, and more than
        its standard error, which is wide because it counts what another training may change.
        """
        if not self.careful:
            return None
        sure = {name: each.gain.delta for name, each in self.untrained.items() if each.gain.low > 0}
        best = max(sure, key=sure.__getitem__, default=FIRST_ROUND)
        switches = self.gain.at_least > 0 and not self.by_recipe[self.surest].keeps_first_choice
        return None if switches and self.gain.delta > sure.get(best, 0.0) else best

    @property
    def recipe(self) -> str:
        """The recipe that the model is made by; the surest where first choices stay."""
        fallback = self.fallback
        return self.surest if fallback is None or fallback == FIRST_ROUND else fallback

    @property
    def threshold(self) -> SwitchThreshold:
        """The threshold of the recipe; infinite if first choices stay."""
        fallback = self.fallback
        if fallback is None:
            return self.by_recipe[self.surest]
        if fallback == FIRST_ROUND:
            return SwitchThreshold(math.inf, 0.0, 0.0, 0, self.by_recipe[self.surest].gain_without_threshold)
        return self.untrained[fallback].threshold

    def scores(self, data: NBest, scores: Mapping[str, Floats]) -> Floats:
        """Scores of the selected model for the held-out lists, of whose recipes the scores are given."""
        if self.threshold.keeps_first_choice:
            return np.zeros(data.n_candidates)
        own = scores[self.recipe]
        return lifted(own, first_round(data), self.threshold.threshold) if self.careful else own

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the provenance of a model; the held-out gain is that of what is kept, if anything is."""
        fallback = self.fallback
        kept = self.gain if fallback is None or fallback == FIRST_ROUND else self.untrained[fallback].gain
        return {
            "recipe": self.recipe,
            "recipes": {name: found.to_dict() for name, found in self.by_recipe.items()},
            "held_out_gain": kept.to_dict(),
            "fallback": fallback,
            "surest": {"recipe": self.surest, **self.gain.to_dict()},
            "untrained": {name: each.gain.to_dict() for name, each in self.untrained.items()},
        }


def select(
    data: NBest,
    scores: Mapping[str, Floats],
    metric: Metric,
    *,
    untrained: Collection[str] = (),
    careful: bool = True,
    confidence: float,
    folds: int,
    seed: int,
    group_by: str | None = None,
) -> Selection:
    """Select the recipe whose gain has the best lower bound, at its best threshold, from scores of held-out lists.

    The best of many is optimistically biased, so the selection is cross-validated: in every fold, the recipe and the
    threshold are those that the other folds select. `confidence` is that of the interval of this gain. The recipes
    named by `untrained` also stand by themselves, without a threshold, for the case that the selection is not better.
    O((folds + 1) x recipes) times the cost of `choose_threshold`.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 1, 1] * 40, sizes=[3] * 40)
    >>> scores = {"good": np.tile([0.0, 2.0, 1.0], 40), "bad": np.tile([1.0, 0.0, 0.0], 40)}
    >>> found = select(data, scores, get("quality"), confidence=0.9, folds=5, seed=0)
    >>> found.recipe, found.threshold.threshold, found.gain.delta
    ('good', 0.0, 1.0)
    """
    data, metric = with_statistics(data, metric), metric.in_expectation
    kept = blocks(data, group_by)
    resampling = Resampling(confidence=confidence, seed=seed, blocks=kept.numbers)

    def best_of(groups: Bools) -> tuple[str, dict[str, SwitchThreshold]]:
        part, rows, block_of = data[groups], np.repeat(groups, data.sizes), kept.numbers[groups]
        found = {
            name: choose_threshold(part, each[rows], metric, seed=seed, blocks=block_of)
            for name, each in scores.items()
        }
        return max(
            found, key=lambda name: found[name].gain_low if careful else found[name].gain_without_threshold
        ), found

    surest, by_recipe = best_of(np.ones(len(data), bool))
    before = metric.rows(data, first_round(data))
    after, fold_of = before.copy(), kept.folds_up_to(folds, seed)
    parts = int(fold_of.max(initial=0)) + 1
    for fold in range(parts if parts > 1 else 0):
        inside = fold_of == fold
        name, found = best_of(~inside)
        rows = np.repeat(inside, data.sizes)
        after[inside] = _chosen(data[inside], scores[name][rows], found[name].threshold if careful else 0.0, metric)
    gain = held_out_gain(after, before, metric, resampling, parts)
    beside = {
        name: UntrainedChoice(
            held_out_gain(_chosen(data, scores[name], 0.0, metric), before, metric, resampling),
            int((leads(data, scores[name]) > 0).sum()),
        )
        for name in untrained
    }
    return Selection(surest, by_recipe, gain, beside, careful)


def _chosen(data: NBest, scores: Floats, threshold: float, metric: Metric) -> Floats:
    """Statistics of the choices by these scores, with the threshold."""
    first = first_round(data)
    if math.isinf(threshold):
        return metric.rows(data, first)
    return metric.rows(data, by_score(data, lifted(scores, first, threshold)))
