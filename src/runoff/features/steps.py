"""Preparation that a model remembers, so that it is done to new data as it was done in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features.first_choice import apply_first_choice
from runoff.features.lists import list_features
from runoff.features.places import apply_places, is_places, place_names
from runoff.features.thresholds import apply_thresholds, is_thresholds, made_names
from runoff.registry import FEATURIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.features.featurizer import Featurizer
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Step:
    """One kind of preparation; every function gets the mapping that the model keeps, with the step's parameters."""

    apply: Callable[[NBest, Mapping[str, Any]], NBest]
    is_whole: Callable[[Mapping[str, Any]], bool] = lambda parameters: True  # noqa: ARG005 - no parameters to check
    # Columns that it makes, with the column that each is made from.
    sources: Callable[[Mapping[str, Any]], dict[str, str]] = lambda parameters: {}  # noqa: ARG005


def _threshold_sources(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {made: name for name, several in made_names(parameters).items() for made in several}


def _place_sources(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {made: name for name, made in place_names(parameters).items()}


STEPS: Mapping[str, Step] = {
    "list-features": Step(lambda data, parameters: list_features(data)),  # noqa: ARG005 - has no parameters
    "first-choice": Step(apply_first_choice),
    "places": Step(apply_places, is_places, _place_sources),
    "thresholds": Step(apply_thresholds, is_thresholds, _threshold_sources),
}


def prepare(data: NBest, steps: Sequence[Mapping[str, Any]]) -> NBest:
    """Apply the named steps in order; each is a mapping with `step` and its parameters."""
    for step in steps:
        name = step["step"]
        if name in STEPS:
            data = STEPS[name].apply(data, step)
        elif name in FEATURIZERS:
            data = FEATURIZERS[name].from_step(step).transform(data)
        else:
            raise ModelError(
                f"the model prepares data by {name!r}, which this Runoff does not know; upgrade Runoff, "
                "or name the plugin that brings it (runoff --plugin)."
            )
    return data


def featurizer_in(steps: Sequence[Mapping[str, Any]]) -> Featurizer | None:
    """The featurizer among the steps of a model, if there is one.

    Examples
    --------
    >>> featurizer_in([{"step": "list-features"}]) is None
    True
    """
    kept = next((step for step in steps if step["step"] not in STEPS and step["step"] in FEATURIZERS), None)
    return None if kept is None else FEATURIZERS[kept["step"]].from_step(kept)


def source_names(names: Sequence[str], steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the features that columns come from, before the steps were applied; each once.

    Examples
    --------
    >>> cut = {"step": "thresholds", "cuts": {"count": [2.0, 4.0]}, "relative": []}
    >>> source_names(["count>=2.0", "count>=4.0", "flag"], [cut])
    ['count', 'flag']
    """
    for step in reversed(steps):
        source = STEPS[step["step"]].sources(step) if step["step"] in STEPS else {}
        names = list(dict.fromkeys(source.get(name, name) for name in names))
    return list(names)


def are_steps(found: Any) -> bool:
    """Whether what a file has can be given to `prepare`; a step that is not known counts, to be named there.

    Examples
    --------
    >>> are_steps([{"step": "list-features"}]), are_steps([{"step": "thresholds"}]), are_steps("list-features")
    (True, False, False)
    """
    return isinstance(found, list) and all(isinstance(step, dict) and _is_step(step) for step in found)


def _is_step(step: Mapping[str, Any]) -> bool:
    name = step.get("step")
    if not isinstance(name, str):
        return False
    if name in STEPS:
        return STEPS[name].is_whole(step)
    return name not in FEATURIZERS or FEATURIZERS[name].is_step(step)
