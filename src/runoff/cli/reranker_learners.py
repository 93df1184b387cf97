"""Learners of rerankers, as the shell names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.cli.options import settings
from runoff.errors import UsageError
from runoff.learners import learner
from runoff.learners.recipes import LearnerRecipe
from runoff.registry import TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners import Learner


def learners_of(asked: Sequence[str], task: str, metric: str | None, seed: int) -> dict[str, Learner]:
    """Learners by name: `crf`, or with parameters `crf objective=la l2=0.016`; the task's recipes go first.

    Examples
    --------
    >>> learners_of(["orum", "svm C=0.1"], "parsing", None, 0)["svm"].get_params()["C"]
    0.1
    """
    recipes, found = TASKS[task].recipes(), {}
    for each in asked:
        name, *pairs = each.split() or [""]
        if name in found:
            raise UsageError(f"there are two rerankers {name!r}; a learner can be one system.")
        recipe = recipes.get(name)
        made = recipe.build(metric, seed) if isinstance(recipe, LearnerRecipe) else learner(name)()
        known = made.get_params()
        own = {"metric": metric, "seed": seed, "calibration": "none", "verbose": True}
        made.set_params(**{key: value for key, value in own.items() if key in known})
        found[name] = made.set_params(**settings(tuple(pairs)))
    return found
