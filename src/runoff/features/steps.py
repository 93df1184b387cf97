"""Preparation that a model remembers, so that it is done to new data as it was done in training.

Steps of the features themselves are known here; a task's featurizer is found in the registry by the name of its step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features import estimates, leaves, missing_values, products, thresholds, within_group_ranks
from runoff.features.added_columns import has_columns_and_mark
from runoff.features.first_choice import COLUMN as FIRST_CHOICE
from runoff.features.first_choice import apply_first_choice
from runoff.features.lists import list_features
from runoff.registry import FEATURIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from runoff.features.featurizer import Featurizer
    from runoff.nbest import NBest


def _has_no_parameters(parameters: Mapping[str, Any]) -> bool:  # noqa: ARG001 - nothing to check
    return True


def _makes_no_columns(parameters: Mapping[str, Any]) -> dict[str, list[str]]:  # noqa: ARG001 - nothing to look up
    return {}


def _adds_none(parameters: Mapping[str, Any]) -> Iterable[str]:  # noqa: ARG001 - nothing to name
    return ()


@dataclass(frozen=True)
class Step:
    """One kind of preparation; its functions get the mapping that the model keeps."""

    apply: Callable[[NBest, Mapping[str, Any]], NBest]
    is_valid: Callable[[Mapping[str, Any]], bool] = _has_no_parameters  # of a mapping that came from a file
    sources: Callable[[Mapping[str, Any]], dict[str, list[str]]] = _makes_no_columns  # input columns of each new one
    adds: Callable[[Mapping[str, Any]], Iterable[str]] = _adds_none  # new columns, whatever the data has
    sees_missing: bool = False  # whether it takes missing values as they are


STEPS: Mapping[str, Step] = {
    "list-features": Step(lambda data, parameters: list_features(data)),  # noqa: ARG005 - has no parameters
    "first-choice": Step(apply_first_choice, adds=lambda step: [FIRST_CHOICE]),  # noqa: ARG005 - has no parameters
    missing_values.STEP: Step(
        missing_values.fill_missing_values,
        has_columns_and_mark,
        lambda step: {made: [name] for name, made in missing_values.missing_value_names(step).items()},
        sees_missing=True,
    ),
    estimates.STEP: Step(
        estimates.apply_estimates,
        estimates.is_estimates,
        estimates.estimate_sources,
        lambda step: estimates.estimate_names(step).values(),
        sees_missing=True,
    ),
    within_group_ranks.STEP: Step(
        within_group_ranks.apply_group_ranks,
        has_columns_and_mark,
        lambda step: {made: [name] for name, made in within_group_ranks.group_rank_names(step).items()},
        lambda step: within_group_ranks.group_rank_names(step).values(),
        sees_missing=True,
    ),
    thresholds.STEP: Step(
        thresholds.apply_thresholds,
        thresholds.is_thresholds,
        lambda step: {made: [name] for name, several in thresholds.threshold_names(step).items() for made in several},
    ),
    leaves.STEP: Step(
        leaves.apply_leaves,
        leaves.is_leaves,
        leaves.leaf_sources,
        leaves.leaf_names,
        sees_missing=True,
    ),
    products.STEP: Step(
        products.apply_products,
        products.is_products,
        products.product_sources,
        sees_missing=True,
    ),
}


def prepare(data: NBest, steps: Sequence[Mapping[str, Any]], *, keep_missing: bool = False) -> NBest:
    """Apply the named steps in order; each is a mapping with `step` and its parameters.

    Missing values are filled whether or not a step says so, unless they are to be kept: of the steps here only those
    see any that know what to do with them. Featurizers may see those of the features that came with the candidates, and
    pass them on.
    """
    for step in steps:
        name = step["step"]
        if name in STEPS:
            if not (STEPS[name].sees_missing or keep_missing):
                data = missing_values.fill_missing_values(data)
            data = STEPS[name].apply(data, step)
        elif name in FEATURIZERS:
            data = FEATURIZERS[name].from_step(step).transform(data)
        else:
            raise ModelError(
                f"the model prepares data by {name!r}, which this Runoff does not know; upgrade Runoff, "
                "or name the plugin that brings it (runoff --plugin)."
            )
    return data if keep_missing else missing_values.fill_missing_values(data)


def featurizer_in(steps: Sequence[Mapping[str, Any]]) -> Featurizer | None:
    """The featurizer among the steps of a model, if there is one.

    Examples
    --------
    >>> featurizer_in([{"step": "list-features"}]) is None
    True
    """
    kept = next((step for step in steps if step["step"] not in STEPS and step["step"] in FEATURIZERS), None)
    return None if kept is None else FEATURIZERS[kept["step"]].from_step(kept)


def externals_in(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the steps of a model load from outside its file, in words.

    Examples
    --------
    >>> externals_in([{"step": "list-features"}])
    []
    """
    kinds = [(step, FEATURIZERS[step["step"]]) for step in steps if step["step"] in FEATURIZERS]
    return [each for step, kind in kinds for each in kind.externals(step)]


def source_columns(names: Iterable[str], steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """The input columns that columns of prepared data come from, each once; a column that no step makes is its own.

    Examples
    --------
    >>> thresholds = {"step": "thresholds", "cuts": {"count": [2.0, 4.0]}, "relative": []}
    >>> source_columns(["count>=2.0", "count>=4.0", "flag"], [thresholds])
    ['count', 'flag']
    """
    for step in reversed(steps):
        made = STEPS[step["step"]].sources(step) if step["step"] in STEPS else {}
        names = [source for name in names for source in made.get(name, [name])]
    return list(dict.fromkeys(names))


def added_columns(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Columns that the steps add to any data, even to data with none of the columns that they look at.

    Examples
    --------
    >>> added_columns([{"step": "list-features"}, {"step": "group-ranks", "columns": ["bm25"]}])
    ['rank:bm25']
    """
    return [name for step in steps if step["step"] in STEPS for name in STEPS[step["step"]].adds(step)]


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
        return STEPS[name].is_valid(step)
    return name not in FEATURIZERS or FEATURIZERS[name].is_step(step)
