"""Preparation that a model remembers, so that it is done to new data as it was done in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features.lists import list_features
from runoff.features.thresholds import apply_thresholds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.nbest import NBest

# Every step takes the data and the parameters that the model keeps for it.
STEPS: Mapping[str, Callable[[NBest, Mapping[str, Any]], NBest]] = {
    "list-features": lambda data, parameters: list_features(data),  # noqa: ARG005 - has no parameters
    "thresholds": apply_thresholds,
}


def prepare(data: NBest, steps: Sequence[Mapping[str, Any]]) -> NBest:
    """Apply the named steps in order; each is a mapping with `step` and its parameters."""
    for step in steps:
        if step["step"] not in STEPS:
            raise ModelError(
                f"the model prepares data by {step['step']!r}, which this Runoff does not know; please upgrade."
            )
        data = STEPS[step["step"]](data, step)
    return data
