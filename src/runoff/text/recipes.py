"""Ways to choose by the features of texts, each with settled parameters: the best on held-out lists is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from runoff.errors import UsageError
from runoff.features.text.agreement import EXPECTED, VOTES
from runoff.learners import CRF, Boost, LogLinear, Perceptron
from runoff.model import LinearModel

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.nbest import NBest


class Recipe(Protocol):
    """A way to come to a model; `families` are the features that it needs, an empty tuple stands for all dense ones."""

    @property
    def families(self) -> tuple[str, ...]:
        """Families that must be there."""

    @property
    def sparse(self) -> bool:
        """Whether it sees n-grams by the thousand."""

    def fit(self, data: NBest, metric: str | None, seed: int) -> LinearModel:
        """A model from lists with features and quality."""


@dataclass(frozen=True)
class Learned:
    """A learner with its parameters."""

    learner: type[Learner]
    settings: dict[str, Any] = field(default_factory=dict)
    sparse: bool = False
    families: tuple[str, ...] = ()

    def fit(self, data: NBest, metric: str | None, seed: int) -> LinearModel:
        """Learn from the lists."""
        return self.learner(**self.settings).set_params(metric=metric, seed=seed).fit(data).model


@dataclass(frozen=True)
class Fixed:
    """Nothing to learn: the one feature by which the choice is made."""

    column: str
    families: tuple[str, ...]
    sparse: bool = False

    def fit(self, data: NBest, metric: str | None, seed: int) -> LinearModel:  # noqa: ARG002 - learns nothing
        """A model with a single weight."""
        return LinearModel.of({self.column: 1.0})


RECIPES: dict[str, Recipe] = {
    "bayes-risk": Fixed(EXPECTED, ("agreement",)),
    "vote": Fixed(VOTES, ("agreement",)),
    "loglinear": Learned(LogLinear, {"sigma": 0.3, "right": "tied"}),
    "loglinear-tight": Learned(LogLinear, {"sigma": 0.1, "right": "tied"}),
    "crf-el": Learned(CRF, {"objective": "el", "l2": 1e-2}),
    "crf-kl": Learned(CRF, {"objective": "kl", "l2": 1e-2, "temperature": 0.3}),
    "perceptron": Learned(Perceptron, {"order": "orum", "epochs": 10}),
    "boost": Learned(Boost, {"rounds": 300, "loss": "log", "smoothing": 0.01}),
    "loglinear-words": Learned(LogLinear, {"sigma": 0.1, "right": "tied"}, sparse=True),
    "crf-el-words": Learned(CRF, {"objective": "el", "l2": 3e-2}, sparse=True),
}


def chosen_recipes(text: str) -> dict[str, Recipe]:
    """Recipes by name, with commas between them; "auto" stands for all.

    Examples
    --------
    >>> list(chosen_recipes("vote,loglinear"))
    ['vote', 'loglinear']
    """
    names = list(RECIPES) if text.strip() == "auto" else [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in RECIPES:
            raise UsageError(f"there is no recipe {name!r} for texts; there are: auto, {', '.join(RECIPES)}.")
    if not names:
        raise UsageError(f"expected a recipe at least; there are: auto, {', '.join(RECIPES)}.")
    return {name: RECIPES[name] for name in dict.fromkeys(names)}
