"""Warnings about data that differs from the model's training data."""

from __future__ import annotations

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
