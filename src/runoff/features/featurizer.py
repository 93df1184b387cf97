"""What turns raw lists into features, learned from training lists and remembered by models."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest


class Featurizer(ABC):
    """Makes the features of a task; the constructor takes its settings, `fit_transform` learns the rest.

    A model keeps the featurizer as a step of its preparation, so that it takes raw lists. `step` names that step; the
    task registers it under this name (`runoff.tasks.Task.featurizers`).
    """

    step: ClassVar[str]
    settings: ClassVar[tuple[str, ...]] = ()  # what the constructor takes, by keyword
    notes: tuple[str, ...] = ()  # what there is to say of what was learned

    @abstractmethod
    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Learn from training lists what there is to learn, and give them with their features.

        `metric` is what choices will be judged by. Where the features look at references, those of a list must not
        help its own candidates, so this may differ from `transform` of the same lists.
        """

    @abstractmethod
    def transform(self, data: NBest) -> NBest:
        """Lists with the features that training lists have."""

    @abstractmethod
    def to_step(self) -> dict[str, Any]:
        """Everything that `from_step` needs, in plain values and arrays; `step` is the name of the step."""

    @classmethod
    @abstractmethod
    def from_step(cls, step: Mapping[str, Any]) -> Self:
        """The featurizer that a model keeps."""

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether what came from a file can be given to `from_step`."""
        try:
            cls.from_step(step)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False
        return True

    @classmethod
    def like(cls, data: NBest) -> Self:  # noqa: ARG003 - some look at the names
        """The featurizer that makes the features which some data has, where their names tell."""
        raise UsageError(
            f"the names of features do not tell how the featurizer {cls.step!r} makes them; "
            "name a model, or what `runoff features --keep` wrote."
        )

    def for_model(self, model: LinearModel) -> Self:  # noqa: ARG002 - a featurizer may look at what the model weighs
        """The featurizer that a model should keep: it may leave out what the model does not weigh."""
        return self

    def supplied(self, data: NBest) -> Any:  # noqa: ARG002 - see the return value
        """Names of the features that candidates must bring themselves; None where it makes all of them."""
        return None

    def clone(self) -> Self:
        """Another one with the same settings."""
        return copy.copy(self)
