"""Ways to choose by the features of texts, each with settled parameters: the best on held-out lists is kept."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.learners import CRF, Boost, LogLinear, Perceptron
from runoff.model import LinearModel
from runoff.tasks.text.features.agreement import EXPECTED, VOTES

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.nbest import NBest
# What candidates carry alone; that and the features of texts but for n-grams; and all.
Columns: TypeAlias = Literal["carried", "dense", "all"]


class Recipe(Protocol):
    """A way to come to a model; `families` are the features that it needs, an empty tuple stands for all dense ones."""

    @property
    def families(self) -> tuple[str, ...]:
        """Families that must be there."""

    @property
    def sees(self) -> Columns:
        """Which columns it weighs."""

    def model(self, lesson: Lesson) -> LinearModel:
        """A model from lists with features and quality."""


class Lesson(Protocol):
    """Lists to learn from, for many recipes."""

    def data(self, sees: Columns) -> NBest:
        """The lists with these columns."""

    def learned(self, way: Learned) -> LinearModel:
        """What is learned in one way, with scores of about the same spread; recipes that share it learn it once."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A learner with its parameters."""

    learner: type[Learner]
    settings: dict[str, Any] = field(default_factory=dict)
    sees: Columns = "dense"
    families: tuple[str, ...] = ()

    def model(self, lesson: Lesson) -> LinearModel:
        """What this learner learns."""
        return lesson.learned(self)

    def fit(self, data: NBest, metric: str | None, seed: int) -> LinearModel:
        """Learn from the lists."""
        model = self.learner(**self.settings).set_params(metric=metric, seed=seed).fit(data).model
        if model.provenance.get("finished") is False:  # Ctrl-C left a model that is not what it should become
            raise KeyboardInterrupt
        return model


@dataclass(frozen=True)
class Fixed:
    """Nothing to learn: the one feature by which the choice is made."""

    column: str
    families: tuple[str, ...]
    sees: Columns = "dense"

    def model(self, lesson: Lesson) -> LinearModel:  # noqa: ARG002 - learns nothing
        """A model with a single weight."""
        return LinearModel.of({self.column: 1.0})


@dataclass(frozen=True)
class Blend:
    """The mean of several linear models whose scores have the same spread within lists: one linear model.

    Where lists are few, what single learners make of them differs by chance; their mean differs less.
    """

    members: tuple[Learned, ...]
    sees: Columns = "dense"
    families: tuple[str, ...] = ()

    def model(self, lesson: Lesson) -> LinearModel:
        """Learn all members, and add their weights."""
        data = lesson.data(self.sees)
        weights, base_weight = np.zeros(data.features.n_columns), 0.0
        for member in self.members:
            model = lesson.learned(member)
            weights += model.weights / len(self.members)
            base_weight += model.base_weight / len(self.members)
        return LinearModel(frozen(weights), data.features.column_names(), base_weight)


_LOGLINEAR = Learned(LogLinear, {"sigma": 0.3, "right": "tied"})
_TIGHT = Learned(LogLinear, {"sigma": 0.1, "right": "tied"})
_EXPECTED_LOSS = Learned(CRF, {"objective": "el", "l2": 1e-2})
_DIVERGENCE = Learned(CRF, {"objective": "kl", "l2": 1e-2, "temperature": 0.3})
_PERCEPTRON = Learned(Perceptron, {"order": "orum", "epochs": 10})
_TIGHT_WORDS = dataclasses.replace(_TIGHT, sees="all")
_EXPECTED_LOSS_WORDS = Learned(CRF, {"objective": "el", "l2": 3e-2}, sees="all")
_DIVERGENCE_WORDS = Learned(CRF, {"objective": "kl", "l2": 3e-2, "temperature": 0.3}, sees="all")
_PERCEPTRON_WORDS = dataclasses.replace(_PERCEPTRON, sees="all")

RECIPES: dict[str, Recipe] = {
    "bayes-risk": Fixed(EXPECTED, ("agreement",)),
    "vote": Fixed(VOTES, ("agreement",)),
    "loglinear": _LOGLINEAR,
    "crf": _EXPECTED_LOSS,
    "perceptron": _PERCEPTRON,
    "boost": Learned(Boost, {"rounds": 300, "loss": "log", "smoothing": 0.01}),
    "blend": Blend((_LOGLINEAR, _TIGHT, _EXPECTED_LOSS, _DIVERGENCE, _PERCEPTRON)),
    "crf-words": _EXPECTED_LOSS_WORDS,
    "blend-words": Blend((_TIGHT_WORDS, _EXPECTED_LOSS_WORDS, _DIVERGENCE_WORDS, _PERCEPTRON_WORDS), sees="all"),
    "blend-scores": Blend(
        tuple(dataclasses.replace(way, sees="carried") for way in (_LOGLINEAR, _TIGHT, _EXPECTED_LOSS, _PERCEPTRON)),
        sees="carried",
    ),
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
