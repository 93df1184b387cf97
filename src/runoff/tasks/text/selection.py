"""Selection of a recipe and a threshold by held-out scores, and an unbiased estimate of its gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.switching import SwitchThreshold, choose_threshold, lifted
from runoff.metrics import paired_bootstrap, with_statistics
from runoff.nbest.blocks import blocks
from runoff.ranking import by_score, first_round

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.metrics import Difference, Metric
    from runoff.nbest import NBest

FOLDS = 10  # more folds leave more lists to select on


@dataclass(frozen=True)
class Selection:
    """The best recipe, and an estimate of what selecting it in this way gains."""

    recipe: str
    by_recipe: Mapping[str, SwitchThreshold]  # on all held-out lists; the best is optimistically biased
    gain: Difference  # in every fold by the recipe and threshold that the other folds select
    careful: bool

    @property
    def threshold(self) -> SwitchThreshold:
        """The threshold of the recipe; infinite if the interval of the gain includes 0 or less."""
        if self.careful and not self.gain.low > 0:
            return SwitchThreshold(np.inf, 0.0, 0.0, 0, self.by_recipe[self.recipe].gain_without_threshold)
        return self.by_recipe[self.recipe]

    def scores(self, data: NBest, scores: Mapping[str, Floats]) -> Floats:
        """Scores of the selected model for the held-out lists, of whose recipes the scores are given."""
        if self.threshold.keeps_first_choice:
            return np.zeros(data.n_candidates)
        own = scores[self.recipe]
        return lifted(own, first_round(data), self.threshold.threshold) if self.careful else own

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the provenance of a model."""
        gain = {"delta": self.gain.delta, "low": self.gain.low, "high": self.gain.high}
        by_recipe = {name: found.to_dict() for name, found in self.by_recipe.items()}
        return {"recipe": self.recipe, "recipes": by_recipe, "held_out_gain": gain}


def select(
    data: NBest,
    scores: Mapping[str, Floats],
    metric: Metric,
    *,
    careful: bool = True,
    confidence: float,
    folds: int = FOLDS,
    seed: int,
    group_by: str | None = None,
) -> Selection:
    """Select the recipe whose gain has the best lower bound, at its best threshold, from scores of held-out lists.

    The best of many is optimistically biased, so the selection is cross-validated: in every fold, the recipe and the
    threshold are those that the other folds select. `confidence` is that of the interval of this gain.
    O((folds + 1) x recipes) times the cost of `choose_threshold`.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 1, 1] * 40, sizes=[3] * 40)
    >>> scores = {"good": np.tile([0.0, 2.0, 1.0], 40), "bad": np.tile([1.0, 0.0, 0.0], 40)}
    >>> found = select(data, scores, get("quality"), confidence=0.9, seed=0)
    >>> found.recipe, found.threshold.threshold, found.gain.delta
    ('good', 0.0, 1.0)
    """
    data, metric = with_statistics(data, metric), metric.in_expectation

    def best_of(part: NBest, rows: Any) -> tuple[str, dict[str, SwitchThreshold]]:
        found = {name: choose_threshold(part, each[rows], metric, seed=seed) for name, each in scores.items()}
        return max(
            found, key=lambda name: found[name].gain_low if careful else found[name].gain_without_threshold
        ), found

    recipe, by_recipe = best_of(data, slice(None))
    before = metric.rows(data, first_round(data))
    after = before.copy()
    kept = blocks(data, group_by)
    fold_of = kept.folds_up_to(folds, seed)
    row_fold = np.repeat(fold_of, data.sizes)
    for fold in range(int(fold_of.max()) + 1 if kept.count > 1 else 0):
        name, found = best_of(data[fold_of != fold], row_fold != fold)
        inside = data[fold_of == fold]
        after[fold_of == fold] = _chosen(inside, scores[name][row_fold == fold], found[name], metric, careful=careful)
    return Selection(
        recipe, by_recipe, paired_bootstrap(after, before, metric.signed, confidence=confidence, seed=seed), careful
    )


def _chosen(data: NBest, scores: Floats, found: SwitchThreshold, metric: Metric, *, careful: bool) -> Floats:
    """Statistics of the choices by these scores, with the threshold."""
    first = first_round(data)
    if careful and found.keeps_first_choice:
        return metric.rows(data, first)
    return metric.rows(data, by_score(data, lifted(scores, first, found.threshold if careful else 0.0)))
