"""Warnings about data that differs from the model's training data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runoff.features import align

if TYPE_CHECKING:
    from runoff.model import LinearModel
    from runoff.model.linear import Unseen
    from runoff.nbest import NBest


def data_warnings(model: LinearModel, data: NBest) -> list[str]:
    """Sentences about features that are unknown or missing, and about scores and inputs that only one side has.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0, 2.0]], sizes=[1], feature_names=["length", "new"])
    >>> data_warnings(LinearModel.of({"length": -1.0}), data)
    ['1 of 2 features were not seen in training and are ignored (50.0% of the stored values).']
    """
    return [*_of_features(model, data), *warnings_of_parts(model, data)]


def warnings_of_parts(model: LinearModel, data: NBest) -> list[str]:
    """Sentences about scores and inputs that only the training data or only this data has."""
    saw = model.provenance.get("saw", {})  # what a featurizer used besides the candidates
    here = {"base": data.base is not None, "inputs": data.inputs is not None}
    words = {"base": "scores of the first round", "inputs": "inputs"}
    return [
        f"Warning: the model was trained {'with' if had else 'without'} {words[part]}, and this data has "
        f"{'none' if had else 'some'}, so its features mean something else here."
        for part, had in saw.items()
        if had != here.get(part, had)
    ]


class BlockNotes:
    """The same sentences about data that comes block by block; blocks have the same columns."""

    def __init__(self, model: LinearModel) -> None:
        self._model, self._parts = model, dict[str, None]()
        self._unseen: Unseen | None = None

    def add(self, block: NBest) -> list[str]:
        """Count one more block; the sentences about its parts that have not been given before."""
        fresh = [each for each in warnings_of_parts(self._model, block) if each not in self._parts]
        self._parts.update(dict.fromkeys(fresh))
        found, so_far = self._model.unseen(block), self._unseen
        if so_far is not None:
            found = replace(found, values=so_far.values + found.values, of_values=so_far.of_values + found.of_values)
        self._unseen = found
        return fresh

    @property
    def unseen_features(self) -> int:
        """Number of features that the model does not know."""
        return 0 if self._unseen is None else self._unseen.columns

    def of_features(self) -> list[str]:
        """What is unknown in all blocks together."""
        return [] if self._unseen is None else warnings_of_unseen(self._unseen)

    def sentences(self) -> list[str]:
        """All sentences."""
        return [*self.of_features(), *self._parts]


def _of_features(model: LinearModel, data: NBest) -> list[str]:
    prepared = model.prepare(data)
    if model.n_active and not (align(prepared.features, model.names) >= 0).any():
        return ["Warning: the data has none of the features that the model weighs. Is this the right data for it?"]
    return warnings_of_unseen(model.unseen(data))


def warnings_of_unseen(unseen: Unseen) -> list[str]:
    """A sentence about features that were not seen in training, if there are any."""
    if not unseen.columns:
        return []
    everything = unseen.columns == unseen.of_columns
    return [f"Warning: {unseen} Is this the right data for this model?" if everything else str(unseen)]
