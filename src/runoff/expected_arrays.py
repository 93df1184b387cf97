"""What the arrays of a file must be before compiled loops may trust them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt


@dataclass(frozen=True)
class Expected:
    """An array of this type and shape, all of whose values are finite and from `least` to `most`."""

    dtype: npt.DTypeLike
    shape: tuple[int, ...]
    least: float = -np.inf
    most: float = np.inf

    @classmethod
    def like(cls, array: npt.NDArray[Any], least: float = -np.inf, most: float = np.inf) -> Expected:
        """Type and shape of another array."""
        return cls(array.dtype, array.shape, least, most)

    def fits(self, array: npt.NDArray[Any]) -> bool:
        """Whether an array is as expected. O(values)."""
        if array.dtype != self.dtype or array.shape != self.shape:
            return False
        return bool(np.isfinite(array).all() and (array >= self.least).all() and (array <= self.most).all())


def check_arrays(kept: Mapping[str, npt.NDArray[Any]], expected: Mapping[str, Expected]) -> None:
    """Raise ValueError unless there are exactly these arrays, and each is as expected. O(values).

    Examples
    --------
    >>> check_arrays({"visits": np.array([3])}, {"visits": Expected(np.int64, (1,), least=0)})
    >>> check_arrays({"visits": np.array([-3])}, {"visits": Expected(np.int64, (1,), least=0)})
    Traceback (most recent call last):
        ...
    ValueError: visits is not as expected.
    """
    if kept.keys() != expected.keys():
        raise ValueError(f"there are {', '.join(kept)}; expected {', '.join(expected)}.")
    for name, each in expected.items():
        if not each.fits(kept[name]):
            raise ValueError(f"{name} is not as expected.")
