"""Recipes: learners with fixed parameters, single or blended, which tasks declare in tables and choose from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from runoff.errors import UsageError
from runoff.model import LinearModel, weighted_sum

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from runoff.learners.base import Learner
    from runoff.metrics import Metric
    from runoff.nbest import NBest

# The features that came with the candidates; these and the dense ones that a task makes; all, sparse ones too.
Columns: TypeAlias = Literal["supplied", "dense", "all"]


class TrainingSet(Protocol):
    """Lists to learn from, for many recipes."""

    def data(self, columns: Columns) -> NBest:
        """The lists with these columns."""

    def fitted(self, recipe: LearnerRecipe) -> LinearModel:
        """What a learner makes of the lists, its scores of about the same spread; fitted once for all recipes."""


class Recipe(Protocol):
    """A way to get a model from training lists."""

    @property
    def families(self) -> tuple[str, ...]:
        """Families of features that it needs; an empty tuple stands for all dense ones."""

    @property
    def columns(self) -> Columns:
        """The columns that it weighs."""

    @property
    def least_lists(self) -> int:
        """Training lists below which it is not worth its time."""

    def model(self, training_set: TrainingSet) -> LinearModel:
        """A model from lists with features and quality."""


@dataclass(frozen=True, eq=False)
class LearnerRecipe:
    """A learner with its parameters."""

    learner: type[Learner]
    settings: dict[str, Any] = field(default_factory=dict)
    columns: Columns = "dense"
    families: tuple[str, ...] = ()
    least_lists: int = 0

    def build(self, metric: str | Metric | None, seed: int, group_by: str | None = None) -> Learner:
        """The learner, ready to fit."""
        return self.learner(**self.settings).set_params(metric=metric, seed=seed, group_by=group_by)

    def fit(self, data: NBest, metric: str | Metric | None, seed: int, group_by: str | None = None) -> LinearModel:
        """Learn from the lists; a confidence is for the model that is chosen in the end."""
        model = self.build(metric, seed, group_by).set_params(calibration="none").fit(data).model
        if model.provenance.get("finished") is False:  # Ctrl-C left a model that is not what it should become
            raise KeyboardInterrupt
        return model

    def model(self, training_set: TrainingSet) -> LinearModel:
        """What this learner makes of the lists."""
        return training_set.fitted(self)


@dataclass(frozen=True)
class FixedRecipe:
    """Nothing to learn: the choice goes by one feature."""

    column: str
    families: tuple[str, ...]
    columns: Columns = "dense"
    least_lists: int = 0

    def model(self, training_set: TrainingSet) -> LinearModel:  # noqa: ARG002 - learns nothing
        """A model with a single weight."""
        return LinearModel.of({self.column: 1.0})


@dataclass(frozen=True)
class BlendRecipe:
    """The mean of several models whose scores have the same spread within lists: one model, linear but for trees.

    On few lists, what single learners find differs by chance; their mean varies less.
    """

    members: tuple[LearnerRecipe, ...]
    columns: Columns = "dense"
    families: tuple[str, ...] = ()
    least_lists: int = 0

    def model(self, training_set: TrainingSet) -> LinearModel:
        """Fit all members, and average their scores."""
        fitted = [training_set.fitted(member) for member in self.members]
        return weighted_sum(fitted, [1 / len(self.members)] * len(self.members))


def check_names(
    names: Iterable[str], known: Collection[str], *, kind: str, task: str, also: Collection[str] = ()
) -> tuple[str, ...]:
    """The names, each once; a wrong one is an error that lists the right ones, and what else can be given alone.

    Examples
    --------
    >>> check_names(["orum", "svm"], ["orum", "crf"], kind="learner", task="parses")
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no learner 'svm' for parses; there are: orum, crf.
    """
    found, there = tuple(dict.fromkeys(names)), ", ".join((*also, *known))
    for name in found:
        if name not in known:
            raise UsageError(f"there is no {kind} {name!r} for {task}; there are: {there}.")
    if not found:
        raise UsageError(f"expected at least one {kind}; there are: {there}.")
    return found
