"""Arrays inside the preparation steps of a model: stored as separate files, which the header names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import ModelError, brief
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MARK = "stored in"
_PLAIN = (str, int, float, list, type(None))


def detach_arrays(steps: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, pa.Array]]:
    """Steps with every array replaced by the name of a file, and the arrays by these names.

    Examples
    --------
    >>> detach_arrays([{"step": "a", "keys": np.array([1, 2])}])[0]
    [{'step': 'a', 'keys': {'stored in': 'step-0/keys.arrow'}}]
    """
    arrays: dict[str, pa.Array] = {}

    def plain(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner, f"{name}/{key}") for key, inner in value.items()}
        if isinstance(value, _PLAIN):
            return value
        if not isinstance(value, (np.ndarray, pa.Array)):
            raise ModelError(
                f"the model uses {brief(value)}, an object of {type(value).__name__} that cannot be stored in a file; "
                "give the name of something that can be loaded instead."
            )
        arrays[f"{name}.arrow"] = value if isinstance(value, pa.Array) else pa.array(value)
        return {_MARK: f"{name}.arrow"}

    return [plain(dict(step), f"step-{at}") for at, step in enumerate(steps)], arrays


def attach_arrays(steps: Any, read: Callable[[str], pa.Array]) -> Any:
    """Steps with the arrays restored; texts stay Arrow arrays, numbers become numpy's.

    Examples
    --------
    >>> attach_arrays([{"keys": {"stored in": "a.arrow"}}], {"a.arrow": pa.array([1, 2])}.__getitem__)
    [{'keys': array([1, 2])}]
    """
    if isinstance(steps, list):
        return [attach_arrays(step, read) for step in steps]
    if not isinstance(steps, dict):
        return steps
    if set(steps) == {_MARK}:
        found = read(steps[_MARK])
        if found.null_count:
            raise DamagedFileError(f"{steps[_MARK]} has gaps")
        return found if pa.types.is_large_string(found.type) else frozen(found.to_numpy(zero_copy_only=False))
    return {key: attach_arrays(value, read) for key, value in steps.items()}
