"""Preparation that a model remembers, so that new data is prepared as the training data was.

A step is a mapping with its name, `step`, and its parameters. What a name means is registered here: by this package for
the steps that any data can use, by `runoff.tasks.steps` for those of tasks.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features import thresholds, within_group_ranks
from runoff.features.first_choice import apply_first_choice
from runoff.features.lists import list_features

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from runoff.nbest import NBest


def _has_no_parameters(parameters: Mapping[str, Any]) -> bool:  # noqa: ARG001 - nothing to check
    return True


def _makes_no_columns(parameters: Mapping[str, Any]) -> dict[str, str]:  # noqa: ARG001 - nothing to look up
    return {}


@dataclass(frozen=True)
class Step:
    """One kind of preparation; its functions get the mapping that the model keeps.

    A function may be given as "module:attribute"; it is imported when it is needed.
    """

    apply: Callable[[NBest, Mapping[str, Any]], NBest] | str
    is_valid: Callable[[Mapping[str, Any]], bool] | str = _has_no_parameters  # of a mapping that came from a file
    sources: Callable[[Mapping[str, Any]], dict[str, str]] | str = _makes_no_columns  # input column of each it makes


STEPS: dict[str, Step] = {}
_OF_TASKS = "runoff.tasks.steps"  # imported when a model names a step that is not known; most models need no task


def register_step(name: str, step: Step) -> None:
    """Give a name to a kind of preparation; a name can mean one thing only.

    Examples
    --------
    >>> register_step("thresholds", Step("my.module:apply"))
    Traceback (most recent call last):
    ValueError: there is a step 'thresholds' already
    """
    if STEPS.get(name, step) != step:
        raise ValueError(f"there is a step {name!r} already")
    STEPS[name] = step


register_step("list-features", Step(lambda data, parameters: list_features(data)))  # noqa: ARG005 - has no parameters
register_step("first-choice", Step(apply_first_choice))
register_step(
    within_group_ranks.STEP,
    Step(
        within_group_ranks.apply_group_ranks,
        within_group_ranks.is_group_ranks,
        lambda step: {made: name for name, made in within_group_ranks.group_rank_names(step).items()},
    ),
)
register_step(
    thresholds.STEP,
    Step(
        thresholds.apply_thresholds,
        thresholds.is_thresholds,
        lambda step: {made: name for name, several in thresholds.threshold_names(step).items() for made in several},
    ),
)


def prepare(data: NBest, steps: Sequence[Mapping[str, Any]]) -> NBest:
    """Apply the named steps in order; each is a mapping with `step` and its parameters."""
    for step in steps:
        known = _find(step["step"])
        if known is None:
            raise ModelError(
                f"the model prepares data by {step['step']!r}, which this Runoff does not know; please upgrade."
            )
        data = _function(known.apply)(data, step)
    return data


def source_columns(names: Iterable[str], steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """The input columns that columns of prepared data come from, each once; a column that no step makes is its own.

    Examples
    --------
    >>> thresholds = {"step": "thresholds", "cuts": {"count": [2.0, 4.0]}, "relative": []}
    >>> source_columns(["count>=2.0", "count>=4.0", "flag"], [thresholds])
    ['count', 'flag']
    """
    for step in reversed(steps):
        known = _find(step["step"])
        made = {} if known is None else _function(known.sources)(step)
        names = [made.get(name, name) for name in names]
    return list(dict.fromkeys(names))


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
    if not isinstance(name, str):
        return False
    known = _find(name)
    return known is None or _function(known.is_valid)(step)


def _find(name: str) -> Step | None:
    if name not in STEPS:
        importlib.import_module(_OF_TASKS)
    return STEPS.get(name)


def _function(found: Callable[..., Any] | str) -> Any:
    if not isinstance(found, str):
        return found
    module, _, attribute = found.partition(":")
    return getattr(importlib.import_module(module), attribute)
