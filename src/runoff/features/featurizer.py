"""Featurizers: fitted on training lists, turn raw lists into features, and are saved with the model."""

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
    """Extracts the features of a task; the constructor takes settings, `fit_transform` learns the rest.

    A model keeps its featurizer as a preparation step, so that it takes raw lists. `step` is the name of that step; the
    task registers the class under this name (`runoff.tasks.Task.featurizers`). Features that candidates bring may have
    missing values (NaN): pass them on, and make none; they are filled afterwards.
    """

    step: ClassVar[str]
    settings: ClassVar[tuple[str, ...]] = ()  # keyword arguments of the constructor
    notes: tuple[str, ...] = ()  # notes from fitting

    @abstractmethod
    def fit_transform(self, train: NBest, metric: str | Metric | None = None) -> NBest:
        """Fit on training lists, and return them with their features.

        `metric` is the one to train for. Features that use references must not see those of the same list, so the
        result may differ from `transform` of the same lists.
        """

    @abstractmethod
    def transform(self, data: NBest) -> NBest:
        """Return the lists with the features of the training lists."""

    @abstractmethod
    def to_step(self) -> dict[str, Any]:
        """The fitted featurizer as plain values and arrays, for `from_step`; `step` is the name of the step."""

    @classmethod
    @abstractmethod
    def from_step(cls, step: Mapping[str, Any]) -> Self:
        """Restore the featurizer of a model."""

    @classmethod
    def externals(cls, step: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG003 - for subclasses
        """What `from_step` loads that is not in the step itself, in words: `the language model big.arpa`.

        A model that has any is opened only where the person allows it. The step may be damaged.
        """
        return ()

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step from a file is valid for `from_step`."""
        try:
            cls.from_step(step)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False
        return True

    @classmethod
    def like(cls, data: NBest) -> Self:  # noqa: ARG003 - for subclasses
        """A featurizer for the features that some data has, if their names determine it."""
        raise UsageError(
            f"the featurizer {cls.step!r} cannot be restored from feature names; "
            "give a model, or the --keep file of `runoff features`."
        )

    def for_model(self, model: LinearModel) -> Self:  # noqa: ARG002 - for subclasses
        """The featurizer to save with a model: it may drop what the model has no weights for."""
        return self

    def supplied(self, data: NBest) -> Any:  # noqa: ARG002 - for subclasses
        """Names of the features that candidates must bring themselves; None if it extracts all of them."""
        return None

    def clone(self) -> Self:
        """A copy with the same settings."""
        return copy.copy(self)
