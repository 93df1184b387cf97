"""Featurizers of named families of features, with a vocabulary that is learned in training."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from runoff.errors import UsageError
from runoff.features.columns import concat_columns
from runoff.features.featurizer import Featurizer
from runoff.features.on_workers import made_on_workers
from runoff.features.steps import source_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from runoff.model import LinearModel
    from runoff.nbest import Features, NBest


class FamilyFeaturizer(Featurizer):
    """Features are called `family:…`. Those of dense families have fixed names; of the others, frequent ones are kept.

    A task derives from it with its families and `extract`; data that has such features already is not changed.
    """

    settings = ("families", "min_lists")
    all_families: ClassVar[Collection[str]]
    dense_families: ClassVar[Collection[str]]
    dense_names: ClassVar[tuple[str, ...]]  # of dense families

    def __init__(self, families: tuple[str, ...], min_lists: int) -> None:
        if isinstance(min_lists, bool) or not isinstance(min_lists, int) or min_lists < 1:
            raise UsageError(f"min_lists must be a whole number of at least 1; found {min_lists!r}.")
        self.families, self.min_lists = families, min_lists
        self.vocabulary: pa.Array | None = None

    @abstractmethod
    def extract(self, data: NBest) -> Features:
        """The features of lists: those of the vocabulary."""

    def take_vocabulary(self, names: list[str]) -> None:
        """Keep these names, without those of dense families."""
        sparse = [name for name in names if _family(name) in self.all_families]
        self.vocabulary = _texts([name for name in sparse if _family(name) not in self.dense_families])

    def own_names(self, data: NBest) -> list[str]:
        """Features of this kind that the data has already."""
        return [name for name in data.features.column_names().to_pylist() if _family(name) in self.all_families]

    def transform(self, data: NBest) -> NBest:
        """Extract the features of the training lists."""
        self._fitted()
        if self.own_names(data):
            return data
        made = made_on_workers(self, data) if self.sees_single_lists(data) else None
        return made or data.replace(features=concat_columns(data.features, self.extract(data)))

    def sees_single_lists(self, data: NBest) -> bool:  # noqa: ARG002 - most do
        """Whether the features of a list depend on no other one, so that workers can have some lists each."""
        return True

    def for_model(self, model: LinearModel) -> Self:
        """Keep only the features to which the model gives a weight."""
        if type(model).__name__ != "LinearModel" or model.votes is not None or self.vocabulary is None:
            return self
        used = model.names.filter(pa.array(np.asarray(model.weights != 0))).to_pylist()
        wanted = set(source_columns(used, model.preparation))
        found = self.clone()
        found.vocabulary = _texts([name for name in self.vocabulary.to_pylist() if name in wanted])
        return found

    def supplied(self, data: NBest) -> pa.Array:
        """Features that candidates brought, and the vocabulary, because data may come with its features."""
        names = data.features.column_names().to_pylist()
        own = [] if self.vocabulary is None else self.vocabulary.to_pylist()
        return _texts(list(dict.fromkeys([*names, *own, *self.dense_names])))

    def to_step(self) -> dict[str, Any]:
        """Families and names of the features."""
        return {"step": self.step, "families": list(self.families), "vocabulary": self._fitted()}

    @classmethod
    def is_step(cls, step: Mapping[str, Any]) -> bool:
        """Whether a step that came from a file has families that are known, and a vocabulary."""
        names, families = step.get("vocabulary"), step.get("families")
        return (
            isinstance(names, pa.Array)
            and pa.types.is_large_string(names.type)
            and not names.null_count
            and isinstance(families, list)
            and bool(families)
            and all(family in cls.all_families for family in families)
        )

    def _fitted(self) -> pa.Array:
        if self.vocabulary is None:
            raise UsageError("this featurizer is not fitted yet; call fit_transform first.")
        return self.vocabulary


def _family(name: str) -> str:
    return name.partition(":")[0]


def _texts(names: list[str]) -> pa.Array:
    return pa.array(names, pa.large_string())
