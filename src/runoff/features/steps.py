"""Preparation that a model remembers, so that it is done to new data as it was done in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features.first_choice import apply_first_choice
from runoff.features.lists import list_features
from runoff.features.thresholds import apply_thresholds, is_thresholds
from runoff.features.within_group_ranks import apply_group_ranks, is_group_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.nbest import NBest


@dataclass(frozen=True)
class Step:
    """One kind of preparation; both functions get the mapping that the model keeps, with the step's parameters."""

    apply: Callable[[NBest, Mapping[str, Any]], NBest]
    is_whole: Callable[[Mapping[str, Any]], bool] = lambda parameters: True  # noqa: ARG005 - no parameters to check


def _apply_text(data: NBest, parameters: Mapping[str, Any]) -> NBest:
    # Features of texts bring many kernels with them, which models of other features need not wait for.
    from runoff.tasks.text.featurizer import apply_text

    return apply_text(data, parameters)


def _is_text(parameters: Mapping[str, Any]) -> bool:
    from runoff.tasks.text.featurizer import is_text

    return is_text(parameters)


STEPS: Mapping[str, Step] = {
    "list-features": Step(lambda data, parameters: list_features(data)),  # noqa: ARG005 - has no parameters
    "first-choice": Step(apply_first_choice),
    "group-ranks": Step(apply_group_ranks, is_group_ranks),
    "text": Step(_apply_text, _is_text),
    "thresholds": Step(apply_thresholds, is_thresholds),
}


def prepare(data: NBest, steps: Sequence[Mapping[str, Any]]) -> NBest:
    """Apply the named steps in order; each is a mapping with `step` and its parameters."""
    for step in steps:
        if step["step"] not in STEPS:
            raise ModelError(
                f"the model prepares data by {step['step']!r}, which this Runoff does not know; please upgrade."
            )
        data = STEPS[step["step"]].apply(data, step)
    return data


def of_texts(steps: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The step that makes features of texts, if there is one; its `carried` names features that candidates bring.

    Examples
    --------
    >>> of_texts([{"step": "list-features"}]) is None
    True
    """
    return next((step for step in steps if step["step"] == "text"), None)


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
    return isinstance(name, str) and (name not in STEPS or STEPS[name].is_whole(step))
