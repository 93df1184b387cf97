"""Options of a metric as text, read and written: `name@cut-off[option=value,flag]`."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from runoff.errors import UsageError, brief

if TYPE_CHECKING:
    from runoff.metrics.base import Metric

    AnyMetric = TypeVar("AnyMetric", bound=Metric)

CUT_OFF = "k"  # the field that is written after the @


def label(metric: Metric) -> str:
    """Write a metric as text, without options that have their default."""
    cut, changed = _changed(metric)
    written = ",".join(name if value is True else f"{name}={str(value).lower()}" for name, value in changed)
    return metric.name + (f"@{cut}" if cut is not None else "") + (f"[{written}]" if written else "")


def constructor(metric: Metric) -> str:
    """Write a metric as the Python that makes it, without options that have their default."""
    cut, changed = _changed(metric)
    given = [*([] if cut is None else [repr(cut)]), *(f"{name}={value!r}" for name, value in changed)]
    return f"{type(metric).__name__}({', '.join(given)})"


def _changed(metric: Metric) -> tuple[int | None, list[tuple[str, Any]]]:
    """The cut-off, and every other option that differs from its default."""
    values = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric)}
    cut = values.pop(CUT_OFF, None)
    defaults = {field.name: field.default for field in dataclasses.fields(metric)}
    return cut, [(name, value) for name, value in sorted(values.items()) if value != defaults[name]]


def build(kind: type[AnyMetric], cut: int | None, options: dict[str, str]) -> AnyMetric:
    """Make a metric from a cut-off and options as they were written."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    types = _types(kind)
    given: dict[str, Any] = {}
    if cut is not None:
        if CUT_OFF not in fields:
            raise UsageError(f"{kind.name} takes no cut-off; write {kind.name} instead of {kind.name}@{cut}.")
        given[CUT_OFF] = cut
    elif CUT_OFF in fields and fields[CUT_OFF].default is dataclasses.MISSING:
        raise UsageError(f"{kind.name} needs a cut-off; write for example {kind.name}@5.")
    for name, text in options.items():
        if name not in fields or name == CUT_OFF:
            known = ", ".join(sorted(set(fields) - {CUT_OFF}))
            raise UsageError(f"{kind.name} has no option {name!r}; its options are: {known}.")
        given[name] = _value(text, types[name], f"{kind.name}[{name}=…]")
    return kind(**given)


@functools.cache
def _types(kind: type[Metric]) -> dict[str, Any]:
    return get_type_hints(kind)


def check_choice(metric: Metric, field: str) -> None:
    """Refuse a value that the field's `Literal` type does not list."""
    allowed, value = get_args(_types(type(metric))[field]), getattr(metric, field)
    if value not in allowed:
        raise UsageError(
            f"{metric.name}[{field}=…] must be one of {', '.join(map(str, allowed))}; found {brief(value)}."
        )


def check_cut(metric: Metric, k: int | None) -> None:
    """Refuse a cut-off that is not a whole number of at least 1."""
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise UsageError(f"the cut-off of {metric.name} must be a whole number; found {brief(k)}.")
    if k < 1:
        raise UsageError(f"the cut-off of {metric.name} must be at least 1; found {k}.")


def _value(text: str, kind: Any, place: str) -> Any:
    if get_origin(kind) is Literal:
        return text  # the metric itself says which values there are
    if kind is bool:
        if text.lower() not in {"true", "false"}:
            raise UsageError(f"{place} is either on or off; write true or false, found {brief(text)}.")
        return text.lower() == "true"
    if kind is str:
        return text
    whole = kind is int
    try:
        return int(text) if whole else float(text)
    except ValueError:
        raise UsageError(f"{place} must be a {'whole ' if whole else ''}number; found {brief(text)}.") from None
