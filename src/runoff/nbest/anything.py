"""Data as a person has it in a program: an `NBest`, records as in Runoff's JSON lines, or plain lists of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from runoff.errors import UsageError, brief
from runoff.nbest.core import NBest

NBestLike: TypeAlias = "NBest | Iterable[Mapping[str, Any] | Sequence[str]]"
_FORMS = 'an NBest, a list of records such as {"candidates": [{"text": …}]}, or a list of lists of texts'


def as_nbest(data: NBestLike) -> NBest:
    """An `NBest` from any of these; one group for each record or list, in the same order.

    Examples
    --------
    >>> as_nbest([["a b", "a c"], ["d"]])
    NBest(2 groups, 3 candidates, 0 features)
    >>> as_nbest([{"candidates": [{"text": "a b", "base": -1.5}, {"text": "a c", "base": -2}]}])
    NBest(1 group, 2 candidates, 0 features, base)
    >>> as_nbest(["a b", "a c"])
    Traceback (most recent call last):
    runoff.errors.UsageError: group 1 is 'a b'; expected an NBest, a list of records ...
    """
    if isinstance(data, NBest):
        return data
    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        raise UsageError(f"candidates to choose from must be {_FORMS}; found {brief(data)}.")
    return NBest.from_records(_record(group, at) for at, group in enumerate(data, 1))


def _record(group: Any, at: int) -> Mapping[str, Any]:
    if isinstance(group, Mapping):
        return group
    if isinstance(group, (list, tuple)):
        return {"candidates": list(group)}
    hint = " One group alone goes into a list too: [group]." if isinstance(group, str) else ""
    raise UsageError(f"group {at} is {brief(group)}; expected {_FORMS}.{hint}")
